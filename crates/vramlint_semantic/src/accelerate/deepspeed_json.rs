//! The DeepSpeed JSON that a loop with `Accelerator()` reads.

use super::AccelerateLaunch;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::Dialect;
use vramlint_resolve::code::{ArgValue, LibraryCall, LoadRole};
use vramlint_resolve::{DeepSpeedDict, Feature, Run, SourceFile};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// A DeepSpeed JSON that accelerate reads.
#[derive(Clone, Copy, Debug)]
pub struct DeepSpeedJson<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Its root, a mapping.
    pub root: NodeRef<'a>,
    /// Where it is named.
    pub named: FileRange,
    /// The run.
    pub run: &'a Run,
    /// Whether what the file does not say is not said: no code is seen to complete it.
    pub certain: bool,
}

/// Whether a run is a loop with `Accelerator()` rather than a trainer, which gives accelerate its own settings.
pub fn is_plain_loop(run: &Run) -> bool {
    let plain = matches!(run.dialect, Dialect::Accelerate | Dialect::Plain | Dialect::DeepSpeed);
    plain && run.code.as_deref().is_some_and(|code| code.accelerator.is_some())
}

/// The JSON of a start, where a plain loop reads it.
pub fn deepspeed_json<'a>(start: &AccelerateLaunch<'a>) -> Option<DeepSpeedJson<'a>> {
    if start.flag("--cpu").is_some() {
        return None;
    }
    if let Some(json) = from_plugin(start) {
        return Some(json);
    }
    if start.distributed_type().is_none_or(|kind| kind.name != "DEEPSPEED") {
        return None;
    }
    let run = start.run.filter(|run| is_plain_loop(run))?;
    let code = run.code.as_deref()?;
    // A plugin made in the code reads what it is given.
    let own = |call: &LibraryCall| call.name() == "DeepSpeedPlugin" || call.path == "deepspeed.initialize";
    if code.calls.iter().any(own) || code.loads.iter().any(|load| load.role == LoadRole::DeepSpeed) {
        return None;
    }
    let given = start.block("deepspeed_config", "deepspeed_config_file").known()?;
    let folder = start.project.file(given.place.file).folder();
    let file = start.project.file(start.project.path_resolver.resolve(given.text()?, folder)?);
    let root = file.data().and_then(DataFile::root).filter(|root| root.is_mapping())?;
    let certain = !start.project.any_has(&code.files, Feature::DeepSpeedConfigAccess);
    Some(DeepSpeedJson { file, root, named: given.place, run, certain })
}

/// What the only plugin of a run is given as `hf_ds_config`, a file or a dict, where `Accelerator()` takes that plugin.
fn from_plugin<'a>(start: &AccelerateLaunch<'a>) -> Option<DeepSpeedJson<'a>> {
    let run = start.run.filter(|run| is_plain_loop(run))?;
    let code = run.code.as_deref()?;
    let mut plugins = code.calls.iter().filter(|call| call.name() == "DeepSpeedPlugin");
    let plugin = plugins.next().filter(|call| !call.conditional && plugins.next().is_none())?;
    let taken = |call: &LibraryCall| call.is("accelerate", "Accelerator") && call.argument("deepspeed_plugin", None).is_some();
    if !code.calls.iter().any(taken) || code.calls.iter().any(|call| call.path == "deepspeed.initialize") {
        return None;
    }
    let named = plugin.argument("hf_ds_config", Some(0))?;
    let value = named.sole_value()?;
    let certain = !start.project.any_has(&code.files, Feature::PluginConfigAccess);
    if let ArgValue::Dict { .. } = &value.value {
        let is = |dict: &&DeepSpeedDict| dict.file == value.place.file && dict.range() == Some(value.place.range);
        let dict = start.project.deepspeed_dicts().iter().find(is)?;
        let (file, root) = (start.project.file(dict.file), dict.data.root()?);
        return Some(DeepSpeedJson { file, root, named: named.place, run, certain: certain && dict.complete });
    }
    let ArgValue::Known(Value::Text(path)) = &value.value else { return None };
    let file = start.project.file(start.project.path_resolver.resolve(path, start.project.file(plugin.file).folder())?);
    let root = file.data().and_then(DataFile::root).filter(|root| root.is_mapping())?;
    Some(DeepSpeedJson { file, root, named: named.place, run, certain })
}

impl DeepSpeedJson<'_> {
    /// The value at a path, and where it is.
    pub fn value(&self, path: &[&str]) -> Option<(FileRange, Value)> {
        let node = self.root.at(path)?;
        Some((FileRange::new(self.file.id, node.range()), node.value(Loader::Json)?))
    }
}
