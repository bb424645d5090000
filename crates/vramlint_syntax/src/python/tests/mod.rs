//! Texts in, expectations out.

mod broken;
mod deep;
mod errors;
mod folding;
mod helpers;
mod places;
mod shapes;
mod show;

use super::*;

/// Reads a text that must be free of errors.
fn read_clean(text: &str) -> Module {
    let module = parse(text);
    assert!(module.errors.is_empty(), "{:?} in {text}", module.errors);
    module
}

/// The value of a text that is one expression statement.
fn expression(text: &str) -> Expr {
    let module = read_clean(text);
    match module.body.into_iter().next().map(|stmt| stmt.kind) {
        Some(StmtKind::Expr(expr)) => expr,
        other => panic!("{other:?}"),
    }
}

/// Realistic scripts.
const FIXTURES: [&str; 4] = [
    include_str!("fixtures/argparse_trainer.py"),
    include_str!("fixtures/accelerate_loop.py"),
    include_str!("fixtures/class_config.py"),
    include_str!("fixtures/trl_grpo.py"),
];
