//! NVML, through `nvml-wrapper` 0.13.

use crate::machine::{Gpu, Kind, Machine, Memory, Mig, MigInstance, Power, Process, Utilization};
use crate::process_table::ProcessTable;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::ProcessInfo;
use nvml_wrapper::{Device, Nvml};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use vramlint_base::{Message, message};

/// The environment variable with the path of the library.
pub const NVML_VARIABLE: &str = "VRAMLINT_NVML";

/// Paths of the library, in order: the search path of the loader, then folders outside it.
#[cfg(windows)]
const LIBRARY_PATHS: &[&str] = &["nvml.dll", r"C:\Program Files\NVIDIA Corporation\NVSMI\nvml.dll"];
#[cfg(not(windows))]
const LIBRARY_PATHS: &[&str] = &["libnvidia-ml.so.1", "libnvidia-ml.so", "/usr/lib/wsl/lib/libnvidia-ml.so.1"];

/// The driver is missing or does not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.en)]
pub struct DriverError {
    /// The reason.
    pub message: Message,
}

/// A connection to the driver.
#[derive(Debug)]
pub struct Driver {
    nvml: Nvml,
}

impl Driver {
    /// Loads the library in `VRAMLINT_NVML`, otherwise the first of the standard ones that exists.
    pub fn open() -> Result<Self, DriverError> {
        let explicit = std::env::var_os(NVML_VARIABLE).filter(|path| !path.is_empty());
        let paths: Vec<OsString> = match &explicit {
            Some(path) => vec![path.clone()],
            None => LIBRARY_PATHS.iter().map(OsString::from).collect(),
        };
        let mut last = None;
        for path in &paths {
            match Nvml::builder().lib_path(path).init() {
                Ok(nvml) => return Ok(Self { nvml }),
                Err(error @ NvmlError::LibloadingError(_)) => last = Some(error),
                Err(error) => return Err(DriverError { message: load_error(path, &error) }),
            }
        }
        Err(DriverError { message: not_found(explicit.as_deref(), last.as_ref()) })
    }

    /// Reads the current state of the machine.
    pub fn read(&self) -> Result<Machine, DriverError> {
        let count = self.nvml.device_count().map_err(|error| DriverError { message: unavailable(&error) })?;
        let cuda = self.nvml.sys_cuda_driver_version().ok();
        let mut machine = Machine {
            driver: self.nvml.sys_driver_version().ok(),
            cuda: cuda.and_then(|version| u32::try_from(version).ok()).map(|version| (version / 1000, version % 1000 / 10)),
            gpus: (0..count).map(|index| self.gpu(index)).collect(),
        };
        let mut process_table = ProcessTable::default();
        for process in machine.gpus.iter_mut().filter_map(|gpu| gpu.processes.as_mut()).flatten() {
            process_table.identify(process, self.nvml.sys_process_name(process.pid, MAX_PROCESS_NAME).ok().as_deref());
        }
        Ok(machine)
    }

    fn gpu(&self, index: u32) -> Gpu {
        let device = match self.nvml.device_by_index(index) {
            Ok(device) => device,
            Err(error) => return Gpu { index, failure: Some(gpu_error(index, &error)), ..Gpu::default() },
        };
        let mig = mig(&device);
        let instances = instances(&device, mig.as_ref());
        let mut by_pid = processes(&device);
        for instance in &instances {
            merge_processes(&mut by_pid, processes(instance));
        }
        let instance_list = instances.iter().zip(0..).map(|(instance, index)| mig_instance(instance, index)).collect();
        Gpu {
            index,
            name: device.name().ok(),
            uuid: device.uuid().ok(),
            compute_capability: device
                .cuda_compute_capability()
                .ok()
                .and_then(|version| Some((u32::try_from(version.major).ok()?, u32::try_from(version.minor).ok()?))),
            memory: memory(&device),
            utilization: device.utilization_rates().ok().map(|rates| Utilization { gpu: rates.gpu, memory: rates.memory }),
            temperature: device.temperature(TemperatureSensor::Gpu).ok(),
            power: device.power_usage().ok().map(|draw| Power { draw, limit: device.enforced_power_limit().ok() }),
            display: device.is_display_active().ok(),
            ecc: device.is_ecc_enabled().ok().map(|state| state.currently_enabled),
            mig: mig.map(|mig| Mig { instances: instance_list, ..mig }),
            processes: by_pid.map(sorted),
            failure: None,
        }
    }
}

/// Maximum length of a process name, bytes.
const MAX_PROCESS_NAME: usize = 1024;

fn memory(device: &Device<'_>) -> Option<Memory> {
    let info = device.memory_info().ok()?;
    // A GPU without memory of its own (some boards share the host's) reports zero.
    (info.total > 0).then_some(Memory { total: info.total, reserved: info.reserved, used: info.used, free: info.free })
}

fn mig(device: &Device<'_>) -> Option<Mig> {
    let mode = device.mig_mode().ok()?;
    Some(Mig { enabled: mode.current == 1, pending: mode.pending == 1, instances: Vec::new() })
}

