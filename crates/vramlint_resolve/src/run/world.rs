//! How many data-parallel processes really run, by each launcher's own arithmetic.
//!
//! Facts: `accelerate.md` sections 2 to 4 (accelerate 1.15.0, run); torchrun and the deepspeed launcher: section 4, "World size
//! from other launchers".

use super::arguments::from_word;
use super::settle::{Layer, Offers, known, unknown};
use crate::launch::{Launch, LaunchFlag};
use crate::setting::{Candidate, Origin, Resolved, Setting};
use crate::{Policy, SourceFile};
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;

/// What the world size depends on.
pub(super) struct World<'a> {
    pub launch: Option<&'a Launch>,
    pub accelerate: Option<&'a SourceFile>,
    /// A file that is named but not there: nothing can be said about it.
    pub accelerate_absent: bool,
    pub policy: &'a Policy,
    /// Whether the code is a plain loop that can only be one process, started by hand.
    pub plain_loop: bool,
}

/// A number and where it came from.
type Count = Result<(i64, Vec<Concept>, String), Message>;

impl World<'_> {
    /// Offers what launcher and file say of processes and machines.
    pub(super) fn offer(&self, offers: &mut Offers) {
        if let Some(launch) = self.launch {
            for (flag, concept) in FLAGS {
                let Some(found) = launch.flag(flag) else { continue };
                let candidate = from_flag(launch, found);
                offers.offer(*concept, Layer::Flag, candidate);
            }
            if let Some((flag, kind)) = type_flag(launch) {
                let origin = Origin::Flag { place: vramlint_base::Place::new(launch.file, flag.word), flag: flag.name.clone() };
                offers.offer(
                    Concept::DistributedType,
                    Layer::Flag,
                    known(Value::Text(kind.to_owned()), flag.name.clone(), origin),
                );
            }
            if let Some(visible) = launch.variable("CUDA_VISIBLE_DEVICES") {
                let place = vramlint_base::Place::new(launch.file, visible.range);
                let origin = Origin::Env { name: visible.name.clone(), place };
                let candidate = match visible.value.text() {
                    Some(text) => known(Value::Text(text.to_owned()), text, origin),
                    None => unknown(message!("the script does not say", "脚本中没有给出"), "", origin),
                };
                offers.offer(Concept::VisibleDevices, Layer::Environment, candidate);
            }
        }
        if let Some(file) = self.accelerate {
            for (key, concept) in KEYS {
                if let Some(candidate) = super::data::lookup(file, &[key], super::data::loader_of(file, crate::Kind::Accelerate))
                {
                    offers.offer(*concept, Layer::File, candidate);
                }
            }
        }
    }

    /// The world size, derived from what was offered.
    pub(super) fn settle(&self, offers: &Offers) -> Setting {
        let hidden = self.launch.is_some_and(|launch| launch.open) && !offers.has(Concept::NumProcesses);
        let count = match self.launch.map(|launch| launch.launcher) {
            Some(Launcher::Accelerate | Launcher::Torchrun | Launcher::DeepSpeed | Launcher::Tune) if hidden => {
                Err(message!("flags of the launch are not known", "启动命令的部分参数未知"))
            }
            Some(Launcher::Accelerate | Launcher::Trl) => self.accelerate(offers),
            Some(Launcher::Torchrun) => self.torchrun(offers),
            Some(Launcher::DeepSpeed) => self.deepspeed(offers),
            Some(Launcher::Tune) if offers.has(Concept::NumProcesses) => self.torchrun(offers),
            Some(Launcher::Tune | Launcher::Python) => self.python(),
            Some(Launcher::LlamaFactory | Launcher::Swift) => self.own_launcher(true),
            Some(Launcher::Axolotl) => self.own_launcher(false),
            None => self.nobody(),
        };
        let (value, formula, inputs) = match count {
            Ok((n, inputs, formula)) => (Resolved::Known(Value::Int(n)), formula, inputs),
            Err(why) => (Resolved::Unknown(why), String::new(), Vec::new()),
        };
        let origin = Origin::Derived { formula, inputs };
        let candidate = Candidate { value, raw: String::new(), origin, condition: None, assumptions: Vec::new() };
        Setting { candidates: vec![candidate], winner: Some(0), precedence: None }
    }

    /// The type that accelerate's launcher goes by: `None` where nobody says one.
    fn accelerate(&self, offers: &Offers) -> Count {
        if self.accelerate_absent {
            return Err(message!("the accelerate file is not in the project", "accelerate 配置文件不在项目中"));
        }
        let kind = offers.peek(Concept::DistributedType);
        let machines = int_or(offers, Concept::NumMachines, 1)?;
        if self.launch.is_some_and(|launch| launch.flag("--cpu").is_some()) {
            return Ok((1, vec![], "--cpu starts one process".into()));
        }
        let Some(kind) = kind else {
            if offers.has(Concept::DistributedType) {
                return Err(message!("distributed_type is not known", "distributed_type 未知"));
            }
            return self.accelerate_without_type(offers, machines);
        };
        let asked = match offers.peek(Concept::NumProcesses) {
            Some(Value::Int(n)) => Some(*n),
            Some(Value::Text(text)) => text.parse().ok(),
            _ => None,
        };
        match kind {
            // Unquoted NO is the truth value false; it starts the single-process launcher all the same.
            Value::Bool(false) => {
                if asked.is_none() {
                    return Err(message!("num_processes is not given", "没有给出 num_processes"));
                }
                Ok((1, vec![Concept::DistributedType], "distributed_type NO starts one process".into()))
            }
            Value::Text(text) if matches!(text.as_str(), "NO" | "MULTI_CPU" | "AMAZON_SAGEMAKER") => {
                if text == "MULTI_CPU"
                    && self.accelerate.is_some_and(|f| f.data().and_then(|d| d.root()?.get("mpirun_config")).is_some())
                {
                    return Err(message!("mpirun starts the processes", "由 mpirun 启动进程"));
                }
                Ok((1, vec![Concept::DistributedType], format!("distributed_type {text} starts one process")))
            }
            Value::Text(_) => {
                let Some(asked) = asked else {
                    return Err(message!("num_processes is not known", "num_processes 未知"));
                };
                total(asked, machines)
            }
            _ => Err(message!("distributed_type is not text", "distributed_type 不是文本")),
        }
    }

    /// Neither file nor flag names a type: the launcher goes by the GPUs that it sees.
    fn accelerate_without_type(&self, offers: &Offers, machines: i64) -> Count {
        let gpus = self.gpus();
        match offers.peek(Concept::NumProcesses) {
            Some(Value::Int(n)) if gpus == Some(1) && *n > 1 && self.accelerate.is_none() => {
                Ok((1, vec![Concept::NumProcesses], "one GPU and no type: one process".into()))
            }
            Some(Value::Int(n)) => total(*n, machines),
            _ if offers.has(Concept::NumProcesses) => Err(message!("num_processes is not known", "num_processes 未知")),
            _ => match gpus {
                Some(n) => Ok((n.max(1), vec![], format!("one process per GPU of the target: {}", n.max(1)))),
                None => Err(message!("one process per GPU that the machine has", "每张可见 GPU 一个进程，数量未知")),
            },
        }
    }

    fn torchrun(&self, offers: &Offers) -> Count {
        let per_node = match offers.peek(Concept::NumProcesses) {
            Some(Value::Int(n)) => *n,
            Some(Value::Text(text)) if matches!(text.as_str(), "gpu" | "auto") => self.gpus().ok_or_else(unknown_gpus)?,
            _ if offers.has(Concept::NumProcesses) => return Err(message!("nproc_per_node is not known", "nproc_per_node 未知")),
            _ => 1,
        };
        let nodes = int_or(offers, Concept::NumMachines, 1)?;
        let world = per_node.checked_mul(nodes).ok_or_else(unknown_gpus)?;
        Ok((world, vec![Concept::NumProcesses, Concept::NumMachines], format!("nproc_per_node x nnodes = {per_node} x {nodes}")))
    }

    fn deepspeed(&self, offers: &Offers) -> Count {
        let launch = self.launch.ok_or_else(unknown_gpus)?;
        if let Some(include) = launch.flag("--include") {
            let text = include.values.first().and_then(|word| word.text()).ok_or_else(unknown_gpus)?;
            let count = included(text).ok_or_else(unknown_gpus)?;
            return Ok((count, vec![], format!("--include {text}")));
        }
        if launch.flag("--exclude").is_some() {
            return Err(unknown_gpus());
        }
        let nodes = int_or(offers, Concept::NumMachines, if launch.flag("--hostfile").is_some() { -1 } else { 1 })?;
        match offers.peek(Concept::NumProcesses) {
            Some(Value::Int(n)) if *n > 0 && nodes > 0 => Ok((
                n * nodes,
                vec![Concept::NumProcesses, Concept::NumMachines],
                format!("num_gpus x num_nodes = {n} x {nodes}"),
            )),
            _ if offers.has(Concept::NumProcesses) || nodes <= 0 => Err(unknown_gpus()),
            _ => self.gpus().map(|n| (n, vec![], format!("every GPU of the target: {n}"))).ok_or_else(unknown_gpus),
        }
    }

    fn python(&self) -> Count {
        // A scheduler or another launcher around it sets these; their values are not in the script.
        let outer = self.launch.is_some_and(|launch| launch.variable("WORLD_SIZE").is_some());
        if outer {
            return Err(message!("WORLD_SIZE is set from outside", "WORLD_SIZE 由外部设定"));
        }
        Ok((1, vec![], "python starts one process".into()))
    }

    /// Command lines that start torchrun themselves, one process per GPU.
    fn own_launcher(&self, by_environment: bool) -> Count {
        let launch = self.launch.ok_or_else(unknown_gpus)?;
        if by_environment && let Some(n) = launch.variable("NPROC_PER_NODE") {
            let per_node: i64 = n.value.text().and_then(|text| text.parse().ok()).ok_or_else(unknown_gpus)?;
            let nodes = match launch.variable("NNODES") {
                Some(nodes) => nodes.value.text().and_then(|text| text.parse().ok()).ok_or_else(unknown_gpus)?,
                None => 1,
            };
            return Ok((per_node * nodes, vec![], format!("NPROC_PER_NODE x NNODES = {per_node} x {nodes}")));
        }
        if launch.launcher == Launcher::Swift {
            return Ok((1, vec![], "without NPROC_PER_NODE swift starts one process".into()));
        }
        self.gpus().map(|n| (n.max(1), vec![], format!("one process per visible GPU: {}", n.max(1)))).ok_or_else(unknown_gpus)
    }

    /// No command is known.
    fn nobody(&self) -> Count {
        if self.plain_loop {
            return Ok((1, vec![], "a plain training loop is one process".into()));
        }
        match (self.policy.target.count, self.policy.target.nodes.unwrap_or(1)) {
            (Some(1 | 0), 1) => Ok((1, vec![], "the target has one GPU".into())),
            _ => Err(message!("the project does not show how it is launched", "项目中没有启动命令")),
        }
    }

    /// GPUs that the processes of one node see: `CUDA_VISIBLE_DEVICES` of the command, else the target's count.
    fn gpus(&self) -> Option<i64> {
        if let Some(visible) = self.launch.and_then(|launch| launch.variable("CUDA_VISIBLE_DEVICES")) {
            let text = visible.value.text()?;
            return Some(text.split(',').filter(|id| !id.trim().is_empty()).count() as i64);
        }
        self.policy.target.count.map(i64::from)
    }
}

