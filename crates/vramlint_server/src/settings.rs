//! The user's settings: section `vramlint` of the editor.

use serde_json::Value;
use std::path::PathBuf;
use vramlint_base::{Lang, Message, message};
use vramlint_project::config::Size;

/// The settings. A missing or invalid value has its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `lang`; `None` for `auto`.
    pub lang: Option<Lang>,
    /// `inlayHints.effectiveBatch`.
    pub effective_batch: bool,
    /// `inlayHints.memory`.
    pub memory: bool,
    /// `inlayHints.number`.
    pub number: bool,
    /// `codeLens`.
    pub code_lens: bool,
    /// `gpu`: the target GPU; overrides configuration files.
    pub gpu: Option<String>,
    /// `gpuMemory`, bytes.
    pub gpu_memory: Option<u64>,
    /// `config`: a configuration file to use instead of the nearest ones.
    pub config: Option<PathBuf>,
    /// `trace`: logs how long each analysis takes.
    pub trace: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lang: None,
            effective_batch: true,
            memory: true,
            number: true,
            code_lens: true,
            gpu: None,
            gpu_memory: None,
            config: None,
            trace: false,
        }
    }
}

impl Settings {
    /// Reads a section, which may be nested under its own name. Returns the settings and what is invalid.
    pub(crate) fn read(value: &Value) -> (Self, Vec<Message>) {
        let section = value.get("vramlint").unwrap_or(value);
        let mut errors = Vec::new();
        let default = Self::default();
        let text = |name: &str| section.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let switch = |path: &str, default: bool| section.pointer(path).and_then(Value::as_bool).unwrap_or(default);
        let gpu_memory = text("gpuMemory").and_then(|text| match Size::parse(text) {
            Ok(size) => Some(size.0),
            Err(Message { en, zh }) => {
                errors.push(message!("vramlint.gpuMemory: {en}", "vramlint.gpuMemory：{zh}"));
                None
            }
        });
        let settings = Self {
            lang: text("lang").and_then(|text| match text {
                "en" => Some(Lang::En),
                "zh" => Some(Lang::Zh),
                _ => None,
            }),
            // A single boolean applies to all hints.
            effective_batch: switch("/inlayHints/effectiveBatch", switch("/inlayHints", default.effective_batch)),
            memory: switch("/inlayHints/memory", switch("/inlayHints", default.memory)),
            number: switch("/inlayHints/number", switch("/inlayHints", default.number)),
            code_lens: switch("/codeLens/enable", switch("/codeLens", default.code_lens)),
            gpu: text("gpu").map(str::to_owned),
            gpu_memory,
            config: text("config").map(PathBuf::from),
            trace: text("trace").is_some_and(|text| text != "off")
                || section.pointer("/trace/server").is_some_and(|text| text != "off"),
        };
        (settings, errors)
    }

    /// Whether an analysis finds the same with the other settings.
    pub(crate) fn finds_same_as(&self, other: &Self) -> bool {
        self.gpu == other.gpu && self.gpu_memory == other.gpu_memory && self.config == other.config
    }
}

/// The language of a locale such as `zh-cn`.
pub(crate) fn lang_from_locale(locale: &str) -> Lang {
    let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
    if language.eq_ignore_ascii_case("zh") { Lang::Zh } else { Lang::En }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_set_is_as_usual() {
        assert_eq!(Settings::read(&json!(null)), (Settings::default(), vec![]));
        assert_eq!(Settings::read(&json!({"lang": "auto", "gpu": "", "codeLens": "yes"})), (Settings::default(), vec![]));
    }

    #[test]
    fn each_key_is_read() {
        let (settings, errors) = Settings::read(&json!({"vramlint": {
            "lang": "zh", "inlayHints": {"memory": false}, "codeLens": false, "gpu": "RTX 4090", "gpuMemory": "24GiB",
            "config": "/c/vramlint.toml", "trace": "verbose",
        }}));
        assert_eq!(errors, vec![]);
        assert_eq!((settings.lang, settings.memory, settings.number, settings.code_lens), (Some(Lang::Zh), false, true, false));
        assert_eq!((settings.gpu.as_deref(), settings.gpu_memory, settings.trace), (Some("RTX 4090"), Some(24 << 30), true));
        assert!(!settings.finds_same_as(&Settings::default()));
        let (none, _) = Settings::read(&json!({"inlayHints": false}));
        assert!(!none.memory && !none.number && !none.effective_batch && none.finds_same_as(&Settings::default()));
    }

    #[test]
    fn a_wrong_size_is_told() {
        let (settings, errors) = Settings::read(&json!({"gpuMemory": "much"}));
        assert_eq!(settings.gpu_memory, None);
        assert!(errors[0].en.starts_with("vramlint.gpuMemory"), "{errors:?}");
    }

    #[test]
    fn locales_have_a_language() {
        assert_eq!(
            (lang_from_locale("zh-cn"), lang_from_locale("ZH_TW"), lang_from_locale("en"), lang_from_locale("zhx")),
            (Lang::Zh, Lang::Zh, Lang::En, Lang::En)
        );
    }
}
