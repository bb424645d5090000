//! Settings that the user gives because the project does not show them: `--set`, `[runs."…"]` of `vramlint.toml`, `--gpus`.

use crate::run::Run;
use crate::setting::{Candidate, Origin, Resolved, Setting};
use globset::Glob;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;

/// The runs that a user's setting applies to.
#[derive(Clone, Debug, PartialEq)]
pub enum RunSelector {
    /// Every run.
    Every,
    /// Runs that no launcher starts.
    WithoutLauncher,
    /// The run with this id.
    Id(String),
    /// Runs whose id or path matches.
    Glob(Glob),
}

/// A value that the user gives. It beats an unknown value, `null` and a tool's default, never a value that the project writes.
#[derive(Clone, Debug, PartialEq)]
pub struct UserSetting {
    /// The runs.
    pub runs: RunSelector,
    /// The setting.
    pub concept: Concept,
    /// Its value.
    pub value: Value,
    /// How the user gave it: `--set`, `--gpus`, `[runs."train.sh#1"]`.
    pub source: String,
    /// The place of the value, if it is in a configuration file of the project.
    pub place: Option<FileRange>,
}

impl RunSelector {
    /// Whether the selector covers a run. `root` is the folder of the configuration, as in [`crate::Policy::root`].
    fn covers(&self, run: &Run, root: &str) -> bool {
        match self {
            Self::Every => true,
            Self::WithoutLauncher => run.launch.as_ref().is_none_or(|launch| launch.launcher == Launcher::Python),
            Self::Id(id) => *id == run.id || strip_root(&run.id, root) == id,
            Self::Glob(glob) => {
                let matcher = glob.compile_matcher();
                let id = strip_root(&run.id, root);
                let path = id.rsplit_once('#').map_or(id, |(path, _)| path);
                let name = path.rsplit('/').next().unwrap_or(path);
                [id, path, name].into_iter().any(|text| matcher.is_match(text))
            }
        }
    }
}

/// The path relative to the folder of the configuration.
fn strip_root<'a>(path: &'a str, root: &str) -> &'a str {
    path.strip_prefix(root).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// Adds the user's settings to a run that has its id. Returns whether a value changed. The first setting of a concept counts.
pub(crate) fn apply(run: &mut Run, settings: &[UserSetting], root: &str) -> bool {
    let mut changed = false;
    for setting in settings {
        let given = |run: &Run| run.settings.get(&setting.concept).is_some_and(|own| own.candidates.iter().any(is_user));
        if setting.runs.covers(run, root) && !given(run) {
            changed |= add(run.settings.entry(setting.concept).or_default(), setting);
        }
    }
    changed
}

fn is_user(candidate: &Candidate) -> bool {
    matches!(candidate.origin, Origin::User { .. })
}

/// Adds the candidate of a user's setting. Returns whether it wins.
fn add(setting: &mut Setting, user: &UserSetting) -> bool {
    let candidate = Candidate {
        value: Resolved::Known(user.value.clone()),
        raw: String::new(),
        origin: Origin::User { source: user.source.clone(), place: user.place },
        condition: None,
        assumptions: Vec::new(),
    };
    let written = setting.winning().is_some_and(|winner| {
        winner.known().is_some_and(|value| *value != Value::Null)
            && !matches!(winner.origin, Origin::Default { .. } | Origin::Assumed { .. })
    });
    if written {
        setting.candidates.push(candidate);
        return false;
    }
    // What was derived and what a tool would take are no other source's wish.
    setting
        .candidates
        .retain(|other| !matches!(other.origin, Origin::Derived { .. } | Origin::Default { .. } | Origin::Assumed { .. }));
    setting.candidates.insert(0, candidate);
    setting.winner = Some(0);
    setting.precedence = None;
    true
}
