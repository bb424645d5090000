//! The real binary, run as a user runs it: in a folder of its own, with a scrubbed environment.

mod adopt;
mod compare;
mod config;
mod data;
mod diff;
mod fit;
mod fit_edits;
mod fixing;
mod formats;
mod machines;
mod oom;
mod rare;
mod run;
mod schema;
mod status;
mod why;
