use super::*;
use crate::machine::{Memory, Mig, MigInstance, Utilization};

const GIB: u64 = 1 << 30;

fn memory(total: u64, used: u64) -> Memory {
    let reserved = total / 100;
    Memory { total, reserved, used, free: total - used - reserved }
}

fn gpu(used: u64) -> Gpu {
    Gpu {
        name: Some("NVIDIA A10".into()),
        memory: Some(memory(24 * GIB, used)),
        utilization: Some(Utilization { gpu: 90, memory: 10 }),
        processes: Some(Vec::new()),
        ..Gpu::default()
    }
}

fn process(pid: u32, memory: Option<u64>) -> Process {
    Process { pid, name: Some("python".into()), memory, kind: Kind::Compute, own: None }
}

fn kinds(gpu: &Gpu, catalogue: Option<u64>) -> Vec<&'static str> {
    insights(&Machine::default(), gpu, catalogue).iter().map(|one| one.kind).collect()
}

fn said(gpu: &Gpu, kind: &str) -> String {
    let all = insights(&Machine::default(), gpu, None);
    all.into_iter().find(|one| one.kind == kind).unwrap_or_else(|| panic!("{kind}")).message.en
}

#[test]
fn a_free_card_needs_no_words() {
    assert_eq!(kinds(&gpu(0), Some(24 * GIB)), [""; 0]);
    assert_eq!(kinds(&gpu(GIB / 4), None), [""; 0], "a driver holds that much itself");
}

#[test]
fn holders_are_named_with_what_they_hold() {
    let mut gpu = gpu(18 * GIB);
    assert_eq!(kinds(&gpu, None), ["room", "holders-hidden"]);
    gpu.processes = Some(vec![process(7, Some(12 * GIB)), process(8, Some(6 * GIB)), process(9, Some(1))]);
    assert_eq!(kinds(&gpu, None), ["room", "holder", "holder"]);
    assert_eq!(said(&gpu, "room"), "a run started now can use 5.8 GiB of 24.0 GiB: 18.0 GiB (75 %) are already in use");
    assert_eq!(said(&gpu, "holder"), "python (process 7) uses 12.0 GiB");
    gpu.processes.as_mut().expect("set")[0].own = Some(false);
    assert_eq!(said(&gpu, "holder"), "python (process 7, another user) uses 12.0 GiB");
    gpu.processes = Some(vec![process(7, Some(12 * GIB)), process(8, None)]);
    assert_eq!(kinds(&gpu, None), ["room", "holder", "holders-silent"]);
    assert!(said(&gpu, "holders-silent").ends_with("6.0 GiB cannot be attributed"));
}

#[test]
fn an_idle_card_that_is_full_is_told_of() {
    let mut gpu = gpu(18 * GIB);
    gpu.utilization = Some(Utilization { gpu: 0, memory: 0 });
    assert!(kinds(&gpu, None).contains(&"idle-and-full"));
    gpu.memory = Some(memory(24 * GIB, 6 * GIB));
    assert!(!kinds(&gpu, None).contains(&"idle-and-full"), "a quarter is not full");
    gpu.memory = Some(memory(24 * GIB, 18 * GIB));
    gpu.utilization = None;
    assert!(!kinds(&gpu, None).contains(&"idle-and-full"), "not known to be idle");
}

#[test]
fn less_than_a_card_of_this_name_has() {
    let mut gpu = Gpu { memory: Some(memory(23_028 << 20, 0)), ..gpu(0) };
    assert_eq!(kinds(&gpu, Some(24_564 << 20)), ["below-usual"]);
    assert_eq!(kinds(&gpu, Some(23_034 << 20)), [""; 0], "drivers differ by so much");
    assert_eq!(kinds(&gpu, Some(16 << 30)), [""; 0], "more is no worry");
    gpu.ecc = Some(true);
    let all = insights(&Machine::default(), &gpu, Some(24_564 << 20));
    assert!(all[0].message.en.contains("22.5 GiB, 1.5 GiB less than usual (24.0 GiB); ECC"), "{:?}", all[0]);
}

#[test]
fn a_display_is_told_of_with_what_it_holds() {
    let mut gpu = gpu(GIB);
    gpu.display = Some(true);
    assert!(said(&gpu, "display").contains("the desktop uses memory"));
    gpu.processes = Some(vec![Process { kind: Kind::Graphics, ..process(3, Some(GIB)) }]);
    assert!(said(&gpu, "display").ends_with("use 1.0 GiB"));
}

#[test]
fn a_card_that_is_cut_up_is_no_room_for_a_run() {
    let mig_instance = |index| MigInstance { index, memory: Some(memory(10 * GIB, 0)), ..MigInstance::default() };
    let with = |instances| Gpu { mig: Some(Mig { enabled: true, pending: true, instances }), ..gpu(12 * GIB) };
    assert!(said(&with(Vec::new()), "mig").contains("without instances"));
    assert!(said(&with(vec![mig_instance(0)]), "mig").contains("the only instance (10.0 GiB)"));
    assert!(said(&with(vec![mig_instance(0), mig_instance(1)]), "mig").contains("one of 2 instances (at most 10.0 GiB)"));
    assert!(!kinds(&with(vec![mig_instance(0)]), Some(80 * GIB)).iter().any(|kind| ["room", "below-usual"].contains(kind)));
    let pending = Gpu { mig: Some(Mig { enabled: false, pending: true, instances: Vec::new() }), ..gpu(0) };
    assert_eq!(kinds(&pending, None), ["mig-pending"]);
}

#[test]
fn what_is_not_known_is_said_and_nothing_is_made_up() {
    let machine = Machine { driver: Some("470.82".into()), ..Machine::default() };
    let insights = insights(&machine, &Gpu { memory: None, ..gpu(0) }, Some(24 * GIB));
    assert_eq!(insights.iter().map(|one| one.kind).collect::<Vec<_>>(), ["memory-unknown"]);
    assert!(insights[0].message.en.starts_with("the driver 470.82 does not report"));
    let lost = Gpu { failure: Some(message!("lost", "丢失")), ..Gpu::default() };
    assert_eq!(kinds(&lost, None), ["failure"]);
}

#[test]
fn shares_are_rounded_and_never_divide_by_nothing() {
    assert_eq!(
        (percent_rounded(1, 3), percent_rounded(2, 3), percent_rounded(1, 0), percent_rounded(u64::MAX, u64::MAX)),
        (33, 67, 100, 100)
    );
    assert_eq!((format_size(GIB - 1), format_size(GIB), format_size(0)), ("1023 MiB".into(), "1.0 GiB".into(), "0 MiB".into()));
}
