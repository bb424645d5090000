//! Arguments of `estimate`.

use super::common::CommonArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use vramlint_estimate::record::vocabulary;
use vramlint_memory::setup::{Attention, Checkpointing, Dtype, Offload, Optimizer, Quantization, Reference, Scheme};

#[derive(Debug, Args)]
pub(crate) struct EstimateArgs {
    /// Files and folders of the project whose runs to estimate [default: `.`, unless --model or --params is given]
    pub(crate) paths: Vec<PathBuf>,
    /// Id of the only run to estimate, as printed by `vramlint runs`
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// File with setups: a JSON object, a list, or one object per line; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "run"])]
    pub(crate) setup: Option<PathBuf>,
    /// Output format [default: text; jsonl with --setup]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<EstimateFormat>,
    /// File to write to
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Break every part down into its items and their arithmetic; implied by -v
    #[arg(long)]
    pub(crate) explain: bool,
    /// Compare GPUs, given by name or memory with their number: `RTX-4090,8xA100-80GB,2x24GiB`, or `all`
    /// [default: 24GiB, 80GiB, 8x80GiB]
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, value_delimiter = ',', conflicts_with_all = ["setup", "explain"])]
    pub(crate) gpus_table: Option<Vec<String>>,
    /// TOML file with the price of a GPU for an hour, as in `"RTX-4090" = 0.35`, to find the cheapest that fits
    #[arg(long, value_name = "FILE", requires = "gpus_table")]
    pub(crate) gpu_prices: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) flags: SetupArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--output-format` of `estimate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimateFormat {
    /// A table with a bar per part
    Text,
    /// One JSON object; a list for several runs
    Json,
    /// One JSON object per line
    Jsonl,
    /// A standalone page: the training step over time, each part with its arithmetic
    Html,
    /// The same as an image
    Svg,
    /// A memory snapshot as PyTorch writes it, for its memory visualizer
    Snapshot,
    /// A trace of the training step for Chrome and Perfetto
    ChromeTrace,
}

/// A setup. With a path, these flags override the settings of the run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Setup")]
pub(crate) struct SetupArgs {
    /// Model id, config.json, or a folder that contains one
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Parameter count, if the architecture is unknown: 7.24B, 350M
    #[arg(long, value_name = "COUNT", value_parser = parameters, conflicts_with = "model")]
    pub(crate) params: Option<u64>,
    /// Which parameters to train
    #[arg(long, value_enum)]
    pub(crate) method: Option<Method>,
    /// LoRA rank
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) lora_r: Option<u64>,
    /// Modules with LoRA adapters: all-linear, or a comma-separated list
    #[arg(long, value_name = "NAMES")]
    pub(crate) lora_targets: Option<String>,
    /// Quantization of the base model: none, int8, nf4, fp4, nf4-double
    #[arg(long, value_name = "KIND", value_parser = quantization)]
    pub(crate) quant: Option<Quantization>,
    /// Dtype that the weights are loaded in: fp32, bf16, fp16
    #[arg(long, value_name = "TYPE", value_parser = dtype)]
    pub(crate) dtype: Option<Dtype>,
    /// Mixed precision
    #[arg(long, value_enum)]
    pub(crate) amp: Option<Amp>,
    /// Optimizer, by its transformers name
    #[arg(long, value_name = "NAME", value_parser = optimizer)]
    pub(crate) optimizer: Option<Optimizer>,
    /// Samples (pairs, completions) per forward pass on one GPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) micro_batch: Option<u64>,
    /// Gradient accumulation steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub(crate) accum: Option<u64>,
    /// Tokens of the longest sequence, prompt and completion together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    pub(crate) seq: Option<u64>,
    /// Activation checkpointing: none, full
    #[arg(long, value_name = "KIND", value_parser = checkpointing)]
    pub(crate) checkpointing: Option<Checkpointing>,
    /// Attention: eager, sdpa, flash
    #[arg(long, value_name = "KIND", value_parser = attention)]
    pub(crate) attention: Option<Attention>,
    /// Training task
    #[arg(long, value_enum)]
    pub(crate) task: Option<TaskName>,
    /// Completions per prompt (GRPO)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) num_generations: Option<u64>,
    /// Tokens of the longest completion (GRPO)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    pub(crate) completion_length: Option<u64>,
    /// Reference model: none, same (a second copy), adapter (the base model without its adapter)
    #[arg(long, value_name = "KIND", value_parser = reference)]
    pub(crate) reference_model: Option<Reference>,
    /// Parallelism: none, ddp, zero1, zero2, zero3, fsdp1, fsdp2 (fsdp)
    #[arg(long, value_name = "SCHEME", value_parser = scheme)]
    pub(crate) parallel: Option<Scheme>,
    /// Offload target for optimizer states: none, cpu, nvme
    #[arg(long, value_name = "WHERE", value_parser = offload)]
    pub(crate) offload_optimizer: Option<Offload>,
    /// Offload target for parameters: none, cpu, nvme
    #[arg(long, value_name = "WHERE", value_parser = offload)]
    pub(crate) offload_param: Option<Offload>,
}

impl SetupArgs {
    /// Name of the first setup flag on the command line.
    pub(crate) fn first_flag(&self) -> Option<&'static str> {
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
        .find_map(|(name, is_set)| is_set.then_some(name))
    }
}

/// `--method`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Every parameter
    Full,
    /// LoRA adapters on the base model as loaded
    Lora,
    /// LoRA adapters on a quantized base model
    Qlora,
    /// The head only
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
    /// Sequence classification
    SeqCls,
    /// TRL's supervised fine-tuning
    Sft,
    /// TRL's reward model: pairs of samples
    Reward,
    /// TRL's preference optimization: pairs of samples
    Dpo,
    /// TRL's group relative policy optimization; the micro-batch counts completions
    Grpo,
}

fn word<T: Copy>(table: &[(&str, T)], text: &str) -> Result<T, String> {
    vocabulary::parse(table, text).ok_or_else(|| format!("expected one of: {}", vocabulary::list(table)))
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
    // clap messages are English only.
    let why = || "expected a parameter count such as 7.24B or 350M".to_owned();
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
