//! What a log says about a failure.

use crate::amount::Amount;
use crate::context::Context;

/// A failure for want of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Line of the message in the log, from 1.
    pub line: u64,
    /// The first rank that failed, where the log says which.
    pub rank: Option<u32>,
    /// All ranks that failed alike, in ascending order. Empty where the log names none.
    pub ranks: Vec<u32>,
    /// Class of the Python exception, as printed: `torch.OutOfMemoryError`.
    pub exception: Option<String>,
    /// How many messages this event stands for.
    pub messages: u64,
    /// The code and the files that the log names around the message.
    pub context: Context,
    /// What failed.
    pub failure: Failure,
}

/// What failed, and what the message says about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// An allocation on an accelerator.
    Device(Box<Device>),
    /// A process ended by SIGKILL.
    Kill(Kill),
    /// An allocation in host memory.
    Host(HostShortage),
    /// An allocation in the shared memory of the host (`/dev/shm`).
    SharedMemory(SharedMemory),
    /// An inference engine whose share of a GPU does not suffice.
    Engine(EngineBudget),
}

/// The form of a message about an accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceTemplate {
    /// PyTorch up to 2.0: `(GPU 0; 12.00 GiB total capacity; …)`.
    Legacy,
    /// The same of torch-npu: `(NPU 0; 60.97 GiB total capacity; …)`.
    LegacyNpu,
    /// PyTorch from 2.1 on: `GPU 0 has a total capacity of …`.
    V2,
    /// A size that no machine has: `more than 1EB memory`.
    Over1Eb,
    /// The backend `cudaMallocAsync`: `Allocation on device 0 would exceed allowed memory`.
    MallocAsync,
    /// `MPS backend out of memory (MPS allocated: …)`.
    Mps,
    /// The driver, outside the caching allocator.
    Driver,
    /// cuBLAS.
    Cublas,
    /// cuDNN, cuFFT, cuSOLVER or cuSPARSE.
    MathLibrary,
    /// NCCL or RCCL.
    Nccl,
    /// bitsandbytes.
    Bitsandbytes,
    /// XLA or TensorFlow.
    Xla,
    /// A message that ends before its form shows.
    Cut,
}

impl DeviceTemplate {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::LegacyNpu => "legacy_npu",
            Self::V2 => "v2",
            Self::Over1Eb => "over_1eb",
            Self::MallocAsync => "malloc_async",
            Self::Mps => "mps",
            Self::Driver => "driver",
            Self::Cublas => "cublas",
            Self::MathLibrary => "math_library",
            Self::Nccl => "nccl",
            Self::Bitsandbytes => "bitsandbytes",
            Self::Xla => "xla",
            Self::Cut => "cut",
        }
    }
}

/// An allocation on an accelerator that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// `cuda`, `hip`, `npu`, `xpu`, `mps`…
    pub backend: String,
    /// The form of the message.
    pub template: DeviceTemplate,
    /// Index of the accelerator, as its process counts them.
    pub device: Option<u32>,
    /// What was asked for.
    pub requested: Option<Amount>,
    /// Memory of the accelerator.
    pub total: Option<Amount>,
    /// What the driver reports as free.
    pub free: Option<Amount>,
    /// Bytes of live tensors.
    pub allocated: Option<Amount>,
    /// Bytes of live tensors that are in use by a kernel or a stream (torch-npu).
    pub current_active: Option<Amount>,
    /// What the caching allocator holds, live tensors included.
    pub reserved_total: Option<Amount>,
    /// What the caching allocator holds besides live tensors.
    pub reserved_unallocated: Option<Amount>,
    /// What the process uses, with its context and libraries.
    pub process_used: Option<Amount>,
    /// The marker that stands for an unknown use of the process on Windows and WSL: 2^34 GiB.
    pub process_used_raw: Option<Amount>,
    /// Other processes on the accelerator.
    pub other_processes: Vec<OtherProcess>,
    /// Cap of `set_per_process_memory_fraction`.
    pub allowed: Option<Amount>,
    /// Part of `allocated` that lies in the private pools of CUDA graphs.
    pub private_pools: Option<Amount>,
    /// Allocator setting that the message proposes: `max_split_size_mb`, `expandable_segments`.
    pub hint: Option<&'static str>,
    /// Environment variable that the message names for it.
    pub hint_variable: Option<String>,
    /// Whether the message has the misspelling of PyTorch 2.1, `capacty`.
    pub is_misspelled: bool,
}

/// Another process on the accelerator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherProcess {
    /// Its identifier.
    pub pid: u32,
    /// What it uses.
    pub used: Amount,
}

/// Who reports that a process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KillTemplate {
    /// An exit status of 137 and nothing else.
    ExitStatus,
    /// A shell: `line 1: 20417 Killed`.
    Shell,
    /// `subprocess.CalledProcessError: … died with <Signals.SIGKILL: 9>`, which `accelerate launch` raises.
    CalledProcess,
    /// `torch.multiprocessing`: `process 0 terminated with signal SIGKILL`.
    Multiprocessing,
    /// `mpirun`: `exited on signal 9 (Killed)`.
    Mpi,
    /// A worker of a data loader.
    DataLoader,
    /// The launcher of DeepSpeed.
    DeepspeedLauncher,
    /// torchrun.
    Torchrun,
    /// Ray's memory monitor.
    Ray,
    /// A batch system: Slurm, LSF, PBS.
    Scheduler,
    /// Kubernetes or Docker.
    Container,
    /// systemd-oomd, earlyoom.
    Daemon,
    /// The kernel.
    KernelOom,
}

