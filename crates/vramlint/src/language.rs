//! The language of the messages: `--lang`, else the configuration, else the locale.

use clap::ValueEnum;
use vramlint_base::Lang;

/// `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// English
    En,
    /// Simplified Chinese
    Zh,
}

impl From<Choice> for Lang {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::En => Self::En,
            Choice::Zh => Self::Zh,
        }
    }
}

/// The language to speak.
pub(crate) fn decide(flag: Option<Choice>, config: Option<Lang>) -> Lang {
    flag.map(Lang::from).or(config).unwrap_or_else(|| of_locale(&locale()))
}

/// The locale for messages. POSIX: of these variables the first that is set and not empty decides; `LANGUAGE` counts only
/// beside a locale other than `C`, so it is not asked.
fn locale() -> String {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let set = variables.filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    set.or_else(sys_locale::get_locale).unwrap_or_default()
}

fn of_locale(locale: &str) -> Lang {
    let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
    if language.eq_ignore_ascii_case("zh") { Lang::Zh } else { Lang::En }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_locales_are_recognised() {
        for locale in ["zh_CN.UTF-8", "zh-Hans-CN", "zh", "ZH_TW", "zh@pinyin"] {
            assert_eq!(of_locale(locale), Lang::Zh, "{locale}");
        }
        for locale in ["C", "C.UTF-8", "en_US.UTF-8", "POSIX", "", "zhx"] {
            assert_eq!(of_locale(locale), Lang::En, "{locale}");
        }
    }

    #[test]
    fn the_flag_beats_the_configuration() {
        assert_eq!(decide(Some(Choice::En), Some(Lang::Zh)), Lang::En);
        assert_eq!(decide(None, Some(Lang::Zh)), Lang::Zh);
    }
}
