//! What the classes and functions of the training libraries take, and since and until which release they do.
//!
//! The facts lie in `data/classes/*.json`, one field a line. `tests/oracle/history.py` reads them from the source of every release
//! between `first` and `last` of a file: a field without `since` was there in the oldest of these, or in the oldest that had the
//! class.

use crate::data;
use crate::frameworks::Dialect;
use crate::keys::{self, KeyType};
use crate::versions::LibraryVersions;
use serde::Deserialize;
use std::sync::{LazyLock, OnceLock};

/// What happens to a name that is not one of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// Refused: `TypeError`, or the parser's error.
    Refused,
    /// Dropped, without an error.
    Ignored,
    /// Handed on to something else that decides.
    Passed,
}

/// A class, a function, or the arguments of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// The import path people write: `transformers.TrainingArguments`. Programs have a name of ours: `llamafactory.train`.
    pub name: String,
    /// The package whose releases [`Class::since`] counts, as pip names it: `ms-swift`.
    pub library: String,
    /// Other import paths of the same class.
    #[serde(default)]
    pub names: Vec<String>,
    /// First release whose top package has it; none where the oldest has it, or where it is never there.
    #[serde(default)]
    pub since: Option<String>,
    /// First release whose top package no longer has it. It may live on in a module: [`Class::moved_to`].
    #[serde(default)]
    pub until: Option<String>,
    /// Where it went when the top package lost it: `trl.experimental.orpo.ORPOConfig`.
    #[serde(default)]
    pub moved_to: Option<String>,
    /// The class of another table whose fields it takes too.
    #[serde(default)]
    pub base: Option<String>,
    /// First release in which it takes these, where it once did not.
    #[serde(default)]
    pub base_since: Option<String>,
    /// What happens to other names.
    pub unknown: Unknown,
    /// Its own fields, those of bases in the same package included.
    pub fields: Vec<Field>,
    /// The numbers of the fields in the order of their names, made when the first name is looked up.
    #[serde(skip)]
    by_name: OnceLock<Box<[u16]>>,
}

/// A field of a class, a parameter of a function or a flag of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// As it is written.
    pub name: String,
    /// What it holds, in the newest release that has it.
    pub kind: KeyType,
    /// Where that moved: each kind with the first release that has it, oldest first.
    #[serde(default)]
    pub kinds: Vec<(Option<String>, KeyType)>,
    /// The values of the newest release that has it, where they are a set. See [`Field::closed`] for what that means.
    #[serde(default)]
    pub values: Vec<String>,
    /// A field whose values it takes too: `transformers.TrainingArguments.optim`.
    #[serde(default)]
    pub values_of: Option<String>,
    /// Whether the class itself rejects every other value. If not, only a parser of arguments does, or [`Field::closed_by`].
    #[serde(default)]
    pub closed: bool,
    /// What rejects every other value later on if the class does not: the trainer, the library.
    #[serde(default)]
    pub closed_by: Option<String>,
    /// The key that names plugins, which may bring values of their own.
    #[serde(default)]
    pub extended_by: Option<String>,
    /// Values that only some releases take.
    #[serde(default)]
    pub past_values: Vec<PastValue>,
    /// The newest default, as a file would write it; `null` for Python's `None`. None where it is required or computed.
    #[serde(default)]
    pub default: Option<String>,
    /// Where it moved: each default with the first release that has it, oldest first. `required` and `computed` are no values.
    #[serde(default)]
    pub defaults: Vec<(Option<String>, String)>,
    /// Defaults that depend on another library.
    #[serde(default)]
    pub default_with: Vec<DefaultWith>,
    /// Whether it must be given.
    #[serde(default)]
    pub required: bool,
    /// Whether `None` is declared to be fine.
    #[serde(default)]
    pub nullable: bool,
    /// Its place among positional arguments, from 0, without `self`. Only of functions and constructors.
    #[serde(default)]
    pub position: Option<usize>,
    /// Least value, itself allowed; the class rejects less.
    #[serde(default)]
    pub min: Option<f64>,
    /// Lower bound, itself rejected.
    #[serde(default)]
    pub above: Option<f64>,
    /// Greatest value, itself allowed.
    #[serde(default)]
    pub max: Option<f64>,
    /// Upper bound, itself rejected.
    #[serde(default)]
    pub below: Option<f64>,
    /// The library that rejects what lies outside of the bounds later on if the class does not.
    #[serde(default)]
    pub bounds_by: Option<String>,
    /// First release that has it, where older ones were looked at and lack it.
    #[serde(default)]
    pub since: Option<String>,
    /// First release that no longer has it.
    #[serde(default)]
    pub until: Option<String>,
    /// Spans between these in which it was gone: from the first, up to the second.
    #[serde(default)]
    pub absent: Vec<(String, String)>,
    /// The package whose releases these count, as pip names it.
    pub library: String,
    /// First release that calls it deprecated.
    #[serde(default)]
    pub deprecated: Option<String>,
    /// What to write instead of a field that is deprecated or gone.
    #[serde(default)]
    pub instead: Option<String>,
    /// What it does, where the name does not say it.
    #[serde(default)]
    pub about: String,
    /// Release, file and line.
    pub source: String,
}

