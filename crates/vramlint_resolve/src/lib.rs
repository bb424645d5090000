//! From files to training runs: what each file is, what it sets, which files refer to it, and which value takes effect.
//!
//! Invariants:
//!
//! 1. Pure: the same texts give the same project. No disk, clock, environment or network.
//! 2. Every value keeps all its candidates, their origins and the precedence that decided. Nothing is flattened early.
//! 3. An unknown value is [`Resolved::Unknown`], never a guess; what depends on it is unknown too.
//! 4. A project is built in phases ([`SourceSet`], [`FileGraph`], [`Project`]); none is visible before it is complete.

pub mod arguments;
pub mod code;
mod code_cache;
mod config_file_launches;
pub mod deepspeed_dicts;
pub mod environment;
pub mod features;
pub mod file_graph;
pub mod kind;
pub mod launch;
mod library_calls;
pub mod local_values;
mod orphan_modules;
pub mod path_resolver;
pub mod policy;
pub mod project;
pub mod run;
pub mod setting;
pub mod source;
pub mod source_set;
pub mod source_text;
pub mod syntax_tree;
pub mod user_settings;
pub mod versions;

pub use deepspeed_dicts::{ConfigConsumer, DeepSpeedDict};
pub use features::{Feature, FileFeatures};
pub use file_graph::FileGraph;
pub use kind::{FileClass, FileKind, KindConfidence};
pub use library_calls::CallRef;
pub use policy::{MeasuredRun, Policy, Target};
pub use project::Project;
pub use run::Run;
pub use setting::{Candidate, Origin, Resolved, Setting};
pub use source::SourceFile;
pub use source_set::{LibraryPackage, SourceSet};
pub use source_text::SourceText;
pub use syntax_tree::{Syntax, SyntaxKind, SyntaxTree};
pub use user_settings::{RunSelector, UserSetting};