/// Flags of the launchers and what they mean.
const FLAGS: &[(&str, Concept)] = &[
    ("--num_processes", Concept::NumProcesses),
    ("--nproc_per_node", Concept::NumProcesses),
    ("--nproc-per-node", Concept::NumProcesses),
    ("--num_gpus", Concept::NumProcesses),
    ("--num_machines", Concept::NumMachines),
    ("--nnodes", Concept::NumMachines),
    ("--num_nodes", Concept::NumMachines),
    ("--gpu_ids", Concept::GpuIds),
    ("--mixed_precision", Concept::MixedPrecision),
];

/// Keys of accelerate's file and what they mean.
const KEYS: &[(&str, Concept)] = &[
    ("num_processes", Concept::NumProcesses),
    ("num_machines", Concept::NumMachines),
    ("gpu_ids", Concept::GpuIds),
    ("distributed_type", Concept::DistributedType),
    ("mixed_precision", Concept::MixedPrecision),
];

/// The flag that replaces the file's type, and the type that it means (accelerate launch.py, section 4 of the reference).
fn type_flag(launch: &Launch) -> Option<(&LaunchFlag, &'static str)> {
    if launch.launcher != Launcher::Accelerate {
        return None;
    }
    [
        ("--multi_gpu", "MULTI_GPU"),
        ("--use_deepspeed", "DEEPSPEED"),
        ("--use_fsdp", "FSDP"),
        ("--use_megatron_lm", "MEGATRON_LM"),
        ("--tpu", "XLA"),
    ]
    .into_iter()
    .find_map(|(flag, kind)| launch.flag(flag).map(|found| (found, kind)))
}

