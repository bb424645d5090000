//! The name of a card, where one is given.

use vramlint_base::{Message, message};
use vramlint_catalog::gpus;

/// What is wrong with the name of a card, if it is not known; `memory` is how its memory could be given instead.
pub(crate) fn unknown_gpu(name: &str, memory: &str) -> Option<Message> {
    if gpus::lookup(name).is_some() {
        return None;
    }
    Some(match gpus::nearest(name) {
        Some(meant) => message!(
            "unknown GPU `{name}`, did you mean `{meant}`? For any other GPU, set `{memory}`",
            "未知的显卡 `{name}`，是否想写 `{meant}`？其他显卡请用 `{memory}` 给出显存"
        ),
        None => message!("unknown GPU `{name}`; set `{memory}`", "未知的显卡 `{name}`，请用 `{memory}` 给出显存"),
    })
}
