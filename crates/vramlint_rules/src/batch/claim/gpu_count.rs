//! The GPUs that a sentence mentions next to its arithmetic: `on 8 GPUs`, `(2 nodes x 8 GPUs)`, `单卡：`, `双卡训练`.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a line says about the GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GpuCount {
    /// Nothing.
    Unsaid,
    /// So many.
    Gpus(i64),
    /// Several numbers, or GPUs per node with an unknown number of nodes.
    Unclear,
}

/// `单卡：`, `单卡训练`, but not `单卡 batch 4`, which counts rows.
const SINGLE_GPU: &str = r"(?i)单(?:张?卡|\s*gpu)\s*(?:$|[:,.;)]|训|微调|运行|跑|时|下|上|环境|配置|的情况)";

/// The GPUs that a line mentions outside of `chain`.
pub(super) fn setup(line: &str, chain: &Range<usize>) -> GpuCount {
    static NODES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(\d{1,3})\s*(?:nodes?|machines?|机|台机器|台|个?节点)\s*(?:[x*,]|of|with|each)?\s*(?:with\s*)?(\d{1,2})\s*(?:gpus?|张?卡|[abhlv]\d{2,4})")
            .expect("the pattern is constant")
    });
    static GPUS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(\d{1,4}|[一二两双三四六八]|十六|\b(?:one|two|four|eight|sixteen|single)\b)\s*-?\s*(?:[x*]\s*)?(?:nvidia\s*)?(?:(?:a|h|b|v|l|rtx\s*|gtx\s*)-?\d{2,4}\w*|gpus?\b|gpu|[张块]?(?:显)?卡|devices?\b|process(?:es)?\b|procs\b|ranks\b|个?进程)")
            .expect("the pattern is constant")
    });
    static SINGLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(SINGLE_GPU).expect("the pattern is constant"));
    let outside = |at: usize| at < chain.start || at >= chain.end;
    let mut said: Vec<i64> = Vec::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    for found in NODES.captures_iter(line).filter(|found| found.get(0).is_some_and(|whole| outside(whole.start()))) {
        if let (Ok(nodes), Ok(gpus), Some(whole)) = (found[1].parse::<i64>(), found[2].parse::<i64>(), found.get(0)) {
            said.push(nodes * gpus);
            taken.push(whole.range());
        }
    }
    for found in GPUS.captures_iter(line) {
        let Some(whole) = found.get(0).filter(|whole| outside(whole.start())) else { continue };
        if taken.iter().any(|range| range.contains(&whole.start())) || follows_letter(line, whole.start()) {
            continue;
        }
        let rest = line[whole.end()..].trim_start().to_lowercase();
        if rest.starts_with("per node") || rest.starts_with("/node") || rest.starts_with("each node") {
            return GpuCount::Unclear;
        }
        said.extend(number(&found[1].to_lowercase()));
    }
    if SINGLE.find_iter(line).any(|found| outside(found.start())) {
        said.push(1);
    }
    said.sort_unstable();
    said.dedup();
    match said.as_slice() {
        [] => GpuCount::Unsaid,
        [one] => GpuCount::Gpus(*one),
        _ => GpuCount::Unclear,
    }
}

/// `v8 GPUs` and `2.4 GPUs` are no counts; `每张卡` is no count either.
fn follows_letter(line: &str, at: usize) -> bool {
    line[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '每' | '第'))
}

fn number(text: &str) -> Option<i64> {
    Some(match text {
        "一" | "one" | "single" => 1,
        "二" | "两" | "双" | "two" => 2,
        "三" => 3,
        "四" | "four" => 4,
        "六" => 6,
        "八" | "eight" => 8,
        "十六" | "sixteen" => 16,
        digits => digits.parse().ok().filter(|n| *n > 0)?,
    })
}
