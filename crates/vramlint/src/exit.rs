//! Exit statuses: 0 nothing found, 1 findings, 2 the command line, the configuration or the machine is at fault.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use vramlint_base::{Lang, Message, message};
use vramlint_project::ConfigError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing at or above `--fail-on`.
    Clean,
    /// Findings.
    Findings,
    /// Misuse, or a failure of ours or of the machine.
    Error,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clean => 0,
            Status::Findings => 1,
            Status::Error => 2,
        })
    }
}

/// A mistake on the command line, or a failure of the machine, in both languages.
pub(crate) fn user_error(message: Message) -> anyhow::Error {
    ConfigError::new(message).into()
}

/// A line on standard error. `eprintln` would fail where nobody reads.
pub(crate) fn print_stderr(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints what clap has to say: help goes to standard output with 0, mistakes to standard error with 2.
pub(crate) fn print_clap_error(error: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to complain.
    let _ = error.print();
    if error.use_stderr() { Status::Error.into() } else { Status::Clean.into() }
}

/// Prints why a command failed. A reader that closed the pipe has what it wanted.
pub(crate) fn report_failure(error: &anyhow::Error, lang: Lang) -> ExitCode {
    let broken_pipe =
        error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe));
    if broken_pipe {
        return Status::Clean.into();
    }
    let word = if lang == Lang::Zh { "错误：" } else { "error: " };
    match error.downcast_ref::<ConfigError>() {
        Some(config) => print_stderr(&format!("{word}{}", config.message.get(lang))),
        None => print_stderr(&format!("{word}{error:#}")),
    }
    Status::Error.into()
}

/// Where the last panic happened.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs all of the program. A panic that arrives here is a bug of ours, said in one line; the error is that line.
///
/// The layers below catch the panics of readers and rules and report them as findings (`internal-error`). The hook therefore
/// only remembers; nothing is printed unless nobody caught it. Whoever sets `RUST_BACKTRACE` sees everything at once.
pub(crate) fn catch_panics<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let loud = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
        }
        if loud {
            usual(info);
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = LAST_PANIC.lock().ok().and_then(|last| last.clone()).unwrap_or_default();
        format!("vramlint failed{place}; this is a bug in vramlint, please report it")
    })
}

/// A failure to write, in words.
pub(crate) fn write_error(path: &std::path::Path, error: &io::Error) -> anyhow::Error {
    let path = path.display();
    user_error(message!("{path} cannot be written: {error}", "无法写入 {path}：{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_caught_is_told_in_one_line() {
        let said = catch_panics(|| -> u8 { panic!("of no interest") }).expect_err("it panicked");
        assert!(said.contains("exit.rs") && said.contains("bug in vramlint") && !said.contains('\n'), "{said}");
        assert_eq!(catch_panics(|| catch_unwind(|| panic!("caught below")).is_err()), Ok(true));
    }
}
