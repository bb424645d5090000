//! Cards and what they hold.
//!
//! The rows lie in `data/gpus.json`, each with its source. Capacity is what the driver's own tool prints, in MiB: an RTX 4090 has
//! 24564, not 24 × 1024, and an A10 with ECC 23028.

mod name;
mod speeds;

use crate::data;
use name::Name;
use serde::Deserialize;
pub use speeds::Speeds;
use std::sync::LazyLock;

/// A card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its name among people: `GeForce RTX 4090`.
    pub name: &'static str,
    /// Other names: the driver's own (`NVIDIA GeForce RTX 4090`), those of clouds.
    pub aliases: &'static [&'static str],
    /// Who makes it, in lower case: `nvidia`, `amd`, `huawei`.
    pub vendor: &'static str,
    /// Memory in MiB as the driver's tool prints it.
    pub memory_mib: u64,
    /// Memory as advertised, in the GB of the name.
    pub memory_gib_nominal: u64,
    /// Compute capability in tenths: 89 for 8.9; none outside of NVIDIA.
    pub compute_capability: Option<u32>,
    /// Whether it computes in bf16.
    pub bf16: bool,
    /// Whether it computes in fp8.
    pub fp8: bool,
    /// Whether name and memory were seen together in a printout.
    pub verified: bool,
    /// Where the figures come from.
    pub source: &'static str,
    /// What must be known about the row.
    pub note: Option<&'static str>,
    /// Its peak speeds, if they are known: of the fastest one that the row stands for.
    pub speeds: Option<Speeds>,
}

impl Gpu {
    /// Memory in bytes.
    pub fn memory(&self) -> u64 {
        self.memory_mib << 20
    }

    /// Whether the memory was exchanged for more than the maker sells: such a card is only meant where the size is named.
    pub fn is_modified(&self) -> bool {
        self.name.contains("(modified)")
    }

    /// Whether it is built into laptops, which no server offers.
    pub fn is_mobile(&self) -> bool {
        self.name.contains("Laptop")
    }
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// One card, or several with the same memory.
    One(&'static Gpu),
    /// Cards with different memory, the smallest first: the name does not tell which.
    Ambiguous(Vec<&'static Gpu>),
}

impl Match {
    /// The card; of several, the smallest, so that what fits it fits all.
    pub fn smallest(&self) -> &'static Gpu {
        match self {
            Self::One(gpu) => gpu,
            Self::Ambiguous(gpus) => gpus[0],
        }
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    gpus: Vec<Row<'a>>,
}

#[derive(Deserialize)]
struct Row<'a> {
    name: &'a str,
    #[serde(borrow)]
    aliases: Vec<&'a str>,
    vendor: &'a str,
    memory_mib: u64,
    memory_gib_nominal: u64,
    compute_capability: Option<u32>,
    bf16: bool,
    fp8: bool,
    verified: bool,
    source: &'a str,
    note: Option<&'a str>,
    #[serde(borrow)]
    speeds: Option<speeds::Row<'a>>,
}

struct Known {
    gpus: Vec<Gpu>,
    /// The names of each card, read.
    names: Vec<Vec<Name>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let document: Document<'static> = data::read_borrowed(data!("gpus"));
    let gpus: Vec<Gpu> = document.gpus.into_iter().map(Gpu::from).collect();
    let names = gpus.iter().map(|gpu| std::iter::once(&gpu.name).chain(gpu.aliases).map(|name| Name::read(name)).collect());
    Known { names: names.collect(), gpus }
});

impl From<Row<'static>> for Gpu {
    fn from(row: Row<'static>) -> Self {
        Self {
            name: row.name,
            // The table lives as long as the program.
            aliases: row.aliases.leak(),
            vendor: row.vendor,
            memory_mib: row.memory_mib,
            memory_gib_nominal: row.memory_gib_nominal,
            compute_capability: row.compute_capability,
            bf16: row.bf16,
            fp8: row.fp8,
            verified: row.verified,
            source: row.source,
            note: row.note,
            speeds: row.speeds.map(Speeds::from),
        }
    }
}

/// Every card.
pub fn all() -> &'static [Gpu] {
    &KNOWN.gpus
}

/// The card that a name stands for; of several, the smallest (see [`lookup`]).
pub fn find(name: &str) -> Option<&'static Gpu> {
    lookup(name).map(|found| found.smallest())
}

/// What a name stands for, written as people, clouds or the driver write it: `4090`, `rtx4090`, `A100-80G`,
/// `NVIDIA A100-SXM4-40GB`. `A100` alone is ambiguous.
///
/// Brand, form and case do not count; `Ti`, `SUPER`, `Laptop` and a size do. A size that no such card has is no match.
pub fn lookup(name: &str) -> Option<Match> {
    let spelt = |gpu: &&Gpu| std::iter::once(&gpu.name).chain(gpu.aliases).any(|known| known.eq_ignore_ascii_case(name.trim()));
    let exact: Vec<&'static Gpu> = all().iter().filter(spelt).collect();
    // What the driver prints is exact but for cards that are sold with several sizes under one name.
    if let Some(found) = decide(exact, false) {
        return Some(found);
    }
    let wanted = Name::read(name);
    if wanted.words.is_empty() {
        return None;
    }
    let matching = |test: &dyn Fn(&Name) -> bool| -> Vec<&'static Gpu> {
        let rows = KNOWN.gpus.iter().zip(&KNOWN.names);
        let sized = rows.filter(|(gpu, _)| wanted.size.is_none_or(|size| size == gpu.memory_gib_nominal));
        sized.filter(|(_, names)| names.iter().any(test)).map(|(gpu, _)| gpu).collect()
    };
    let sized = wanted.size.is_some();
    decide(matching(&|known| known.words == wanted.words), sized)
        .or_else(|| decide(matching(&|known| known.may_be_called(&wanted)), sized))
}

/// One card, or several that differ. A card with exchanged memory counts only where its size is named or nothing else is left.
fn decide(mut found: Vec<&'static Gpu>, sized: bool) -> Option<Match> {
    if !sized && found.iter().any(|gpu| !gpu.is_modified()) {
        found.retain(|gpu| !gpu.is_modified());
    }
    found.sort_by_key(|gpu| gpu.memory_mib);
    let (first, last) = (*found.first()?, *found.last()?);
    Some(if first.memory_mib == last.memory_mib { Match::One(first) } else { Match::Ambiguous(found) })
}

/// The known name that was most likely meant by one that [`lookup`] does not know.
pub fn nearest(name: &str) -> Option<&'static str> {
    let wanted = Name::read(name);
    // `RTX 4090 48GB`: the card is known, its size is another.
    if let Some(found) = wanted.size.and_then(|_| lookup(&wanted.words.join(" "))) {
        return Some(found.smallest().name);
    }
    let wanted = wanted.words.concat();
    if wanted.is_empty() || wanted.len() > 60 {
        return None;
    }
    let mut best: Option<(f64, &'static str)> = None;
    for (gpu, names) in KNOWN.gpus.iter().zip(&KNOWN.names) {
        for known in names {
            let score = strsim::jaro_winkler(&wanted, &known.words.concat());
            let slips = strsim::damerau_levenshtein(&wanted, &known.words.concat());
            if slips <= 2 && score > 0.75 && best.is_none_or(|(top, _)| score > top) {
                best = Some((score, gpu.name));
            }
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
