use super::*;
use crate::machine::{Memory, Mig};

const GIB: u64 = 1 << 30;

fn memory(total: u64) -> Memory {
    Memory { total, ..Memory::default() }
}

fn gpu(index: u32, name: &str, total: u64) -> Gpu {
    let (name, uuid) = (Some(name.to_owned()), Some(format!("GPU-{index}{index}aa-0000")));
    Gpu { index, name, uuid, memory: Some(memory(total)), ..Gpu::default() }
}

fn cut(index: u32, sizes: &[u64]) -> Gpu {
    let mig_instance = |(index, total): (u32, &u64)| MigInstance {
        index,
        uuid: Some(format!("MIG-{index}bb")),
        memory: Some(memory(*total)),
        ..MigInstance::default()
    };
    let instances = (0..).zip(sizes).map(mig_instance).collect();
    Gpu { mig: Some(Mig { enabled: true, pending: true, instances }), ..gpu(index, "A100", 40 * GIB) }
}

fn of(gpus: Vec<Gpu>, visible: Option<&str>, by_bus: bool) -> Result<(u32, u64), Message> {
    let machine = Machine { gpus, ..Machine::default() };
    let environment = CudaEnvironment { visible: visible.map(str::to_owned), by_bus };
    select(&machine, &environment).map(|choice| (choice.count, choice.memory.unwrap_or(0)))
}

fn pair() -> Vec<Gpu> {
    vec![gpu(0, "A", 24 * GIB), gpu(1, "A", 24 * GIB - 1)]
}

fn mixed() -> Vec<Gpu> {
    vec![gpu(0, "A", 24 * GIB), gpu(1, "B", 8 * GIB)]
}

#[test]
fn all_cards_or_those_that_are_visible() {
    assert_eq!(of(pair(), None, false), Ok((2, 24 * GIB - 1)));
    assert_eq!(of(pair(), Some("1"), false).map(|(count, _)| count), Ok(1));
    assert_eq!(of(pair(), Some(" 1 , 0 "), false).map(|(count, _)| count), Ok(2));
    assert_eq!(of(pair(), Some("0,-1,1"), false).map(|(count, _)| count), Ok(1), "the list ends at what is no GPU");
    assert_eq!(of(pair(), Some("GPU-11"), false), Ok((1, 24 * GIB - 1)));
    for hidden in ["", "-1", "7", "GPU-", "none"] {
        let why = of(pair(), Some(hidden), false).expect_err(hidden).en;
        assert!(why.contains("hides every GPU"), "{hidden}: {why}");
    }
    assert!(of(Vec::new(), None, false).is_err());
}

#[test]
fn cards_that_differ_must_be_chosen() {
    assert!(of(mixed(), None, true).expect_err("two kinds").en.contains("GPU 0: A; GPU 1: B"));
    assert!(of(mixed(), Some("1"), false).expect_err("which is 1?").en.contains("PCI_BUS_ID"));
    assert_eq!(of(mixed(), Some("1"), true), Ok((1, 8 * GIB)));
    assert_eq!(of(mixed(), Some("GPU-00aa"), false), Ok((1, 24 * GIB)));
}

#[test]
fn an_instance_is_what_a_run_gets() {
    assert_eq!(of(vec![cut(0, &[20 * GIB, 20 * GIB])], None, false), Ok((1, 20 * GIB)));
    assert_eq!(of(vec![cut(0, &[20 * GIB, 5 * GIB])], Some("MIG-1"), false), Ok((1, 5 * GIB)));
    assert!(of(vec![cut(0, &[20 * GIB, 5 * GIB])], None, false).expect_err("which?").en.contains("differ in memory"));
    assert!(of(vec![cut(0, &[])], None, false).expect_err("none").en.contains("no instances"));
    assert!(of(vec![cut(0, &[5 * GIB]), gpu(1, "A100", 40 * GIB)], None, false).is_err());
}

#[test]
fn a_lost_card_does_not_count() {
    let lost = Gpu { failure: Some(message!("lost", "丢失")), ..Gpu::default() };
    assert_eq!(of(vec![lost, gpu(1, "A", GIB)], None, false), Ok((1, GIB)));
}