/// The MIG instances; slots without an instance are skipped.
fn instances<'a>(device: &Device<'a>, mig: Option<&Mig>) -> Vec<Device<'a>> {
    let most = if mig.is_some_and(|mig| mig.enabled) { device.mig_device_count().unwrap_or(0) } else { 0 };
    (0..most).filter_map(|index| device.mig_device_by_index(index).ok()).collect()
}

fn mig_instance(instance: &Device<'_>, index: u32) -> MigInstance {
    MigInstance { index, name: instance.name().ok(), uuid: instance.uuid().ok(), memory: memory(instance) }
}

type ByPid = BTreeMap<u32, Process>;

/// The processes on a device; `None` if the driver lists none of them. The older functions serve drivers before 510.
fn processes(device: &Device<'_>) -> Option<ByPid> {
    let compute = device.running_compute_processes().or_else(|_| device.running_compute_processes_v2()).ok();
    let graphics = device.running_graphics_processes().or_else(|_| device.running_graphics_processes_v2()).ok();
    if compute.is_none() && graphics.is_none() {
        return None;
    }
    let mut by_pid = ByPid::new();
    let lists = [(Kind::Compute, compute), (Kind::Graphics, graphics)];
    for (kind, info) in lists.into_iter().flat_map(|(kind, list)| list.into_iter().flatten().map(move |info| (kind, info))) {
        add(&mut by_pid, process(kind, &info));
    }
    Some(by_pid)
}

fn process(kind: Kind, info: &ProcessInfo) -> Process {
    let memory = match info.used_gpu_memory {
        UsedGpuMemory::Used(bytes) => Some(bytes),
        UsedGpuMemory::Unavailable => None,
    };
    Process { pid: info.pid, name: None, memory, kind, own: None }
}

/// Adds a process. One that computes and draws is in both lists, with the same memory.
fn add(by_pid: &mut ByPid, process: Process) {
    match by_pid.get_mut(&process.pid) {
        Some(known) => {
            known.memory = known.memory.max(process.memory);
            if known.kind != process.kind {
                known.kind = Kind::Both;
            }
        }
        None => drop(by_pid.insert(process.pid, process)),
    }
}

/// Adds the processes of an instance to the processes of the GPU.
fn merge_processes(by_pid: &mut Option<ByPid>, more: Option<ByPid>) {
    for process in more.into_iter().flat_map(BTreeMap::into_values) {
        add(by_pid.get_or_insert_default(), process);
    }
}

fn sorted(by_pid: ByPid) -> Vec<Process> {
    let mut all: Vec<Process> = by_pid.into_values().collect();
    all.sort_by_key(|process| std::cmp::Reverse(process.memory));
    all
}

fn not_found(explicit: Option<&OsStr>, error: Option<&NvmlError>) -> Message {
    let Some(path) = explicit else {
        return message!(
            "no NVIDIA driver on this machine: the driver library (NVML) was not found; set {NVML_VARIABLE} to its path",
            "此机器上没有 NVIDIA 驱动：找不到驱动库（NVML）；可通过 {NVML_VARIABLE} 指定其路径"
        );
    };
    let (path, why) = (path.display(), error.map(loader).unwrap_or_default());
    message!("cannot load the library in {NVML_VARIABLE}: {path}{why}", "无法加载 {NVML_VARIABLE} 指定的库：{path}{why}")
}

/// The message of the dynamic loader, which names the missing file or symbol.
fn loader(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(error) => format!(" ({error})"),
        _ => String::new(),
    }
}

/// The message if the library was found but cannot be initialized.
fn load_error(place: &OsStr, error: &NvmlError) -> Message {
    let place = place.display();
    match error {
        NvmlError::FailedToLoadSymbol(_) => message!("{place} is not an NVML library", "{place} 不是 NVML 库"),
        NvmlError::LibRmVersionMismatch => message!(
            "the NVIDIA driver was updated, but the old version is still running (library and kernel module differ); restart the machine",
            "NVIDIA 驱动已更新，但仍在运行旧版本：驱动库与内核模块版本不一致；请重启机器"
        ),
        error => unavailable(error),
    }
}

fn unavailable(error: &NvmlError) -> Message {
    match error {
        NvmlError::DriverNotLoaded => message!(
            "the NVIDIA driver is installed but not loaded: no GPU is present, or the kernel module is missing",
            "NVIDIA 驱动已安装但未加载：没有 GPU，或缺少内核模块"
        ),
        NvmlError::NoPermission => {
            message!("the NVIDIA driver denies access: no permission for its devices", "NVIDIA 驱动拒绝访问：没有设备权限")
        }
        error => message!("the NVIDIA driver does not respond: {error}", "NVIDIA 驱动没有响应：{error}"),
    }
}

fn gpu_error(index: u32, error: &NvmlError) -> Message {
    match error {
        NvmlError::GpuLost => message!(
            "GPU {index} is lost: it fell off the bus; restart the machine",
            "GPU {index} 已丢失：已从总线断开；请重启机器"
        ),
        NvmlError::NoPermission => {
            message!("no permission to use GPU {index}", "无权使用 GPU {index}")
        }
        error => message!("GPU {index} does not respond: {error}", "GPU {index} 没有响应：{error}"),
    }
}
