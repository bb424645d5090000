//! What is next to a number: `8 GPUs`, `4 (per device)`, `累积 8`, `16 张卡`.

use regex::Regex;
use std::sync::LazyLock;

/// What a factor counts, by its label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Unknown.
    #[default]
    Unknown,
    /// Rows per process.
    Micro,
    /// Micro-batches per step.
    Accumulation,
    /// Processes, GPUs, nodes.
    World,
}

impl Role {
    /// Itself, or the other where it tells nothing.
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }
}

/// One word of a label. Kinds of GPU count as GPUs.
const WORD: &str = r"(?:per[\s_-]*(?:device|gpu|card|rank|process|node)?(?:[\s_-]*(?:train[\s_-]*)?batch(?:[\s_-]*size)?)?|micro[\s_-]*(?:batch)?(?:[\s_-]*size)?|mbs|bsz?|batch(?:[\s_-]*size)?|samples?|gradients?|grad|accumulations?|accumulate|accum|acc|gas?|steps?|num|gpus?|devices?|cards?|nodes?|machines?|ranks?|process(?:es)?|procs?|workers?|world(?:[\s_-]*size)?|dp|data[\s-]parallel|nvidia|rtx|gtx|tesla|[abhlvt]\d{2,4}s?|a100s?|h100s?|单卡|每卡|每张卡|每张|每个|每gpu|每设备|每步|批次大小|批大小|批量|批|微批|梯度|累积|累计|步数|步|次|个|张|块|台|机|节点|进程|显卡|卡数|卡|的)";

/// Whether this is a word of a label.
pub(super) fn is_word(word: &str) -> bool {
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(&format!(r"^(?i:{WORD})$")).expect("the pattern is constant"));
    WHOLE.is_match(word)
}

/// The label in front of a number that starts a factor, and where the number would start.
pub(super) fn label_before(text: &str, at: usize) -> (Role, usize) {
    static BEFORE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!(r"^(?i:(?:{WORD}[\s_-]*){{1,6}})")).expect("the pattern is constant"));
    match BEFORE.find(&text[at..]) {
        Some(found) if text[at + found.end()..].starts_with(|c: char| c.is_ascii_digit()) => {
            (role(found.as_str()), at + found.end())
        }
        _ => (Role::Unknown, at),
    }
}

/// The label after a number, and where it ends.
pub(super) fn label_after(text: &str, at: usize) -> (Role, usize) {
    static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(
            r"^(?i:\s*/\s*(?:gpu|device|card|rank|卡)\b|[\s_-]*(?:{WORD}(?:[\s_-]+|\b|)){{1,6}}|\s*\([^()]{{1,40}}\))"
        ))
        .expect("the pattern is constant")
    });
    let (mut found, mut end) = (Role::Unknown, at);
    for _ in 0..3 {
        let Some(label) = BEHIND.find(&text[end..]).filter(|label| !label.as_str().trim().is_empty()) else { break };
        let words = label.as_str().trim_end();
        // `x` before a digit is a sign, and a word must end where its letters end.
        let cut = text[end + words.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if cut && words.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            break;
        }
        found = found.or(if words.trim_start().starts_with('/') { Role::Micro } else { role(words) });
        end += words.len();
    }
    (found, end)
}

/// A name of a factor: `per_device_batch`, `num gpus`, `累积步数`.
pub(super) fn name(text: &str, at: usize) -> Option<(&str, usize)> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[A-Za-z_\p{Han}][\w./-]*").expect("the pattern is constant"));
    let mut end = at;
    for _ in 0..5 {
        let next = end + if end == at { 0 } else { crate::batch::claim::equation::blanks(text, end) };
        let Some(word) = NAME.find(&text[next..]).filter(|word| !word.as_str().eq_ignore_ascii_case("x")) else { break };
        end = next + word.end();
    }
    (end > at).then(|| (&text[at..end], end))
}

/// What a label says that its number counts.
pub(super) fn role(label: &str) -> Role {
    let label = label.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    if has(&["acc", "grad", "累", "ga"]) && !has(&["gate"]) || has(&["steps", "步"]) {
        Role::Accumulation
    } else if has(&["per", "每", "单卡", "micro", "微", "batch", "bs", "批", "/"]) {
        Role::Micro
    } else if has(&[
        "gpu", "device", "card", "卡", "node", "rank", "proc", "world", "dp", "parallel", "machine", "机", "节点", "进程",
        "worker",
    ]) || is_gpu_name(label.trim())
    {
        Role::World
    } else {
        Role::Unknown
    }
}

fn is_gpu_name(label: &str) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:\b|张|块|个)[abhlvt]\d{2,4}s?\b|\b(?:nvidia|rtx|gtx|tesla)\b").expect("the pattern is constant")
    });
    NAME.is_match(label)
}
