//! Flags of the `deepspeed` launcher.

use super::spec::{LauncherSpec, PLAIN, ProcessCount, command};
use crate::Concept::{GpuIds, NumMachines, NumProcesses};
use crate::flag::Flag;
use crate::precedence::LaunchPath;

/// deepspeed/launcher/runner.py `parse_args`. argparse with its defaults: long names may be abbreviated, dashes do not stand for
/// underscores. `--include` and `--exclude` name hosts and GPUs: see [`resource_filter`].
pub(crate) static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::with_value(&["-H", "--hostfile"]),
    Flag::sets(&["-i", "--include"], GpuIds),
    Flag::with_value(&["-e", "--exclude"]),
    Flag::sets(&["--num_nodes"], NumMachines),
    Flag::with_value(&["--min_elastic_nodes"]),
    Flag::with_value(&["--max_elastic_nodes"]),
    Flag::sets_per_machine(&["--num_gpus", "--num_accelerators"], NumProcesses),
    Flag::with_value(&["--master_port"]),
    Flag::with_value(&["--master_addr"]),
    Flag::with_value(&["--node_rank"]),
    Flag::with_value(&["--launcher"]),
    Flag::with_value(&["--launcher_args"]),
    Flag::switch(&["--module"]),
    Flag::switch(&["--no_python"]),
    Flag::switch(&["--no_local_rank"]),
    Flag::switch(&["--no_ssh_check"]),
    Flag::switch(&["--no_ssh"]),
    Flag::switch(&["--force_multi"]),
    Flag::switch(&["--save_pid"]),
    Flag::with_value(&["--enable_each_rank_log"]),
    Flag::with_value(&["--autotuning"]),
    Flag::switch(&["--elastic_training"]),
    Flag::switch(&["--bind_cores_to_rank"]),
    Flag::with_value(&["--bind_core_list"]),
    Flag::with_value(&["--ssh_port"]),
    Flag::with_value(&["--venv_script"]),
];

/// `deepspeed`.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "deepspeed",
    commands: &[command(&["deepspeed"])],
    modules: &[("deepspeed.launcher.runner", None)],
    flags: FLAGS,
    abbreviates: true,
    processes: ProcessCount::DeepSpeed,
    path: LaunchPath::DeepSpeed,
    ..PLAIN
};

/// A host of `--include` or `--exclude`, with its GPUs; `None` where all of them are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSlots {
    /// The host, often `localhost`.
    pub host: String,
    /// Its GPUs.
    pub slots: Option<Vec<u32>>,
}

/// The value of `--include` or `--exclude`: hosts joined by `@`, each with its GPUs after `:` (`worker-0@worker-1:0,2`).
/// `None` where it is not of that form (deepspeed/launcher/runner.py `parse_resource_filter`).
pub fn resource_filter(text: &str) -> Option<Vec<HostSlots>> {
    if text.trim().is_empty() {
        return None;
    }
    text.split('@')
        .map(|node| {
            let (host, slots) = match node.split_once(':') {
                Some((host, slots)) => {
                    (host, Some(slots.split(',').map(|slot| slot.trim().parse().ok()).collect::<Option<Vec<u32>>>()?))
                }
                None => (node, None),
            };
            let plain = !host.is_empty() && !host.contains(['$', ' ']);
            plain.then(|| HostSlots { host: host.to_owned(), slots })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_resource_filters() {
        let two = resource_filter("worker-0@worker-1:0,2").expect("well-formed");
        assert_eq!(two[0], HostSlots { host: "worker-0".into(), slots: None });
        assert_eq!(two[1], HostSlots { host: "worker-1".into(), slots: Some(vec![0, 2]) });
        assert_eq!(resource_filter("localhost:0,1,2,3").map(|hosts| hosts[0].slots.clone()), Some(Some(vec![0, 1, 2, 3])));
        for bad in ["", "localhost:$GPUS", "$HOST", "localhost:", "a:0:1", ":0"] {
            assert_eq!(resource_filter(bad), None, "{bad}");
        }
    }
}
