//! Claims about the effective batch in comments and prose: `effective batch = 16 * 3(GPU) * 8 = 384`, `有效 batch = 4`.
//!
//! A claim is read only where it says one number plainly. Text that compares, supposes or estimates (`was 384`, `if …`, `~64`)
//! is no claim.

use regex::Regex;
use std::sync::LazyLock;
use vramlint_base::TextRange;

/// What a text says about the effective batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The number that it states, and its place in the text.
    pub total: i64,
    /// Place of the number.
    pub total_range: TextRange,
    /// From the words to the number.
    pub range: TextRange,
    /// The factors that it multiplies, where it writes them as numbers.
    pub factors: Vec<i64>,
    /// How many GPUs it speaks of, where it says so.
    pub gpus: Option<i64>,
}

/// The words that announce an effective batch.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        (?: \b (?: effective | eff\.? | total | global | overall ) [\s_-]* (?: train (?:ing)? [\s_-]* )? (?: mini [\s_-]* )? (?: batch (?: [\s_-]* sizes? )? | bs \b )
          | (?: 有效 | 等效 | 等价 | 全局 | 总 ) \s* 的? \s* (?: 训练 )? \s* (?: batch (?: [\s_-]* size )? | 批 (?: 次 | 量 | 处理 )? (?: 大小 )? ) )
        \s* (?: 大小 )? [*`_]*
        ",
    )
    .expect("the pattern is constant")
});

/// Words that make a sentence something else than a plain claim.
static HEDGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix) \b (?: was | were | previous(?:ly)? | before | originally | old | default | instead | than | should | could | would | want | target | desired | recommended | e\.?g\.? | example | per[\s_-]*(?:gpu|device|card|node|rank) | tokens? | tok | up\s+to | at\s+least | at\s+most | max(?:imum)? | min(?:imum)? | between | divided | divisible | multiple )\b
        | -> | => | → | ⇒ | ≈ | ~ | 约 | 原来 | 之前 | 以前 | 优化前 | 默认 | 例如 | 比如 | 建议 | 目标 | 每卡 | 单卡 | 每张 | 至少 | 最多 | 如果 | 若",
    )
    .expect("the pattern is constant")
});

/// `8 GPUs`, `8卡`, `on 4 x A100`.
static GPUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?ix) (\d{1,4}) \s* (?: \( \s* )? (?: [x×] \s* )? (?: (?: a|h|b|v|l|rtx|gtx) [\s-]? \d{2,4} \w* | gpus? | 张?卡 | 块?(?:显)?卡 | devices? | processes | procs | ranks )")
        .expect("the pattern is constant")
});

/// Every claim in `text`, line by line. `text` is a comment without its mark, or a line of prose.
pub(super) fn find(text: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(claim) = in_line(line) {
            let move_by = |range: TextRange| range.shifted(start as u32);
            found.push(Claim { total_range: move_by(claim.total_range), range: move_by(claim.range), ..claim });
        }
        start += line.len();
    }
    found
}

fn in_line(line: &str) -> Option<Claim> {
    let words = WORDS.find(line)?;
    if HEDGED.is_match(line) || WORDS.find_iter(line).count() > 1 {
        return None;
    }
    let rest = &line[words.end()..];
    let (expression, offset) = after_equals(rest)?;
    let base = words.end() + offset;
    let (factors, total, total_range, end) = arithmetic(expression)?;
    let shifted = total_range.shifted(base as u32);
    Some(Claim {
        total,
        total_range: shifted,
        range: TextRange::new(words.start() as u32, (base + end) as u32),
        factors,
        gpus: gpus(line),
    })
}

/// What follows the first `=`, `:`, `is`, `of`, `为`: the expression, and where it starts.
fn after_equals(rest: &str) -> Option<(&str, usize)> {
    static EQUALS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\s*[（(][^()（）]{0,40}[)）])?[\s*`_]*(?:==?|:|：|is\b|of\b|为|是|＝)[\s*`_]*")
            .expect("the pattern is constant")
    });
    let mark = EQUALS.find(rest)?;
    Some((&rest[mark.end()..], mark.end()))
}

/// Factors, total, the total's place and where the claim ends, from `16 * 3(GPU) * 8 = 384` or `64`.
fn arithmetic(expression: &str) -> Option<(Vec<i64>, i64, TextRange, usize)> {
    let mut factors: Vec<i64> = Vec::new();
    let mut at = 0;
    loop {
        let product = product(&expression[at..]);
        let (numbers, last, end) = product?;
        let end = at + end;
        let next = equals_sign(&expression[end..]);
        if let Some(skip) = next {
            if let Numbers::Known(list) = numbers {
                factors = list;
            }
            at = end + skip;
            continue;
        }
        // The last member states the total, or, as a bare product, implies it.
        return match numbers {
            Numbers::Known(list) if list.len() == 1 => {
                let range = TextRange::new((at + last.start) as u32, (at + last.end) as u32);
                is_plain_end(&expression[end..]).then(|| (factors.clone(), list[0], range, end))
            }
            _ => None,
        };
    }
}

enum Numbers {
    Known(Vec<i64>),
    Symbolic,
}

/// One member of the equation: numbers, each with a label or in a label's brackets, joined by multiplication signs.
fn product(text: &str) -> Option<(Numbers, std::ops::Range<usize>, usize)> {
    static FACTOR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix) ^ [\s`]* (?:
                (?P<number> \d{1,3}(?:,\d{3})+ | \d{1,9} ) (?P<unit> [kKmM]? ) (?: \s* [（(] [^()（）]{0,24} [)）] )? (?: \s* (?: gpus? | nodes? | devices? | steps? | cards? | 张?卡 | 个?GPU | 步 | 台 ) \b? )?
              | (?P<word> [A-Za-z_][A-Za-z0-9_.]* (?: \s* [（(] [^()（）]{0,24} [)）] )? )
            ) [`]* ",
        )
        .expect("the pattern is constant")
    });
    static TIMES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(?:\*|×|✕|·|[xX]\s)\s*").expect("the pattern is constant"));
    let (mut numbers, mut symbolic, mut at) = (Vec::new(), false, 0);
    let mut last = 0..0;
    loop {
        let found = FACTOR.captures(&text[at..])?;
        if let Some(number) = found.name("number") {
            if found.name("unit").is_some_and(|unit| !unit.as_str().is_empty() && !starts_times(&text[at + unit.start()..])) {
                return None;
            }
            last = at + number.start()..at + number.end();
            numbers.push(number.as_str().replace(',', "").parse().ok()?);
        } else {
            symbolic = true;
        }
        at += found.get(0).map_or(0, |whole| whole.end());
        match TIMES.find(&text[at..]) {
            Some(times) => at += times.end(),
            None => break,
        }
    }
    Some((if symbolic { Numbers::Symbolic } else { Numbers::Known(numbers) }, last, at))
}

fn starts_times(text: &str) -> bool {
    text.starts_with(['x', 'X', '×', '*'])
}

fn equals_sign(text: &str) -> Option<usize> {
    static SIGN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(?:==?|＝)\s*").expect("the pattern is constant"));
    SIGN.find(text).map(|sign| sign.end())
}

/// Whether the number is the end of what is said: not `64-128`, `64.5`, `64 / 8`, `0.5M tokens`.
fn is_plain_end(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['`', '*', '_']);
    let mut chars = rest.chars();
    match chars.next() {
        None => true,
        Some('.' | '。') => chars.next().is_none_or(|c| !c.is_ascii_digit()),
        Some(c) if c.is_whitespace() => {
            let word = rest.trim_start();
            !word.starts_with(['/', '-', '+', '*', '×', '%', '~', '<', '>', '±'])
                && !word.starts_with("to ")
                && !word.starts_with("or ")
        }
        Some('-' | '+' | '/' | '%' | '~' | '–' | '—' | '±' | '^') => false,
        Some(c) => !c.is_ascii_alphanumeric(),
    }
}

