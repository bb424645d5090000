//! Exit statuses: 0 no findings, 1 findings, 2 invalid usage, configuration or environment.

use crate::stdio::print_stderr;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use vramlint_base::{Lang, Message, message, panic_message};
use vramlint_project::ConfigError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing at or above `--fail-on`.
    Clean,
    /// Findings.
    Findings,
    /// Invalid usage, configuration or environment, or an internal error.
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

/// An error that the user can fix, in both languages.
pub(crate) fn user_error(message: Message) -> anyhow::Error {
    ConfigError::new(message).into()
}

/// Prints help to standard output (status 0), or a usage error to standard error (status 2).
pub(crate) fn print_clap_error(error: &clap::Error) -> ExitCode {
    // A closed pipe is not an error.
    let _ = error.print();
    if error.use_stderr() { Status::Error.into() } else { Status::Clean.into() }
}

/// Prints why a command failed. A closed pipe counts as success, because its reader has finished.
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

/// Location of the last panic.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the program. A panic is a bug in vramlint; the error is a one-line message for it.
///
/// The project layer catches panics of parsers and rules and reports them as findings (`internal-error`), so the hook only records
/// the location. With `RUST_BACKTRACE` set, the standard hook prints every panic as well.
pub(crate) fn catch_panics<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let print_backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
        }
        if print_backtrace {
            default_hook(info);
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let place = LAST_PANIC.lock().ok().and_then(|last| last.clone()).unwrap_or_default();
        let why = panic_message(payload.as_ref()).replace(char::is_control, " ");
        format!("vramlint failed{place}: {why}; this is a bug in vramlint, please report it")
    })
}

/// The error for a file that cannot be written.
pub(crate) fn write_error(path: &std::path::Path, error: &io::Error) -> anyhow::Error {
    let path = path.display();
    user_error(message!("cannot write {path}: {error}", "无法写入 {path}：{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncaught_panic_is_reported_in_one_line() {
        let error = catch_panics(|| -> u8 { panic!("an index\nout of bounds") }).expect_err("it panicked");
        assert!(error.contains("an index out of bounds") && !error.contains('\n'), "{error}");
        assert_eq!(catch_panics(|| catch_unwind(|| panic!("caught below")).is_err()), Ok(true));
    }
}
