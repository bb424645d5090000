//! Claims about the effective batch in comments and prose: `effective batch = 16 * 3(GPU) * 8 = 384`, `有效 batch = 4`.
//!
//! A claim is read only where it states one number plainly. Text that compares, supposes, asks or estimates (`was 384`, `if …`,
//! `~64`) is no claim.

pub(super) mod check;
mod cue_words;
mod equation;
pub(super) mod extract;
pub(super) mod factors;
mod gpu_count;
mod normalize;
mod role_label;
#[cfg(test)]
mod tests;

use cue_words::{Cue, CueStrength};
use equation::Equation;
use gpu_count::GpuCount;
use normalize::NormalizedLine;
use role_label::Role;
use vramlint_base::TextRange;

/// A number that a claim multiplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    /// The number.
    pub value: i64,
    /// What its label says that it counts; `None` without a label that tells.
    pub part: Option<BatchFactor>,
    /// Its place in the text.
    pub range: TextRange,
}

/// What a factor counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchFactor {
    /// Rows per process.
    Micro,
    /// Micro-batches per step.
    Accumulation,
    /// Processes, GPUs, nodes.
    World,
}

/// What a text says about the effective batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(super) struct Claim {
    /// The number that it states.
    pub total: i64,
    /// Its place in the text; that of the whole product where only the product is written.
    pub total_range: TextRange,
    /// From the words to the end of the arithmetic.
    pub range: TextRange,
    /// The factors that it multiplies, where it writes them as numbers.
    pub factors: Vec<Factor>,
    /// The GPUs that it mentions next to its factors: `on 8 GPUs`.
    pub setup: Option<i64>,
    /// Whether only the product is written, so that no number states the total.
    pub implied: bool,
    /// Whether it may as well be meant per GPU: `相当于 batch size 64`.
    pub per_gpu_too: bool,
    /// Whether it says `effective` without `batch`, so that its line must mention batches.
    pub bare: bool,
    /// The key, where it looks like a setting that was commented out: `global_batch_size: 64`.
    pub like_setting: Option<String>,
}

/// Lines longer than this are generated, not written: they hold no claims.
const LONGEST: usize = 600;

/// Every claim in `text`, line by line. `text` is a comment with or without its mark, or lines of prose.
pub(super) fn find(text: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut start = 0u32;
    for line in text.split_inclusive('\n') {
        if line.len() <= LONGEST
            && let Some(claim) = in_line(line.trim_end())
        {
            found.push(claim.shifted(start));
        }
        start += line.len() as u32;
    }
    found
}

impl Claim {
    /// The same claim `by` bytes further.
    pub(super) fn shifted(mut self, by: u32) -> Self {
        self.total_range = self.total_range.shifted(by);
        self.range = self.range.shifted(by);
        for factor in &mut self.factors {
            factor.range = factor.range.shifted(by);
        }
        self
    }

    /// How many GPUs its factors multiply, where one is labelled so.
    pub(super) fn gpus(&self) -> Option<i64> {
        let mut world = self.factors.iter().filter(|factor| factor.part == Some(BatchFactor::World)).peekable();
        world.peek()?;
        world.try_fold(1i64, |product, factor| product.checked_mul(factor.value))
    }
}

fn in_line(original: &str) -> Option<Claim> {
    if !original.contains(|c: char| c.is_ascii_digit() || ('０'..='９').contains(&c)) {
        return None;
    }
    let line = NormalizedLine::new(original);
    let text = cue_words::without_history(&line.text);
    if cue_words::is_other_talk(&text) {
        return None;
    }
    let announced = cue_words::cues(&text);
    let claim = match announced.as_slice() {
        [] => labelled(&text).map(|chain| (chain.range.clone(), chain, CueStrength::Strong)),
        [words] => after(&text, words).or_else(|| number_before_cue(&text, words)),
        _ => None,
    };
    let (range, chain, weight) = claim?;
    if weight == CueStrength::Weak && chain.factors.len() < 2 || is_comment_of_a_comment(&text[..range.start]) {
        return None;
    }
    if cue_words::speaks_per_gpu(&text[..range.start]) || cue_words::speaks_per_gpu(&text[chain.range.end.max(range.start)..]) {
        return None;
    }
    let setup = match gpu_count::setup(&text, &chain.range) {
        GpuCount::Unclear => return None,
        GpuCount::Unsaid => None,
        GpuCount::Gpus(n) => Some(n),
    };
    let like_setting = announced.first().and_then(|words| like_setting(&text, words, &chain));
    Some(claim_of(&line, &range, &chain, weight, setup, like_setting))
}

fn claim_of(
    line: &NormalizedLine,
    range: &std::ops::Range<usize>,
    chain: &Equation,
    weight: CueStrength,
    setup: Option<i64>,
    like_setting: Option<String>,
) -> Claim {
    let place = |range: &std::ops::Range<usize>| line.original(range.start, range.end);
    let part = |role: Role| match role {
        Role::Unknown => None,
        Role::Micro => Some(BatchFactor::Micro),
        Role::Accumulation => Some(BatchFactor::Accumulation),
        Role::World => Some(BatchFactor::World),
    };
    Claim {
        total: chain.total,
        total_range: place(&chain.total_range),
        range: place(range),
        factors: chain
            .factors
            .iter()
            .map(|number| Factor { value: number.value, part: part(number.role), range: place(&number.range) })
            .collect(),
        setup,
        implied: chain.implied,
        per_gpu_too: weight == CueStrength::Loose,
        bare: weight == CueStrength::Bare && chain.factors.len() < 2,
        like_setting,
    }
}

