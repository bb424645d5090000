//! Flags of `torchrun`, which `tune run` takes over.

use super::spec::{LauncherSpec, PLAIN, ProcessCount, command};
use crate::Concept::{NumMachines, NumProcesses};
use crate::flags::Flag;
use crate::precedence::LaunchPath;

/// torch/distributed/run.py `get_args_parser`, and the two that torch/distributed/launch.py adds. argparse with its defaults:
/// long names may be abbreviated. torchtune takes over the same actions (torchtune/_cli/run.py).
pub(crate) static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::sets(&["--nnodes"], NumMachines),
    Flag::sets_per_machine(&["--nproc_per_node", "--nproc-per-node"], NumProcesses),
    Flag::one(&["--rdzv_backend", "--rdzv-backend"]),
    Flag::one(&["--rdzv_endpoint", "--rdzv-endpoint"]),
    Flag::one(&["--rdzv_id", "--rdzv-id"]),
    Flag::one(&["--rdzv_conf", "--rdzv-conf"]),
    Flag::switch(&["--standalone"]),
    Flag::one(&["--max_restarts", "--max-restarts"]),
    Flag::one(&["--monitor_interval", "--monitor-interval"]),
    Flag::one(&["--start_method", "--start-method"]),
    Flag::one(&["--event_log_handler", "--event-log-handler"]),
    Flag::one(&["--role"]),
    Flag::switch(&["-m", "--module"]),
    Flag::switch(&["--no_python", "--no-python"]),
    Flag::switch(&["--run_path", "--run-path"]),
    Flag::one(&["--log_dir", "--log-dir"]),
    Flag::one(&["-r", "--redirects"]),
    Flag::one(&["-t", "--tee"]),
    Flag::one(&["--local_ranks_filter", "--local-ranks-filter"]),
    Flag::one(&["--node_rank", "--node-rank"]),
    Flag::one(&["--master_addr", "--master-addr"]),
    Flag::one(&["--master_port", "--master-port"]),
    Flag::one(&["--local_addr", "--local-addr"]),
    Flag::one(&["--logs_specs", "--logs-specs"]),
    Flag::one(&["--numa_binding", "--numa-binding"]),
    Flag::one(&["--signals_to_handle", "--signals-to-handle"]),
    Flag::one(&["--duplicate_stdout_filters", "--duplicate-stdout-filters"]),
    Flag::one(&["--duplicate_stderr_filters", "--duplicate-stderr-filters"]),
    Flag::one(&["--log_line_prefix_template", "--log-line-prefix-template"]),
    Flag::one(&["--shutdown_timeout", "--shutdown-timeout"]),
    Flag::switch(&["--virtual_local_rank", "--virtual-local-rank"]),
    Flag::one(&["--print_completion", "--print-completion"]),
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
