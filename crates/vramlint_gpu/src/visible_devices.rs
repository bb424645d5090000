//! The GPUs that a run started here would use: those in `CUDA_VISIBLE_DEVICES`.
//!
//! CUDA (C++ Programming Guide, "CUDA environment variables"): a list of indices, or of UUIDs or unique UUID prefixes
//! (`GPU-8932f937`, `MIG-…`). Entries after the first invalid one are invisible. Indices follow
//! `CUDA_DEVICE_ORDER`: fastest first unless it is `PCI_BUS_ID`. A process gets at most one MIG instance.

use crate::machine::{Gpu, Machine, MigInstance};
use vramlint_base::{Message, message};

/// The GPUs that a run would use, all of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuSelection {
    /// Model name; for an instance, the name of its GPU.
    pub name: Option<String>,
    /// Memory of the smallest device, bytes.
    pub memory: Option<u64>,
    /// Number of GPUs.
    pub count: u32,
}

/// The environment variables that CUDA reads.
#[derive(Clone, Debug, Default)]
pub struct CudaEnvironment {
    /// `CUDA_VISIBLE_DEVICES`.
    pub visible: Option<String>,
    /// Whether `CUDA_DEVICE_ORDER` is `PCI_BUS_ID`, the order of NVML.
    pub by_bus: bool,
}

impl CudaEnvironment {
    /// The environment of this process.
    pub fn from_process() -> Self {
        Self {
            visible: std::env::var("CUDA_VISIBLE_DEVICES").ok(),
            by_bus: std::env::var("CUDA_DEVICE_ORDER").is_ok_and(|order| order == "PCI_BUS_ID"),
        }
    }
}

/// A selected device: a whole GPU, or an instance of one.
#[derive(Clone, Copy, Debug)]
enum Device<'a> {
    Whole(&'a Gpu),
    Instance(&'a Gpu, &'a MigInstance),
}

impl Device<'_> {
    fn memory(self) -> Option<u64> {
        match self {
            Self::Whole(gpu) => gpu.memory.map(|memory| memory.total),
            Self::Instance(_, mig_instance) => mig_instance.memory.map(|memory| memory.total),
        }
    }

    fn gpu(&self) -> &Gpu {
        match self {
            Self::Whole(gpu) | Self::Instance(gpu, _) => gpu,
        }
    }
}

/// Selects the GPUs of a run; the error is the reason why they are unknown.
pub fn select(machine: &Machine, environment: &CudaEnvironment) -> Result<GpuSelection, Message> {
    let all: Vec<&Gpu> = machine.usable().collect();
    let chosen: Vec<Device<'_>> = match environment.visible.as_deref() {
        None => all_devices(&all)?,
        Some(list) => listed_devices(machine, list, environment.by_bus)?,
    };
    let Some(first) = chosen.first() else {
        return Err(match environment.visible.as_deref() {
            Some(list) => {
                message!("CUDA_VISIBLE_DEVICES=`{list}` hides every GPU", "CUDA_VISIBLE_DEVICES=`{list}` 隐藏了所有 GPU")
            }
            None => message!("the NVIDIA driver sees no GPU", "NVIDIA 驱动未发现任何 GPU"),
        });
    };
    // A process uses one instance, even if more are listed.
    let chosen = if matches!(first, Device::Instance(..)) { &chosen[..1] } else { &chosen[..] };
    require_same_model(chosen)?;
    Ok(GpuSelection {
        name: first.gpu().name.clone(),
        memory: chosen.iter().filter_map(|device| device.memory()).min(),
        count: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
    })
}

/// All GPUs; with MIG, their instances.
fn all_devices<'a>(gpus: &[&'a Gpu]) -> Result<Vec<Device<'a>>, Message> {
    if let Some(cut) = gpus.iter().find(|gpu| gpu.is_partitioned()) {
        if gpus.iter().any(|gpu| !gpu.is_partitioned()) {
            let index = cut.index;
            return Err(message!(
                "GPU {index} uses MIG and others do not; select a GPU with CUDA_VISIBLE_DEVICES, or specify its name",
                "GPU {index} 启用了 MIG，其他 GPU 没有；请用 CUDA_VISIBLE_DEVICES 选择 GPU，或直接写出 GPU 名称"
            ));
        }
        let parts = gpus.iter().flat_map(|gpu| instances(gpu).map(|mig_instance| Device::Instance(gpu, mig_instance)));
        return require_same_size(parts.collect(), cut.index);
    }
    Ok(gpus.iter().map(|gpu| Device::Whole(gpu)).collect())
}

