//! The cards that a run started here would get: those of `CUDA_VISIBLE_DEVICES`.
//!
//! CUDA (C++ Programming Guide, "CUDA environment variables"): a list of numbers, or of identities of which the beginning is
//! enough (`GPU-8932f937`, `MIG-…`). What follows the first entry that is no card is invisible. Numbers follow
//! `CUDA_DEVICE_ORDER`: fastest first unless it is `PCI_BUS_ID`. A process gets one MIG instance at most.

use crate::facts::{Card, Machine, Slice};
use vramlint_base::{Message, message};

/// What a run would get: cards that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name of the cards; of an instance, that of its card.
    pub name: Option<String>,
    /// Memory of the smallest of them, bytes.
    pub memory: Option<u64>,
    /// How many.
    pub count: u32,
}

/// The environment as far as CUDA reads it.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `CUDA_VISIBLE_DEVICES`.
    pub visible: Option<String>,
    /// Whether `CUDA_DEVICE_ORDER` is `PCI_BUS_ID`, which is NVML's order too.
    pub by_bus: bool,
}

impl Environment {
    /// Of this process.
    pub fn here() -> Self {
        Self {
            visible: std::env::var("CUDA_VISIBLE_DEVICES").ok(),
            by_bus: std::env::var("CUDA_DEVICE_ORDER").is_ok_and(|order| order == "PCI_BUS_ID"),
        }
    }
}

/// What is chosen: whole cards, or an instance of one.
#[derive(Clone, Copy, Debug)]
enum One<'a> {
    Whole(&'a Card),
    Part(&'a Card, &'a Slice),
}

impl One<'_> {
    fn memory(self) -> Option<u64> {
        match self {
            Self::Whole(card) => card.memory.map(|memory| memory.total),
            Self::Part(_, slice) => slice.memory.map(|memory| memory.total),
        }
    }

    fn card(&self) -> &Card {
        match self {
            Self::Whole(card) | Self::Part(card, _) => card,
        }
    }
}

/// The cards of a run; the error says why they are not known.
pub fn choose(machine: &Machine, environment: &Environment) -> Result<Choice, Message> {
    let all: Vec<&Card> = machine.usable().collect();
    let chosen: Vec<One<'_>> = match environment.visible.as_deref() {
        None => whole(&all)?,
        Some(list) => named(machine, list, environment.by_bus)?,
    };
    let Some(first) = chosen.first() else {
        return Err(match environment.visible.as_deref() {
            Some(list) => {
                message!("CUDA_VISIBLE_DEVICES=`{list}` hides every card", "CUDA_VISIBLE_DEVICES=`{list}` 隐藏了所有显卡")
            }
            None => message!("the NVIDIA driver sees no GPU", "NVIDIA 驱动未发现任何 GPU"),
        });
    };
    // One process takes one instance, whatever else is listed.
    let chosen = if matches!(first, One::Part(..)) { &chosen[..1] } else { &chosen[..] };
    alike(chosen)?;
    Ok(Choice {
        name: first.card().name.clone(),
        memory: chosen.iter().filter_map(|one| one.memory()).min(),
        count: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
    })
}

/// Every card; of one that is cut up, an instance.
fn whole<'a>(cards: &[&'a Card]) -> Result<Vec<One<'a>>, Message> {
    if let Some(cut) = cards.iter().find(|card| card.is_cut()) {
        if cards.iter().any(|card| !card.is_cut()) {
            let index = cut.index;
            return Err(message!(
                "GPU {index} is cut up by MIG and others are not; say with CUDA_VISIBLE_DEVICES which a run gets, or name the card",
                "GPU {index} 启用了 MIG，其他显卡没有；请用 CUDA_VISIBLE_DEVICES 指明训练使用哪一块，或直接写出显卡名称"
            ));
        }
        let parts = cards.iter().flat_map(|card| instances(card).map(|slice| One::Part(card, slice)));
        return one_size(parts.collect(), cut.index);
    }
    Ok(cards.iter().map(|card| One::Whole(card)).collect())
}

