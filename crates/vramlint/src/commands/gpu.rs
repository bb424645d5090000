//! `vramlint gpu`.

use super::print;
use crate::exit::{Status, user_error};
use crate::output::{gpu_json, gpu_text};
use crate::{color, language};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::time::Duration;
use vramlint_base::message;
use vramlint_catalog::gpus;
use vramlint_gpu::{Driver, DriverError, Machine};

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
    color: color::ColorChoice,
    /// Language of the messages [default: the locale's]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
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

/// Shows the GPUs, once or again and again.
pub(crate) fn run(args: &GpuArgs) -> Result<Status> {
    let driver = Driver::open().map_err(driver_error)?;
    if !args.watch {
        return print(&render(args, &read_machine(&driver)?));
    }
    // Text on a terminal is drawn in place; anything else gets one block after the other.
    let in_place = args.output_format == GpuFormat::Text && std::io::stdout().is_terminal();
    loop {
        let text = render(args, &read_machine(&driver)?);
        let text = match (args.output_format, in_place) {
            (GpuFormat::Text, true) => format!("{CLEAR}{text}"),
            (GpuFormat::Text, false) => format!("{text}\n"),
            (GpuFormat::Json, _) => text,
        };
        print(&text)?;
        std::thread::sleep(Duration::from_secs(args.interval.into()));
    }
}

fn render(args: &GpuArgs, machine: &Machine) -> String {
    let lang = language::resolve(args.lang, None);
    match args.output_format {
        GpuFormat::Text => gpu_text::render(machine, catalog_memory, lang, args.color.resolve(false)),
        GpuFormat::Json => gpu_json::render(machine, catalog_memory, lang, !args.watch),
    }
}

/// The machine now; one without GPUs is a fault like one without a driver.
fn read_machine(driver: &Driver) -> Result<Machine> {
    let machine = driver.read().map_err(driver_error)?;
    if machine.gpus.is_empty() {
        return Err(user_error(message!("the NVIDIA driver sees no GPU", "NVIDIA 驱动未发现任何 GPU")));
    }
    Ok(machine)
}

fn driver_error(DriverError { message }: DriverError) -> anyhow::Error {
    user_error(message)
}

/// What a GPU of this name has, bytes. Where a name stands for GPUs of several sizes, there is no usual size.
fn catalog_memory(name: &str) -> Option<u64> {
    match gpus::lookup(name)? {
        gpus::Match::One(gpu) => Some(gpu.memory()),
        gpus::Match::Ambiguous(_) => None,
    }
}