/// `# batch_size: 4  # effective batch = 32`: what is said inside of a line that is itself commented out.
fn is_comment_of_a_comment(before: &str) -> bool {
    let inner = before.trim_start().trim_start_matches(['#', ' ', '/', '-']);
    inner.split_once('#').is_some_and(|(before, _)| before.contains([':', '=']))
}

type Found = (std::ops::Range<usize>, Equation, CueStrength);

/// `effective batch = 4 * 8 = 32`: the arithmetic after the words.
fn after(text: &str, words: &Cue) -> Option<Found> {
    let (at, sign) = cue_words::connector(text, words.range.end);
    let mut chain = equation::parse_at(text, at)?;
    let stated = chain.factors.is_empty() && !chain.implied;
    let direct = words.weight == CueStrength::Bare
        || text[chain.range.start..].starts_with(|c: char| c.is_ascii_digit())
            && cue_words::ends_at_once(&text[chain.range.end..]);
    if !sign && !direct || cue_words::is_per_gpu(&text[..words.range.start]) {
        return None;
    }
    if stated {
        let rest = &text[chain.range.end..];
        let explained = || explained(text, &chain);
        if let Some(factors) = bracketed(text, chain.range.end).or_else(|| note_factors(text, words)).or_else(explained) {
            chain.factors = factors.0;
            chain.range.end = chain.range.end.max(factors.1);
        } else if !cue_words::lets_stand(rest) {
            return None;
        }
    } else if !cue_words::lets_stand(&text[chain.range.end..]) {
        return None;
    }
    Some((words.range.start..chain.range.end, chain, words.weight))
}

/// `64 (4 x 16)`, `32 (=4x8)`: the factors after a total, and where their bracket ends.
fn bracketed(text: &str, at: usize) -> Option<(Vec<equation::Number>, usize)> {
    let open = cue_words::note(text, at)?;
    let skipped = text[open..].len() - text[open..].trim_start_matches([' ', '=']).len();
    let inner = equation::parse_at(text, open + skipped)?;
    let rest = text[inner.range.end..].trim_start();
    (inner.implied && !inner.has_equals_sign && rest.starts_with(')')).then(|| {
        let close = inner.range.end + text[inner.range.end..].find(')').unwrap_or_default();
        (inner.factors, close + 1)
    })
}

/// `128: 2 x 16 x 4 = 128`: the same total again, with its factors.
fn explained(text: &str, stated: &Equation) -> Option<(Vec<equation::Number>, usize)> {
    let rest = text[stated.range.end..].trim_start();
    let at = text.len() - rest.strip_prefix([':', ','])?.len();
    let chain = equation::parse_at(text, at)?;
    (!chain.implied && chain.factors.len() > 1 && chain.total == stated.total).then_some((chain.factors, chain.range.end))
}

/// `有效 batch（每卡 2 × 累积 4 × 8 卡）= 64`.
fn note_factors(text: &str, words: &Cue) -> Option<(Vec<equation::Number>, usize)> {
    bracketed(text, words.range.end)
}

/// `16 * 8 = 128 effective batch size`: the arithmetic before the words.
fn number_before_cue(text: &str, words: &Cue) -> Option<Found> {
    let chain = starts(text).take_while(|at| *at < words.range.start).find_map(|at| {
        let chain = equation::parse_at(&text[..words.range.start], at)?;
        (cue_words::joins(&text[chain.range.end..words.range.start]) && chain.has_equals_sign).then_some(chain)
    })?;
    let rest = text[words.range.end..].trim_start();
    let ends = rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '-' | '*' | '='));
    ends.then_some((chain.range.start..words.range.end, chain, words.weight))
}

/// `4 (per device) x 8 (accum) x 2 (GPUs) = 64`: no words, but labels that leave no doubt.
fn labelled(text: &str) -> Option<Equation> {
    starts(text).find_map(|at| equation::parse_at(text, at)).filter(|chain| {
        let has = |role: Role| chain.factors.iter().any(|factor| factor.role == role);
        chain.factors.len() > 1
            && !chain.implied
            && has(Role::Accumulation)
            && (has(Role::Micro) || has(Role::World))
            && cue_words::lets_stand(&text[chain.range.end..])
    })
}

/// Where arithmetic may start: at a number, at a label or name in front of one, at a bracket.
fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut previous = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let begins = !previous.is_alphanumeric() && !matches!(previous, '_' | '.' | '-')
            || (c.is_ascii_digit() || is_han(c))
                && !previous.is_ascii_alphanumeric()
                && !matches!(previous, '_' | '.')
                && is_han(c) != is_han(previous);
        previous = c;
        (begins && (c.is_alphanumeric() || c == '(')).then_some(at)
    })
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// The key, where the whole line has the form of a setting: `global_batch_size: 64`, `GLOBAL_BATCH_SIZE = 64`.
fn like_setting(text: &str, words: &Cue, chain: &Equation) -> Option<String> {
    let key = text.get(words.range.end..chain.range.start).and(text.get(words.range.clone()))?;
    let before = text[..words.range.start].trim_start_matches(['#', ' ', '-', '/', ';', '"', '\'']);
    let sign = text[words.range.end..chain.range.start].trim_matches(['"', '\'', ' ']);
    let rest = text[chain.range.end..].trim();
    let plain = before.is_empty() && key.is_ascii() && !key.contains(' ') && key.contains('_') && matches!(sign, ":" | "=");
    (plain && chain.factors.is_empty() && (rest.is_empty() || rest == "," || rest.starts_with('#'))).then(|| key.to_lowercase())
}
