//! The language of the messages: `--lang`, else the configuration, else the locale.

use clap::ValueEnum;
use vramlint_base::Lang;

/// `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageChoice {
    /// English.
    En,
    /// 中文
    Zh,
}

impl From<LanguageChoice> for Lang {
    fn from(choice: LanguageChoice) -> Self {
        match choice {
            LanguageChoice::En => Self::En,
            LanguageChoice::Zh => Self::Zh,
        }
    }
}

/// The language of the messages.
pub(crate) fn resolve(flag: Option<LanguageChoice>, config: Option<Lang>) -> Lang {
    flag.map(Lang::from).or(config).unwrap_or_else(from_locale)
}

fn from_locale() -> Lang {
    // POSIX: the first variable that is set decides; `C` means English.
    let set =
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let locale = set.or_else(sys_locale::get_locale).unwrap_or_default();
    if is_chinese(&locale) { Lang::Zh } else { Lang::En }
}

fn is_chinese(locale: &str) -> bool {
    let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
    language.eq_ignore_ascii_case("zh") || language.eq_ignore_ascii_case("chinese")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_locales_are_recognised() {
        for locale in
            ["zh_CN.UTF-8", "zh-Hans-CN", "zh", "ZH_TW", "Chinese (Simplified)_China.936".split(' ').next().unwrap_or("")]
        {
            assert!(is_chinese(locale), "{locale}");
        }
        for locale in ["C", "C.UTF-8", "en_US.UTF-8", "POSIX", "", "zhx"] {
            assert!(!is_chinese(locale), "{locale}");
        }
    }

    #[test]
    fn the_flag_beats_the_configuration() {
        assert_eq!(resolve(Some(LanguageChoice::En), Some(Lang::Zh)), Lang::En);
        assert_eq!(resolve(None, Some(Lang::Zh)), Lang::Zh);
    }
}
