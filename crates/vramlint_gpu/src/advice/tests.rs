use super::*;
use crate::facts::{Memory, Mig, Slice, Utilization};

const GIB: u64 = 1 << 30;

fn memory(total: u64, used: u64) -> Memory {
    let reserved = total / 100;
    Memory { total, reserved, used, free: total - used - reserved }
}

fn card(used: u64) -> Card {
    Card {
        name: Some("NVIDIA A10".into()),
        memory: Some(memory(24 * GIB, used)),
        utilization: Some(Utilization { gpu: 90, memory: 10 }),
        processes: Some(Vec::new()),
        ..Card::default()
    }
}

fn process(pid: u32, memory: Option<u64>) -> Process {
    Process { pid, name: Some("python".into()), memory, kind: Kind::Compute, own: None }
}

fn kinds(card: &Card, catalogue: Option<u64>) -> Vec<&'static str> {
    advice(&Machine::default(), card, catalogue).iter().map(|one| one.kind).collect()
}

fn said(card: &Card, kind: &str) -> String {
    let all = advice(&Machine::default(), card, None);
    all.into_iter().find(|one| one.kind == kind).unwrap_or_else(|| panic!("{kind}")).message.en
}

#[test]
fn a_free_card_needs_no_words() {
    assert_eq!(kinds(&card(0), Some(24 * GIB)), [""; 0]);
    assert_eq!(kinds(&card(GIB / 4), None), [""; 0], "a driver holds that much itself");
}

#[test]
fn holders_are_named_with_what_they_hold() {
    let mut card = card(18 * GIB);
    assert_eq!(kinds(&card, None), ["room", "holders-hidden"]);
    card.processes = Some(vec![process(7, Some(12 * GIB)), process(8, Some(6 * GIB)), process(9, Some(1))]);
    assert_eq!(kinds(&card, None), ["room", "holder", "holder"]);
    assert_eq!(said(&card, "room"), "a run that starts now can have 5.8 GiB of 24.0 GiB: 18.0 GiB (75 %) are held already");
    assert_eq!(said(&card, "holder"), "python (process 7) holds 12.0 GiB");
    card.processes.as_mut().expect("set")[0].own = Some(false);
    assert_eq!(said(&card, "holder"), "python (process 7) of another user holds 12.0 GiB");
    card.processes = Some(vec![process(7, Some(12 * GIB)), process(8, None)]);
    assert_eq!(kinds(&card, None), ["room", "holder", "holders-silent"]);
    assert!(said(&card, "holders-silent").ends_with("6.0 GiB are not accounted for"));
}

#[test]
fn an_idle_card_that_is_full_is_told_of() {
    let mut card = card(18 * GIB);
    card.utilization = Some(Utilization { gpu: 0, memory: 0 });
    assert!(kinds(&card, None).contains(&"idle-and-full"));
    card.memory = Some(memory(24 * GIB, 6 * GIB));
    assert!(!kinds(&card, None).contains(&"idle-and-full"), "a quarter is not full");
    card.memory = Some(memory(24 * GIB, 18 * GIB));
    card.utilization = None;
    assert!(!kinds(&card, None).contains(&"idle-and-full"), "not known to be idle");
}

#[test]
fn less_than_a_card_of_this_name_has() {
    let mut card = Card { memory: Some(memory(23_028 << 20, 0)), ..card(0) };
    assert_eq!(kinds(&card, Some(24_564 << 20)), ["below-usual"]);
    assert_eq!(kinds(&card, Some(23_034 << 20)), [""; 0], "drivers differ by so much");
    assert_eq!(kinds(&card, Some(16 << 30)), [""; 0], "more is no worry");
    card.ecc = Some(true);
    let all = advice(&Machine::default(), &card, Some(24_564 << 20));
    assert!(all[0].message.en.contains("22.5 GiB, 1.5 GiB less than the usual 24.0 GiB; error correction"), "{:?}", all[0]);
}

#[test]
fn a_display_is_told_of_with_what_it_holds() {
    let mut card = card(GIB);
    card.display = Some(true);
    assert!(said(&card, "display").contains("the desktop takes memory"));
    card.processes = Some(vec![Process { kind: Kind::Graphics, ..process(3, Some(GIB)) }]);
    assert!(said(&card, "display").ends_with("hold 1.0 GiB"));
}

#[test]
fn a_card_that_is_cut_up_is_no_room_for_a_run() {
    let slice = |index| Slice { index, memory: Some(memory(10 * GIB, 0)), ..Slice::default() };
    let with = |instances| Card { mig: Some(Mig { enabled: true, pending: true, instances }), ..card(12 * GIB) };
    assert!(said(&with(Vec::new()), "mig").contains("no instance"));
    assert!(said(&with(vec![slice(0)]), "mig").contains("the one instance, 10.0 GiB"));
    assert!(said(&with(vec![slice(0), slice(1)]), "mig").contains("one of 2 instances, 10.0 GiB at most"));
    assert!(!kinds(&with(vec![slice(0)]), Some(80 * GIB)).iter().any(|kind| ["room", "below-usual"].contains(kind)));
    let pending = Card { mig: Some(Mig { enabled: false, pending: true, instances: Vec::new() }), ..card(0) };
    assert_eq!(kinds(&pending, None), ["mig-pending"]);
}

#[test]
fn what_is_not_known_is_said_and_nothing_is_made_up() {
    let machine = Machine { driver: Some("470.82".into()), ..Machine::default() };
    let told = advice(&machine, &Card { memory: None, ..card(0) }, Some(24 * GIB));
    assert_eq!(told.iter().map(|one| one.kind).collect::<Vec<_>>(), ["memory-unknown"]);
    assert!(told[0].message.en.starts_with("the driver 470.82 does not tell"));
    let lost = Card { failure: Some(message!("lost", "丢失")), ..Card::default() };
    assert_eq!(kinds(&lost, None), ["failure"]);
}

#[test]
fn shares_are_rounded_and_never_divide_by_nothing() {
    assert_eq!((percent(1, 3), percent(2, 3), percent(1, 0), percent(u64::MAX, u64::MAX)), (33, 67, 100, 100));
    assert_eq!((size(GIB - 1), size(GIB), size(0)), ("1023 MiB".into(), "1.0 GiB".into(), "0 MiB".into()));
}
