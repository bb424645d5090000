//! What each framework refuses, for the rules that tell it.

pub(crate) mod axolotl;
pub(crate) mod llamafactory;
pub(crate) mod openrlhf;
pub(crate) mod swift;

use super::Refusal;
use vramlint_base::message;

/// Two keys of which one must go.
pub(crate) fn pair(at: &'static str, other: &'static str) -> Refusal {
    Refusal::new(
        at,
        &[other],
        message!("{at} and {other} exclude each other", "{at} 与 {other} 互斥"),
        message!("keep one of the two", "只保留其中一个"),
    )
}

/// A key that its framework takes only together with another.
fn needs(at: &'static str, other: &'static str) -> Refusal {
    Refusal::new(
        at,
        &[other],
        message!("{at} is set without {other}", "设置了 {at}，却没有 {other}"),
        message!("give {other}, or take {at} away", "请给出 {other}，或去掉 {at}"),
    )
}
