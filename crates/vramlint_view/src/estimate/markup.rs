//! Escaping for HTML, XML and scripts.

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
            // The last two ranges change the text direction and would disorder the rest of the page.
            '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

/// JSON for a script element.
pub(super) fn script(json: &serde_json::Value) -> String {
    json.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
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