/// A default that holds with some releases of another library: `adamw_torch_fused` with torch 2.8.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultWith {
    /// The other library.
    pub library: String,
    /// Its first release with which the default holds.
    pub since: String,
    /// The first release of the field's own library that asks for it.
    pub asked_since: String,
    /// The default.
    pub default: String,
}

/// A value that only some releases of the library take; without a bound one that is taken and no longer documented.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastValue {
    /// As it is written.
    pub value: String,
    /// First release that takes it.
    #[serde(default)]
    pub since: Option<String>,
    /// First release that no longer does.
    #[serde(default)]
    pub until: Option<String>,
}

impl Field {
    /// Whether the newest release looked at has it.
    pub fn is_current(&self) -> bool {
        self.until.is_none()
    }

    /// Whether the class, or what reads it, rejects every value that is not listed.
    pub fn is_closed(&self) -> bool {
        self.closed || self.closed_by.is_some()
    }

    /// Every value that any release takes, those of [`Field::values_of`] included.
    pub fn all_values(&'static self) -> Vec<&'static str> {
        let other = self.values_of.as_deref().and_then(|path| path.rsplit_once('.'));
        let other = other.and_then(|(class, name)| find(class)?.field(name)).map(Self::all_values).unwrap_or_default();
        let mut found: Vec<&'static str> = self.values.iter().map(String::as_str).collect();
        for value in self.past_values.iter().map(|past| past.value.as_str()).chain(other) {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        found
    }

    /// Whether any bound of its value is known.
    pub fn is_bounded(&self) -> bool {
        [self.min, self.above, self.max, self.below].iter().any(Option::is_some)
    }

    /// Whether the release in use has it.
    pub fn is_in(&self, versions: &LibraryVersions) -> bool {
        versions.has(&self.library, self.since.as_deref(), self.until.as_deref(), &self.absent)
    }

    /// The default in the releases in use, as [`Field::default`].
    pub fn default_in(&self, versions: &LibraryVersions) -> Option<&str> {
        let holds = |with: &&DefaultWith| {
            versions.reaches(&self.library, &with.asked_since) && versions.reaches(&with.library, &with.since)
        };
        if let Some(with) = self.default_with.iter().find(holds) {
            return Some(&with.default);
        }
        keys::default_in(versions, &self.library, self.default.as_deref(), &self.defaults)
    }
}

impl Class {
    /// The class whose fields it takes too.
    pub fn base(&self) -> Option<&'static Class> {
        self.base.as_deref().and_then(find)
    }

    /// All fields, its own before inherited ones; of a name that both have only its own. Also those that are gone.
    pub fn fields(&'static self) -> impl Iterator<Item = &'static Field> {
        let inherited =
            self.base().into_iter().flat_map(|base| Box::new(base.fields()) as Box<dyn Iterator<Item = &'static Field>>);
        self.fields.iter().chain(inherited.filter(move |field| self.own(&field.name).is_none()))
    }

    /// The field of this name, its own before the inherited one. It may be gone: see [`Field::until`].
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.declarations(name).next()
    }

    /// Every declaration of a name, its own first and then the bases'. The name is taken wherever one of these is there: the
    /// library of a subclass may declare a field anew, or keep one that its base has lost.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = &'static Field> {
        let chain = std::iter::successors(find(&self.name), |class| class.base());
        chain.filter_map(move |class| class.own(name))
    }

    /// The field of the newest release that was probably meant by a name that is none.
    pub fn nearest(&'static self, name: &str) -> Option<&'static str> {
        keys::nearest(name, self.fields().filter(|field| field.is_current()).map(|field| field.name.as_str()))
    }

    /// The first of its own fields with this name.
    fn own(&self, name: &str) -> Option<&Field> {
        let field = |number: &u16| &self.fields[usize::from(*number)];
        let by_name = self.by_name.get_or_init(|| {
            let mut numbers: Box<[u16]> = (0..self.fields.len() as u16).collect();
            numbers.sort_by(|a, b| field(a).name.cmp(&field(b).name));
            numbers
        });
        let place = by_name.partition_point(|number| field(number).name.as_str() < name);
        by_name.get(place).map(field).filter(|field| field.name == name)
    }
}

/// The table of one library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What writes the file.
    pub generated: String,
    /// The package, as pip names it.
    pub library: String,
    /// The oldest release looked at.
    pub first: String,
    /// The newest.
    pub last: String,
    /// Its classes.
    pub classes: Vec<Class>,
}

/// Reads the table of a framework when it is first asked for.
macro_rules! load {
    ($package:literal) => {{
        static TABLE: std::sync::LazyLock<$crate::classes::Table> =
            std::sync::LazyLock::new(|| $crate::data::read(data!("classes/", $package)));
        &*TABLE
    }};
}
pub(crate) use load;

macro_rules! tables {
    ($($package:literal)*) => {
        /// First word of the import paths, and the table that is read when it is first asked for.
        static TABLES: [(&str, LazyLock<Table>); [$($package),*].len()] = [$((
            $package,
            LazyLock::new(|| data::read(data!("classes/", $package))),
        )),*];
    };
}

tables! { "transformers" "trl" "peft" "accelerate" "torch" "llamafactory" "axolotl" "torchtune" "swift" "openrlhf" "unsloth" }

/// All tables.
pub fn tables() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().map(|(_, table)| &**table).chain(of_frameworks().map(|(_, table)| table()))
}

