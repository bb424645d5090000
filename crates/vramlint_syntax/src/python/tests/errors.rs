//! Syntax errors, and what survives them.

use super::show;
use crate::python::*;

/// The error lines as `slice: message`, and the tree.
fn read(text: &str) -> (Vec<String>, String) {
    let module = parse(text);
    let errors = module.errors.iter().map(|e| format!("{}: {}", e.range.slice(text), e.message.en)).collect();
    (errors, show::block(&module.body))
}

#[test]
fn python_2_print() {
    let (errors, tree) = read("lr = 1\nprint \"loss\", x\nbs = 2\n");
    assert_eq!(errors, ["\"loss\": `print` without parentheses is Python 2"]);
    assert!(tree.starts_with("lr = 1; ") && tree.ends_with("; bs = 2"), "{tree}");
}

#[test]
fn notebook_commands() {
    let text = "!pip install -q 'x[\nlr = 1\n%cd /content\nfiles = !ls (\n%%time\nif lr:\n    !accelerate launch \"\"\"\n    bs = 2\nx?\n";
    let (errors, tree) = read(text);
    assert_eq!(
        errors,
        [
            "!pip install -q 'x[: `!pip` is a notebook command, which Python cannot run",
            "%cd /content: `%cd` is a notebook command, which Python cannot run",
            "!ls (: `!ls` is a notebook command, which Python cannot run",
            "%%time: `%%time` is a notebook command, which Python cannot run",
            "!accelerate launch \"\"\": `!accelerate` is a notebook command, which Python cannot run",
            "x?: `x?` is a notebook command, which Python cannot run",
        ]
    );
    assert_eq!(tree, "other; lr = 1; other; files = other(); other; if lr {other; bs = 2}; other");
}

#[test]
fn marks_of_notebooks_that_the_parser_cannot_take() {
    for text in ["lr = 1\nx = [2}/=\r/=.\nbs = 2\n", "}=[2\u{8}}/=\r/=.\nbs = 2\n"] {
        let (errors, tree) = read(text);
        assert!(tree.contains('2') && !errors[0].contains("failed"), "{tree}, {errors:?}");
    }
}

#[test]
fn the_rest_is_kept() {
    let (errors, tree) = read("a = 1\nb = = 2\nc = f(x=3\ndef g(h):\n    d = 4\ne = 'open\ni = 5 6\nj = 7\n");
    assert_eq!(
        errors,
        [
            "=: an expression is missing here",
            "3: expected `)`, found end of line",
            "'open: the string is not closed",
            "6: statements on one line need a `;` between them",
        ]
    );
    assert_eq!(tree, "a = 1; b = other() = 2; c = f(x=3); def g(Plain h: - = -) {d = 4}; e = 'open'; i = 5; 6; j = 7");
}

#[test]
fn one_error_a_line() {
    let module = parse("x = ) ] } ? $ 1 2 3\ny = $\n");
    assert_eq!(module.errors.len(), 2, "{:?}", module.errors);
}

#[test]
fn missing_block() {
    let (errors, _) = read("for i in x:\ny = 1\n");
    assert_eq!(errors, ["y: an indented block is missing after `for` statement"]);
}

#[test]
fn errors_point_at_something() {
    for text in ["x =\n", "f(a,\n", "if x\n  y\n", "class\n", "x = (\n", "'a\n", "f'{a\n", "  x\n y\n", "\"\"\"a", "x = 批 量\n"]
    {
        for error in parse(text).errors {
            assert!(!error.range.is_empty() || error.range.start as usize == text.len(), "{error:?} in {text:?}");
        }
        assert!(!parse(text).errors.is_empty(), "{text:?}");
    }
}

#[test]
fn messages_are_one_line_without_full_stop_in_both_languages() {
    let texts = [
        "x = \n",
        "a b\n",
        "if a:\n",
        "f(a=1, b)\n",
        "1 = a\n",
        "def f(a=1, b): 0\n",
        "x = 'a\n",
        "f'{a'\n",
        "x = $\n",
        "a[]\n",
        "import\n",
        "async x\n",
        "x = 1 \\ 2\n",
        "b'批'\n",
        "f'}'\n",
        "'\\N{no such}'\n",
        "  a\n",
        "if a:\n    b\n  c\n",
        "del f()\n",
        "global\n",
        "f(**a, *b)\n",
        "try: a\n",
        "match x:\n  case 1+1: a\n",
        "with a as 1: b\n",
        "def f(*): 0\n",
        "lambda: (yield) = 1\n",
        "f(x for x in y, 1)\n",
        "f'{a!x}'\n",
        "class A(\n",
        "x = 0777\n",
        "1.e\n",
        "\"\"\"",
        "{a: 1, b}\n",
        "\0\n",
    ];
    for text in texts {
        let module = parse(text);
        assert!(!module.errors.is_empty(), "{text:?}");
        for error in module.errors {
            for words in [&error.message.en, &error.message.zh] {
                assert!(!words.contains('\n') && !words.ends_with(['.', '。']) && !words.is_empty(), "{words:?} for {text:?}");
            }
            assert!(error.message.zh.chars().any(|c| c > '\u{3000}'), "{:?}", error.message);
        }
    }
}
