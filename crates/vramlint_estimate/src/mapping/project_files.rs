//! What the files of a run contain beyond its settings: keys and classes in data files, calls in its code.

use super::Mapping;
use super::setting_range::boolean;
use vramlint_base::{Message, Value, message};
use vramlint_syntax::data::{Loader, NodeId, NodeRef};

impl Mapping<'_> {
    /// Whether a data file of the run has this key, at any depth.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.values_of(key).next().is_some()
    }

    /// Whether a data file or the command of the run gives this key a value that is neither zero nor false.
    pub(super) fn gives(&self, key: &str) -> bool {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let given = options.iter().rfind(|option| option.name.rsplit('.').next() == Some(key));
        let texts = given.and_then(|option| option.value.as_ref()?.text.as_deref());
        texts.map_or_else(|| self.has_key(key), |text| !matches!(text, "0" | "0." | "0.0" | "false" | "False"))
    }

    /// Whether a data file or the command of the run gives this key a number above one.
    pub(super) fn gives_above_one(&self, key: &str) -> bool {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let given = options.iter().rfind(|option| option.name.rsplit('.').next() == Some(key));
        let above = |text: &str| text.trim().parse::<u64>().is_ok_and(|size| size > 1);
        match given {
            Some(option) => option.value.as_ref().and_then(|value| value.text.as_deref()).is_some_and(above),
            None => self.values_of(key).filter_map(NodeRef::text).any(above),
        }
    }

    /// Whether a data file or the command of the run switches `key` on: with a true value, or with one of `words`.
    pub(super) fn enables(&self, key: &str, words: &[&str]) -> bool {
        let enabled = |value: &Value| boolean(value) == Some(true) || value.as_str().is_some_and(|word| words.contains(&word));
        let in_file = self.values_of(key).filter_map(|node| node.value(Loader::PyYaml)).any(|value| enabled(&value));
        // An option without a value is a switch. The last one decides.
        let option_enables = |value: Option<&str>| value.is_none_or(|text| enabled(&Value::Text(text.to_owned())));
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let given = options.iter().rfind(|option| option.name.rsplit('.').next() == Some(key));
        match given {
            Some(option) => option_enables(option.value.as_ref().and_then(|value| value.text.as_deref())),
            None => in_file,
        }
    }

    /// Whether the command, a data file or a call of the run gives this key the number zero.
    pub(super) fn is_zero(&self, key: &str) -> bool {
        self.gives_number(key, |number| number == 0.0)
    }

    /// Whether the command, a data file or a call of the run gives this key a number above zero.
    pub(super) fn is_positive(&self, key: &str) -> bool {
        self.gives_number(key, |number| number > 0.0)
    }

    /// Whether a number that the run gives this key is as asked. The command decides.
    pub(super) fn gives_number(&self, key: &str, asked: impl Fn(f64) -> bool) -> bool {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        if let Some(option) = options.iter().rfind(|option| option.name.rsplit('.').next() == Some(key)) {
            let text = option.value.as_ref().and_then(|value| value.text.as_deref());
            return text.and_then(|text| text.parse().ok()).is_some_and(asked);
        }
        let in_files = self.values_of(key).filter_map(|node| node.value(Loader::PyYaml)?.as_float());
        let in_code = self.calls().filter_map(|call| call.keyword(key)?.value.as_value()?.as_float());
        in_files.chain(in_code).any(asked)
    }

    /// What the command or a data file of the run gives this key, as it is written.
    pub(super) fn given_text(&self, key: &str) -> Option<String> {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let option = options.iter().rfind(|option| option.name.rsplit('.').next() == Some(key));
        let in_command = option.and_then(|option| option.value.as_ref()?.text.as_deref());
        in_command.or_else(|| self.values_of(key).find_map(NodeRef::text)).map(str::to_owned)
    }

    /// The list that a data file of the run gives this key; empty if none does.
    pub(super) fn list_of(&self, key: &str) -> Vec<Value> {
        let mut values = self.values_of(key).filter_map(|node| node.value(Loader::PyYaml));
        values.find_map(|value| if let Value::List(items) = value { Some(items) } else { None }).unwrap_or_default()
    }

    /// What the command or a data file of the run gives this key: a text, or why its value is not known. A switch without a value is on.
    pub(super) fn argument_text(&self, key: &str) -> Result<Option<String>, Message> {
        let unknown = || message!("{key} is unknown", "{key} 未知");
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let is_key = |name: &str| name.rsplit('.').next().is_some_and(|name| name.replace('-', "_") == key);
        if let Some(option) = options.iter().rfind(|option| is_key(&option.name)) {
            let words: Option<Vec<&str>> = option.value.iter().chain(&option.more).map(|value| value.text.as_deref()).collect();
            let words = words.ok_or_else(unknown)?;
            return Ok(Some(if words.is_empty() { "true".to_owned() } else { words.join(" ") }));
        }
        self.values_of(key).next().map(|node| node.text().map(str::to_owned).ok_or_else(unknown)).transpose()
    }

    /// Whether a data file of the run names a class, alone or after its module: `torchtune.rlhf.loss.DPOLoss`. `class` is its end.
    pub(super) fn names_class(&self, class: &str) -> bool {
        let texts = self.nodes().filter_map(NodeRef::text);
        texts.filter_map(|text| text.rsplit(['.', ':']).next()).any(|name| name.ends_with(class))
    }

    /// Whether the run's code calls a function whose name starts like this.
    pub(super) fn code_calls(&self, function: &str) -> bool {
        self.calls().any(|call| {
            let callee = call.callee.dotted();
            callee.as_deref().and_then(|path| path.rsplit('.').next()).is_some_and(|name| name.starts_with(function))
        })
    }

    /// Whether a call in the run's code has this keyword argument.
    pub(super) fn code_passes(&self, keyword: &str) -> bool {
        self.calls().any(|call| call.keyword(keyword).is_some())
    }

    /// Whether a call in the run's code gives this keyword one of these texts.
    pub(super) fn code_gives(&self, keyword: &str, words: &[&str]) -> bool {
        self.calls().filter_map(|call| call.keyword(keyword)?.value.as_str()).any(|given| words.contains(&given))
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &vramlint_syntax::python::Call> {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules = files.filter_map(|file| self.project.file(*file).python());
        modules.flat_map(|module| module.calls().map(|site| site.call))
    }

    /// Every node of the run's data files.
    fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let files = self.run.files.iter().filter_map(|file| self.project.file(*file).data());
        files.flat_map(|file| (0..).zip(&file.nodes).map(move |(id, _)| NodeRef { file, id: NodeId(id) }))
    }

    /// The values of a key in the run's data files.
    fn values_of<'s>(&'s self, key: &'s str) -> impl Iterator<Item = NodeRef<'s>> {
        let files = self.run.files.iter().filter_map(|file| self.project.file(*file).data());
        files.flat_map(move |file| file.values_of(key))
    }
}
