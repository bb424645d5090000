//! Chinese labels of moments.

use vramlint_base::Lang;

/// Translates a label. A label with an unknown word stays in English.
pub(super) fn label(label: &str, lang: Lang) -> String {
    if lang == Lang::En {
        return label.to_owned();
    }
    let mut text = String::new();
    let mut words = label.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word == "layer" || word == "layers" {
            let Some(number) = words.next().filter(|next| next.starts_with(|c: char| c.is_ascii_digit())) else {
                return label.to_owned();
            };
            text.push_str(&format!("第 {number} 层"));
            continue;
        }
        match WORDS.iter().find(|(en, _)| *en == word) {
            Some((_, zh)) => text.push_str(zh),
            None => return label.to_owned(),
        }
    }
    text
}

const WORDS: &[(&str, &str)] = &[
    ("attention", "注意力"),
    ("mlp", " MLP "),
    ("experts", "专家"),
    ("router", "路由"),
    ("norm", "归一化"),
    ("block", "块"),
    ("forward", "前向"),
    ("backward", "反向"),
    ("recompute", "重算"),
    ("recomputed", "重算"),
    ("embedding", "嵌入"),
    ("embeddings", "嵌入"),
    ("head", "输出头"),
    ("loss", "损失"),
    ("logits", " logits "),
    ("optimizer", "优化器"),
    ("step", "更新"),
    ("gradient", "梯度"),
    ("gradients", "梯度"),
    ("clip", "裁剪"),
    ("clipping", "裁剪"),
    ("reference", "参考模型"),
    ("generation", "生成"),
    ("generate", "生成"),
    ("prefill", "预填充"),
    ("decode", "解码"),
    ("model", "模型"),
    ("load", "加载"),
    ("reduce", "归约"),
    ("gather", "聚合"),
    ("first", "首次"),
    ("final", "最终"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_are_translated_and_others_left_alone() {
        assert_eq!(label("layer 3 mlp forward", Lang::Zh), "第 3 层 MLP 前向");
        assert_eq!(label("optimizer step", Lang::Zh), "优化器更新");
        assert_eq!(label("layer 3 frobnication", Lang::Zh), "layer 3 frobnication");
        assert_eq!(label("layer 3 mlp forward", Lang::En), "layer 3 mlp forward");
    }
}
