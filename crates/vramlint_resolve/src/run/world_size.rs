//! How many data-parallel processes really run, by each launcher's own arithmetic.
//!
//! Sources: accelerate 1.15.0 `commands/launch.py` and `utils/launch.py`, run up to where processes start; torch's elastic agent
//! (`--nproc_per_node` × `--nnodes`); the deepspeed launcher's `--num_gpus`, `--num_nodes`, `--include`, `--exclude` and `--hostfile`.

use super::precedence::{CandidateSet, arithmetic};
use super::row_spreading::RowSpreading;
use crate::code::CodeFacts;
use crate::environment::visible_devices;
use crate::file_graph::FileGraph;
use crate::launch::{Launch, LaunchFlag};
use crate::setting::{Candidate, Origin, Resolved, Setting};
use crate::{Policy, SourceFile};
use vramlint_base::value_readers::{argparse_word, spelled_bool};
use vramlint_base::{FileId, Message, Value, message};
use vramlint_catalog::flags::{self, Launcher};
use vramlint_catalog::frameworks::{Processes, RayActors};
use vramlint_catalog::launchers::ProcessCount;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// The inputs of the world size.
pub(super) struct WorldSizeInput<'a> {
    pub graph: &'a FileGraph,
    /// The file that starts the run.
    pub file: FileId,
    pub launch: Option<&'a Launch>,
    pub accelerate: Option<&'a SourceFile>,
    /// The referenced accelerate file is missing, so the world size is unknown.
    pub accelerate_missing: bool,
    /// The files with the framework's own settings.
    pub training: Vec<&'a SourceFile>,
    pub policy: &'a Policy,
    pub dialect: Dialect,
    /// Whether the code is a plain training loop that can only be one process.
    pub plain_loop: bool,
    /// The facts of the code; `None` if the script is not in the project.
    pub code: Option<&'a CodeFacts>,
    /// A word of the code or of the command that may start more processes.
    pub process_starter: Option<&'static str>,
    /// The number of processes that share each sample, and its factors by name.
    pub shared_ranks: Result<(i64, String), Message>,
}

/// A number, the settings it comes from, and its formula.
type Count = Result<(i64, Vec<Concept>, Message), Message>;

