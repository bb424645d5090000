//! The host: its memory and its system.

use sysinfo::System;

/// Memory that this process may use, bytes: of the machine, or of the container where that is less. `None` where it is not reported.
pub fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    Some(system.total_memory().min(limit)).filter(|bytes| *bytes > 0)
}

/// The system, as `[target] os` spells it; `None` for those that it does not know.
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
