//! Arguments of `estimate`.

use super::Common;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use vramlint_estimate::record::vocabulary;
use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Offload, Optimizer, Quantization, Reference, Scheme};

#[derive(Debug, Args)]
pub(crate) struct EstimateArgs {
    /// Files and folders of the project whose runs are estimated [default: `.`, unless --model or --params says what is trained]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the run with this name, as `vramlint runs` shows it
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Setups as data: a JSON object, a list, or one a line; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "run"])]
    pub(crate) setup: Option<PathBuf>,
    /// Format [default: text; jsonl with --setup]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<EstimateFormat>,
    /// Write to this file
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Unfold every part into its items, each with its arithmetic; so does -v
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) flags: SetupArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `--output-format` of `estimate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimateFormat {
    /// A table with a bar for each part
    Text,
    /// One JSON object; a list for several runs
    Json,
    /// One JSON object a line
    Jsonl,
    /// A page of its own: the step moment by moment, each part with its arithmetic
    Html,
    /// The same as a drawing
    Svg,
}

/// A setup. With a path, these win over what the run says.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Setup")]
pub(crate) struct SetupArgs {
    /// Model id, folder with a config.json, or that file
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Parameters where no architecture is known: 7.24B, 350M
    #[arg(long, value_name = "COUNT", value_parser = parameters, conflicts_with = "model")]
    pub(crate) params: Option<u64>,
    /// What is trained of the model
    #[arg(long, value_enum)]
    pub(crate) method: Option<Method>,
    /// Rank of the adapters
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) lora_r: Option<u64>,
    /// Modules that get adapters: all-linear, or names with commas between them
    #[arg(long, value_name = "NAMES")]
    pub(crate) lora_targets: Option<String>,
    /// Quantization of the base: none, int8, nf4, fp4, nf4-double
    #[arg(long, value_name = "KIND", value_parser = quantization)]
    pub(crate) quant: Option<Quantization>,
    /// Type of the weights as loaded: fp32, bf16, fp16
    #[arg(long, value_name = "TYPE", value_parser = dtype)]
    pub(crate) dtype: Option<Dtype>,
    /// Mixed precision
    #[arg(long, value_enum)]
    pub(crate) amp: Option<Amp>,
    /// Optimizer, as transformers names it
    #[arg(long, value_name = "NAME", value_parser = optimizer)]
    pub(crate) optimizer: Option<Optimizer>,
    /// Rows (pairs, completions) of one forward on one GPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) micro_batch: Option<u64>,
    /// Micro-batches of an optimizer step
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub(crate) accum: Option<u64>,
    /// Tokens of the longest row, prompt and completion together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    pub(crate) seq: Option<u64>,
    /// Activation checkpointing: none, full
    #[arg(long, value_name = "KIND", value_parser = checkpointing)]
    pub(crate) checkpointing: Option<Checkpointing>,
    /// Attention: eager, sdpa, flash
    #[arg(long, value_name = "KIND", value_parser = attention)]
    pub(crate) attention: Option<Attention>,
    /// What is trained
    #[arg(long, value_enum)]
    pub(crate) task: Option<TaskName>,
    /// Completions of a prompt, under GRPO
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) num_generations: Option<u64>,
    /// Tokens of the longest completion, under GRPO
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    pub(crate) completion_length: Option<u64>,
    /// Reference model: none, same (a second copy), adapter (the base without its adapter)
    #[arg(long, value_name = "KIND", value_parser = reference)]
    pub(crate) reference_model: Option<Reference>,
    /// How GPUs share the work: none, ddp, zero1, zero2, zero3, fsdp1, fsdp2 (fsdp)
    #[arg(long, value_name = "SCHEME", value_parser = scheme)]
    pub(crate) parallel: Option<Scheme>,
    /// Where optimizer states are: none, cpu, nvme
    #[arg(long, value_name = "WHERE", value_parser = offload)]
    pub(crate) offload_optimizer: Option<Offload>,
    /// Where parameters are: none, cpu, nvme
    #[arg(long, value_name = "WHERE", value_parser = offload)]
    pub(crate) offload_param: Option<Offload>,
}

impl SetupArgs {
    /// The first flag that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--model", self.model.is_some()),
            ("--params", self.params.is_some()),
            ("--method", self.method.is_some()),
            ("--lora-r", self.lora_r.is_some()),
            ("--lora-targets", self.lora_targets.is_some()),
            ("--quant", self.quant.is_some()),
            ("--dtype", self.dtype.is_some()),
            ("--amp", self.amp.is_some()),
            ("--optimizer", self.optimizer.is_some()),
            ("--micro-batch", self.micro_batch.is_some()),
            ("--accum", self.accum.is_some()),
            ("--seq", self.seq.is_some()),
            ("--checkpointing", self.checkpointing.is_some()),
            ("--attention", self.attention.is_some()),
            ("--task", self.task.is_some()),
            ("--num-generations", self.num_generations.is_some()),
            ("--completion-length", self.completion_length.is_some()),
            ("--reference-model", self.reference_model.is_some()),
            ("--parallel", self.parallel.is_some()),
            ("--offload-optimizer", self.offload_optimizer.is_some()),
            ("--offload-param", self.offload_param.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

/// `--method`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Every parameter
    Full,
    /// Adapters on the base as loaded
    Lora,
    /// Adapters on a quantized base
    Qlora,
    /// The head alone
    Freeze,
}

/// `--amp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Amp {
    /// No autocast
    None,
    /// Autocast in bf16
    Bf16,
    /// Autocast in fp16
    Fp16,
}

