//! Flags of `torchrun`, which `tune run` takes over.

use super::spec::{LauncherSpec, PLAIN, ProcessCount, command};
use crate::Concept::{NumMachines, NumProcesses};
use crate::flag::Flag;
use crate::precedence::LaunchPath;

/// torch/distributed/run.py `get_args_parser`, and the two that torch/distributed/launch.py adds. argparse with its defaults:
/// long names may be abbreviated. torchtune takes over the same actions (torchtune/_cli/run.py).
pub(crate) static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::sets(&["--nnodes"], NumMachines),
    Flag::sets_per_machine(&["--nproc_per_node", "--nproc-per-node"], NumProcesses),
    Flag::with_value(&["--rdzv_backend", "--rdzv-backend"]),
    Flag::with_value(&["--rdzv_endpoint", "--rdzv-endpoint"]),
    Flag::with_value(&["--rdzv_id", "--rdzv-id"]),
    Flag::with_value(&["--rdzv_conf", "--rdzv-conf"]),
    Flag::switch(&["--standalone"]),
    Flag::with_value(&["--max_restarts", "--max-restarts"]),
    Flag::with_value(&["--monitor_interval", "--monitor-interval"]),
    Flag::with_value(&["--start_method", "--start-method"]),
    Flag::with_value(&["--event_log_handler", "--event-log-handler"]),
    Flag::with_value(&["--role"]),
    Flag::switch(&["-m", "--module"]),
    Flag::switch(&["--no_python", "--no-python"]),
    Flag::switch(&["--run_path", "--run-path"]),
    Flag::with_value(&["--log_dir", "--log-dir"]),
    Flag::with_value(&["-r", "--redirects"]),
    Flag::with_value(&["-t", "--tee"]),
    Flag::with_value(&["--local_ranks_filter", "--local-ranks-filter"]),
    Flag::with_value(&["--node_rank", "--node-rank"]),
    Flag::with_value(&["--master_addr", "--master-addr"]),
    Flag::with_value(&["--master_port", "--master-port"]),
    Flag::with_value(&["--local_addr", "--local-addr"]),
    Flag::with_value(&["--logs_specs", "--logs-specs"]),
    Flag::with_value(&["--numa_binding", "--numa-binding"]),
    Flag::with_value(&["--signals_to_handle", "--signals-to-handle"]),
    Flag::with_value(&["--duplicate_stdout_filters", "--duplicate-stdout-filters"]),
    Flag::with_value(&["--duplicate_stderr_filters", "--duplicate-stderr-filters"]),
    Flag::with_value(&["--log_line_prefix_template", "--log-line-prefix-template"]),
    Flag::with_value(&["--shutdown_timeout", "--shutdown-timeout"]),
    Flag::switch(&["--virtual_local_rank", "--virtual-local-rank"]),
    Flag::with_value(&["--print_completion", "--print-completion"]),
    // Of `python -m torch.distributed.launch` alone.
    Flag::switch(&["--use_env", "--use-env"]),
];

/// `torchrun`.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "torchrun",
    commands: &[command(&["torchrun"])],
    modules: &[("torch.distributed.run", None), ("torch.distributed.launch", None)],
    flags: FLAGS,
    abbreviates: true,
    processes: ProcessCount::Torchrun,
    path: LaunchPath::Torchrun,
    ..PLAIN
};
