//! What stands around a message: the traceback above it, the command that failed.

use crate::excerpt::Excerpt;
use regex::Regex;
use std::sync::LazyLock;

/// Where in a training the code was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Loading or moving a model.
    Load,
    /// The forward pass.
    Forward,
    /// The loss.
    Loss,
    /// The backward pass.
    Backward,
    /// The step of the optimizer.
    Optimizer,
    /// Generation.
    Generate,
    /// An evaluation.
    Evaluate,
    /// Saving a checkpoint.
    Save,
}

impl Stage {
    /// Name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Forward => "forward",
            Self::Loss => "loss",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Generate => "generate",
            Self::Evaluate => "evaluate",
            Self::Save => "save",
        }
    }
}

/// Texts of tracebacks that tell the stage, the most telling first. Several may stand in one traceback: a loss is computed in a forward.
const STAGES: &[(Stage, &[&str])] = &[
    (Stage::Backward, &[".backward(", "in backward", "run_backward", "_engine_run_backward", "backward_pass"]),
    (
        Stage::Optimizer,
        &["optimizer.step(", "in _multi_tensor_adam", "_init_group", "optim/adam", "initialize_optimizer_states", "exp_avg"],
    ),
    (Stage::Save, &["save_checkpoint(", "in save_model", "save_pretrained(", "_save_checkpoint("]),
    (Stage::Evaluate, &["evaluation_loop(", "prediction_step(", "self.evaluate(", "in evaluate"]),
    (Stage::Generate, &[".generate(", "in _sample", "_generate_"]),
    (Stage::Load, &["from_pretrained(", "load_state_dict(", "_load_state_dict", "_move_model_to_device", "dispatch_model("]),
    (
        Stage::Loss,
        &[
            "cross_entropy(",
            "lm_head(",
            "loss_function(",
            "selective_log_softmax(",
            "log_softmax(",
            "logits.float()",
            "loss_fct(",
        ],
    ),
    (Stage::Forward, &["in forward", "_call_impl", "training_step(", "compute_loss("]),
];

/// Maximum number of lines of a traceback that are looked at, from its end.
const MOST_LINES: usize = 60;
/// Maximum number of files that are kept.
const MOST_FILES: usize = 32;

/// What the lines above a message say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Where the code was, if a traceback tells.
    pub stage: Option<Stage>,
    /// Files that the traceback or the command names, the nearest to the failure first: scripts, configurations.
    pub files: Vec<String>,
}

static FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9_./\\~-]+\.(?:py|sh|ya?ml|json|toml|ps1|bat)\b").expect("a legal pattern"));

impl Context {
    pub(crate) fn of(excerpt: &Excerpt<'_>) -> Self {
        let above: Vec<String> = excerpt.lines_above().take(MOST_LINES).collect();
        // A traceback begins with its heading; what is above it belongs to something else.
        let heading = above.iter().position(|line| line.contains("Traceback (most recent call last)"));
        let traceback = &above[..heading.map_or(0, |at| at + 1)];
        let stage = STAGES
            .iter()
            .find(|(_, texts)| traceback.iter().any(|line| texts.iter().any(|text| line.contains(text))))
            .map(|(stage, _)| *stage);
        let line = excerpt.line();
        let mut files: Vec<String> = Vec::new();
        let table = above.iter().take(12).filter(|line| line.trim_end().ends_with("FAILED"));
        for text in std::iter::once(&line).chain(traceback).chain(table) {
            for found in FILE.find_iter(text) {
                let file = found.as_str().replace('\\', "/");
                if files.len() < MOST_FILES && !file.contains("site-packages") && !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        Self { stage, files }
    }

    /// What another report of the same failure adds.
    pub(crate) fn join(&mut self, other: &Self) {
        self.stage = self.stage.or(other.stage);
        for file in &other.files {
            if self.files.len() < MOST_FILES && !self.files.contains(file) {
                self.files.push(file.clone());
            }
        }
    }
}
