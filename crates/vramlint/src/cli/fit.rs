//! Arguments of `fit`.

use super::common::CommonArgs;
use super::estimate::SetupArgs;
use super::runs::RunsFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use vramlint_estimate::fit::Dimension;

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// Files and folders of the project whose runs to fit [default: `.`, unless --model or --params is given]
    pub(crate) paths: Vec<PathBuf>,
    /// Id of the only run to fit, as printed by `vramlint runs`
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Share of the GPU to leave free: 10%
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "0")]
    pub(crate) headroom: u64,
    /// Settings to leave as they are: micro-batch, seq, rank, or any name that `vramlint runs` prints
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Longest step, as a multiple of the present one: 1.3
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub(crate) max_slowdown: Option<f64>,
    /// Measured time of one optimizer step, for what plans make of it: 1.8s, 850ms
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with = "max")]
    pub(crate) measured: Option<f64>,
    /// Print the largest value that certainly fits, instead of plans
    #[arg(long, value_enum, value_name = "SETTING", conflicts_with = "apply")]
    pub(crate) max: Option<Largest>,
    /// With --max: the largest value on each of these GPUs, as in `vramlint estimate --gpus-table`
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, value_delimiter = ',', requires = "max")]
    pub(crate) gpus_table: Option<Vec<String>>,
    /// Print the settings and the parts before and after
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print the changes to the files, then write all of them
    #[arg(long)]
    pub(crate) apply: bool,
    /// Number of the plan to apply
    #[arg(long, value_name = "N", default_value_t = 1, requires = "apply", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) plan: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) flags: SetupArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Largest {
    /// Samples per forward pass on one GPU
    MicroBatch,
    /// Tokens of a row
    Seq,
    /// LoRA rank
    Rank,
}

impl Largest {
    pub(crate) const fn dimension(self) -> Dimension {
        match self {
            Self::MicroBatch => Dimension::MicroBatch,
            Self::Seq => Dimension::SequenceLength,
            Self::Rank => Dimension::Rank,
        }
    }

    /// The setting, by its name in `vramlint runs`.
    pub(crate) const fn setting(self) -> &'static str {
        match self {
            Self::MicroBatch => "micro_batch",
            Self::Seq => "sequence_length",
            Self::Rank => "lora_r",
        }
    }
}

/// `10%`, `10`.
fn percent(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number.parse().ok().filter(|share| *share < 100).ok_or_else(|| "expected a percentage below 100, such as 10%".to_owned())
}

/// `1.3`.
fn factor(text: &str) -> Result<f64, String> {
    let known = text.trim().parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    known.ok_or_else(|| "expected a factor such as 1.3".to_owned())
}

/// `1.8s`, `850ms`, `1.8`, in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1e-3),
        (None, Some(number)) => (number, 1.0),
        (None, None) => (text, 1.0),
    };
    let known = number.trim().parse().ok().map(|number: f64| number * unit);
    let known = known.filter(|seconds| (1e-6..=1e9).contains(seconds));
    known.ok_or_else(|| "expected a duration such as 1.8s or 850ms".to_owned())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        assert_eq!((seconds("1.8s"), seconds("850ms"), seconds(" 2 ")), (Ok(1.8), Ok(0.85), Ok(2.0)));
        for wrong in ["", "s", "ms", "0s", "-1s", "1m", "NaN", "inf", "1e99", "一秒"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
