//! Python reader: our own, smaller tree over `ruff_python_parser`.
//!
//! The tree keeps what configuration can hide in (assignments, classes, calls, literals, control flow) and drops the rest.
//!
//! Depth is bounded everywhere: code that nests deeper than any program does is rejected before it is parsed (see `depth`), and the
//! tree itself never nests deeper than [`MAX_EXPRESSION_DEPTH`] and [`MAX_BLOCK_DEPTH`], so that plain recursion over it is safe on
//! the small stack of a worker thread.

mod accessors;
mod errors;
mod fold;
mod import_scan;
mod imports;
mod lower;
mod nesting_limit;
mod nesting_recovery;
mod structural_eq;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

pub use accessors::Field;
pub use fold::{EnvironmentDefault, Folded, fold, python_repr};
pub use import_scan::{Import, import_statements, scan_imports};
pub use imports::Imports;
pub use structural_eq::{equal_bodies, equal_expressions};
pub use tree::*;
pub use walk::{CallSite, Calls, Context, ExprWalk, Located, Scope, Statements};

use crate::{RefusedBy, SyntaxError};
use nesting_limit::Depth;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vramlint_base::{Message, TextRange, message};

/// How deep expressions of the tree nest. What lies deeper is dropped: an [`ExprKind::Other`] without parts stands for it.
pub const MAX_EXPRESSION_DEPTH: u32 = 200;

/// How deep blocks of the tree nest; `CPython` rejects more (`MAXINDENT` in `Parser/lexer/state.h`, 3.12).
pub const MAX_BLOCK_DEPTH: u32 = 100;

/// Reads a module. Broken statements are skipped, the rest is kept.
pub fn parse(text: &str) -> Module {
    if u32::try_from(text.len()).is_err() {
        return refused(text, message!("the file is larger than 4 GiB", "文件超过 4 GiB"));
    }
    guarded(text, || {
        let depth = Depth::of(text);
        if !depth.is_refused() {
            return read(text, depth);
        }
        let blanked = nesting_recovery::deep_statements(text);
        let depth = Depth::of(&blanked.text);
        if depth.is_refused() {
            return refused(text, message!("the code is nested too deeply to parse", "代码嵌套过深，无法解析"));
        }
        let mut module = read(&blanked.text, depth);
        module.errors.retain(|error| !blanked.regions.iter().any(|region| region.range.touches(error.range)));
        module.errors.extend(blanked.regions);
        module.errors.sort_by_key(|error| (error.range.start, error.range.end));
        module
    })
}

/// Parses a text of bearable depth, on a stack that is large enough for it.
fn read(text: &str, depth: Depth) -> Module {
    if !depth.needs_large_stack() {
        return lower::module(text);
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("python".to_owned()).stack_size(nesting_limit::LARGE_STACK);
        match builder.spawn_scoped(scope, || lower::module(text)) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => refused(text, message!("the code is nested too deeply to parse", "代码嵌套过深，无法解析")),
        }
    })
}

/// The parser promises no panic, but it is not ours: should one come, one file is lost and not the whole run.
fn guarded(text: &str, read: impl FnOnce() -> Module) -> Module {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| refused(text, message!("the Python parser failed on this file", "Python 解析器处理此文件时失败")))
}

/// A module of which nothing could be read.
fn refused(text: &str, message: Message) -> Module {
    let line = text.lines().next().unwrap_or("").len();
    let error = SyntaxError { range: TextRange::of(0..line), message, refused_by: RefusedBy::Nobody };
    Module { errors: vec![error], ..Module::default() }
}

fn error(range: TextRange, message: Message) -> SyntaxError {
    SyntaxError { range, message, refused_by: RefusedBy::All }
}