/// The table of one package by its import name: `trl`, `swift`.
pub fn table(package: &str) -> Option<&'static Table> {
    let own = || of_frameworks().find(|(name, _)| *name == package).map(|(_, table)| table());
    TABLES.iter().find(|(name, _)| *name == package).map(|(_, table)| &**table).or_else(own)
}

/// The tables that frameworks bring with their descriptors.
fn of_frameworks() -> impl Iterator<Item = (&'static str, fn() -> &'static Table)> {
    Dialect::ALL.iter().filter_map(|dialect| dialect.framework().table)
}

/// Every value that any release takes for a field of a class or function; empty if they are not a known set.
pub fn values(path: &str, field: &str) -> Vec<&'static str> {
    find(path).and_then(|class| class.field(field)).map(Field::all_values).unwrap_or_default()
}

/// The position of a parameter in the call of a class or function, from 0.
pub fn position(path: &str, parameter: &str) -> Option<usize> {
    find(path)?.field(parameter)?.position
}

/// Whether TRL has a trainer of this name: one that takes a configuration of trainings, as `SFTTrainer` does `SFTConfig`.
pub fn is_trl_trainer(name: &str) -> bool {
    let config = name.strip_suffix("Trainer").and_then(|stem| find(&format!("trl.{stem}Config")));
    config.is_some_and(|config| config.base.is_some())
}

/// Tasks whose configuration in TRL 1.16 has a `beta`, by the words that folders and files are named after.
pub const TRL_TASKS_WITH_BETA: &[&str] = &["dpo", "kto", "orpo", "cpo", "bco", "grpo", "rloo", "xpo", "gkd", "simpo"];

/// The class at an import path: `transformers.TrainingArguments`, `transformers.training_args.TrainingArguments`,
/// `transformers.AutoModelForCausalLM.from_pretrained`.
pub fn find(path: &str) -> Option<&'static Class> {
    let package = path.split('.').next()?;
    let classes = &table(package)?.classes;
    classes.iter().find(|class| class.name == path).or_else(|| {
        classes.iter().find(|class| class.names.iter().any(|name| name == path) || class.moved_to.as_deref() == Some(path))
    })
}

#[cfg(test)]
mod tests;
