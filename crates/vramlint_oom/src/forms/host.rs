//! Host memory.

use super::{event, exception_in, pattern};
use crate::amount::Amount;
use crate::event::{Event, Failure, HostShortage, HostTemplate};
use crate::excerpt::Excerpt;

pattern!(CPU, r"CPUAllocator: (?:can't allocate memory|not enough memory): you tried to allocate (?P<bytes>\d+) bytes");
pattern!(NUMPY, r"nable to allocate (?P<value>\d+(?:\.\d+)?) (?P<unit>bytes|[KMGT]iB) for an array");
pattern!(MEMORY_ERROR, r"^\s*MemoryError(?::.*)?$");
pattern!(
    ENOMEM,
    r"\[Errno 12\] (?:C|c)annot allocate memory|^\s*(?:fork|mmap)[^:]*: Cannot allocate memory|os\.fork\(\).*Cannot allocate memory"
);
pattern!(
    BAD_ALLOC,
    r"(?:what\(\):|terminate called after throwing an instance of|RuntimeError:|MemoryError:)\s*'?std::bad_alloc'?\s*$"
);
pattern!(PAGE_FILE, r"(?:\[WinError 1455\]|\(os error 1455\))");

/// `DefaultCPUAllocator: can't allocate memory: you tried to allocate 17 bytes`.
pub(super) fn cpu_allocator(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    let requested = Amount::bytes(&CPU.captures(&line)?["bytes"]);
    Some(shortage(excerpt, &line, HostTemplate::CpuAllocator, requested))
}

/// NumPy, Python, the system.
pub(super) fn other(excerpt: &Excerpt<'_>) -> Option<Event> {
    let line = excerpt.line();
    if let Some(found) = NUMPY.captures(&line) {
        let requested = Amount::parse(&found["value"], &found["unit"]);
        return Some(shortage(excerpt, &line, HostTemplate::Numpy, requested));
    }
    let template = match () {
        () if CPU.is_match(&line) => return None,
        () if PAGE_FILE.is_match(&line) => HostTemplate::WindowsPageFile,
        () if ENOMEM.is_match(&line) => HostTemplate::Enomem,
        () if BAD_ALLOC.is_match(&line) => HostTemplate::BadAlloc,
        () if MEMORY_ERROR.is_match(&line) => HostTemplate::MemoryError,
        () => return None,
    };
    Some(shortage(excerpt, &line, template, None))
}

fn shortage(excerpt: &Excerpt<'_>, line: &str, template: HostTemplate, requested: Option<Amount>) -> Event {
    let exception = match template {
        HostTemplate::MemoryError => Some("MemoryError".to_owned()),
        _ => exception_in(line),
    };
    event(excerpt, exception, Failure::Host(HostShortage { template, requested }))
}
