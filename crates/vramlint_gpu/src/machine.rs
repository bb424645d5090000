//! The machine as plain data. `None` means that the driver does not report the value.

use vramlint_base::Message;

/// The driver and its GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Version of the driver: `570.86.15`.
    pub driver: Option<String>,
    /// Newest CUDA that the driver can run, major and minor.
    pub cuda: Option<(u32, u32)>,
    /// The GPUs in the order of NVML, which is the order of the PCI bus.
    pub gpus: Vec<Gpu>,
}

/// One GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// Index in the order of NVML.
    pub index: u32,
    /// Name as the driver reports it: `NVIDIA A100-SXM4-40GB`.
    pub name: Option<String>,
    /// UUID: `GPU-…`.
    pub uuid: Option<String>,
    /// Compute capability, major and minor.
    pub compute_capability: Option<(u32, u32)>,
    /// Memory.
    pub memory: Option<Memory>,
    /// Utilization in the driver's last sample.
    pub utilization: Option<Utilization>,
    /// Temperature of the chip, degrees Celsius.
    pub temperature: Option<u32>,
    /// Power draw and limit.
    pub power: Option<Power>,
    /// Whether a display is connected.
    pub display: Option<bool>,
    /// Whether ECC is enabled.
    pub ecc: Option<bool>,
    /// MIG state; `None` also if the GPU does not support MIG.
    pub mig: Option<Mig>,
    /// Processes that use memory, largest first. In a container, the driver may hide other processes.
    pub processes: Option<Vec<Process>>,
    /// Why nothing is known about this GPU: it is lost, or access is denied.
    pub failure: Option<Message>,
}

/// Memory of a GPU or an instance, in bytes. NVML: `nvmlMemory_v2_t`; `used` excludes `reserved`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Total.
    pub total: u64,
    /// Reserved by driver and firmware.
    pub reserved: u64,
    /// Allocated.
    pub used: u64,
    /// Available.
    pub free: u64,
}

/// Utilization over the last sample period, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Utilization {
    /// Share of time in which a kernel ran.
    pub gpu: u32,
    /// Share of time in which memory was read or written.
    pub memory: u32,
}

/// Electrical power, in milliwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// Current draw.
    pub draw: u32,
    /// Limit.
    pub limit: Option<u32>,
}

/// The state of Multi-Instance GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mig {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether it will be enabled after the next GPU reset.
    pub pending: bool,
    /// The instances.
    pub instances: Vec<MigInstance>,
}

/// A MIG instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigInstance {
    /// Index on the GPU.
    pub index: u32,
    /// Name as the driver reports it.
    pub name: Option<String>,
    /// UUID: `MIG-…`.
    pub uuid: Option<String>,
    /// Memory.
    pub memory: Option<Memory>,
}

/// A process that uses a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id; in a container, possibly the id on the host.
    pub pid: u32,
    /// Program name, without folders.
    pub name: Option<String>,
    /// Memory in use on the GPU, bytes. Windows does not report it (WDDM).
    pub memory: Option<u64>,
    /// How the process uses the GPU.
    pub kind: Kind,
    /// Whether it belongs to the current user.
    pub own: Option<bool>,
}

/// How a process uses a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// CUDA.
    Compute,
    /// Graphics.
    Graphics,
    /// Both.
    Both,
}

impl Machine {
    /// The GPUs that the driver can access.
    pub fn usable(&self) -> impl Iterator<Item = &Gpu> {
        self.gpus.iter().filter(|gpu| gpu.failure.is_none())
    }
}

impl Gpu {
    /// Display name.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or("GPU")
    }

    /// Whether MIG is enabled.
    pub fn is_partitioned(&self) -> bool {
        self.mig.as_ref().is_some_and(|mig| mig.enabled)
    }
}
