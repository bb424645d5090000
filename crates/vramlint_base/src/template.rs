//! Placeholders that another program fills in before the file is read.

/// Whether a text contains template syntax or an interpolation: `{{ x }}`, `{% if x %}`, `<% x %>`, `${x}`.
pub fn has_template_mark(text: &str) -> bool {
    ["{{", "{%", "<%", "${"].iter().any(|mark| text.contains(mark))
}

/// Whether a text is a placeholder, so its value is unknown: it contains template syntax or a substitution (`$(x)`, `%(x)s`), or
/// it is a variable or a blank to fill in (`$x`, `<x>`, `<<x>>`, `__x__`, `YOUR_X`, `CHANGE_ME`).
pub fn is_templated(text: &str) -> bool {
    has_template_mark(text)
        || ["$(", "%(", "<<"].iter().any(|mark| text.contains(mark))
        || text.starts_with('$')
        || text.starts_with('<') && text.ends_with('>')
        || text.len() > 4 && text.starts_with("__") && text.ends_with("__")
        || BLANKS.iter().any(|start| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// How words begin that ask to be replaced.
const BLANKS: &[&str] = &["YOUR_", "CHANGE_ME", "CHANGEME", "REPLACE_", "PLACEHOLDER", "TODO", "FILL_IN", "FILL_ME"];

/// Whether a word that should be a number or a name may be a placeholder of any kind (`x$Y`, `{n}`, `n<i>`), so that nothing is said
/// about it. Too broad for strings, in which these characters are common.
pub fn may_be_templated(word: &str) -> bool {
    word.contains(['$', '{', '<']) || is_templated(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_values() {
        for text in [
            "{{ n }}",
            "{% if x %}2{% endif %}",
            "${N}",
            "$N",
            "<path>",
            "<<run>>",
            "__SIZE__",
            "YOUR_SIZE",
            "CHANGE_ME",
            "$(nproc)",
            "%(here)s",
        ] {
            assert!(is_templated(text), "{text}");
        }
        for text in ["auto", "2", "a < b", "cost $5", "{a}", "", "__", "100%"] {
            assert!(!is_templated(text), "{text}");
        }
        for word in ["x$Y", "{n}", "n<i>", "__SIZE__", "%(n)s"] {
            assert!(may_be_templated(word), "{word}");
        }
        assert!(!may_be_templated("auto") && !may_be_templated(""));
        assert!(has_template_mark("run-${N}") && !has_template_mark("$N"));
    }
}