impl WorldSizeInput<'_> {
    /// The world size. `launcher` holds the candidates of the launch itself, `all` those of every source.
    pub(super) fn resolve(&self, launcher: &CandidateSet, all: &CandidateSet) -> Setting {
        let count = self.processes(launcher, all).and_then(|count| self.data_parallel(count));
        let (value, formula, inputs) = match count {
            Ok((n, inputs, formula)) => (Resolved::Known(Value::Int(n)), formula, inputs),
            Err(why) => (Resolved::Unknown(why), arithmetic(String::new()), Vec::new()),
        };
        let origin = Origin::Derived { formula, inputs };
        let candidate = Candidate { value, raw: String::new(), origin, condition: None, assumptions: Vec::new() };
        Setting { candidates: vec![candidate], winner: Some(0), precedence: None }
    }

    fn processes(&self, launcher: &CandidateSet, all: &CandidateSet) -> Count {
        if let Some(count) = self.ray_workers() {
            return count;
        }
        let hidden = self.launch.is_some_and(|launch| launch.has_unknown_flags) && !launcher.has_explicit(Concept::NumProcesses);
        let Some(launch) = self.launch else { return self.without_launch(all) };
        match launch.launcher.processes {
            ProcessCount::Accelerate | ProcessCount::Torchrun | ProcessCount::DeepSpeed | ProcessCount::TorchrunIfAsked
                if hidden =>
            {
                Err(message!("some flags of the launch are not known", "启动命令的部分参数未知"))
            }
            ProcessCount::Accelerate => self.accelerate(launcher),
            ProcessCount::AccelerateAndFile => self.accelerate(all),
            ProcessCount::Torchrun => self.torchrun(launcher),
            ProcessCount::DeepSpeed => self.deepspeed(launcher),
            ProcessCount::TorchrunIfAsked if launcher.has_explicit(Concept::NumProcesses) => self.torchrun(launcher),
            ProcessCount::TorchrunIfAsked => {
                let name = launch.launcher.name;
                let why = message!(
                    "`{name}` starts one process without nproc_per_node",
                    "没有 nproc_per_node 时 `{name}` 只启动一个进程"
                );
                Ok((1, vec![], why))
            }
            ProcessCount::Program => self.plain_python(all),
            ProcessCount::VariablesElseOne | ProcessCount::VariablesElseGpus => self.by_variables(launch),
            ProcessCount::Chosen => self.chosen(launcher),
            ProcessCount::Devices => self.devices(all),
        }
    }

    /// Only data-parallel processes multiply the batch.
    fn data_parallel(&self, (n, inputs, formula): (i64, Vec<Concept>, Message)) -> Count {
        let (shared_ranks, names) = self.shared_ranks.clone()?;
        match shared_ranks {
            1 => Ok((n, inputs, formula)),
            d if n % d == 0 => Ok((
                n / d,
                inputs,
                Message { en: format!("({}) / {names}", formula.en), zh: format!("（{}）/ {names}", formula.zh) },
            )),
            _ => Err(message!("{n} processes are not a multiple of {names}", "{n} 个进程不是 {names} 的倍数")),
        }
    }

    /// accelerate's launcher decides by `distributed_type`.
    fn accelerate(&self, candidates: &CandidateSet) -> Count {
        if self.accelerate_missing {
            return Err(message!("the accelerate file is not in the project", "accelerate 配置文件不在项目中"));
        }
        let kind = candidates.current_value(Concept::DistributedType);
        let machines = int_or(candidates, Concept::NumMachines, 1)?;
        if self.launch.is_some_and(|launch| launch.flag("--cpu").is_some()) {
            return Ok((1, vec![], message!("`--cpu` starts one process", "`--cpu` 只启动一个进程")));
        }
        let Some(kind) = kind else {
            if candidates.has_explicit(Concept::DistributedType) {
                return Err(message!("`distributed_type` is not known", "`distributed_type` 未知"));
            }
            return self.accelerate_without_type(candidates, machines);
        };
        let asked = match candidates.current_value(Concept::NumProcesses) {
            Some(Value::Int(n)) => Some(*n),
            Some(Value::Text(text)) => text.parse().ok(),
            _ => None,
        };
        match kind {
            // Unquoted NO is the boolean false; it also starts the single-process launcher.
            Value::Bool(false) => {
                if asked.is_none() {
                    return Err(message!("`num_processes` is not set", "未设置 `num_processes`"));
                }
                Ok((
                    1,
                    vec![Concept::DistributedType],
                    message!("`distributed_type: 'NO'` starts one process", "`distributed_type: 'NO'` 时只启动一个进程"),
                ))
            }
            Value::Text(text) if matches!(text.as_str(), "NO" | "MULTI_CPU" | "AMAZON_SAGEMAKER") => {
                if text == "MULTI_CPU"
                    && self.accelerate.is_some_and(|f| f.data().and_then(|d| d.root()?.get("mpirun_config")).is_some())
                {
                    return Err(message!("`mpirun` starts the processes", "由 `mpirun` 启动进程"));
                }
                Ok((
                    1,
                    vec![Concept::DistributedType],
                    message!("`distributed_type: {text}` starts one process", "`distributed_type: {text}` 时只启动一个进程"),
                ))
            }
            Value::Text(_) => {
                let Some(asked) = asked else {
                    return Err(message!("`num_processes` is not known", "`num_processes` 未知"));
                };
                Ok(accelerate_total(asked, machines))
            }
            _ => Err(message!("`distributed_type` is not a string", "`distributed_type` 不是字符串")),
        }
    }

    /// Without a `distributed_type` the launcher uses the visible GPUs.
    fn accelerate_without_type(&self, candidates: &CandidateSet, machines: i64) -> Count {
        let gpus = self.gpus();
        match candidates.current_value(Concept::NumProcesses) {
            Some(Value::Int(n)) if gpus == Some(1) && *n > 1 && self.accelerate.is_none() => Ok((
                1,
                vec![Concept::NumProcesses],
                message!(
                    "one process: one GPU and `distributed_type` is not set",
                    "一个进程：只有一张 GPU 且未设置 `distributed_type`"
                ),
            )),
            Some(Value::Int(n)) => Ok(accelerate_total(*n, machines)),
            _ if candidates.has_explicit(Concept::NumProcesses) => {
                Err(message!("`num_processes` is not known", "`num_processes` 未知"))
            }
            _ => match gpus {
                Some(n) => {
                    Ok((n.max(1), vec![], message!("one process per GPU of the target: {n}", "目标的每张 GPU 一个进程：{n}")))
                }
                None => Err(message!(
                    "one process per GPU of the machine, whose number is not known",
                    "机器的每张 GPU 一个进程，数量未知"
                )),
            },
        }
    }

    fn torchrun(&self, candidates: &CandidateSet) -> Count {
        let per_node = match candidates.current_value(Concept::NumProcesses) {
            Some(Value::Int(n)) => *n,
            Some(Value::Text(text)) if matches!(text.as_str(), "gpu" | "auto") => self.gpus().ok_or_else(unknown_gpus)?,
            _ if candidates.has_explicit(Concept::NumProcesses) => {
                return Err(message!("`nproc_per_node` is not known", "`nproc_per_node` 未知"));
            }
            _ => 1,
        };
        let nodes = int_or(candidates, Concept::NumMachines, 1)?;
        let world = per_node.checked_mul(nodes).ok_or_else(unknown_gpus)?;
        Ok((
            world,
            vec![Concept::NumProcesses, Concept::NumMachines],
            arithmetic(format!("nproc_per_node × nnodes = {per_node} × {nodes}")),
        ))
    }

    fn deepspeed(&self, candidates: &CandidateSet) -> Count {
        let launch = self.launch.ok_or_else(unknown_gpus)?;
        if let Some(include) = resource_filter(launch, "--include") {
            let text = include.values.first().and_then(|word| word.text()).ok_or_else(unknown_gpus)?;
            let count = included_slots(text).ok_or_else(unknown_gpus)?;
            return Ok((count, vec![], arithmetic(format!("--include {text}"))));
        }
        if resource_filter(launch, "--exclude").is_some() {
            return Err(unknown_gpus());
        }
        let hosts = launch.flag("--hostfile").or_else(|| launch.flag("-H")).is_some();
        let nodes = int_or(candidates, Concept::NumMachines, if hosts { -1 } else { 1 })?;
        match candidates.current_value(Concept::NumProcesses) {
            Some(Value::Int(n)) if *n > 0 && nodes > 0 => {
                let world = n.checked_mul(nodes).ok_or_else(unknown_gpus)?;
                let inputs = vec![Concept::NumProcesses, Concept::NumMachines];
                Ok((world, inputs, arithmetic(format!("num_gpus × num_nodes = {n} × {nodes}"))))
            }
            _ if candidates.has_explicit(Concept::NumProcesses) || nodes <= 0 => Err(unknown_gpus()),
            _ => self
                .gpus()
                .map(|n| (n, vec![], message!("one process per GPU of the target: {n}", "目标的每张 GPU 一个进程：{n}")))
                .ok_or_else(unknown_gpus),
        }
    }

    fn plain_python(&self, all: &CandidateSet) -> Count {
        // A scheduler or another launcher around the command sets it; its value is not in the script.
        let outer = self.launch.is_some_and(|launch| launch.variable("WORLD_SIZE").is_some());
        if outer {
            return Err(message!("`WORLD_SIZE` is set outside the project", "`WORLD_SIZE` 在项目之外设置"));
        }
        match self.dialect.processes {
            Processes::Devices => return self.devices(all),
            Processes::Ray(actors) => return self.ray(actors),
            Processes::One | Processes::AlwaysOne => {}
        }
        if let Some(tasks) = self.slurm_tasks() {
            return Ok((tasks, vec![], message!("tasks of `srun` = {tasks}", "`srun` 的任务数 = {tasks}")));
        }
        if let Some(word) = self.process_starter {
            return Err(message!("`{word}` may start more processes", "`{word}` 可能启动更多进程"));
        }
        // The framework's own module, started without a launcher.
        if self.code.is_none() && self.dialect.processes != Processes::AlwaysOne {
            return Err(message!("the script is not in the project", "脚本不在项目中"));
        }
        if self.row_spreading(all) == RowSpreading::Unknown {
            return Err(message!(
                "one process gives samples to every visible GPU (nn.DataParallel), and their number is not known",
                "单进程会把样本分给所有可见 GPU（nn.DataParallel），其数量未知"
            ));
        }
        Ok((1, vec![], message!("`python` starts one process", "`python` 只启动一个进程")))
    }

    /// The framework starts a process for each device itself.
    fn devices(&self, all: &CandidateSet) -> Count {
        let nodes = int_or(all, Concept::NumMachines, 1)?;
        let devices = match all.current_value(Concept::NumProcesses) {
            Some(Value::Int(n)) if *n > 0 => *n,
            None if all.has_explicit(Concept::NumProcesses) => return Err(message!("`devices` is not known", "`devices` 未知")),
            _ => self.gpus().map(|n| n.max(1)).ok_or_else(unknown_gpus)?,
        };
        let world = devices.checked_mul(nodes).ok_or_else(unknown_gpus)?;
        let inputs = vec![Concept::NumProcesses, Concept::NumMachines];
        Ok((world, inputs, arithmetic(format!("devices × num_nodes = {devices} × {nodes}"))))
    }

    /// The ranks of the model that is trained, under Ray.
    fn ray(&self, actors: &RayActors) -> Count {
        let launch = self.launch.ok_or_else(unknown_gpus)?;
        let options = launch.options();
        let number = |names: &[&str], otherwise: i64| {
            let Some(option) = options.iter().rfind(|option| names.contains(&option.name.as_str())) else {
                let files = self.dialect.unread_files;
                let may_be_in_file = options.iter().any(|option| files.iter().any(|file| file.option == option.name));
                return (!may_be_in_file).then_some(otherwise);
            };
            option.value.as_ref()?.text.as_deref()?.parse::<i64>().ok().filter(|n| *n > 0)
        };
        let module = launch.module.as_ref().and_then(|word| word.text());
        if module.is_none_or(|module| !actors.modules.contains(&module)) {
            return Ok((1, vec![], message!("`python` starts one process", "`python` 只启动一个进程")));
        }
        let nodes = number(actors.nodes, 1).ok_or_else(unknown_gpus)?;
        let each = number(actors.gpus, actors.gpus_by_default).ok_or_else(unknown_gpus)?;
        let world = nodes.checked_mul(each).ok_or_else(unknown_gpus)?;
        Ok((
            world,
            vec![],
            message!("actor nodes × GPUs per node = {nodes} × {each}", "actor 节点数 × 每节点 GPU 数 = {nodes} × {each}"),
        ))
    }

    /// The processes that the framework starts by Ray, if it does: one for each GPU that it asks for.
    fn ray_workers(&self) -> Option<Count> {
        let ray = self.dialect.ray_workers.as_ref()?;
        let given = |key: &str| {
            let options = self.launch.map(Launch::options).unwrap_or_default();
            let option = options.iter().rfind(|option| option.name == key);
            let path: Vec<&str> = key.split('.').collect();
            let in_file = || self.training.iter().find_map(|file| file.data()?.root()?.at(&path)?.value(Loader::PyYaml));
            option.and_then(|option| option.value.as_ref()?.text.as_deref().map(argparse_word)).or_else(in_file)
        };
        let is_on = |value: Option<Value>| value.is_some_and(|value| spelled_bool(&value) == Some(true));
        let variable = |name| self.launch.and_then(|launch| launch.variable(name)?.value.text().map(argparse_word));
        if !is_on(ray.key.and_then(given)) && !is_on(ray.variable.and_then(variable)) {
            return None;
        }
        let name = ray.number;
        let number = given(name).unwrap_or(Value::Int(1));
        let count = number.as_int().filter(|count| *count > 0);
        Some(count.map(|count| (count, vec![], arithmetic(format!("{name} = {count}")))).ok_or_else(unknown_gpus))
    }

    /// Command lines that start torchrun themselves: what is unset is one node, and one process per GPU or one, as torchrun has it.
    fn by_variables(&self, launch: &Launch) -> Count {
        let given = |name: &str| -> Result<Option<i64>, Message> {
            let Some(variable) = launch.variable(name) else { return Ok(None) };
            variable.value.text().and_then(|text| text.parse().ok()).map(Some).ok_or_else(unknown_gpus)
        };
        let (per_node, nodes) = (given("NPROC_PER_NODE")?, given("NNODES")?);
        let alone = launch.launcher.processes == ProcessCount::VariablesElseOne;
        match (per_node, nodes) {
            (None, None) if alone => {
                let name = launch.launcher.name;
                let why = message!(
                    "`{name}` starts one process without NPROC_PER_NODE",
                    "没有 NPROC_PER_NODE 时 `{name}` 只启动一个进程"
                );
                Ok((1, vec![], why))
            }
            (None, None | Some(1)) if !alone => self
                .gpus()
                .map(|n| (n.max(1), vec![], message!("one process per visible GPU: {n}", "每张可见 GPU 一个进程：{n}")))
                .ok_or_else(unknown_gpus),
            _ => {
                let others = || if alone { Some(1) } else { self.gpus().map(|count| count.max(1)) };
                let per_node = per_node.or_else(others).ok_or_else(unknown_gpus)?;
                let nodes = nodes.unwrap_or(1);
                let world = per_node.checked_mul(nodes).ok_or_else(unknown_gpus)?;
                Ok((world, vec![], arithmetic(format!("NPROC_PER_NODE × NNODES = {per_node} × {nodes}"))))
            }
        }
    }

    /// `axolotl train` starts accelerate unless `--launcher` says otherwise, and hands on what stands behind `--`.
    fn chosen(&self, candidates: &CandidateSet) -> Count {
        let launch = self.launch.ok_or_else(unknown_gpus)?;
        let options = launch.options();
        let chosen = options.iter().rfind(|option| option.name == "launcher").and_then(|option| option.value.as_ref());
        match chosen.map(|value| value.text.as_deref()) {
            Some(Some("python")) => Ok((1, vec![], message!("`python` starts one process", "`python` 只启动一个进程"))),
            Some(Some("torchrun")) => self.torchrun(candidates),
            Some(None) => Err(message!("the launcher is not known", "启动器未知")),
            _ if candidates.has_explicit(Concept::NumProcesses) => {
                let machines = int_or(candidates, Concept::NumMachines, 1)?;
                Ok(accelerate_total(int_or(candidates, Concept::NumProcesses, 1)?, machines))
            }
            _ => self
                .gpus()
                .map(|n| (n.max(1), vec![], message!("one process per visible GPU: {n}", "每张可见 GPU 一个进程：{n}")))
                .ok_or_else(unknown_gpus),
        }
    }

    /// The project contains no launch command for the run.
    fn without_launch(&self, all: &CandidateSet) -> Count {
        if self.plain_loop {
            return Ok((1, vec![], message!("a plain training loop runs as one process", "普通训练循环以一个进程运行")));
        }
        let known = self.dialect.is_standalone || all.has_explicit(Concept::NumProcesses);
        if self.dialect.processes == Processes::Devices && known {
            return self.devices(all);
        }
        match (self.policy.target.count, self.policy.target.nodes.unwrap_or(1)) {
            (Some(1 | 0), 1) => Ok((1, vec![], message!("the target has one GPU", "目标只有一张 GPU"))),
            _ => Err(message!("the project has no launch command", "项目中没有启动命令")),
        }
    }

    /// GPUs that the processes of one node see: `CUDA_VISIBLE_DEVICES` of the command, else the target's count.
    pub(super) fn gpus(&self) -> Option<i64> {
        if let Some(visible) = self.launch.and_then(|launch| launch.variable("CUDA_VISIBLE_DEVICES")) {
            let text = visible.value.text()?;
            return Some(visible_gpus(text));
        }
        // A job that asks for GPUs sees those, if the script is not started some other way: `#SBATCH --gres=gpu:4`.
        if let Some(given) = self.launch.and_then(|launch| launch.variable("SLURM_GPUS_ON_NODE")) {
            return given.value.text()?.parse().ok();
        }
        self.policy.target.count.map(i64::from)
    }
}

