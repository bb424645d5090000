//! Numbers of a launch that several rules need.

use super::{AccelerateLaunch, LaunchValue};
use vramlint_base::{Evaluated, Value};
use vramlint_resolve::versions::{RangeMatch, VersionRange};

impl AccelerateLaunch<'_> {
    /// Processes on all machines, if set.
    pub fn processes(&self) -> Option<(i64, LaunchValue)> {
        self.number("num_processes")
    }

    /// Machines: 1 if not set; `None` where not known.
    pub fn machines(&self) -> Option<i64> {
        match self.top_level("num_machines") {
            Evaluated::Absent => Some(1),
            Evaluated::Unknown(_) => None,
            Evaluated::Known(given) => given.as_int(),
        }
    }

    /// The number set for a key of the top level.
    pub fn number(&self, key: &str) -> Option<(i64, LaunchValue)> {
        let given = self.top_level(key).known()?;
        Some((given.as_int()?, given))
    }

    /// The ids of the GPUs that are shown, where they are listed; empty texts and `all` list none.
    pub fn gpu_ids(&self) -> Option<(Vec<String>, LaunchValue)> {
        let given = self.top_level("gpu_ids").known()?;
        let text = match &given.value {
            Value::Text(text) => text.trim(),
            _ => return None,
        };
        let ids: Vec<String> = text.split(',').map(|id| id.trim().to_owned()).collect();
        let listed = !text.is_empty() && ids.iter().all(|id| !id.is_empty() && *id != "all");
        listed.then_some((ids, given))
    }

    /// Whether something says which GPUs are shown, known or not, other than all of them.
    pub fn gives_gpu_ids(&self) -> bool {
        match self.top_level("gpu_ids") {
            Evaluated::Absent => false,
            Evaluated::Unknown(_) => true,
            Evaluated::Known(given) => given.value != Value::Null && given.text() != Some("all"),
        }
    }

    /// FSDP's version, 1 if not set; `None` where not known.
    pub fn fsdp_version(&self) -> Option<i64> {
        // Before, the key is not read.
        let before = VersionRange::until("accelerate", "1.6");
        let file = self.file.map(|file| file.id).or_else(|| self.launch.map(|launch| launch.file))?;
        if self.project.version_matches(file, &before) == RangeMatch::Always {
            return Some(1);
        }
        match self.block("fsdp_config", "fsdp_version") {
            Evaluated::Absent => Some(1),
            Evaluated::Unknown(_) => None,
            Evaluated::Known(given) => match &given.value {
                Value::Text(text) => text.trim().parse().ok(),
                _ => given.as_int(),
            },
        }
    }

    /// Whether DeepSpeed's own JSON is given.
    pub fn has_json(&self) -> Option<bool> {
        match self.block("deepspeed_config", "deepspeed_config_file") {
            Evaluated::Absent => Some(false),
            Evaluated::Unknown(_) => None,
            Evaluated::Known(given) => Some(!matches!(given.value, Value::Null) && given.text() != Some("none")),
        }
    }

    /// The ZeRO stage that the launch asks for, 2 if not set; `None` where not known, or where a JSON decides.
    pub fn zero_stage(&self) -> Option<i64> {
        if self.has_json()? {
            return None;
        }
        match self.block("deepspeed_config", "zero_stage") {
            Evaluated::Absent => Some(2),
            Evaluated::Unknown(_) => None,
            Evaluated::Known(given) => match &given.value {
                Value::Text(text) => text.trim().parse().ok(),
                _ => given.as_int(),
            },
        }
    }
}
