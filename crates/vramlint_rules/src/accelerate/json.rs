//! The DeepSpeed JSON that a loop with `Accelerator()` reads.

use super::Start;
use vramlint_base::{Place, Value};
use vramlint_catalog::Dialect;
use vramlint_resolve::code::LoadRole;
use vramlint_resolve::{Run, SourceFile};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// A DeepSpeed JSON that accelerate reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a> {
    /// The file.
    pub(crate) file: &'a SourceFile,
    /// Its root, a mapping.
    pub(crate) root: NodeRef<'a>,
    /// Where it is named.
    pub(crate) named: Place,
    /// The run.
    pub(crate) run: &'a Run,
    /// Whether what the file does not say is not said: no code is seen to complete it.
    pub(crate) certain: bool,
}

/// Whether a run is a loop with `Accelerator()` rather than a trainer, which gives accelerate its own settings.
pub(crate) fn is_plain_loop(run: &Run) -> bool {
    let plain = matches!(run.dialect, Dialect::Accelerate | Dialect::Plain | Dialect::DeepSpeed);
    plain && run.code.as_deref().is_some_and(|code| code.accelerator.is_some())
}

/// The JSON of a start, where a plain loop reads it.
pub(crate) fn of<'a>(start: &Start<'a>) -> Option<Json<'a>> {
    if start.kind().is_none_or(|kind| kind.name != "DEEPSPEED") || start.flag("--cpu").is_some() {
        return None;
    }
    let run = start.run.filter(|run| is_plain_loop(run))?;
    let code = run.code.as_deref()?;
    // A plugin made in the code reads what it is given.
    let own =
        |call: &vramlint_resolve::code::LibraryCall| call.name() == "DeepSpeedPlugin" || call.path == "deepspeed.initialize";
    if code.calls.iter().any(own) || code.loads.iter().any(|load| load.role == LoadRole::DeepSpeed) {
        return None;
    }
    let given = start.block("deepspeed_config", "deepspeed_config_file").known()?;
    let folder = start.project.file(given.place.file).folder();
    let file = start.project.file(start.project.lookup.find(given.text()?, folder)?);
    let root = file.data().and_then(DataFile::root).filter(|root| root.is_mapping())?;
    let touched = |id: &vramlint_base::FileId| {
        let text = &start.project.file(*id).text;
        text.contains("deepspeed_config[") || text.contains("deepspeed_plugin.") || text.contains("hf_ds_config")
    };
    Some(Json { file, root, named: given.place, run, certain: !code.files.iter().any(touched) })
}

impl Json<'_> {
    /// The value at a path, and where it is.
    pub(crate) fn value(&self, path: &[&str]) -> Option<(Place, Value)> {
        let node = self.root.at(path)?;
        Some((Place::new(self.file.id, node.range()), node.value(Loader::Json)?))
    }
}
