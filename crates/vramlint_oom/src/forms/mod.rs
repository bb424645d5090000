//! The forms of messages, by who writes them.

mod deepspeed;
mod device;
mod driver;
mod engine;
mod host;
mod killed;
mod shared_memory;
mod torchrun;

use crate::amount::Amount;
use crate::anchors::Anchor;
use crate::context::Context;
use crate::event::{Event, Failure, MemoryLine};
use crate::excerpt::Excerpt;
use regex::{Captures, Regex};

/// What a place in a log turns out to be.
pub(crate) enum Sighting {
    /// A failure.
    Failure(Box<Event>),
    /// DeepSpeed reports its memory: a part of a report of three lines.
    Memory(MemoryLine),
    /// DeepSpeed's launcher kills a process.
    KillingSubprocess(u32),
}

/// Reads the place of `anchor`. `None` if it is no message.
pub(crate) fn read(anchor: Anchor, excerpt: &Excerpt<'_>) -> Option<Sighting> {
    let failure = match anchor {
        Anchor::OutOfMemory => {
            killed::by_kernel(excerpt).or_else(|| driver::out_of_memory(excerpt)).or_else(|| device::without_numbers(excerpt))?
        }
        Anchor::TriedToAllocate => host::cpu_allocator(excerpt).or_else(|| device::tried_to_allocate(excerpt))?,
        Anchor::AllocFailed => driver::alloc_failed(excerpt)?,
        Anchor::MallocAsync => device::malloc_async(excerpt)?,
        Anchor::NcclAllocation => driver::nccl_allocation(excerpt)?,
        Anchor::Xla => driver::xla(excerpt)?,
        Anchor::Host => shared_memory::torch_shm(excerpt).or_else(|| host::other(excerpt))?,
        Anchor::Exitcode => torchrun::read(excerpt)?,
        Anchor::Deepspeed => return deepspeed::read(excerpt),
        Anchor::Killed => killed::by_kernel(excerpt).or_else(|| killed::in_shell(excerpt))?,
        Anchor::Status137 => killed::status_137(excerpt)?,
        Anchor::Sigkill => killed::in_exception(excerpt)?,
        Anchor::OomKill => killed::by_oom_killer(excerpt)?,
        Anchor::Scheduler => killed::by_scheduler(excerpt)?,
        Anchor::Container => killed::in_container(excerpt)?,
        Anchor::Ray => killed::by_ray(excerpt)?,
        Anchor::Daemon => killed::by_daemon(excerpt)?,
        Anchor::SharedMemory => shared_memory::read(excerpt)?,
        Anchor::Engine => engine::read(excerpt)?,
    };
    Some(Sighting::Failure(Box::new(failure)))
}

/// An event at this place. The collector sets its line.
fn event(excerpt: &Excerpt<'_>, exception: Option<String>, failure: Failure) -> Event {
    let rank = excerpt.line_before().0.rank;
    Event { line: 0, rank, ranks: rank.into_iter().collect(), exception, messages: 1, context: Context::of(excerpt), failure }
}

/// The class of the exception that ends `text`: `RuntimeError: `.
fn exception_before(text: &str) -> Option<String> {
    let text = text.trim_end().strip_suffix(':')?;
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let name = text[start..].trim_start_matches('.');
    let class = name.rsplit('.').next().unwrap_or(name);
    let is_exception = class.strip_suffix("Error").or(class.strip_suffix("Exception")).is_some_and(|rest| !rest.is_empty());
    is_exception.then(|| name.to_owned())
}

/// The class of the exception that `line` begins with, after time stamps and names of loggers.
fn exception_in(line: &str) -> Option<String> {
    line.match_indices(": ").find_map(|(at, _)| exception_before(&line[..=at]))
}

/// A number of the group `name`.
fn number<T: std::str::FromStr>(found: &Captures<'_>, name: &str) -> Option<T> {
    found.name(name)?.as_str().parse().ok()
}

/// The amount of the groups `value` and `unit`.
fn amount(pattern: &Regex, text: &str) -> Option<Amount> {
    let found = pattern.captures(text)?;
    Amount::parse(found.name("value")?.as_str(), found.name("unit")?.as_str())
}

/// A legal pattern.
macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a legal pattern"));
    };
}
use pattern;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_of_an_exception_ends_the_text() {
        assert_eq!(exception_before("│ torch.OutOfMemoryError: ").as_deref(), Some("torch.OutOfMemoryError"));
        assert_eq!(exception_before("错误RuntimeError:").as_deref(), Some("错误RuntimeError"));
        assert_eq!(exception_before("loss: "), None);
        assert_eq!(exception_in("ERROR 04-30 10:20:36 [core.py:396] ValueError: No").as_deref(), Some("ValueError"));
    }
}
