//! Files that a template engine has to render before they are YAML.

/// Whether the text of a file is a template rather than YAML: a Jinja statement (`{% … %}`) or comment (`{# … #}`), or an expression
/// (`{{ … }}`) where a value starts, without quotes. `${…}` and GitHub's `${{ … }}` are ordinary text to YAML and do not count,
/// nor does anything in a comment. Of one value, `vramlint_base::is_templated` decides, for which `${…}` counts.
pub fn is_template_source(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        !line.starts_with('#') && has_template(line)
    })
}

/// Whether a template starts on a line outside quotes and ends on it. Looks at each character once.
fn has_template(line: &str) -> bool {
    if !line.contains('{') {
        return false;
    }
    let [statement, comment, expression] = ["%}", "#}", "}}"].map(|close| line.rfind(close));
    let ends = |close: Option<usize>, at: usize| close.is_some_and(|close| close > at);
    let (mut quote, mut last, mut next_expression) = (None, None, 0);
    for (at, c) in line.char_indices() {
        let rest = &line.as_bytes()[at..];
        if quote.is_none() && (rest.starts_with(b"{%") && ends(statement, at) || rest.starts_with(b"{#") && ends(comment, at)) {
            return true;
        }
        if rest.starts_with(b"{{") && at >= next_expression {
            next_expression = at + 2;
            // An expression is one only where a value or a key may start.
            let starts = last.is_none_or(|before| matches!(before, ':' | '-' | '[' | ',' | '{' | '}'));
            if quote.is_none() && starts && ends(expression, at) {
                return true;
            }
        }
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    false
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
