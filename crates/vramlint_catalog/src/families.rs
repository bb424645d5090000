//! Families of which every size is known, so that a name of the family with another size is seen to be a slip.
//!
//! `data/families.json` holds only closed generations: a family that may still grow would make false alarms of its next release.
//! Endings behind the size (`-Instruct`, `-AWQ`, dates) are free, but for those that a family is known to lack.

use crate::data;
use crate::models;
use serde::Deserialize;
use std::sync::LazyLock;

/// A family.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Who publishes it.
    pub organisation: String,
    /// What stands before the size; the first is usual: `["Llama-3.1", "Meta-Llama-3.1"]`.
    pub stems: Vec<String>,
    /// Every size that is or was published: `["8B", "70B"]`.
    pub sizes: Vec<String>,
    /// Endings with which nothing of the family was published.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Where the list comes from.
    pub source: String,
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The family has no such size.
    Size,
    /// The family is spelt otherwise.
    Spelling,
    /// The family has no model with such an ending.
    Ending,
}

/// A name that no public model of a known family has.
#[derive(Clone, Debug)]
pub struct Slip {
    /// The family.
    pub family: &'static Family,
    /// What is wrong.
    pub kind: Kind,
    /// The name that was most likely meant.
    pub meant: String,
    /// Whether little doubt is left about it: the sizes are a quarter apart at most.
    pub near: bool,
}

#[derive(Deserialize)]
struct Document {
    families: Vec<Family>,
}

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let document: Document = data::read(data!("families"));
    document.families
});

/// Every family.
pub fn all() -> &'static [Family] {
    &FAMILIES
}

/// What is wrong with the name of a model on the hub, if it is a slip in the name of a known family.
pub fn slip(id: &str) -> Option<Slip> {
    let (organisation, name) = id.split_once('/')?;
    let parts = Parts::read(name)?;
    let own = || all().iter().filter(|family| family.organisation.eq_ignore_ascii_case(organisation));
    let spelt = own().find_map(|family| Some((family, family.stems.iter().find(|stem| stem.eq_ignore_ascii_case(parts.stem))?)));
    if let Some((family, stem)) = spelt {
        if family.sizes.iter().any(|size| size.eq_ignore_ascii_case(&parts.size)) {
            return absent(family, stem, &parts);
        }
        let size = nearest(family, &parts.size)?;
        let near = ratio(size, &parts.size) <= 1.25;
        return Some(Slip { family, kind: Kind::Size, meant: join(family, stem, size, parts.rest, false), near });
    }
    let plain = normal(parts.stem);
    let (family, stem) = own().find_map(|family| Some((family, family.stems.iter().find(|stem| normal(stem) == plain)?)))?;
    let size = nearest(family, &parts.size)?;
    let same = size.eq_ignore_ascii_case(&parts.size);
    Some(Slip { family, kind: Kind::Spelling, meant: join(family, stem, size, parts.rest, same), near: same })
}

/// An ending that nothing of the family has.
fn absent(family: &'static Family, stem: &str, parts: &Parts<'_>) -> Option<Slip> {
    family.absent.iter().find(|ending| ending.eq_ignore_ascii_case(parts.rest))?;
    let plain = format!("{}/{stem}-{}", family.organisation, parts.size);
    let model = models::find(&plain);
    // The fine-tuned state may have a date behind its name.
    let dated = |alias: &&&str| {
        let start = format!("{plain}-{}-", parts.rest).to_lowercase();
        alias.to_lowercase().strip_prefix(&start).is_some_and(|date| date.chars().all(|c| c.is_ascii_digit()))
    };
    let meant = model.and_then(|model| model.aliases.iter().find(dated)).map_or(plain, |alias| (*alias).to_owned());
    Some(Slip { family, kind: Kind::Ending, meant, near: true })
}

/// The full name. The ending stays where the result is known, or where nothing but the spelling changes.
fn join(family: &Family, stem: &str, size: &str, rest: &str, keep: bool) -> String {
    let plain = format!("{}/{stem}-{size}", family.organisation);
    if rest.is_empty() {
        return plain;
    }
    let whole = format!("{plain}-{rest}");
    let known = models::all().iter().flat_map(|model| std::iter::once(&model.id).chain(model.aliases));
    if keep || known.into_iter().any(|id| id.eq_ignore_ascii_case(&whole)) { whole } else { plain }
}

/// A name, taken apart at its size.
struct Parts<'a> {
    /// `Qwen3`.
    stem: &'a str,
    /// `1.8B`, `30B-A3B`.
    size: String,
    /// `Instruct-2507`; may be empty.
    rest: &'a str,
}

impl<'a> Parts<'a> {
    /// The first word that is a size ends the stem.
    fn read(name: &'a str) -> Option<Self> {
        let mut at = 0;
        let words: Vec<(usize, &str)> = name
            .split('-')
            .map(|word| {
                let start = at;
                at += word.len() + 1;
                (start, word)
            })
            .collect();
        let index = (1..words.len()).find(|index| number(words[*index].1).is_some())?;
        let (start, word) = words[index];
        let mut end = start + word.len();
        // Experts: 30B of which 3B are active.
        let active =
            words.get(index + 1).filter(|(_, next)| next.strip_prefix(['A', 'a']).is_some_and(|size| number(size).is_some()));
        if let Some((start, word)) = active {
            end = start + word.len();
        }
        let rest = name.get(end + 1..).unwrap_or("");
        Some(Self { stem: &name[..start - 1], size: name[start..end].to_owned(), rest })
    }
}

/// Millions of parameters of `1.8B`, `135M`, `8x7B`; the first part of `30B-A3B`.
fn number(size: &str) -> Option<f64> {
    let size = size.split('-').next()?;
    let unit = match size.chars().last()? {
        'b' | 'B' => 1000.0,
        'm' | 'M' => 1.0,
        _ => return None,
    };
    let digits = &size[..size.len() - 1];
    let (times, one) = digits.split_once('x').unwrap_or(("1", digits));
    let plain =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !plain(times) || !plain(one) {
        return None;
    }
    Some(times.parse::<f64>().ok()? * one.parse::<f64>().ok()? * unit).filter(|number| *number > 0.0)
}

fn ratio(left: &str, right: &str) -> f64 {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => (left / right).max(right / left),
        _ => f64::INFINITY,
    }
}

fn nearest<'a>(family: &'a Family, size: &str) -> Option<&'a str> {
    family.sizes.iter().map(String::as_str).min_by(|left, right| ratio(left, size).total_cmp(&ratio(right, size)))
}

/// Lower case, without what parts the words, and without the maker's name.
fn normal(stem: &str) -> String {
    let plain: String = stem.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == '.').collect();
    plain.strip_prefix("meta").map_or(plain.clone(), str::to_owned)
}

#[cfg(test)]
mod tests;
