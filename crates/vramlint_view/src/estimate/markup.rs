//! Escaping for HTML, XML and scripts.

use vramlint_base::visible::acts_on_display;

/// Escapes text for an element or a quoted attribute. Characters that XML does not allow are replaced.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            // Marks of direction would disorder the rest of the page.
            c if acts_on_display(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON for a script element.
pub(super) fn script(json: &serde_json::Value) -> String {
    let escaped = |c: char| match c {
        '<' => "\\u003c".to_owned(),
        c if acts_on_display(c) => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        c => c.to_string(),
    };
    json.to_string().chars().map(escaped).collect()
}

/// Replaces `{{name}}` in a template with markup. Values are not expanded again.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else { break };
        out.push_str(values.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value));
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_becomes_markup() {
        assert_eq!(escape(r#"<img src=x onerror="a('b')">&"#), "&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;");
        assert_eq!(escape("a\u{0}\u{1b}\u{202e}b\n中"), "a\u{fffd}\u{fffd}\u{fffd}b 中");
        assert_eq!(script(&serde_json::json!("</script>\u{2028}")), r#""\u003c/script>\u2028""#);
    }

    #[test]
    fn values_are_not_templates() {
        assert_eq!(fill("a {{x}} b {{y}} c {{none}}", &[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2 c ");
    }
}
