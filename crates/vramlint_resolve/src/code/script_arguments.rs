//! What a command line gives to the script that it starts.

use vramlint_base::Value;

/// The arguments of a script, as far as they are known. The default knows nothing: any option may be given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptArguments {
    /// The options that are given, in order.
    pub options: Vec<GivenOption>,
    /// Whether no other option is given: the defaults of all others hold.
    pub complete: bool,
    /// The folder of the file that holds the command; paths among the arguments are relative to it or to a folder above.
    pub folder: Option<String>,
    /// The words after the script, `None` where the text is not known.
    pub words: Vec<Option<String>>,
}

/// An option on a command line.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenOption {
    /// Its name as written, without leading dashes.
    pub name: String,
    /// Its values, `None` where one is not known; `true` for a switch.
    pub values: Vec<Option<Value>>,
}

impl ScriptArguments {
    /// A script that is started without arguments.
    pub fn none() -> Self {
        Self { complete: true, ..Self::default() }
    }

    /// The last option with one of these names; `-` and `_` are the same.
    pub(super) fn option(&self, names: &[String]) -> Option<&GivenOption> {
        let plain = |name: &str| name.trim_start_matches('-').replace('-', "_");
        self.options.iter().rev().find(|given| {
            let own = plain(&given.name);
            names.iter().any(|name| plain(name) == own)
        })
    }

    /// The value of `a.b=…`, which Hydra and OmegaConf put above a file: `None` if it is not given, an unknown value inside.
    pub(super) fn override_of(&self, route: &[String]) -> Option<Option<&Value>> {
        let path = route.join(".");
        let given = self.options.iter().rev().find(|given| given.name == path)?;
        Some(given.values.first().and_then(Option::as_ref))
    }
}

impl GivenOption {
    /// An option with one known value.
    pub fn new(name: &str, value: Value) -> Self {
        Self { name: name.to_owned(), values: vec![Some(value)] }
    }
}