/// The one number of GPUs that a line speaks of.
fn gpus(line: &str) -> Option<i64> {
    let mut found = GPUS.captures_iter(line).filter_map(|found| found[1].parse::<i64>().ok());
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (i64, Vec<i64>, Option<i64>) {
        let claims = find(text);
        assert_eq!(claims.len(), 1, "{text}: {claims:?}");
        let claim = &claims[0];
        assert_eq!(claim.total_range.slice(text).replace(',', ""), claim.total.to_string(), "{text}");
        (claim.total, claim.factors.clone(), claim.gpus)
    }

    #[test]
    fn plain_claims() {
        assert_eq!(one("effective batch = 16 * 3(GPU) * 8 = 384"), (384, vec![16, 3, 8], Some(3)));
        assert_eq!(one("有效batch_size = 2 × 4 × 8 GPUs = 64"), (64, vec![2, 4, 8], Some(8)));
        assert_eq!(one("有效 batch = 4"), (4, vec![], None));
        assert_eq!(one("有效 batch = 1 × 4 = 4（保持不变）"), (4, vec![1, 4], None));
        assert_eq!(one("effective batch_size = 64"), (64, vec![], None));
        assert_eq!(one("Effective batch size: 32"), (32, vec![], None));
        assert_eq!(one("effective batch size is 128 on 8 GPUs."), (128, vec![], Some(8)));
        assert_eq!(one("实际有效batch_size: 16 * 3 * 8 = 384"), (384, vec![16, 3, 8], None));
        assert_eq!(one("global batch size = per_device * accum * gpus = 256"), (256, vec![], None));
        assert_eq!(one("total batch size = 4 x 8 x 2 = 64"), (64, vec![4, 8, 2], None));
        assert_eq!(one("effective batch = micro(2) * accum(8) = 16"), (16, vec![], None));
        assert_eq!(one("effective batch size = 1,024"), (1024, vec![], None));
    }

    #[test]
    fn what_is_no_claim() {
        for text in [
            "effective batch was 384",
            "effective batch = 64 -> 128",
            "effective batch size of about 0.5M tokens",
            "effective batch size: 32-64",
            "effective batch = 64 / 8",
            "effective batch size ~ 64",
            "increase the effective batch size",
            "global_batch_size: null",
            "有效 batch 比原来的 16 * 3 * 8 = 384 小一半",
            "if you use 4 GPUs, the effective batch should be 64",
            "effective batch size per GPU = 16",
            "effective batch = 2k",
            "batch = 4",
            "effective batch = micro * accum",
        ] {
            assert_eq!(find(text), vec![], "{text}");
        }
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let text = "first\neffective batch = 8\nlast";
        assert_eq!(find(text)[0].total_range.slice(text), "8");
    }
}
