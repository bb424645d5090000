//! Environment variables: allocator settings and visible GPUs.

use super::provenance::tick;
use crate::embedded::FilePosition;
use crate::markdown::inline;
use vramlint_base::{FileRange, Lang, TextRange, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::environment::visible_devices::{self, DeviceListProblem};
use vramlint_resolve::environment::{Setter, VariableAssignment};
use vramlint_resolve::{Origin, Run};

/// Maximum number of listed GPUs.
const MAX_GPUS: usize = 16;

/// The hover of an environment variable.
pub(super) struct VariableHover {
    pub place: FileRange,
    pub text: String,
    pub concept: Concept,
}

/// The hover of the variable at a position.
pub(super) fn variable(report: &Report, position: FilePosition, lang: Lang) -> Option<VariableHover> {
    let set = report
        .project
        .environment()
        .iter()
        .find(|set| set.file == position.file && (position.is_in(set.full_range) || position.is_in(set.place)))?;
    if set.name.ends_with("_ALLOC_CONF") {
        return Some(allocator(report, set, position, lang));
    }
    if set.name == "CUDA_VISIBLE_DEVICES" {
        let text = visible_gpus(set.value.as_deref()?, lang);
        return Some(VariableHover { place: set.full_range, text, concept: Concept::VisibleDevices });
    }
    None
}

/// The hover of the whole setting, or of one option.
fn allocator(report: &Report, set: &VariableAssignment, position: FilePosition, lang: Lang) -> VariableHover {
    let text = &report.project.file(set.file).text;
    let option = set
        .verbatim
        .then(|| option_at(set.place.range.slice(text), position.offset.checked_sub(set.place.range.start)?))
        .flatten();
    let (place, mut lines) = if let Some((name, range)) = option {
        let place = FileRange::new(set.file, range.shifted(set.place.range.start));
        let about = ALLOCATOR_OPTIONS.iter().find(|(option, ..)| *option == name).map_or("", |(_, en, zh)| pick(lang, en, zh));
        (place, vec![format!("**`{}`**", tick(name)), about.to_owned()])
    } else {
        let name = tick(&set.name);
        let about = Concept::AllocatorConf.about(lang);
        (set.full_range, vec![format!("**`{name}`**"), format!("{about} {}", pick(lang, LOOKUP_ORDER.0, LOOKUP_ORDER.1))])
    };
    let windows = matches!(set.setter, Setter::Batch) || report.project.policy(set.file).target.os.as_deref() == Some("windows");
    let expandable = option.is_some_and(|(name, _)| name == "expandable_segments");
    // If a finding reports this, the caller leaves it out.
    if expandable && windows {
        lines.push(
            pick(lang, "Not supported on Windows: torch warns and ignores it.", "Windows 上不支持：torch 给出警告并忽略它。")
                .to_owned(),
        );
    }
    lines.retain(|line| !line.is_empty());
    VariableHover { place, text: lines.join("\n\n"), concept: Concept::AllocatorConf }
}

const LOOKUP_ORDER: (&str, &str) = (
    "torch reads the first of PYTORCH_CUDA_ALLOC_CONF, PYTORCH_HIP_ALLOC_CONF and PYTORCH_ALLOC_CONF that is set, once, when the process first uses CUDA.",
    "torch 依次查找 PYTORCH_CUDA_ALLOC_CONF、PYTORCH_HIP_ALLOC_CONF、PYTORCH_ALLOC_CONF，在进程首次使用 CUDA 时读取第一个已设置的，且只读一次。",
);

/// Options of torch's allocator (torch 2.15.0, `c10/core/AllocatorConfig.h` and `c10/cuda/CUDAAllocatorConfig.h`).
const ALLOCATOR_OPTIONS: &[(&str, &str, &str)] = &[
    (
        "expandable_segments",
        "Lets segments grow instead of allocating new ones, so blocks of different sizes are reused and most fragmentation disappears. `True` or `False`, capitalized; Linux only.",
        "段可以增长，而不是另开新段：不同大小的块得以复用，碎片大多消失。取 `True` 或 `False`（首字母大写）；仅限 Linux。",
    ),
    (
        "max_split_size_mb",
        "Blocks larger than this size in MiB are not split to serve smaller requests. At least 20.",
        "大于此 MiB 数的块不会被切开去满足较小的请求。至少 20。",
    ),
    (
        "garbage_collection_threshold",
        "Above this fraction of the allowed memory, unused blocks are freed before new memory is requested. Strictly between 0 and 1.",
        "占用超过允许显存的这一比例后，先释放未使用的块再申请新显存。严格介于 0 与 1 之间。",
    ),
    (
        "roundup_power2_divisions",
        "Rounds sizes up to one of this many steps between two powers of two, so that blocks are reused more often. A power of two, or a list by size.",
        "把大小向上取整到两个 2 的幂之间的若干档，使块更常复用。取 2 的幂，或按大小给出列表。",
    ),
    (
        "backend",
        "The allocator: `native` is torch's, `cudaMallocAsync` is CUDA's.",
        "使用哪个分配器：`native` 是 torch 自己的，`cudaMallocAsync` 是 CUDA 的。",
    ),
    (
        "per_process_memory_fraction",
        "The fraction of a GPU's memory that the process may use, from 0 to 1.",
        "进程最多可占用的单块 GPU 显存比例，0 到 1。",
    ),
    (
        "pinned_use_cuda_host_register",
        "Allocates pinned host memory with cudaHostRegister instead of cudaHostAlloc. It does not affect GPU memory.",
        "用 cudaHostRegister 而不是 cudaHostAlloc 申请锁页内存，不影响显存。",
    ),
    (
        "pinned_num_register_threads",
        "Number of threads that register pinned host memory. It does not affect GPU memory.",
        "注册锁页内存的线程数，不影响显存。",
    ),
    (
        "pinned_use_background_threads",
        "Processes events of pinned memory in a background thread. It does not affect GPU memory.",
        "由后台线程处理锁页内存的事件，不影响显存。",
    ),
];

/// The option at a byte of the value, with its range.
fn option_at(text: &str, offset: u32) -> Option<(&str, TextRange)> {
    let mut start = 0;
    for part in text.split(',') {
        let end = start + part.len();
        if (start..=end).contains(&(offset as usize)) {
            let name = part.split([':', '=']).next().unwrap_or(part).trim();
            let known = ALLOCATOR_OPTIONS.iter().any(|(option, ..)| *option == name);
            return known.then(|| (name, TextRange::of(start..end)));
        }
        start = end + 1;
    }
    None
}

/// How CUDA interprets a list of GPUs.
pub(super) fn visible_gpus(value: &str, lang: Lang) -> String {
    let seen = visible_devices::parse(value);
    let count = seen.ids.len();
    let mut lines = vec!["**`CUDA_VISIBLE_DEVICES`**".to_owned()];
    lines.push(Concept::VisibleDevices.about(lang).to_owned());
    let gpus: Vec<String> =
        seen.ids.iter().take(MAX_GPUS).enumerate().map(|(index, id)| format!("`cuda:{index}` = {}", tick(id))).collect();
    let list = gpus.join(", ");
    let more = if count > MAX_GPUS { ", …" } else { "" };
    let message = match count {
        0 => message!("Here: no visible GPU", "此处：没有可见的 GPU"),
        1 => message!("Here: 1 GPU, {list}", "此处：1 块 GPU，{list}"),
        _ => message!("Here: {count} GPUs, {list}{more}", "此处：{count} 块 GPU，{list}{more}"),
    };
    lines.push(inline(message.get(lang)));
    if let Some(DeviceListProblem::Duplicate(id)) = &seen.problem {
        let id = tick(id);
        lines.push(
            message!("`{id}` is listed twice, which hides every GPU", "`{id}` 出现两次，会隐藏所有 GPU").get(lang).to_owned(),
        );
    }
    lines.join("\n\n")
}

/// What a device map does in a run (accelerate 1.15.0 `utils/modeling.py`, `accelerator.py:1478`; transformers 5.23.0
/// `integrations/accelerate.py`).
pub(super) fn device_map(run: &Run, index: usize, lang: Lang) -> Option<String> {
    let candidate = run.settings.get(&Concept::DeviceMap)?.candidates.get(index)?;
    let value = candidate.known()?.as_str()?;
    if matches!(candidate.origin, Origin::Default { .. } | Origin::Assumed { .. }) {
        return None;
    }
    let several = run.int(Concept::WorldSize).map(|world| world > 1);
    let message = match (value, several) {
        ("auto" | "balanced" | "balanced_low_0" | "sequential", Some(true)) => message!(
            "Each process spreads the layers over all GPUs that it sees: the processes compete for the same memory, and prepare() raises an error for a map with several entries.",
            "每个进程都把各层分布到它可见的所有 GPU 上：进程互相争用 GPU 显存，且映射多于一项时 prepare() 会报错。"
        ),
        ("auto" | "balanced" | "balanced_low_0" | "sequential", Some(false)) => message!(
            "Spreads the layers over all GPUs that the single process sees, which then compute in turn; layers that do not fit go to host memory.",
            "单个进程：各层分布到它可见的所有 GPU 上，依次计算；放不下的层进入主机内存。"
        ),
        ("auto" | "balanced" | "balanced_low_0" | "sequential", None) => message!(
            "Spreads the layers over all GPUs that the process sees; layers that do not fit go to host memory.",
            "把各层分布到进程可见的所有 GPU 上；放不下的层进入主机内存。"
        ),
        ("cuda", _) => message!("Places the whole model on the GPU of its process.", "整个模型放在本进程的 GPU 上。"),
        ("cpu", _) => message!("Places the whole model in host memory.", "整个模型放在主机内存。"),
        (device, Some(true)) if device.starts_with("cuda:") => {
            message!("Every process first places the whole model on this one GPU.", "每个进程都先把整个模型放到这一块 GPU 上。")
        }
        (device, _) if device.starts_with("cuda:") => {
            message!("Places the whole model on this GPU.", "整个模型放在这块 GPU 上。")
        }
        _ => return None,
    };
    Some(message.get(lang).to_owned())
}

fn pick(lang: Lang, en: &'static str, zh: &'static str) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_under_the_cursor_is_found() {
        let text = "max_split_size_mb:128,expandable_segments:True";
        assert_eq!(option_at(text, 3).map(|(name, _)| name), Some("max_split_size_mb"));
        let found = option_at(text, 30).expect("the second");
        assert_eq!((found.0, found.1.slice(text)), ("expandable_segments", "expandable_segments:True"));
        assert_eq!(option_at("nonsense:1", 2), None);
        assert_eq!(option_at("", 0), None);
    }

    #[test]
    fn cards_are_counted_as_cuda_counts_them() {
        assert!(visible_gpus("2,0", Lang::En).contains("2 GPUs, `cuda:0` = 2, `cuda:1` = 0"));
        assert!(visible_gpus("0-3", Lang::En).contains("1 GPU, `cuda:0` = 0"));
        assert!(visible_gpus("0,0", Lang::Zh).contains("没有可见的 GPU"));
    }
}
