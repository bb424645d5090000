//! The words that announce an effective batch, and those that make a sentence something else than a plain statement of it.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How clearly words mean an effective batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CueStrength {
    /// `effective batch size`, `有效 batch`.
    Strong,
    /// `total batch`, `实际 batch`: may be something else, so only a written product is believed.
    Weak,
    /// `相当于 batch size`, `equivalent to a batch size of`: may also be meant per GPU.
    Loose,
    /// `effective` alone: the line that it is on must mention batches.
    Bare,
}

/// Words with their weight.
#[derive(Clone, Debug)]
pub(super) struct Cue {
    pub(super) range: Range<usize>,
    pub(super) weight: CueStrength,
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant")
}

const NOUN: &str = r"(?:batch[\s_-]*(?:size|sz)|batch|bsz?)";
const NOUN_ZH: &str = r"(?:batch[\s_-]*size|batch|bsz?|训练批次大小|批次大小|批量大小|批处理大小|批大小|批尺寸|批次|批量|批)";

/// Every announcement in a plain line, from left to right, without overlaps.
pub(super) fn cues(text: &str) -> Vec<Cue> {
    static STRONG: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"(?i)(?:\b(?:effective|eff\.?|global|aggregate|equivalent)[\s_-]*(?:total[\s_-]*|global[\s_-]*)?(?:train(?:ing)?[\s_-]*)?{NOUN}\b|\bgbs\b|\b(?:total|overall|combined)[\s_-]*(?:effective[\s_-]*)?(?:train(?:ing)?[\s_-]*)?(?:batch[\s_-]*(?:size|sz)|bsz?)\b|\bbatch[\s_-]*(?:size)?[\s_-]*\(?(?:effective|eff)\)?\b\)?|\bbs[\s_-]+eff(?:ective)?\b|(?:有效|等效|等价|全局)(?:的|总|全局|训练|\s)*{NOUN_ZH}|总(?:的|有效|等效|训练|\s)*(?:batch[\s_-]*size|bsz?\b|训练批次大小|批次大小|批量大小|批处理大小|批大小|批尺寸)|{NOUN_ZH}\s*\((?:有效|等效|全局|总)\))"
        ))
    });
    static WEAK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"(?i)(?:\b(?:total|overall|combined|actual|real|true|final)[\s_-]*(?:train(?:ing)?[\s_-]*)?{NOUN}\b|\btrain[\s_-]*batch[\s_-]*size\b|(?:实际|真实|总|整体|累计|最终|合计)(?:的|上|训练|\s)*{NOUN_ZH})"
        ))
    });
    static LOOSE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"(?i)(?:\bequivalent\s+to\s+(?:an?\s+)?{NOUN}\b|\b(?:simulates?|emulates?)\s+(?:an?\s+)?{NOUN}\b|(?:相当于|等效于|等价于|等同于|模拟)\s*(?:一个)?\s*{NOUN_ZH})"
        ))
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[\s#/;>=*→-]*(?:effective|eff\.?|有效|等效)\s*[:=]?\s*\d"));
    let mut found: Vec<Cue> = Vec::new();
    let mut add = |regex: &Regex, weight: CueStrength| {
        for words in regex.find_iter(text) {
            if found.iter().all(|known| known.range.end <= words.start() || words.end() <= known.range.start) {
                found.push(Cue { range: words.range(), weight });
            }
        }
    };
    add(&LOOSE, CueStrength::Loose);
    add(&STRONG, CueStrength::Strong);
    add(&WEAK, CueStrength::Weak);
    if found.is_empty()
        && let Some(words) = BARE.find(text)
    {
        let end = words.end() - 1;
        found.push(Cue { range: words.start()..end, weight: CueStrength::Bare });
    }
    found.sort_by_key(|words| words.range.start);
    found
}

/// What may appear between the words and the number: a note in brackets, `per step`, `=`, `is`, `为`. Gives where it ends, and
/// whether there is a sign at all.
pub(super) fn connector(text: &str, at: usize) -> (usize, bool) {
    static SKIPPED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\s*(?:\([^()]{0,60}\)|size|大小|per\s+(?:optimizer\s+)?(?:step|update|iteration)|for\s+training|(?:for|on|with|across|over)\s+\d+\s*x?\s*[\w-]+|here|每步)?\s*",
        )
    });
    static SIGN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\s*(?::?==?|:|→|is\s+now|is|are|of|becomes|stays\s+at|stays|remains|at|约?等于|保持为|保持|保持在|仍为|变为|就是|即为|即|为|是|达到)\s*",
        )
    });
    let start = at + SKIPPED.find(&text[at..]).map_or(0, |skipped| skipped.end());
    let mut end = start;
    for _ in 0..2 {
        let Some(sign) = SIGN.find(&text[end..]) else { break };
        let word = sign.as_str().trim_end();
        // `is64` is no word.
        if word.ends_with(|c: char| c.is_ascii_alphabetic()) && word.len() == sign.as_str().len() {
            break;
        }
        end += sign.end();
    }
    (end, end > start)
}

/// The note in brackets directly after the words, where it may hold the factors.
pub(super) fn note(text: &str, at: usize) -> Option<usize> {
    let start = at + text[at..].len() - text[at..].trim_start().len();
    text[start..].starts_with('(').then_some(start + 1)
}

