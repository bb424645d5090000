//! What is known of the machine, as plain data. `None` is "the driver does not tell".

use vramlint_base::Message;

/// The driver and its GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Version of the driver: `570.86.15`.
    pub driver: Option<String>,
    /// Newest CUDA that the driver can run, major and minor.
    pub cuda: Option<(u32, u32)>,
    /// The GPUs, in NVML's order, which is that of the PCI bus.
    pub gpus: Vec<Gpu>,
}

/// One GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// Its number in NVML's order.
    pub index: u32,
    /// Its name as the driver writes it: `NVIDIA A100-SXM4-40GB`.
    pub name: Option<String>,
    /// Its identity: `GPU-…`.
    pub uuid: Option<String>,
    /// Compute capability, major and minor.
    pub compute_capability: Option<(u32, u32)>,
    /// Its memory.
    pub memory: Option<Memory>,
    /// How busy it was in the driver's last sample.
    pub utilization: Option<Utilization>,
    /// Temperature of the chip, degrees Celsius.
    pub temperature: Option<u32>,
    /// What it draws.
    pub power: Option<Power>,
    /// Whether a display is initialized on it.
    pub display: Option<bool>,
    /// Whether error correction is on.
    pub ecc: Option<bool>,
    /// Whether it is cut into instances; `None` also where it cannot be.
    pub mig: Option<Mig>,
    /// Who holds memory, those that hold most first. In a container the driver may show none of the others.
    pub processes: Option<Vec<Process>>,
    /// Why nothing is known of this GPU: it is lost, or needs other rights.
    pub failure: Option<Message>,
}

/// Memory of a GPU or an instance, in bytes. NVML: `nvmlMemory_v2_t`; `used` leaves `reserved` out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What driver and firmware keep.
    pub reserved: u64,
    /// What is allocated.
    pub used: u64,
    /// What can still be allocated.
    pub free: u64,
}

/// Shares of the last sample period, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Utilization {
    /// Time in which some kernel ran.
    pub gpu: u32,
    /// Time in which memory was read or written.
    pub memory: u32,
}

/// Electrical power, in milliwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// What is drawn.
    pub draw: u32,
    /// What may be drawn.
    pub limit: Option<u32>,
}

/// The state of Multi-Instance GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mig {
    /// Whether it is on.
    pub enabled: bool,
    /// Whether it will be on after the next reset of the GPU.
    pub pending: bool,
    /// The instances.
    pub instances: Vec<MigInstance>,
}

/// An instance of a GPU that is cut up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigInstance {
    /// Its number on the GPU.
    pub index: u32,
    /// Its name as the driver writes it.
    pub name: Option<String>,
    /// Its identity: `MIG-…`.
    pub uuid: Option<String>,
    /// Its memory.
    pub memory: Option<Memory>,
}

/// A process that uses a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number; of the host's where the driver knows no other.
    pub pid: u32,
    /// Program, without folders.
    pub name: Option<String>,
    /// What it holds on the GPU, bytes. Windows keeps this to itself (WDDM).
    pub memory: Option<u64>,
    /// What it does there.
    pub kind: Kind,
    /// Whether it belongs to the user who asks.
    pub own: Option<bool>,
}

/// What a process does on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// CUDA.
    Compute,
    /// Drawing.
    Graphics,
    /// Both.
    Both,
}

impl Machine {
    /// Cards of which something is known.
    pub fn usable(&self) -> impl Iterator<Item = &Gpu> {
        self.gpus.iter().filter(|gpu| gpu.failure.is_none())
    }
}

impl Gpu {
    /// Its name for people.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or("GPU")
    }

    /// Whether it is cut up.
    pub fn is_partitioned(&self) -> bool {
        self.mig.as_ref().is_some_and(|mig| mig.enabled)
    }
}
