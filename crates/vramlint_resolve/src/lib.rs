//! From files to training runs: what each file is, what it says, who refers to it, and who wins.
//!
//! Invariants:
//!
//! 1. Pure: the same texts give the same project. No disk, clock, environment or network.
//! 2. Every value keeps all its candidates, their origins and the precedence that decided. Nothing is flattened early.
//! 3. An unknown value is [`Resolved::Unknown`], never a guess; what depends on it is unknown too.

pub mod arguments;
pub mod beside;
pub mod code;
pub mod engine_dicts;
pub mod environment;
pub mod kind;
pub mod launch;
mod library_calls;
pub mod policy;
pub mod project;
pub mod reference;
pub mod run;
pub mod setting;
pub mod source;
mod unreached;
pub mod versions;

pub use engine_dicts::{EngineDict, TakenBy};
pub use kind::{Kind, KindGuess};
pub use library_calls::CallIn;
pub use policy::{Policy, Target};
pub use project::Project;
pub use run::Run;
pub use setting::{Candidate, Origin, Resolved, Setting};
pub use source::{SourceFile, Syntax};
