//! Equations of products: `16 * 3(GPU) * 8 = 384`, `每卡 2 * 累积 8 * 4 卡 = 64`, `128 = 16 * 8`.

use crate::batch::claim::role_label::{self, Role};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A number of a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) role: Role,
    pub(super) range: Range<usize>,
}

/// One side of an equation.
#[derive(Clone, Debug, Default)]
struct Member {
    numbers: Vec<Number>,
    /// Whether something in it is a name.
    symbolic: bool,
    /// What each factor counts, names included.
    roles: Vec<Role>,
    /// After the last factor and its label.
    end: usize,
}

/// An equation that states one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    /// Its factors, where they are written as numbers.
    pub(super) factors: Vec<Number>,
    /// What it states.
    pub(super) total: i64,
    /// Place of that number; of the whole product where only the product is written.
    pub(super) total_range: Range<usize>,
    /// Whether only the product is written.
    pub(super) implied: bool,
    /// Whether a sign of equality is in it.
    pub(super) has_equals_sign: bool,
    /// From its first to its last byte; labels of the total are after it.
    pub(super) range: Range<usize>,
}

/// The equation that starts at `start`, blanks skipped.
pub(super) fn parse_at(text: &str, start: usize) -> Option<Equation> {
    static EQUALS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(?:==?|->|→|=>)\s*").expect("the pattern is constant"));
    let start = start + blanks(text, start);
    let mut members = Vec::new();
    let mut at = start;
    loop {
        let member = member(text, at)?;
        let end = member.end;
        // The label of a lone number may be part of the sentence: `64 (8 GPUs)`.
        let lone = (member.numbers.len() == 1 && !member.symbolic).then(|| member.numbers[0].range.end);
        members.push(member);
        let sign = EQUALS.find(&text[end..]).map(|sign| (end + sign.end(), sign.as_str().contains('=')));
        match sign {
            Some((next, true)) if members.len() < 5 => at = next,
            // An arrow between numbers is a change; after a product it may lead to what the product gives.
            Some(_) => return None,
            None => return finish(&members, start, lone),
        }
    }
}

fn finish(members: &[Member], start: usize, lone: Option<usize>) -> Option<Equation> {
    let has_equals_sign = members.len() > 1;
    let product = |member: &&Member| !member.symbolic && member.numbers.len() > 1;
    let single = |member: &&Member| !member.symbolic && member.numbers.len() == 1;
    let last = members.last()?;
    let mut factors = members.iter().rev().find(product).map(|member| member.numbers.clone()).unwrap_or_default();
    // `batch_size * accum * gpus = 2 * 8 * 4`: the names tell what the numbers count.
    if let Some(names) = members.iter().find(|member| member.symbolic && member.roles.len() == factors.len()) {
        for (factor, role) in factors.iter_mut().zip(&names.roles) {
            factor.role = factor.role.or(*role);
        }
    }
    let total = if single(&last) { Some(last) } else { members.iter().find(single) };
    let end = lone.unwrap_or(last.end);
    if let Some(total) = total {
        let number = &total.numbers[0];
        let (total, total_range) = (number.value, number.range.clone());
        return Some(Equation { factors, total, total_range, implied: false, has_equals_sign, range: start..end });
    }
    let (first, tail) = (factors.first()?, factors.last()?);
    let total = factors.iter().try_fold(1i64, |product, factor| product.checked_mul(factor.value))?;
    let total_range = first.range.start..tail.range.end;
    // `4 * 8 * num_gpus = per_device * 16`: nothing is stated.
    members.iter().all(|member| !member.symbolic || member.numbers.is_empty()).then_some(Equation {
        factors,
        total,
        total_range,
        implied: true,
        has_equals_sign,
        range: start..end,
    })
}

/// Factors joined by multiplication signs.
fn member(text: &str, start: usize) -> Option<Member> {
    static TIMES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:\*|[xX](?:\s|\d|[（(]|\b))\s*").expect("the pattern is constant"));
    let mut member = Member { end: start, ..Member::default() };
    for _ in 0..8 {
        factor(text, member.end, &mut member, 0)?;
        let Some(times) = TIMES.find(&text[member.end..]) else { return Some(member) };
        // `4x8`: the digit after the sign is the next factor.
        let sign = times.as_str().find(['*', 'x', 'X']).unwrap_or_default();
        member.end += sign + 1;
    }
    None
}

/// One factor with its labels; what it is goes to `member`.
fn factor(text: &str, start: usize, member: &mut Member, depth: usize) -> Option<()> {
    let at = start + blanks(text, start);
    if depth < 2
        && text[at..].starts_with('(')
        && let Some(close) = text[at..].find(')')
    {
        let mut inner = self::member(&text[..at + close], at + 1)?;
        inner.end += blanks(text, inner.end);
        if inner.end != at + close {
            return None;
        }
        let (role, end) = role_label::label_after(text, at + close + 1);
        let one = inner.numbers.len() == 1;
        member.numbers.extend(
            inner
                .numbers
                .into_iter()
                .map(|number| Number { role: if one { role.or(number.role) } else { number.role }, ..number }),
        );
        member.symbolic |= inner.symbolic;
        member.roles.extend(if one { vec![role] } else { inner.roles });
        member.end = end;
        return Some(());
    }
    let (before, number_at) = role_label::label_before(text, at);
    if let Some((value, number)) = whole_number(text, number_at) {
        let (behind, end) = role_label::label_after(text, number.end);
        member.roles.push(behind.or(before));
        member.numbers.push(Number { value, role: behind.or(before), range: number });
        member.end = end;
        return Some(());
    }
    let (name, end) = role_label::name(text, at)?;
    // `micro(2)`: a name with its number.
    let open = end + blanks(text, end);
    if text[open..].starts_with('(')
        && let Some((value, number)) = whole_number(text, open + 1)
        && text[number.end..].starts_with(')')
    {
        member.end = number.end + 1;
        member.roles.push(role_label::role(name));
        member.numbers.push(Number { value, role: role_label::role(name), range: number });
        return Some(());
    }
    let (behind, end) = role_label::label_after(text, end);
    member.roles.push(role_label::role(name).or(behind));
    member.symbolic = true;
    member.end = end;
    Some(())
}

/// An integer, with commas between thousands or without: not `2k`, `0.5`, `1e3`, `12%`.
pub(super) fn whole_number(text: &str, start: usize) -> Option<(i64, Range<usize>)> {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:\d{1,3}(?:,\d{3})+|\d{1,9})").expect("the pattern is constant"));
    let found = NUMBER.find(&text[start..])?;
    let end = start + found.end();
    let mut rest = text[end..].chars();
    let whole = match rest.next() {
        Some('.') => rest.next().is_none_or(|c| !c.is_ascii_digit()),
        Some('%' | '_') => false,
        Some(c) if c.is_ascii_digit() => false,
        // `4x8`, `8gpus`, `2node`: a label or a sign may appear directly after; a unit of thousands may not.
        Some(c) if c.is_ascii_alphabetic() => {
            let word: String = text[end..].chars().take_while(char::is_ascii_alphanumeric).collect();
            let times = matches!(c, 'x' | 'X') && word[1..].chars().all(|c| c.is_ascii_digit());
            times || role_label::is_word(&word.to_ascii_lowercase())
        }
        _ => true,
    };
    let value = found.as_str().replace(',', "").parse().ok().filter(|value| *value > 0)?;
    whole.then_some((value, start..end))
}

pub(super) fn blanks(text: &str, at: usize) -> usize {
    text[at..].len() - text[at..].trim_start().len()
}
