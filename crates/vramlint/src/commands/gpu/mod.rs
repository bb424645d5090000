//! `vramlint gpu`.

mod live;
mod predicted_runs;
mod run_matching;

use crate::cli::{GpuArgs, GpuFormat};
use crate::exit::{Status, user_error, write_error};
use crate::language;
use crate::output::{gpu_json, gpu_text};
use crate::stdio::print_stdout;
use anyhow::Result;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};
use vramlint_base::{Lang, message};
use vramlint_catalog::gpus;
use vramlint_gpu::{Driver, DriverError, Machine};

/// Prints the GPUs once, or repeatedly with `--watch`.
pub(crate) fn run(args: &GpuArgs) -> Result<Status> {
    let driver = Driver::open().map_err(driver_error)?;
    if !args.watch {
        print_stdout(&render(args, &read_machine(&driver)?), args.color.resolve(false))?;
        return Ok(Status::Clean);
    }
    let machine = observe(args, &driver)?;
    let is_text = args.output_format == GpuFormat::Text;
    if is_text && io::stdout().is_terminal() && !is_dumb() {
        // A terminal without keys shows plain text.
        if let Ok(screen) = live::Screen::open() {
            return live::run(args, &driver, machine, screen);
        }
    }
    repeat(args, &driver, machine, if is_text { "\n" } else { "" })
}

/// Whether the terminal says that it cannot place text.
fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|term| term == "dumb")
}

/// Prints the GPUs once per interval.
fn repeat(args: &GpuArgs, driver: &Driver, mut machine: Machine, gap: &str) -> Result<Status> {
    loop {
        print_stdout(&format!("{}{gap}", render(args, &machine)), args.color.resolve(false))?;
        std::thread::sleep(Duration::from_secs(args.interval.into()));
        machine = observe(args, driver)?;
    }
}

/// Reads the current state and appends it to the recording, if there is one.
fn observe(args: &GpuArgs, driver: &Driver) -> Result<Machine> {
    let machine = read_machine(driver)?;
    if let Some(path) = &args.record {
        record(path, &machine).map_err(|error| write_error(path, &error))?;
    }
    Ok(machine)
}

/// Appends the state of the machine to a recording.
fn record(path: &Path, machine: &Machine) -> io::Result<()> {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
    let line = gpu_json::render(machine, catalog_memory, Lang::En, false);
    let fields = line.strip_prefix('{').unwrap_or(&line);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{{\"time\":{seconds:.3},{fields}").as_bytes())
}

fn render(args: &GpuArgs, machine: &Machine) -> String {
    let lang = language::resolve(args.lang, None);
    match args.output_format {
        GpuFormat::Text => gpu_text::render(machine, catalog_memory, lang, args.color.resolve(false)),
        GpuFormat::Json => gpu_json::render(machine, catalog_memory, lang, !args.watch),
    }
}

/// The current state of the machine. No GPU is an error, like no driver.
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

/// Memory of the GPU with this name, bytes; `None` if the name is unknown or ambiguous.
fn catalog_memory(name: &str) -> Option<u64> {
    match gpus::lookup(name)? {
        gpus::Match::One(gpu) => Some(gpu.memory()),
        gpus::Match::Ambiguous(_) => None,
    }
}
