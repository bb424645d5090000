//! Settings of runs that the user gives: `[runs."…"]` and `--set`.

use super::glob::{has_too_many_braces, too_many_braces};
use super::raw::RawSetting;
use globset::GlobBuilder;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{Message, TextRange, Value, message, suggest};
use vramlint_catalog::Concept;
use vramlint_resolve::{RunSelector, UserSetting};

/// A setting in a configuration file, before the file has a number.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSetting {
    /// The setting, without its place.
    pub setting: UserSetting,
    /// The range of its value.
    pub range: TextRange,
}

/// Reads `KEY=VALUE` of `--set`.
///
/// # Errors
///
/// Without `=`, and for a key that is no setting of runs.
pub fn parse_assignment(text: &str) -> Result<UserSetting, Message> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(message!("`--set {text}` is not KEY=VALUE", "`--set {text}` 不是 KEY=VALUE 的形式"));
    };
    let concept = concept_named(name.trim())?;
    let value = scalar(concept, value.trim());
    Ok(UserSetting { runs: RunSelector::Every, concept, value, source: "--set".to_owned(), place: None })
}

/// Reads one key of `[runs."SELECTOR"]`.
pub(super) fn read(selector: &str, name: &str, value: &RawSetting) -> Result<UserSetting, Message> {
    let concept = concept_named(name)?;
    let value = match value {
        RawSetting::Bool(value) => Value::Bool(*value),
        RawSetting::Int(value) => Value::Int(*value),
        RawSetting::Float(value) => Value::Float(*value),
        RawSetting::Text(text) => text_value(concept, text),
        RawSetting::List(items) => Value::List(items.iter().cloned().map(Value::Text).collect()),
    };
    let source = format!("[runs.\"{selector}\"] {name}");
    Ok(UserSetting { runs: run_selector(selector)?, concept, value, source, place: None })
}

/// A run id ends with `#` and a number; anything else is a glob.
fn run_selector(text: &str) -> Result<RunSelector, Message> {
    let is_id = text.rsplit_once('#').is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if is_id {
        return Ok(RunSelector::Id(text.to_owned()));
    }
    if has_too_many_braces(text.as_bytes()) {
        return Err(too_many_braces());
    }
    let glob = GlobBuilder::new(text.trim_start_matches("./")).build();
    glob.map(RunSelector::Glob).map_err(|error| {
        let reason = error.kind();
        message!(
            "`{text}` is neither a run id nor a glob: {reason}",
            "`{text}` 既不是训练任务的 id，也不是有效的通配模式：{reason}"
        )
    })
}

fn concept_named(name: &str) -> Result<Concept, Message> {
    if let Some(concept) = Concept::from_name(name) {
        return Ok(concept);
    }
    let known = Concept::ALL.iter().map(|concept| concept.name());
    Err(match suggest(name, known) {
        Some(meant) => message!("unknown setting `{name}`; did you mean `{meant}`?", "未知的设置 `{name}`；是否想写 `{meant}`？"),
        None => message!(
            "unknown setting `{name}`; `vramlint runs -v` prints the settings of each run",
            "未知的设置 `{name}`；`vramlint runs -v` 会列出每个训练任务的设置"
        ),
    })
}

/// A word of the command line as a value. Names stay strings even if they look like numbers.
fn scalar(concept: Concept, word: &str) -> Value {
    if matches!(concept, Concept::Model | Concept::RewardModel) {
        return Value::Text(word.to_owned());
    }
    match argparse_word(word) {
        Value::Text(text) => text_value(concept, &text),
        other => other,
    }
}

/// A string as a value: lists of module names are separated by commas.
fn text_value(concept: Concept, text: &str) -> Value {
    let is_list = matches!(concept, Concept::LoraTargets | Concept::LoraTargetParameters | Concept::LoraModulesToSave);
    if is_list && text.contains(',') {
        return Value::List(text.split(',').map(|name| Value::Text(name.trim().to_owned())).collect());
    }
    Value::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        parse_assignment(text).expect(text).value
    }

    #[test]
    fn assignments_have_the_type_of_their_setting() {
        assert_eq!(value("micro_batch=4"), Value::Int(4));
        assert_eq!(value("learning_rate = 2e-5"), Value::Float(2e-5));
        assert_eq!(value("gradient_checkpointing=true"), Value::Bool(true));
        assert_eq!(value("model=7"), Value::Text("7".into()));
        let names = ["q_proj", "v_proj"].map(|name| Value::Text(name.into())).to_vec();
        assert_eq!(value("lora_targets=q_proj, v_proj"), Value::List(names));
        assert_eq!(value("lora_targets=all-linear"), Value::Text("all-linear".into()));
    }

    #[test]
    fn unknown_settings_name_the_nearest() {
        let why = |text: &str| parse_assignment(text).expect_err(text).en;
        assert_eq!(why("micro_batsh=4"), "unknown setting `micro_batsh`; did you mean `micro_batch`?");
        assert_eq!(why("micro_batch"), "`--set micro_batch` is not KEY=VALUE");
        assert!(why("toaster=1").contains("vramlint runs -v"));
    }

    #[test]
    fn an_id_is_no_glob() {
        assert_eq!(run_selector("train[1].sh#2"), Ok(RunSelector::Id("train[1].sh#2".into())));
        assert!(matches!(run_selector("scripts/*.sh"), Ok(RunSelector::Glob(_))));
        assert!(run_selector("scripts/[").is_err());
    }
}
