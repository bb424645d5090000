//! A progress bar on standard error: only on a terminal, and only when reading takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Delay before the bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress of one command.
pub(crate) struct Progress {
    start: Instant,
    wanted: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Starts without showing the bar; with `quiet`, it is never shown.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { start: Instant::now(), wanted: !quiet && std::io::stderr().is_terminal(), bar: OnceLock::new() }
    }

    /// Updates the progress.
    pub(crate) fn update(&self, done: usize, all: usize) {
        if !self.wanted || self.start.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} files").unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr()).with_style(style)
        });
        bar.set_position(done as u64);
    }

    /// Removes the bar before other output is printed.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