/// The number of GPUs in `CUDA_VISIBLE_DEVICES`.
pub(super) fn visible_gpus(text: &str) -> i64 {
    visible_devices::parse(text).ids.iter().fold(0, |count, _| count + 1)
}

/// A resource filter of the deepspeed launcher, under any of its names.
fn resource_filter<'a>(launch: &'a Launch, name: &str) -> Option<&'a LaunchFlag> {
    launch.flag(flags::flag(Launcher::DeepSpeed, name)?.names[0])
}

/// accelerate divides by the machines and drops the remainder (utils/launch.py:217).
fn accelerate_total(asked: i64, machines: i64) -> (i64, Vec<Concept>, Message) {
    if machines <= 1 {
        return (asked.max(1), vec![Concept::NumProcesses], arithmetic(format!("num_processes = {asked}")));
    }
    let per_machine = asked / machines;
    let inputs = vec![Concept::NumProcesses, Concept::NumMachines];
    let formula = arithmetic(format!("num_processes // num_machines × num_machines = {asked} // {machines} × {machines}"));
    (per_machine * machines, inputs, formula)
}

/// The number of a concept; `otherwise` if no source sets it, an error if it is set but not known.
fn int_or(candidates: &CandidateSet, concept: Concept, otherwise: i64) -> Result<i64, Message> {
    match candidates.current_value(concept) {
        Some(Value::Int(n)) => Ok(*n),
        Some(Value::Text(text)) if text.parse::<i64>().is_ok() => Ok(text.parse().unwrap_or(otherwise)),
        None if !candidates.has_explicit(concept) => Ok(otherwise),
        _ => {
            let name = concept.name();
            Err(message!("{name} is not known", "{name} 未知"))
        }
    }
}

fn unknown_gpus() -> Message {
    message!("the project does not set the number of GPUs", "项目中没有给出 GPU 数量")
}

/// `localhost:0,1@worker-1:0,2` is four slots. A host without slots means all of its slots, whose number is not known.
fn included_slots(text: &str) -> Option<i64> {
    text.split('@').try_fold(0i64, |sum, node| {
        let (_, slots) = node.split_once(':')?;
        Some(slots.split(',').filter(|slot| !slot.trim().is_empty()).fold(sum, |count, _| count + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_an_include_filter_are_counted() {
        assert_eq!(included_slots("localhost:0,1"), Some(2));
        assert_eq!(included_slots("a:0,1@b:0,2,3"), Some(5));
        assert_eq!(included_slots("worker-0"), None);
    }

    #[test]
    fn machines_divide_and_drop_the_remainder() {
        assert_eq!(accelerate_total(3, 2).0, 2);
        assert_eq!(accelerate_total(8, 1).0, 8);
    }
}