fn from_flag(launch: &Launch, flag: &LaunchFlag) -> Candidate {
    match flag.values.first() {
        Some(word) => {
            let mut candidate = from_word(launch, word, &flag.name);
            // torchrun's elastic form `1:4`: any number between.
            if let Some(text) = word.text()
                && let Some((low, high)) = text.split_once(':')
                && low == high
                && let Ok(n) = low.parse()
            {
                candidate.value = Resolved::Known(Value::Int(n));
            }
            candidate
        }
        None => {
            let origin = Origin::Flag { place: vramlint_base::Place::new(launch.file, flag.word), flag: flag.name.clone() };
            unknown(message!("the flag has no value", "该参数没有值"), "", origin)
        }
    }
}

/// accelerate divides by the machines and drops the remainder (utils/launch.py:217).
fn total(asked: i64, machines: i64) -> Count {
    if machines <= 1 {
        return Ok((asked.max(1), vec![Concept::NumProcesses], format!("num_processes = {asked}")));
    }
    let per_machine = asked / machines;
    let inputs = vec![Concept::NumProcesses, Concept::NumMachines];
    Ok((
        per_machine * machines,
        inputs,
        format!("num_processes // num_machines x num_machines = {asked} // {machines} x {machines}"),
    ))
}

/// The number of a concept, `otherwise` where nobody says one, an error where somebody says one that is not known.
fn int_or(offers: &Offers, concept: Concept, otherwise: i64) -> Result<i64, Message> {
    match offers.peek(concept) {
        Some(Value::Int(n)) => Ok(*n),
        Some(Value::Text(text)) if text.parse::<i64>().is_ok() => Ok(text.parse().unwrap_or(otherwise)),
        None if !offers.has(concept) => Ok(otherwise),
        _ => {
            let name = concept.name();
            Err(message!("{name} is not known", "{name} 未知"))
        }
    }
}

fn unknown_gpus() -> Message {
    message!("the number of GPUs is not in the project", "项目中没有给出 GPU 数量")
}

/// `localhost:0,1@worker-1:0,2` is four slots; a host without slots is every slot of it.
fn included(text: &str) -> Option<i64> {
    text.split('@').try_fold(0i64, |sum, node| {
        let (_, slots) = node.split_once(':')?;
        Some(sum + slots.split(',').filter(|slot| !slot.trim().is_empty()).count() as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_an_include_filter_are_counted() {
        assert_eq!(included("localhost:0,1"), Some(2));
        assert_eq!(included("a:0,1@b:0,2,3"), Some(5));
        assert_eq!(included("worker-0"), None);
    }

    #[test]
    fn machines_divide_and_drop_the_remainder() {
        assert_eq!(total(3, 2).map(|(n, _, _)| n), Ok(2));
        assert_eq!(total(8, 1).map(|(n, _, _)| n), Ok(8));
    }
}
