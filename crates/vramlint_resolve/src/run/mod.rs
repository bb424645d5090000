//! Training runs: one per launch, with every setting and the origin of each of its candidates.
//!
//! [`discover_runs`] finds what starts a run, [`run_sources`] the files that take part, and [`builder`] merges what those files, the
//! command line, the code and the defaults say. Candidates come from [`sources`]; [`precedence`] decides between them.

mod auto_values;
mod batch_factors;
mod builder;
mod code_reader;
mod copied_files;
mod derive;
mod discover;
mod distribution_hints;
mod documented;
mod folder_models;
mod framework_program;
mod handed_on;
mod import_graph;
mod launch_path;
mod noise_training;
mod precedence;
mod rank_variables;
mod releases_in_use;
mod row_spreading;
mod run_sources;
mod shared_ranks;
mod slurm_tasks;
pub(crate) mod sources;
mod training_evidence;
mod training_kind;
mod training_run;
mod unknown_reads;
mod unsupported;
mod vllm_mode;
mod world_size;

pub(crate) use discover::discover_runs;
pub(crate) use import_graph::imports_training_library;
pub(crate) use training_kind::is_encoder_decoder;
pub use training_run::{FolderModel, Run};
pub use unknown_reads::UnknownReads;
