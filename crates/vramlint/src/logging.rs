//! Logging to standard error: `-v` and `VRAMLINT_LOG`.

use crate::stdio::print_stderr;
use std::io;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The variable that sets the level: `info`, `debug`, `trace`, or directives such as `vramlint_project=trace`.
const VARIABLE: &str = "VRAMLINT_LOG";

/// Starts logging if `-v` or `VRAMLINT_LOG` asks for it. An invalid value is reported and ignored.
pub(crate) fn init(verbose: bool) {
    let value = std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    let filter = match value.as_deref().map(parse) {
        Some(Some(filter)) => filter,
        None if verbose => all_crates(LevelFilter::INFO),
        None => return,
        Some(None) => {
            let value = value.unwrap_or_default();
            print_stderr(&format!(
                "warning: {VARIABLE}={value} is ignored; expected one of: off, error, warn, info, debug, trace"
            ));
            return;
        }
    };
    let format = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).without_time().with_target(false);
    // A second initialization in one process keeps the first.
    let _ = tracing_subscriber::registry().with(format).with(filter).try_init();
}

/// A level for every crate of vramlint, or directives.
fn parse(value: &str) -> Option<Targets> {
    if value.contains('=') {
        return value.parse().ok();
    }
    value.parse().ok().map(all_crates)
}

fn all_crates(level: LevelFilter) -> Targets {
    // The prefix of every crate name.
    Targets::new().with_target("vramlint", level)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use tracing::Level;

    #[test]
    fn a_level_holds_for_every_crate_and_directives_for_theirs() {
        let debug = parse("debug").expect("a level");
        assert!(debug.would_enable("vramlint_project::session", &Level::DEBUG));
        assert!(!debug.would_enable("vramlint_project", &Level::TRACE) && !debug.would_enable("tower", &Level::INFO));
        let one = parse("vramlint_project=trace").expect("a directive");
        assert!(one.would_enable("vramlint_project", &Level::TRACE) && !one.would_enable("vramlint_server", &Level::ERROR));
        assert!(parse("loud").is_none());
    }
}
