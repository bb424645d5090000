//! What is known about a model.

use super::provenance::tick;
use crate::summary::gib;
use vramlint_base::{Lang, TextRange, message};
use vramlint_estimate::{Model, Source};
use vramlint_memory::arch::Certainty;
use vramlint_memory::setup::Dtype;
use vramlint_project::Report;
use vramlint_view::estimate::format::parameter_count;

/// Maximum bytes of a name.
const NAME: usize = 200;

/// Parameters, architecture, memory of the weights, and the source. `None` for an unknown model.
pub(super) fn model(report: &Report, id: &str, lang: Lang) -> Option<String> {
    let found = report.models.find(id)?;
    let in_lang = |message: vramlint_base::Message| message.get(lang).to_owned();
    let name = tick(id);
    let parameters = found.exact_parameters.unwrap_or_else(|| found.arch.parameters());
    let (size, layers, vocabulary) = (parameter_count(parameters), found.arch.layers(), found.arch.vocabulary());
    let mut lines = vec![format!("**`{name}`**"), String::new()];
    let kind = tick(&found.arch.model_type);
    lines.push(match found.arch.certainty() {
        Certainty::ParameterCount => {
            in_lang(message!("- about {size} parameters, unknown architecture", "- 约 {size} 参数，结构未知"))
        }
        _ if kind.is_empty() => in_lang(message!(
            "- {size} parameters, {layers} layers, vocabulary {vocabulary}",
            "- {size} 参数，{layers} 层，词表 {vocabulary}"
        )),
        _ => in_lang(message!(
            "- {size} parameters, `{kind}`, {layers} layers, vocabulary {vocabulary}",
            "- {size} 参数，`{kind}`，{layers} 层，词表 {vocabulary}"
        )),
    });
    if let Some(quantized_weights) = quantized_weights(&found, lang) {
        lines.push(quantized_weights);
    } else {
        let (fp32, half) = (gib(parameters.saturating_mul(4)), gib(parameters.saturating_mul(2)));
        let stored = match found.dtype {
            Some(dtype) => {
                let name = dtype.name();
                in_lang(message!(", stored as {name}", "，存储为 {name}"))
            }
            None => String::new(),
        };
        lines.push(in_lang(message!(
            "- weights only: {half} GiB in bf16 or fp16, {fp32} GiB in fp32{stored}",
            "- 仅权重：bf16 或 fp16 为 {half} GiB，fp32 为 {fp32} GiB{stored}"
        )));
    }
    lines.push(format!("- {}", source(&found.source, lang)));
    Some(lines.join("\n"))
}

/// For a quantized checkpoint.
fn quantized_weights(found: &Model, lang: Lang) -> Option<String> {
    use vramlint_memory::setup::Quantization as Q;
    let bits = match found.prequantized? {
        Q::None => return None,
        Q::Int8 => 8,
        Q::FourBit { .. } => 4,
    };
    let other_dtype = found.dtype.unwrap_or(Dtype::Bf16).name();
    Some(
        message!(
            "- the checkpoint is quantized to {bits} bits; the rest is {other_dtype}",
            "- 检查点已量化为 {bits} 位，其余为 {other_dtype}"
        )
        .get(lang)
        .to_owned(),
    )
}

fn source(source: &Source, lang: Lang) -> String {
    let text = match source {
        Source::Catalogue(_) => message!("from vramlint's catalog", "来自 vramlint 的目录"),
        Source::InferredFromName(id) => {
            let id = tick(id);
            message!("assumed to be `{id}` from its name", "按名称视为 `{id}`")
        }
        Source::Derivative(id) => {
            let id = tick(id);
            message!("assumed to be made from `{id}`, by its name", "按名称视为由 `{id}` 得来")
        }
        Source::SizeInName(_) => message!("its size is read from its name", "参数量取自名称"),
        Source::Project(path) | Source::Cache(path) | Source::Declared(path) => {
            let path = tick(path);
            message!("from `{path}`", "来自 `{path}`")
        }
        Source::Code => message!("made by the code", "由代码创建"),
        Source::CommandLine => message!("as specified", "按给定值"),
    };
    let kind = match source {
        Source::Project(_) => message!(" in the project", "（项目中）"),
        Source::Cache(_) => message!(" in the Hugging Face cache", "（Hugging Face 缓存）"),
        Source::Declared(_) => message!(", declared in vramlint.toml", "（在 vramlint.toml 中声明）"),
        _ => message!("", ""),
    };
    format!("{}{}", text.get(lang), kind.get(lang))
}

/// The hub model (`org/name`) at an offset, with its range.
pub(super) fn name_at(text: &str, offset: u32) -> Option<(&str, TextRange)> {
    let offset = offset as usize;
    let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte);
    let bytes = text.as_bytes();
    let start = offset - bytes.get(..offset)?.iter().rev().take(NAME).take_while(|byte| is_name_byte(byte)).count();
    let end = offset + bytes[offset..].iter().take(NAME).take_while(|byte| is_name_byte(byte)).count();
    // Adjacent letters of other scripts make it another word.
    let name = text.get(start..end)?.trim_end_matches(['.', '/']);
    let (owner, rest) = name.split_once('/')?;
    let is_hub_name = !owner.is_empty() && !rest.is_empty() && !rest.contains('/') && !owner.starts_with(['.', '-']);
    is_hub_name.then(|| (name, TextRange::new(start as u32, (start + name.len()) as u32)))
}

#[cfg(test)]
mod tests {
    use super::name_at;

    #[test]
    fn a_name_has_an_owner_and_nothing_below() {
        let text = "模型 = \"Qwen/Qwen3-4B\"  # 见 ./a/b";
        let at = text.find("Qwen3").expect("there") as u32;
        assert_eq!(name_at(text, at).map(|(name, range)| (name, range.slice(text))), Some(("Qwen/Qwen3-4B", "Qwen/Qwen3-4B")));
        assert_eq!(name_at(text, text.len() as u32), None, "a path");
        for offset in 0..=text.len() + 2 {
            let _ = name_at(text, offset as u32);
        }
    }
}
