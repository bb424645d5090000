//! The host: memory and operating system.

use sysinfo::System;

/// Memory available to this process, bytes: the memory of the machine, or the limit of the container if it is lower. `None` if
/// unknown.
pub fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    Some(system.total_memory().min(limit)).filter(|bytes| *bytes > 0)
}

/// The operating system as `[target] os` spells it; `None` if `[target] os` has no name for it.
pub fn os() -> Option<&'static str> {
    Some(std::env::consts::OS).filter(|os| ["linux", "windows", "macos"].contains(os))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_machine_has_memory() {
        assert!(super::memory().is_some_and(|bytes| bytes > 64 << 20));
    }
}