impl KillTemplate {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExitStatus => "exit_status",
            Self::Shell => "shell",
            Self::CalledProcess => "called_process",
            Self::Multiprocessing => "multiprocessing",
            Self::Mpi => "mpi",
            Self::DataLoader => "dataloader_killed",
            Self::DeepspeedLauncher => "deepspeed_launcher",
            Self::Torchrun => "torchrun",
            Self::Ray => "ray",
            Self::Scheduler => "scheduler",
            Self::Container => "container",
            Self::Daemon => "daemon",
            Self::KernelOom => "kernel_oom",
        }
    }

    /// Whether the reporter knows that memory was the reason.
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::Ray | Self::Scheduler | Self::Container | Self::Daemon | Self::KernelOom)
    }
}

/// A process that SIGKILL ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Kill {
    /// Who reports it, the most certain reporter where there are several.
    pub template: KillTemplate,
    /// Rank on its machine.
    pub local_rank: Option<u32>,
    /// Its identifier.
    pub pid: Option<u32>,
    /// Its status, as printed: -9 or 137.
    pub exitcode: Option<i32>,
    /// Its machine.
    pub host: Option<String>,
    /// Name of the program, where the kernel or a daemon prints it.
    pub process: Option<String>,
    /// Whether the limit is that of a control group: a container, a job.
    pub is_in_cgroup: Option<bool>,
    /// Anonymous memory that the process held.
    pub anon_rss: Option<Amount>,
    /// The limit that it exceeded.
    pub limit: Option<Amount>,
    /// What DeepSpeed logged last about its memory before.
    pub last_memory: Option<MemoryLine>,
}

/// What `see_memory_usage` of DeepSpeed logs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryLine {
    /// `Before initializing optimizer states`
    pub stage: Option<String>,
    /// GPU memory of live tensors in GiB, which DeepSpeed prints as `GB`.
    pub device_allocated: Option<f64>,
    /// Host memory in use in GiB, which DeepSpeed prints as `GB`.
    pub host_used: Option<f64>,
    /// The same in percent of the host's memory.
    pub host_percent: Option<f64>,
}

/// The form of a message about host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostTemplate {
    /// `DefaultCPUAllocator: can't allocate memory`.
    CpuAllocator,
    /// NumPy's `Unable to allocate 12.2 GiB for an array`.
    Numpy,
    /// Python's `MemoryError`.
    MemoryError,
    /// `std::bad_alloc` of C++.
    BadAlloc,
    /// `[Errno 12] Cannot allocate memory`.
    Enomem,
    /// `[WinError 1455] The paging file is too small`.
    WindowsPageFile,
}

impl HostTemplate {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CpuAllocator => "cpu_allocator",
            Self::Numpy => "numpy",
            Self::MemoryError => "memory_error",
            Self::BadAlloc => "bad_alloc",
            Self::Enomem => "enomem",
            Self::WindowsPageFile => "windows_page_file",
        }
    }
}

/// An allocation in host memory that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct HostShortage {
    /// The form of the message.
    pub template: HostTemplate,
    /// What was asked for.
    pub requested: Option<Amount>,
}

/// The form of a message about shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMemoryTemplate {
    /// A worker of a data loader that ended with a bus error.
    DataLoaderBusError,
    /// PyTorch could not write a file in `/dev/shm`.
    TorchShm,
    /// NCCL could not.
    NcclShm,
    /// A process of torchrun that ended with SIGBUS.
    TorchrunSigbus,
}

impl SharedMemoryTemplate {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DataLoaderBusError => "dataloader_bus_error",
            Self::TorchShm => "torch_shm",
            Self::NcclShm => "nccl_shm",
            Self::TorchrunSigbus => "torchrun_sigbus",
        }
    }
}

/// An allocation in shared memory that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedMemory {
    /// The form of the message.
    pub template: SharedMemoryTemplate,
    /// The process that failed.
    pub pid: Option<u32>,
    /// What was asked for.
    pub requested: Option<Amount>,
    /// Whether a bus error ended the process.
    pub is_bus_error: bool,
}

/// The form of an engine's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineTemplate {
    /// vLLM: less memory is free than its share.
    VllmFreeOnStartup,
    /// vLLM: nothing is left for the cache of keys and values.
    VllmNoCacheBlocks,
    /// vLLM: the cache holds less than one sequence of the longest length.
    VllmCacheTooSmall,
    /// vLLM: other processes released memory while it measured.
    VllmProfiling,
    /// SGLang: its share does not hold the weights.
    SglangNotEnough,
}

impl EngineTemplate {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VllmFreeOnStartup => "vllm_free_on_startup",
            Self::VllmNoCacheBlocks => "vllm_no_cache_blocks",
            Self::VllmCacheTooSmall => "vllm_cache_too_small",
            Self::VllmProfiling => "vllm_profiling",
            Self::SglangNotEnough => "sglang_not_enough",
        }
    }
}

/// An engine whose share of the GPU does not suffice.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineBudget {
    /// The form of the message.
    pub template: EngineTemplate,
    /// What is free on the GPU.
    pub free: Option<Amount>,
    /// Memory of the GPU.
    pub total: Option<Amount>,
    /// Share that the engine was told to take, 0 to 1.
    pub utilization: Option<f64>,
    /// The same as an amount.
    pub desired: Option<Amount>,
    /// What the cache lacks.
    pub cache: Option<CacheShortage>,
}

/// A cache of keys and values that holds less than one sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheShortage {
    /// Longest sequence that the engine was told to serve, in tokens.
    pub max_tokens: Option<u64>,
    /// Longest sequence that the cache holds, in tokens.
    pub cache_tokens: Option<u64>,
    /// What one sequence needs.
    pub needed: Option<Amount>,
    /// What the cache has.
    pub available: Option<Amount>,
}
