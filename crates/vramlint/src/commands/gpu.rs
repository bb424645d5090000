//! `vramlint gpu`.

use super::print;
use crate::exit::{Status, fault};
use crate::output::{gpu_json, gpu_text};
use crate::{colour, language};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::time::Duration;
use vramlint_base::message;
use vramlint_catalog::gpus;
use vramlint_gpu::{Driver, Machine, NoDriver};

/// Home, and what was there goes: the cursor of a terminal (ECMA-48 CUP and ED).
const CLEAR: &str = "\x1b[H\x1b[2J";

#[derive(Debug, Args)]
pub(crate) struct GpuArgs {
    /// Format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    output_format: GpuFormat,
    /// Look again and again, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), requires = "watch")]
    interval: u32,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: colour::Choice,
    /// Language of the messages [default: the locale's]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::Choice>,
}

/// `--output-format` of `gpu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GpuFormat {
    /// For a terminal
    #[default]
    Text,
    /// One JSON object; with --watch one a line
    Json,
}

/// Shows the cards, once or again and again.
pub(crate) fn run(args: &GpuArgs) -> Result<Status> {
    let driver = Driver::open().map_err(none)?;
    if !args.watch {
        return print(&drawn(args, &look(&driver)?));
    }
    // Text on a terminal is drawn in place; anything else gets one block after the other.
    let in_place = args.output_format == GpuFormat::Text && std::io::stdout().is_terminal();
    loop {
        let text = drawn(args, &look(&driver)?);
        let text = match (args.output_format, in_place) {
            (GpuFormat::Text, true) => format!("{CLEAR}{text}"),
            (GpuFormat::Text, false) => format!("{text}\n"),
            (GpuFormat::Json, _) => text,
        };
        print(&text)?;
        std::thread::sleep(Duration::from_secs(args.interval.into()));
    }
}

fn drawn(args: &GpuArgs, machine: &Machine) -> String {
    let lang = language::decide(args.lang, None);
    match args.output_format {
        GpuFormat::Text => gpu_text::all(machine, usual, lang, args.color.decide(false)),
        GpuFormat::Json => gpu_json::all(machine, usual, lang, !args.watch),
    }
}

/// The machine now; one without cards is a fault like one without a driver.
fn look(driver: &Driver) -> Result<Machine> {
    let machine = driver.read().map_err(none)?;
    if machine.cards.is_empty() {
        return Err(fault(message!("the NVIDIA driver sees no GPU", "NVIDIA 驱动未发现任何 GPU")));
    }
    Ok(machine)
}

fn none(NoDriver { message }: NoDriver) -> anyhow::Error {
    fault(message)
}

/// What a card of this name has, bytes. Where a name stands for cards of several sizes, nothing is usual.
fn usual(name: &str) -> Option<u64> {
    match gpus::lookup(name)? {
        gpus::Match::One(gpu) => Some(gpu.memory()),
        gpus::Match::Ambiguous(_) => None,
    }
}