/// The instances, which must have one size: which of them a run gets is not told by anything.
fn one_size(parts: Vec<One<'_>>, card: u32) -> Result<Vec<One<'_>>, Message> {
    if parts.is_empty() {
        return Err(message!(
            "GPU {card} is in MIG mode and has no instance: no run can use it",
            "GPU {card} 处于 MIG 模式但没有任何实例：训练无法使用"
        ));
    }
    if parts.windows(2).any(|pair| pair[0].memory() != pair[1].memory()) {
        return Err(message!(
            "the MIG instances differ in memory; say with CUDA_VISIBLE_DEVICES=MIG-… which one a run gets",
            "各 MIG 实例的显存不同；请用 CUDA_VISIBLE_DEVICES=MIG-… 指明训练使用哪一个"
        ));
    }
    Ok(parts)
}

fn instances(card: &Card) -> impl Iterator<Item = &Slice> {
    card.mig.iter().flat_map(|mig| &mig.instances)
}

/// The cards of a list, up to the first entry that is none.
fn named<'a>(machine: &'a Machine, list: &str, by_bus: bool) -> Result<Vec<One<'a>>, Message> {
    let mut chosen = Vec::new();
    let mut counted = false;
    for entry in list.split(',').map(str::trim) {
        let found = if let Ok(index) = entry.parse::<usize>() {
            counted = true;
            machine.cards.get(index).filter(|card| card.failure.is_none()).map(One::Whole)
        } else {
            by_identity(machine, entry)
        };
        match found {
            Some(One::Whole(card)) if card.is_cut() => {
                let parts = instances(card).map(|slice| One::Part(card, slice)).collect();
                chosen.extend(one_size(parts, card.index)?.into_iter().next());
            }
            Some(one) => chosen.push(one),
            None => break,
        }
    }
    let all: Vec<One<'_>> = machine.usable().map(One::Whole).collect();
    if counted && !by_bus && chosen.len() < all.len() && alike(&all).is_err() {
        return Err(message!(
            "the cards of this machine differ, and the numbers of CUDA_VISIBLE_DEVICES=`{list}` count the fastest first; set \
             CUDA_DEVICE_ORDER=PCI_BUS_ID, or name the card",
            "此机器的显卡型号不同，而 CUDA_VISIBLE_DEVICES=`{list}` 中的编号默认按速度排序；请设置 \
             CUDA_DEVICE_ORDER=PCI_BUS_ID，或直接写出显卡名称"
        ));
    }
    Ok(chosen)
}

/// By the beginning of an identity, if only one card has it.
fn by_identity<'a>(machine: &'a Machine, entry: &str) -> Option<One<'a>> {
    if !(entry.starts_with("GPU-") || entry.starts_with("MIG-")) {
        return None;
    }
    let begins = |uuid: &Option<String>| uuid.as_deref().is_some_and(|uuid| uuid.starts_with(entry));
    let cards = machine.usable().filter(|card| begins(&card.uuid)).map(One::Whole);
    let parts = machine
        .usable()
        .flat_map(|card| instances(card).map(move |slice| (card, slice)))
        .filter(|(_, slice)| begins(&slice.uuid))
        .map(|(card, slice)| One::Part(card, slice));
    let mut found = cards.chain(parts);
    found.next().filter(|_| found.next().is_none())
}

/// A run over cards that differ is bound by the smallest, and which of them it gets is the launch's business: no single card
/// can stand for all.
fn alike(chosen: &[One<'_>]) -> Result<(), Message> {
    let Some((first, other)) =
        chosen.first().and_then(|first| Some((first, chosen.iter().find(|one| one.card().name != first.card().name)?)))
    else {
        return Ok(());
    };
    let (a, b) = (first.card(), other.card());
    let (i, j, a, b) = (a.index, b.index, a.title(), b.title());
    Err(message!(
        "the cards of this machine differ (GPU {i}: {a}; GPU {j}: {b}); choose with CUDA_VISIBLE_DEVICES=GPU-…, or name the card",
        "此机器的显卡型号不同（GPU {i}：{a}；GPU {j}：{b}）；请用 CUDA_VISIBLE_DEVICES=GPU-… 选择，或直接写出显卡名称"
    ))
}

#[cfg(test)]
mod tests;
