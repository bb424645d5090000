//! Files that a template engine has to render before they are YAML.

/// Whether the text of a file is a template rather than YAML: a Jinja statement (`{% … %}`) or comment (`{# … #}`), or an expression
/// (`{{ … }}`) where a value starts, without quotes. `${…}` and GitHub's `${{ … }}` are ordinary text to YAML and do not count,
/// nor does anything in a comment. Of one value, `vramlint_base::is_templated` decides, for which `${…}` counts.
pub fn is_template_source(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        if line.starts_with('#') {
            return false;
        }
        let encloses =
            |open: &str, close: &str| line.match_indices(open).any(|(at, _)| !quoted(&line[..at]) && line[at..].contains(close));
        encloses("{%", "%}") || encloses("{#", "#}") || unquoted_expression(line)
    })
}

/// Whether `{{` is on the line where a value or a key may start, outside quotes.
fn unquoted_expression(line: &str) -> bool {
    line.match_indices("{{").any(|(at, _)| {
        let before = line[..at].trim_end();
        let starts = before.is_empty() || before.ends_with([':', '-', '[', ',', '{', '}']);
        starts && !quoted(before) && line[at..].contains("}}")
    })
}

/// Whether a text that starts with `before` is inside quotes at its end.
fn quoted(before: &str) -> bool {
    let mut open = None;
    for c in before.chars() {
        match open {
            None if c == '"' || c == '\'' => open = Some(c),
            Some(quote) if c == quote => open = None,
            _ => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::is_template_source;

    #[test]
    fn templates_are_told_from_text() {
        for text in ["{% if x %}\na: 1\n{% endif %}", "a: {{ x }}", "{{ key }}: 1", "- {{ x }}", "a: 1 {# why #}", "a: {%- x -%}"]
        {
            assert!(is_template_source(text), "{text}");
        }
        for text in ["a: ${X}", "a: ${{ x }}", "a: \"{{ x }}\"", "a: '{% x %}'", "# {{ x }}", "a: {b: {c: 1}}", ""] {
            assert!(!is_template_source(text), "{text}");
        }
    }
}