/// `--task`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskName {
    /// Next-token prediction with transformers' Trainer
    #[default]
    CausalLm,
    /// Masked language modelling
    MaskedLm,
    /// A class per row
    SeqCls,
    /// TRL's supervised fine-tuning
    Sft,
    /// TRL's reward model: pairs of rows
    Reward,
    /// TRL's preference optimization: pairs of rows
    Dpo,
    /// TRL's group relative policy optimization: the micro-batch counts completions
    Grpo,
}

fn word<T: Copy>(table: &[(&str, T)], text: &str) -> Result<T, String> {
    vocabulary::parse(table, text).ok_or_else(|| format!("one of {}", vocabulary::list(table)))
}

fn quantization(text: &str) -> Result<Quantization, String> {
    word(vocabulary::QUANTIZATIONS, text)
}

fn dtype(text: &str) -> Result<Dtype, String> {
    word(vocabulary::DTYPES, text)
}

fn optimizer(text: &str) -> Result<Optimizer, String> {
    word(vocabulary::OPTIMIZERS, text)
}

fn checkpointing(text: &str) -> Result<Checkpointing, String> {
    word(vocabulary::CHECKPOINTING, text)
}

fn attention(text: &str) -> Result<Attention, String> {
    word(vocabulary::ATTENTION, text)
}

fn reference(text: &str) -> Result<Reference, String> {
    word(vocabulary::REFERENCES, text)
}

fn scheme(text: &str) -> Result<Scheme, String> {
    word(vocabulary::SCHEMES, text)
}

fn offload(text: &str) -> Result<Offload, String> {
    word(vocabulary::OFFLOADS, text)
}

/// `7.24B`, `350M`, `7240000000`.
fn parameters(text: &str) -> Result<u64, String> {
    // clap speaks English.
    let why = || "a count of parameters is written 7.24B or 350M".to_owned();
    let plain = text.trim().replace('_', "");
    let (number, unit) = match plain.to_ascii_uppercase().chars().last() {
        Some('K') => (&plain[..plain.len() - 1], 1e3),
        Some('M') => (&plain[..plain.len() - 1], 1e6),
        Some('B') => (&plain[..plain.len() - 1], 1e9),
        Some('T') => (&plain[..plain.len() - 1], 1e12),
        _ => (plain.as_str(), 1.0),
    };
    let count = number.parse::<f64>().map_err(|_| why())? * unit;
    #[allow(clippy::cast_sign_loss)] // bounded just before
    if (1.0..=1e14).contains(&count) { Ok(count.round() as u64) } else { Err(why()) }
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn counts_of_parameters_have_the_units_of_the_field() {
        assert_eq!(parameters("7.24B"), Ok(7_240_000_000));
        assert_eq!(parameters("350m"), Ok(350_000_000));
        assert_eq!(parameters("1T"), Ok(1_000_000_000_000));
        assert_eq!(parameters("494_032_768"), Ok(494_032_768));
        for wrong in ["", "B", "much", "-7B", "0", "7GB", "1e99", "NaN", "模型"] {
            assert!(parameters(wrong).is_err(), "{wrong}");
        }
    }
}
