//! Checks the name of a GPU.

use vramlint_base::{Message, message};
use vramlint_catalog::gpus;

/// The error for an unknown GPU name; `None` if it is known. `memory` is the key or flag that can set its memory instead.
pub(crate) fn unknown_gpu(name: &str, memory: &str) -> Option<Message> {
    if gpus::lookup(name).is_some() {
        return None;
    }
    Some(match gpus::nearest(name) {
        Some(meant) => message!(
            "unknown GPU `{name}`; did you mean `{meant}`? For any other GPU, set `{memory}`",
            "未知的 GPU `{name}`；是否想写 `{meant}`？其他 GPU 请用 `{memory}` 设置显存大小"
        ),
        None => message!("unknown GPU `{name}`; set `{memory}`", "未知的 GPU `{name}`；请用 `{memory}` 设置显存大小"),
    })
}
