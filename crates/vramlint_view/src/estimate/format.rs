//! Formatting of numbers and labels.

use vramlint_base::{Lang, text};
use vramlint_memory::estimate::{Label, Phase};

/// Bytes in GiB with two decimals.
pub fn gib(bytes: u64) -> String {
    format!("{} GiB", gib_value(bytes))
}

/// The same without the unit.
pub fn gib_value(bytes: u64) -> String {
    text::gib(bytes, 2)
}

/// The absolute difference in GiB.
pub fn gib_difference(a: u64, b: u64) -> String {
    gib(a.abs_diff(b))
}

/// A number of parameters: `7.24 B`, `41.9 M`.
#[allow(clippy::cast_precision_loss)] // three digits
pub fn parameter_count(number: u64) -> String {
    let n = number as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1} K", n / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} M", n / 1e6),
        1_000_000_000..1_000_000_000_000 => format!("{:.2} B", n / 1e9),
        _ => format!("{:.2} T", n / 1e12),
    }
}

/// A label in a language.
pub fn in_lang(label: Label, lang: Lang) -> &'static str {
    pick(lang, label.en, label.zh)
}

/// Chooses by language.
pub fn pick<T>(lang: Lang, en: T, zh: T) -> T {
    if lang == Lang::Zh { zh } else { en }
}

/// The name of a phase.
pub fn phase(phase: Phase, lang: Lang) -> &'static str {
    match phase {
        Phase::Load => pick(lang, "loading", "加载"),
        Phase::Forward => pick(lang, "forward", "前向"),
        Phase::Loss => pick(lang, "loss", "损失"),
        Phase::Backward => pick(lang, "backward", "反向"),
        Phase::Optimizer => pick(lang, "optimizer step", "优化器更新"),
        Phase::Generate => pick(lang, "generation", "生成"),
        Phase::Evaluate => pick(lang, "evaluation", "评估"),
    }
}

/// A phase within a sentence: `in backward`.
pub fn phase_phrase(at: Phase, lang: Lang) -> String {
    let name = phase(at, lang);
    match (lang, at) {
        (Lang::Zh, _) => format!("{name}阶段"),
        (_, Phase::Optimizer | Phase::Loss) => format!("in the {name}"),
        _ => format!("in {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_units() {
        assert_eq!(gib(25_757_220_864), "23.99 GiB");
        assert_eq!(gib_difference(1 << 30, 3 << 30), "2.00 GiB");
        assert_eq!(parameter_count(494_032_768), "494.0 M");
        assert_eq!(parameter_count(7_241_732_096), "7.24 B");
    }
}