/// The instances, which must have the same size, because it is unknown which one a run gets.
fn require_same_size(parts: Vec<Device<'_>>, gpu: u32) -> Result<Vec<Device<'_>>, Message> {
    if parts.is_empty() {
        return Err(message!(
            "MIG is enabled on GPU {gpu}, but it has no instances, so no run can use it",
            "GPU {gpu} 启用了 MIG，但没有任何实例：训练任务无法使用"
        ));
    }
    if parts.windows(2).any(|pair| pair[0].memory() != pair[1].memory()) {
        return Err(message!(
            "the MIG instances differ in memory; select one with CUDA_VISIBLE_DEVICES=MIG-…",
            "各 MIG 实例的显存不同；请用 CUDA_VISIBLE_DEVICES=MIG-… 选择其中一个"
        ));
    }
    Ok(parts)
}

fn instances(gpu: &Gpu) -> impl Iterator<Item = &MigInstance> {
    gpu.mig.iter().flat_map(|mig| &mig.instances)
}

/// The listed GPUs, up to the first invalid entry.
fn listed_devices<'a>(machine: &'a Machine, list: &str, by_bus: bool) -> Result<Vec<Device<'a>>, Message> {
    let mut chosen = Vec::new();
    let mut counted = false;
    for entry in list.split(',').map(str::trim) {
        let device = if let Ok(index) = entry.parse::<usize>() {
            counted = true;
            machine.gpus.get(index).filter(|gpu| gpu.failure.is_none()).map(Device::Whole)
        } else {
            by_uuid(machine, entry)
        };
        match device {
            Some(Device::Whole(gpu)) if gpu.is_partitioned() => {
                let parts = instances(gpu).map(|mig_instance| Device::Instance(gpu, mig_instance)).collect();
                chosen.extend(require_same_size(parts, gpu.index)?.into_iter().next());
            }
            Some(device) => chosen.push(device),
            None => break,
        }
    }
    let all: Vec<Device<'_>> = machine.usable().map(Device::Whole).collect();
    if counted && !by_bus && chosen.len() < all.len() && require_same_model(&all).is_err() {
        return Err(message!(
            "the GPUs of this machine differ, and the indices in CUDA_VISIBLE_DEVICES=`{list}` count the fastest first; set CUDA_DEVICE_ORDER=PCI_BUS_ID, or specify the GPU name",
            "此机器的 GPU 型号不同，而 CUDA_VISIBLE_DEVICES=`{list}` 中的编号从最快的 GPU 开始；请设置 CUDA_DEVICE_ORDER=PCI_BUS_ID，或直接写出 GPU 名称"
        ));
    }
    Ok(chosen)
}

/// The device whose UUID starts with `entry`, if it is the only one.
fn by_uuid<'a>(machine: &'a Machine, entry: &str) -> Option<Device<'a>> {
    if !(entry.starts_with("GPU-") || entry.starts_with("MIG-")) {
        return None;
    }
    let begins = |uuid: &Option<String>| uuid.as_deref().is_some_and(|uuid| uuid.starts_with(entry));
    let gpus = machine.usable().filter(|gpu| begins(&gpu.uuid)).map(Device::Whole);
    let parts = machine
        .usable()
        .flat_map(|gpu| instances(gpu).map(move |mig_instance| (gpu, mig_instance)))
        .filter(|(_, mig_instance)| begins(&mig_instance.uuid))
        .map(|(gpu, mig_instance)| Device::Instance(gpu, mig_instance));
    let mut devices = gpus.chain(parts);
    devices.next().filter(|_| devices.next().is_none())
}

/// Fails if the GPUs differ: the smallest bounds a run, and the launch decides which ones it gets.
fn require_same_model(chosen: &[Device<'_>]) -> Result<(), Message> {
    let Some((first, other)) =
        chosen.first().and_then(|first| Some((first, chosen.iter().find(|device| device.gpu().name != first.gpu().name)?)))
    else {
        return Ok(());
    };
    let (a, b) = (first.gpu(), other.gpu());
    let (i, j, a, b) = (a.index, b.index, a.title(), b.title());
    Err(message!(
        "the GPUs of this machine differ (GPU {i}: {a}; GPU {j}: {b}); select with CUDA_VISIBLE_DEVICES=GPU-…, or specify the GPU name",
        "此机器的 GPU 型号不同（GPU {i}：{a}；GPU {j}：{b}）；请用 CUDA_VISIBLE_DEVICES=GPU-… 选择，或直接写出 GPU 名称"
    ))
}

#[cfg(test)]
mod tests;
