use super::*;
use crate::setup::{Dtype, Offload, Parallel};

fn offloaded(scheme: Scheme, world: u64, local: u64) -> Setup {
    Setup {
        autocast: Some(Dtype::Bf16),
        parallel: Parallel { scheme, world, local, offload_optimizer: Offload::Cpu, ..Parallel::default() },
        ..Setup::default()
    }
}

fn without_processes(host: &Host) -> u64 {
    host.parts.iter().filter(|part| part.name != "processes").map(|part| part.bytes).sum()
}

fn named(host: &Host, name: &str) -> u64 {
    host.parts.iter().filter(|part| part.name == name).map(|part| part.bytes).sum()
}

#[test]
fn one_node_with_offloaded_optimizer_holds_eighteen_bytes_a_parameter() {
    // Measured for ZeRO-2 and ZeRO-3 on one node: 18 B a parameter, 20 with accumulation (stage 2) or offloaded parameters (stage 3).
    let arch = Arch::from_parameters(1_000_000_000);
    let param_sizes = ParamSizes::new(&arch, &Setup::default());
    let n = param_sizes.trainable();
    let staging = named(&host(&arch, &offloaded(Scheme::Zero2, 4, 4)), "pinned_buffers") - 2 * n;
    assert_eq!(without_processes(&host(&arch, &offloaded(Scheme::Zero2, 4, 4))), 18 * n + staging);
    let accumulating = Setup { accumulation: 4, ..offloaded(Scheme::Zero2, 4, 4) };
    assert_eq!(without_processes(&host(&arch, &accumulating)), 20 * n + staging);
    assert_eq!(without_processes(&host(&arch, &offloaded(Scheme::Zero3, 4, 4))), 18 * n);
    let mut both = offloaded(Scheme::Zero3, 4, 4);
    both.parallel.offload_param = Offload::Cpu;
    assert_eq!(without_processes(&host(&arch, &both)), 18 * n + 2 * param_sizes.total());
}

#[test]
fn two_nodes_hold_half_each() {
    let arch = Arch::from_parameters(7_000_000_000);
    let one = named(&host(&arch, &offloaded(Scheme::Zero3, 8, 8)), "optimizer_states");
    let two = named(&host(&arch, &offloaded(Scheme::Zero3, 16, 8)), "optimizer_states");
    assert_eq!(one, 2 * two);
}

#[test]
fn every_rank_of_plain_data_parallel_loads_a_copy() {
    let arch = Arch::from_parameters(7_000_000_000);
    let parallel = Parallel { scheme: Scheme::Ddp, world: 8, local: 8, ..Parallel::default() };
    let mut setup = Setup { parallel, ..Setup::default() };
    assert_eq!(named(&host(&arch, &setup), "load"), arch.parameters() * 2 * 8);
    setup.parallel.scheme = Scheme::Fsdp2;
    assert_eq!(named(&host(&arch, &setup), "load"), arch.parameters() * 2);
}

#[test]
fn parts_sum_to_the_peak_and_nothing_overflows() {
    let arch = Arch::from_parameters(1_000_000_000_000);
    for scheme in [Scheme::None, Scheme::Ddp, Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp2] {
        let mut setup = offloaded(scheme, 1024, 8);
        setup.parallel.gather_at_save = true;
        setup.dataloader_workers = 16;
        setup.sequence_length = 1 << 20;
        let host = host(&arch, &setup);
        assert_eq!(host.peak, host.parts.iter().map(|part| part.bytes).sum::<u64>());
        assert!(host.peak < u64::MAX / 2);
    }
}
