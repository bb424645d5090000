//! Broken text: every truncation and every deletion of realistic scripts.

use super::FIXTURES;
use crate::python::*;
use vramlint_base::TextRange;

/// Every range of a module lies inside the text at character edges, and parts lie inside their wholes.
fn check(text: &str) {
    let module = parse(text);
    let place = |range: TextRange, whole: TextRange| {
        assert!(text.get(range.as_usize()).is_some(), "{range:?} of {} in {text:?}", text.len());
        assert!(whole.contains(range), "{range:?} outside of {whole:?} in {text:?}");
    };
    let all = TextRange::of(0..text.len());
    module.errors.iter().for_each(|error| {
        place(error.range, all);
        assert!(!error.message.en.contains("parser failed"), "a panic on {text:?}");
        assert!(!error.range.is_empty() || error.range.start == all.end, "{error:?} in {text:?}");
    });
    module.comments.iter().for_each(|comment| place(comment.range, all));
    for located in module.statements() {
        let stmt = located.stmt;
        place(stmt.range, all);
        for body in stmt.bodies() {
            for inner in body {
                place(inner.range, stmt.range);
            }
        }
        match &stmt.kind {
            StmtKind::If(arms) => arms.iter().for_each(|arm| place(arm.header, stmt.range)),
            StmtKind::Import { range, .. } => place(*range, stmt.range),
            StmtKind::FromImport { names, .. } => names.iter().for_each(|name| place(name.range, stmt.range)),
            StmtKind::Function(function) => {
                place(function.name_range, stmt.range);
                function.params.iter().for_each(|param| place(param.range, stmt.range));
            }
            StmtKind::Class(class) => place(class.name_range, stmt.range),
            _ => {}
        }
        for expr in stmt.expressions() {
            place(expr.range, stmt.range);
            expr.walk().for_each(|expr| check_expr(expr, &place));
        }
        assert!(equal_bodies(text, std::slice::from_ref(stmt), std::slice::from_ref(stmt)), "{stmt:?}");
        let _: Vec<Folded> = stmt.expressions().into_iter().map(|expr| fold(expr, &|_| Folded::Unknown)).collect();
    }
    let _ = (Imports::of(&module), module.calls().count());
}

fn check_expr(expr: &Expr, place: &impl Fn(TextRange, TextRange)) {
    expr.children().into_iter().for_each(|child| place(child.range, expr.range));
    match &expr.kind {
        ExprKind::Attribute(_, _, name) => place(*name, expr.range),
        ExprKind::Call(call) => call.args.iter().for_each(|arg| {
            place(arg.range, expr.range);
            place(arg.value.range, arg.range);
            if let ArgumentKind::Keyword(_, name) = arg.kind {
                place(name, arg.range);
            }
        }),
        _ => {}
    }
}

fn truncations(text: &str) {
    let edges = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    edges.for_each(|at| check(&text[..at]));
}

fn deletions(text: &str) {
    for (at, c) in text.char_indices() {
        check(&format!("{}{}", &text[..at], &text[at + c.len_utf8()..]));
    }
}

#[test]
fn truncated_argparse() {
    truncations(FIXTURES[0]);
}

#[test]
fn truncated_accelerate() {
    truncations(FIXTURES[1]);
}

#[test]
fn truncated_class_config() {
    truncations(FIXTURES[2]);
}

#[test]
fn truncated_grpo() {
    truncations(FIXTURES[3]);
}

#[test]
fn deleted_argparse() {
    deletions(FIXTURES[0]);
}

#[test]
fn deleted_accelerate() {
    deletions(FIXTURES[1]);
}

#[test]
fn deleted_class_config() {
    deletions(FIXTURES[2]);
}

#[test]
fn deleted_grpo() {
    deletions(FIXTURES[3]);
}

#[test]
fn dos_line_breaks_and_byte_order_mark() {
    for fixture in FIXTURES {
        let text = format!("\u{feff}{}", fixture.replace('\n', "\r\n"));
        let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        for at in lines {
            check(&text[..at]);
            check(&format!("{}{}", &text[..at - 1], &text[at..]));
            check(&format!("{}{}", &text[..at], &text[at + 1..]));
        }
    }
}

#[test]
fn swapped_and_doubled_lines() {
    for fixture in FIXTURES {
        let lines: Vec<&str> = fixture.lines().collect();
        for at in 1..lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(at - 1, at);
            check(&swapped.join("\n"));
            swapped.insert(at, "    ((( = ::: '''");
            check(&swapped.join("\n"));
        }
    }
}
