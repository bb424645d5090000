//! Exit statuses: 0 nothing found, 1 findings, 2 the command line, the configuration or the machine is at fault.

use std::io;
use std::process::ExitCode;
use vramlint_base::Lang;
use vramlint_project::ConfigError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing at or above `--fail-on`.
    Clean,
    /// Findings.
    Findings,
    /// Misuse, or a failure of ours or of the machine.
    Fault,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clean => 0,
            Status::Findings => 1,
            Status::Fault => 2,
        })
    }
}

/// Prints what clap has to say: help goes to standard output with 0, mistakes to standard error with 2.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is no reason to complain.
    let _ = error.print();
    if error.use_stderr() { Status::Fault.into() } else { Status::Clean.into() }
}

/// Prints why a command failed. A reader that closed the pipe has what it wanted.
pub(crate) fn failure(error: &anyhow::Error, lang: Lang) -> ExitCode {
    let broken_pipe =
        error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe));
    if broken_pipe {
        return Status::Clean.into();
    }
    let word = if lang == Lang::Zh { "错误" } else { "error" };
    match error.downcast_ref::<ConfigError>() {
        Some(config) => eprintln!("{word}: {}", config.message.get(lang)),
        None => eprintln!("{word}: {error:#}"),
    }
    Status::Fault.into()
}

/// A panic is a bug of ours: one line that says so, and exit status 2. What the layers below catch is reported as a finding.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        eprintln!("vramlint failed{place}; this is a bug in vramlint, please report it");
    }));
}
