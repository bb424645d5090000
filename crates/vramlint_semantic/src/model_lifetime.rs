//! Whether one process holds the results of two model loads at the same time.

use vramlint_base::{FileRange, TextRange};
use vramlint_resolve::Project;
use vramlint_resolve::code::ModelLoad;
use vramlint_syntax::python::{Expr, ExprKind, Located, Stmt, StmtKind};

/// Two calls in one function that load, and the names that hold the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The earlier call.
    pub first: FileRange,
    /// The later call.
    pub second: FileRange,
    /// Names of both results.
    pub names: [String; 2],
}

/// Words in the names of models that a method needs in addition to the trained one.
const NEEDED: &[&str] =
    &["ref", "reference", "teacher", "target", "frozen", "old", "init", "initial", "base", "ema", "draft", "critic"];

impl Pair {
    /// Whether a name marks a model that the method needs.
    pub fn is_needed(&self) -> bool {
        let words = |name: &str| name.to_lowercase().split(['_', '.']).map(str::to_owned).collect::<Vec<_>>();
        self.names.iter().flat_map(|name| words(name)).any(|word| NEEDED.contains(&word.as_str()))
    }
}

/// The pair of two loads, if the first result is certainly alive when the second load runs: both run unconditionally in one
/// function, and functions that they call return what they load.
pub fn pair(project: &Project, a: &ModelLoad, b: &ModelLoad) -> Option<Pair> {
    let chain = |load: &ModelLoad| load.call_chain.iter().copied().chain([load.place]).collect::<Vec<FileRange>>();
    let (a, b) = (chain(a), chain(b));
    // At the first ancestor that differs, both calls are in one function.
    let level = a.iter().zip(&b).position(|(a, b)| a != b)?;
    if ![&a, &b].iter().all(|chain| chain[level + 1..].iter().all(|call| outlives_its_function(project, *call))) {
        return None;
    }
    let (first, second) = (&a[level], &b[level]);
    let (first, second) = if first.range.start <= second.range.start { (*first, *second) } else { (*second, *first) };
    if first.file != second.file {
        return None;
    }
    let module = project.file(first.file).python()?;
    let statements: Vec<Located<'_>> = module.statements().collect();
    let (one, two) = (assignment(&statements, first.range)?, assignment(&statements, second.range)?);
    let same_scope = one.context.path() == two.context.path() && one.context.is_straight() && two.context.is_straight();
    let names = [name_of(one.stmt)?, name_of(two.stmt)?];
    if !same_scope || names[0] == names[1] {
        return None;
    }
    let text = project.file(first.file).text.as_ref();
    let scope = one.context.path();
    let later = statements.iter().filter(|other| other.stmt.range.start >= two.stmt.range.end && other.context.path() == scope);
    let between = TextRange::new(one.stmt.range.end, two.stmt.range.start).slice(text);
    let freed = between.lines().any(|line| line.trim_start().starts_with("del ") && mentions(line, &names[0]));
    let on_object = names.iter().all(|name| name.starts_with("self."));
    (!freed && (on_object || is_used(later, &names[0]))).then_some(Pair { first, second, names })
}

/// Whether the result of a call outlives the function that makes it: the function returns it, or keeps it in an object.
fn outlives_its_function(project: &Project, call: FileRange) -> bool {
    let Some(module) = project.file(call.file).python() else { return false };
    let statements: Vec<Located<'_>> = module.statements().collect();
    let functions = statements.iter().filter(|located| matches!(located.stmt.kind, StmtKind::Function(_)));
    let Some(function) =
        functions.filter(|located| located.stmt.range.contains(call.range)).min_by_key(|located| located.stmt.range.len())
    else {
        return false;
    };
    let names: Vec<String> = assignment(&statements, call.range).map_or_else(Vec::new, |located| names_of(located.stmt));
    let inside = statements.iter().filter(|located| function.stmt.range.contains(located.stmt.range));
    let returned = inside.filter_map(|located| match &located.stmt.kind {
        StmtKind::Return(Some(value)) => Some(value),
        _ => None,
    });
    let named = |expr: &Expr| expr.dotted().is_some_and(|name| names.contains(&name));
    names.iter().any(|name| name.contains('.'))
        || returned.into_iter().any(|value| value.range.contains(call.range) || value.walk().any(&named))
}

/// The innermost assignment whose value is, or holds, the call.
fn assignment<'a, 'b>(statements: &'b [Located<'a>], call: TextRange) -> Option<&'b Located<'a>> {
    let holds = |located: &&Located<'_>| matches!(&located.stmt.kind, StmtKind::Assign { value: Some(value), .. } if value.range.contains(call));
    statements.iter().filter(holds).min_by_key(|located| located.stmt.range.len())
}

/// The name that an assignment gives; of several names in a tuple the first, as loaders return the model first.
fn name_of(stmt: &Stmt) -> Option<String> {
    let StmtKind::Assign { targets, .. } = &stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    match &target.kind {
        ExprKind::List(items) => items.first()?.dotted(),
        _ => target.dotted(),
    }
}

/// Every name that an assignment gives.
fn names_of(stmt: &Stmt) -> Vec<String> {
    let StmtKind::Assign { targets, .. } = &stmt.kind else { return Vec::new() };
    targets.iter().flat_map(Expr::walk).filter_map(Expr::dotted).collect()
}

/// Whether the first later statement that mentions a name reads it rather than assigning it.
fn is_used<'a>(later: impl Iterator<Item = &'a Located<'a>>, name: &str) -> bool {
    for located in later {
        let targets = match &located.stmt.kind {
            StmtKind::Assign { targets, .. } => targets.as_slice(),
            _ => &[],
        };
        let own = |expr: &Expr| targets.iter().any(|target| target.range.contains(expr.range));
        let roots = located.stmt.expressions();
        let named = |expr: &&Expr| expr.dotted().as_deref() == Some(name);
        if roots.iter().flat_map(|root| root.walk()).any(|expr| named(&expr) && !own(expr)) {
            return true;
        }
        if targets.iter().any(|target| target.walk().any(|expr| named(&expr))) {
            return false;
        }
    }
    false
}

fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).any(|word| word == name)
}
