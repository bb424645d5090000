//! Ranks that share samples. Tensor, context, sequence and pipeline parallelism divide the processes; only data-parallel ranks multiply
//! the batch (accelerate 1.15.0 `ParallelismConfig`, run; DeepSpeed 0.19.8 `runtime/config.py`).

use super::run_sources::RunSources;
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::launch::Launch;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::DataFile;

/// Keys that set a parallel size in every tool.
const CERTAIN: &[&str] = &[
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "context_parallel_size",
    "sequence_parallel_size",
    "sequence_parallel_degree",
    "ring_attn_size",
    "autotp_size",
    "parallelism_config_tp_size",
    "parallelism_config_cp_size",
    "parallelism_config_sp_size",
];
/// Keys that set a parallel size for a training framework; among a project's own keys they may configure a generation server.
const FRAMEWORKS: &[&str] = &["tensor_parallel_size", "tensor_parallel_dim", "context_parallel_dim", "pipeline_parallel_size"];

/// The number of processes that share each sample, with the factors for a formula; 1 by default.
pub(super) fn shared_ranks(graph: &FileGraph, sources: &RunSources, dialect: Dialect) -> Result<(i64, String), Message> {
    let framework = dialect.divides_ranks;
    let mut found = RankGroups { framework, total: 1, names: Vec::new() };
    if let Some(launch) = sources.launch.as_deref() {
        found.add_from_launch(launch)?;
    }
    if let Some(block) = sources
        .accelerate
        .filter(|_| !replaces_parallelism_block(sources))
        .and_then(|id| graph.file(id).data()?.root()?.get("parallelism_config"))
    {
        for (key, value) in block.entries() {
            found.add_size(key.text().unwrap_or_default(), value.value(vramlint_syntax::data::Loader::PyYaml).as_ref())?;
        }
    }
    let engine = sources.deepspeed.into_iter();
    for id in sources.training.iter().map(|(id, _)| *id).chain(engine) {
        let file = graph.file(id);
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        let loader = super::sources::data_file::loader_of(file, graph.classified_kind(id));
        let mut leaves = Vec::new();
        crate::kind::visit_scalars(root, &mut Vec::new(), &mut 2_000, &mut |path, node| {
            if path.last().is_some_and(|name| parallel_size_certainty(name).is_some()) {
                leaves.push((path.join("."), node.value(loader)));
            }
        });
        for (path, value) in leaves {
            found.add_size(&path, value.as_ref())?;
        }
    }
    if sources.code.as_ref().is_some_and(|code| graph.any_has(&code.files, Feature::ParallelismConfig)) {
        found.add_from_code(sources)?;
    }
    Ok((found.total, found.names.join(" × ")))
}

/// A flag that names the type drops accelerate's parallelism block (accelerate 1.15.0 commands/launch.py).
pub(super) fn replaces_parallelism_block(sources: &RunSources) -> bool {
    let names = ["--multi_gpu", "--use_fsdp", "--use_deepspeed", "--use_megatron_lm"];
    sources.launch.as_ref().is_some_and(|launch| names.iter().any(|name| launch.flag(name).is_some()))
}

/// Whether a key sets a parallel size, and if so, whether it does in every tool.
fn parallel_size_certainty(name: &str) -> Option<bool> {
    let same =
        |known: &&str| known.len() == name.len() && known.chars().zip(name.chars()).all(|(a, b)| a == b || a == '_' && b == '-');
    if CERTAIN.iter().any(&same) {
        return Some(true);
    }
    FRAMEWORKS.iter().any(same).then_some(false)
}

struct RankGroups {
    framework: bool,
    total: i64,
    names: Vec<String>,
}

impl RankGroups {
    fn add_from_launch(&mut self, launch: &Launch) -> Result<(), Message> {
        if launch.launcher == Launcher::Accelerate {
            for flag in &launch.flags {
                let text = flag.values.first().and_then(|word| word.text());
                self.add_size(flag.name.trim_start_matches('-'), text.map(argparse_word).as_ref())?;
            }
        }
        for option in launch.options() {
            let text = option.value.as_ref().and_then(|value| value.text.as_deref());
            self.add_size(&option.name, text.map(argparse_word).as_ref())?;
        }
        Ok(())
    }

    /// `ParallelismConfig(…)`: each size must be known and unique.
    fn add_from_code(&mut self, sources: &RunSources) -> Result<(), Message> {
        let unknown = || message!("the code divides the processes with a ParallelismConfig", "代码用 ParallelismConfig 划分进程");
        let code = sources.code.as_deref().ok_or_else(unknown)?;
        for (concept, name) in [(Concept::TensorParallelSize, "tp_size"), (Concept::ContextParallelSize, "cp_size")] {
            let sizes: Vec<_> = code
                .candidates
                .iter()
                .filter(|(found, candidate)| {
                    *found == concept && candidate.call.as_deref().is_some_and(|call| call.ends_with("ParallelismConfig"))
                })
                .collect();
            let [(_, size)] = sizes.as_slice() else { return Err(unknown()) };
            let unconditional = size.candidate.condition.is_none() && size.guard.is_none() && size.option.is_none();
            let number =
                size.candidate.known().and_then(Value::as_int).filter(|n| *n > 0 && unconditional).ok_or_else(unknown)?;
            if number > 1 {
                self.total = self.total.saturating_mul(number);
                self.names.push(format!("{name} {number}"));
            }
        }
        Ok(())
    }

    fn add_size(&mut self, path: &str, value: Option<&Value>) -> Result<(), Message> {
        let name = path.rsplit('.').next().unwrap_or(path);
        let Some(certain) = parallel_size_certainty(name) else { return Ok(()) };
        let server = ["vllm", "rollout", "sglang", "infer", "generat"].iter().any(|word| path.to_lowercase().contains(word));
        if server {
            return Ok(());
        }
        let number = value.and_then(Value::as_int);
        match number {
            Some(1 | 0) => Ok(()),
            _ if matches!(value, Some(Value::Null | Value::Bool(false))) => Ok(()),
            Some(n) if n > 1 && (certain || self.framework) => {
                self.total = self.total.saturating_mul(n);
                self.names.push(format!("{name} {n}"));
                Ok(())
            }
            _ => Err(message!("`{name}` may divide the processes", "`{name}` 可能划分进程")),
        }
    }
}
