//! `hydra.utils.instantiate`: calls of what a configuration names.

use super::call_arguments::{ArgumentRanges, CallArguments};
use super::interpreter::Interpreter;
use super::modules::ImportTarget;
use super::value::{AbstractValue, ValueKind};
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::Call;

/// Maximum nesting of blocks with a `_target_`.
const MAX_DEPTH: usize = 4;

impl<'a> Interpreter<'a> {
    /// The call of what the block names that is the first argument; `None` if that is not known.
    pub(super) fn instantiate_configured(
        &mut self,
        call: &'a Call,
        args: &CallArguments,
        place: FileRange,
    ) -> Option<AbstractValue> {
        let (block, rest) = match args.positional.split_first() {
            Some((block, rest)) => (block.clone(), rest.to_vec()),
            None => (args.get("config")?.clone(), Vec::new()),
        };
        let keyword = args.keyword.iter().filter(|(name, _)| name != "config").cloned().collect();
        let given = CallArguments { positional: rest, keyword, open: args.open, ..CallArguments::default() };
        self.instantiate_block(call, &block, given, place, MAX_DEPTH)
    }

    /// The keys of the block are arguments; those that the call gives replace them.
    fn instantiate_block(
        &mut self,
        call: &'a Call,
        block: &AbstractValue,
        mut args: CallArguments,
        place: FileRange,
        depth: usize,
    ) -> Option<AbstractValue> {
        block.single().filter(|alt| alt.condition.is_none())?;
        let entries = self.known_entries(block, place)?;
        let is_set = |name: &str| args.get(name).is_some() || entries.iter().any(|(key, _)| key == name);
        if is_set("_partial_") || is_set("_args_") {
            return None;
        }
        let own = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, val)| val.clone());
        let target = args.get("_target_").cloned().or_else(|| own("_target_"))?.constant()?.as_str()?.to_owned();
        let recursive = args.get("_recursive_").cloned().or_else(|| own("_recursive_"));
        let recursive = recursive.is_none_or(|val| val.constant() != Some(&Value::Bool(false)));
        args.keyword.retain(|(name, _)| !is_directive(name));
        for (name, val) in entries {
            if is_directive(&name) || args.get(&name).is_some() {
                continue;
            }
            let nested = recursive && self.known_entries(&val, place).is_some_and(|keys| has_target(&keys));
            let val = match nested {
                true if depth == 0 => AbstractValue::located(ValueKind::Unknown, place),
                true => {
                    let made = self.instantiate_block(call, &val, CallArguments::default(), place, depth - 1);
                    made.unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, place))
                }
                false => val,
            };
            self.reads.log(&val);
            args.keyword.push((name, val));
        }
        let callee = self.object_named(&target);
        Some(self.invoke(call, &callee, (&args, &ArgumentRanges::default()), place))
    }

    /// What a dotted name means: something of the project, otherwise of a library.
    pub(super) fn object_named(&mut self, dotted: &str) -> AbstractValue {
        let from = self.sources.file(self.sources.entry).map_or(String::new(), |file| file.path.clone());
        for (end, _) in dotted.rmatch_indices('.') {
            let Some(found) = self.modules.find(&dotted[..end], 0, &from) else { continue };
            if let ImportTarget::File(file) = &found {
                self.load_module(*file);
            }
            let mut names = dotted[end + 1..].split('.');
            let first = names.next().unwrap_or_default();
            let mut val = self.member(&found, first);
            for name in names {
                val = self.attribute(&val, name, self.sources.entry_start());
            }
            return val;
        }
        AbstractValue::located(ValueKind::External(dotted.into()), self.sources.entry_start())
    }
}

/// Keys that speak to Hydra (hydra-core 1.3.2 `hydra/_internal/instantiate/_instantiate2.py`).
fn is_directive(name: &str) -> bool {
    matches!(name, "_target_" | "_convert_" | "_recursive_" | "_partial_" | "_args_")
}

fn has_target(keys: &[(String, AbstractValue)]) -> bool {
    keys.iter().any(|(key, _)| key == "_target_")
}
