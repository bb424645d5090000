//! The GPU of the target.

use crate::exit::user_error;
use anyhow::Result;
use vramlint_base::{Message, message};
use vramlint_catalog::gpus::{Match, lookup, nearest};
use vramlint_resolve::Target;
use vramlint_view::estimate::GpuCapacity;

/// The GPU, if the target names one or its memory, and the assumption made about it.
pub(crate) fn from_target(target: &Target) -> Result<Option<(GpuCapacity, Option<Message>)>> {
    let Some(name) = &target.gpu else {
        return Ok(target.memory.map(|bytes| (GpuCapacity { name: None, bytes, capability: None }, None)));
    };
    let Some(entry) = lookup(name) else {
        return match (target.memory, nearest(name)) {
            (Some(bytes), _) => Ok(Some((GpuCapacity { name: Some(name.clone()), bytes, capability: None }, None))),
            (None, Some(near)) => Err(user_error(message!(
                "unknown GPU `{name}`; did you mean `{near}`? For any other GPU, set --gpu-memory",
                "未知的 GPU `{name}`；是否想写 `{near}`？其他 GPU 请用 --gpu-memory 设置显存大小"
            ))),
            (None, None) => Err(user_error(message!(
                "unknown GPU `{name}`; set its memory with --gpu-memory",
                "未知的 GPU `{name}`；请用 --gpu-memory 设置显存大小"
            ))),
        };
    };
    let gpu = entry.smallest();
    let note = match (&entry, target.memory) {
        (Match::Ambiguous(_), None) => {
            let own = gpu.name;
            Some(message!(
                "`{name}` exists with several memory sizes; assuming {own}, the smallest",
                "`{name}` 有多种显存容量：按最小的 {own} 计"
            ))
        }
        _ => None,
    };
    let capacity = GpuCapacity {
        name: Some(gpu.name.to_owned()),
        bytes: target.memory.unwrap_or_else(|| gpu.memory()),
        capability: gpu.compute_capability,
    };
    Ok(Some((capacity, note)))
}