/// Whether a line is something else than a statement about the present values, whatever is in it.
pub(super) fn is_other_talk(line: &str) -> bool {
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?ix)
            [?~≈≠±] | != | <= | >= | \b(?: tokens? | toks? | not | never | isn't | won't | don't | if | when | unless | whether | suppose | todo | fixme | e\.g\.? | eg | i\.e\. | example | should | could | would | might | may | can | want | wants | need | needs | target | targets | desired | recommend(?:ed|s)? | suggest(?:ed|s)? | ideally | ideal | paper | papers | baseline | original(?:ly)? | official | upstream | author'?s | approx(?:imately|\.)? | about | around | roughly | nearly | almost | between | divided | divisible | divides? | multiples? | at\s+least | at\s+most | up\s+to | max(?:imum)? | min(?:imum)? | minimal | larger | smaller | bigger | greater | less | more | fewer | than | increas(?:e|es|ing) | decreas(?:e|es|ing) | reduc(?:e|es|ing) | rais(?:e|es|ing) | lower(?:s|ing)? | adjust(?:s|ing)? | chang(?:e|es|ing|ed) | eval(?:uation)? | validation | val | test(?:ing)? | inference | rollout | generation | vs\.? | versus | instead | mini | ppo | tune | sweep | try | number\s+of | num(?:ber)?_ | count | loss | norm | time | old | before | previous(?:ly)? | was | were | used\s+to | default(?:s)? | wrong )\b
            | tokens? \b | 词元 | 约 | 大概 | 左右 | 大约 | 接近 | 如果 | 若 | 假如 | 例如 | 比如 | 譬如 | 建议 | 推荐 | 目标 | 期望 | 希望 | 应该 | 应为 | 应当 | 需要 | 想要 | 可以 | 可能 | 论文 | 原文 | 原版 | 官方 | 基线 | 默认 | 原来 | 原先 | 原本 | 之前 | 以前 | 此前 | 旧 | 优化前 | 修改前 | 改前 | 至少 | 最多 | 不超过 | 最大 | 最小 | 以上 | 以下 | 不是 | 并非 | 而非 | 避免 | 增大 | 增加 | 减小 | 减少 | 减半 | 翻倍 | 提高 | 降低 | 调大 | 调小 | 改成 | 改为 | 比 | 评估 | 验证 | 测试 | 推理 | 吗 | 批次数 | 倍数 | 整除 | 理想",
        )
    });
    OTHER.is_match(line)
}

/// A bracket that tells what a number was before: `(was 128)`, `（原来是 384）`; the present value is outside of it.
pub(super) fn without_history(line: &str) -> String {
    static HISTORY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\((?:was|were|previously|formerly|instead\s+of|not|down\s+from|up\s+from|原来|原先|原本|原为|原|之前|此前|以前)[^()]{0,40}\)",
        )
    });
    HISTORY.replace_all(line, |found: &regex::Captures<'_>| " ".repeat(found[0].len())).into_owned()
}

/// Whether what follows the number allows it: not `64-128`, `64 / 8`, `64 per GPU`, `64 or 128`.
pub(super) fn lets_stand(rest: &str) -> bool {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?ix)^(?: [-+/%^<>±*→] | \s*(?: - \s* \d | -> | => | → | [+/*%<>^] | x\b | (?:or|to|and)\s+\d | or\b | to\b | times\b | k\b | m\b | [kmg]i?b\b | steps?\b | epochs?\b | batches\b | hours?\b | s\b | ms\b | gpus?\b | per[\s_-]*(?:gpu|device|card|rank|node|process|worker)s?\b | /\s*(?:gpu|device|card|rank|node)\b | on\s+(?:each|every)\b | each\b | \(\s*[x*+] | \(?(?:per[\s_-]*(?:gpu|device|card|rank|node)|每卡|每张|单卡|每个) | 每卡 | 每张 | 倍 | 步 | 卡 | 个?批 | 或 | 到 | 至 | ,\s*\d+\s*(?:or|或|/) ) )",
        )
    });
    !CHANGES.is_match(rest)
        && !rest.starts_with(|c: char| {
            c.is_ascii_alphanumeric() || c == '_' || c == '\'' && rest[1..].starts_with(char::is_alphanumeric)
        })
}

/// Whether the words are of one GPU: `每卡有效 batch`, `per-GPU effective batch`.
pub(super) fn is_per_gpu(before: &str) -> bool {
    static PER_GPU: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)(?:per[\s_-]*(?:gpu|device|card|rank|node)|local|每卡|每张卡|每个\s*gpu|每\s*gpu|单卡)的?\s*$")
    });
    PER_GPU.is_match(before)
}

/// Whether a part of a sentence counts something for each GPU: which of its numbers is the total is then not clear.
pub(super) fn speaks_per_gpu(text: &str) -> bool {
    static PER_GPU: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:per|each|every)[\s_-]*(?:gpu|device|card|rank|node)\b|/\s*(?:gpu|卡)|每卡|每张卡|每个\s*gpu|单卡\s*(?:batch|bs|批|\d)",
        )
    });
    PER_GPU.is_match(text)
}

/// What follows a number that is after the words without any sign: the end, or a mark.
pub(super) fn ends_at_once(rest: &str) -> bool {
    static END: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^\s*(?:$|[,;.!|)\]#]|\(|on\b|with\b|across\b|over\b|using\b|for\b|in\s+total\b|total\b|samples?\b|sequences?\b|(?:即|，))",
        )
    });
    END.is_match(rest)
}

/// What may appear between a product and words after it: `= 128 effective batch size`, `(effective batch)`.
pub(super) fn joins(between: &str) -> bool {
    static JOIN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)^\s*(?:\(|\[|,|;|:|-|→|as|is|of|samples|the|的|作为|是|为|\s)*\s*$"));
    between.len() < 20 && JOIN.is_match(between)
}
