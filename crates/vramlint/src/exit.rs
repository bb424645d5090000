//! Exit statuses: 0 nothing found, 1 findings, 2 the command line, the configuration or the machine is at fault.

use std::io;
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
}

/// The status for misuse, and for failures of ours or of the machine.
const FAULT: u8 = 2;

/// The last panic: where, and what it said.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Clean => Self::SUCCESS,
            Status::Findings => Self::from(1),
        }
    }
}

/// A fault of the command line or of the machine, told in the user's language.
pub(crate) fn fault(message: Message) -> anyhow::Error {
    ConfigError::new(message).into()
}

/// Prints what clap has to say: help goes to standard output with 0, mistakes to standard error with 2.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to complain.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(FAULT) } else { ExitCode::SUCCESS }
}

/// Prints why a command failed.
pub(crate) fn failure(error: &anyhow::Error, lang: Lang) -> ExitCode {
    if !is_broken_pipe(error) {
        eprintln!("{}", told(error, lang));
    }
    ExitCode::from(FAULT)
}

/// Whether the reader of our output went away: it has what it wanted.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

fn told(error: &anyhow::Error, lang: Lang) -> String {
    let what = match error.downcast_ref::<ConfigError>() {
        Some(config) => config.message.clone(),
        None => message!("{error:#}", "{error:#}"),
    };
    let (en, zh) = (what.en, what.zh);
    message!("error: {en}", "错误：{zh}").get(lang).to_owned()
}

/// Keeps panics silent, since the layers below catch those of single rules and report them as findings. One that nobody catches
/// is told by [`bug`]. With `RUST_BACKTRACE` they are printed at once as usual.
pub(crate) fn hold_panics() {
    let usual = std::panic::take_hook();
    let backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    std::panic::set_hook(Box::new(move |info| {
        if backtrace {
            usual(info);
        }
        let place = info.location().map(|place| format!("{}:{}: ", place.file(), place.line())).unwrap_or_default();
        let what = info.payload_as_str().unwrap_or("panic").lines().next().unwrap_or_default();
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(format!("{place}{what}"));
        }
    }));
}

/// Tells of a panic that nobody caught, in one line.
pub(crate) fn bug(lang: Lang) -> ExitCode {
    let what = PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_default();
    let line =
        message!("error: {what} (this is a bug in vramlint, please report it)", "错误：{what}（这是 vramlint 的缺陷，请报告）");
    eprintln!("{}", line.get(lang));
    ExitCode::from(FAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_speak_the_language_of_the_user() {
        let error = fault(message!("`x` is unknown", "未知的 `x`"));
        assert_eq!(told(&error, Lang::En), "error: `x` is unknown");
        assert_eq!(told(&error, Lang::Zh), "错误：未知的 `x`");
        assert_eq!(told(&anyhow::anyhow!("disk").context("writing"), Lang::En), "error: writing: disk");
    }

    #[test]
    fn a_closed_pipe_is_seen_through_context() {
        let closed = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe)).context("writing");
        assert!(is_broken_pipe(&closed));
        assert!(!is_broken_pipe(&io::Error::from(io::ErrorKind::PermissionDenied).into()));
    }
}
