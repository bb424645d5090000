//! How the processes of a launch cooperate, and which of the launcher's ways starts them.

use super::AccelerateLaunch;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::NodeRef;

/// The switches that say how processes cooperate, strongest first (commands/launch.py:1398-1417), and the type that each means.
/// Any of them replaces what the file says (1217-1224).
pub(super) const MODES: &[(&str, &str)] = &[
    ("--use_deepspeed", "DEEPSPEED"),
    ("--use_fsdp", "FSDP"),
    ("--use_megatron_lm", "MEGATRON_LM"),
    ("--multi_gpu", "MULTI_GPU"),
    ("--tpu", "XLA"),
    ("--tpu_cluster", "XLA"),
];

/// How processes cooperate.
#[derive(Clone, Debug)]
pub struct DistributedType {
    /// A name of accelerate's; `NO` also for the boolean that YAML makes of it.
    pub name: String,
    /// Where it is written: the value in the file, or the flag.
    pub place: FileRange,
    /// Whether a flag says it.
    pub by_flag: bool,
}

/// Which of the launcher's ways starts the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchMethod {
    /// One process, or `mpirun`.
    Single,
    /// torchrun: MULTI_*, FSDP, MEGATRON_LM.
    Torchrun,
    /// torchrun, or DeepSpeed's launcher on several machines.
    DeepSpeed,
    /// TPU.
    Tpu,
    /// Amazon.
    SageMaker,
}

impl DistributedType {
    /// Whether it is one of several devices of one kind, as `--multi_gpu` makes.
    pub fn is_multi(&self) -> bool {
        self.name.starts_with("MULTI_") && self.name != "MULTI_CPU"
    }
}

impl AccelerateLaunch<'_> {
    /// How processes cooperate; `None` if not set, or it is not known.
    pub fn distributed_type(&self) -> Option<DistributedType> {
        for (flag, name) in MODES {
            if let Some(found) = self.flag(flag) {
                return Some(DistributedType { name: (*name).to_owned(), place: found.word, by_flag: true });
            }
        }
        if self.may_hide()
            || self.is_alone() && self.file.is_some_and(|file| super::loose_launches::give_mode(self.project, file.id))
        {
            return None;
        }
        self.distributed_type_in_file()
    }

    /// What the file says of it, whether or not a flag replaces it.
    pub fn distributed_type_in_file(&self) -> Option<DistributedType> {
        let node = self.root()?.get("distributed_type")?;
        let name = match node.value(self.loader())? {
            Value::Text(name) => name,
            Value::Bool(false) => "NO".to_owned(),
            _ => return None,
        };
        Some(DistributedType { name, place: FileRange::new(self.file?.id, node.range()), by_flag: false })
    }

    /// The way of the launcher; `None` where it depends on what is not known.
    pub fn method(&self) -> Option<LaunchMethod> {
        if self.flag("--cpu").is_some() {
            return Some(LaunchMethod::Single);
        }
        let kind = self.distributed_type()?;
        if !kind.by_flag && self.root().is_some_and(is_sagemaker) {
            return Some(LaunchMethod::SageMaker);
        }
        Some(match kind.name.as_str() {
            "NO" | "MULTI_CPU" => LaunchMethod::Single,
            "DEEPSPEED" => LaunchMethod::DeepSpeed,
            "XLA" => LaunchMethod::Tpu,
            "FSDP" | "MEGATRON_LM" => LaunchMethod::Torchrun,
            _ if kind.is_multi() => LaunchMethod::Torchrun,
            _ => return None,
        })
    }
}

/// Whether another class, with other keys, reads the file: one of a cluster at Amazon, or of no known place.
pub fn is_sagemaker(root: NodeRef<'_>) -> bool {
    root.get("compute_environment").is_some_and(|node| node.text() != Some("LOCAL_MACHINE"))
}
