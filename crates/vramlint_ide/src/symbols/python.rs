//! Python: classes with settings, library calls with their arguments, constants.

use super::{Symbol, SymbolKind, clipped, setting};
use vramlint_catalog::classes;
use vramlint_resolve::SourceFile;
use vramlint_resolve::arguments::class_name;
use vramlint_syntax::python::{Call, Class, Expr, ExprKind, Field, Imports, Module};

/// The symbols of a module, in order.
pub(super) fn outline(file: &SourceFile, module: &Module) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = module.classes().filter_map(|(class, _)| class_symbol(file, class)).collect();
    let imports = Imports::of(module);
    found.extend(module.calls().filter_map(|site| call(file, &imports, site.call, site.expr)));
    found.extend(module.body.iter().filter_map(Field::of).filter_map(|field| constant(file, field)));
    found.sort_by_key(|symbol| symbol.range);
    found
}

/// A class whose body assigns values: a dataclass, or a class of constants.
fn class_symbol(file: &SourceFile, class: &Class) -> Option<Symbol> {
    let children: Vec<Symbol> = class
        .fields()
        .filter_map(|field| {
            let value = field.value?;
            Some(setting(field.name, clipped(value.range.slice(&file.text)), field.stmt.range, field.name_range))
        })
        .collect();
    let last = class.body.last()?.range;
    if children.is_empty() {
        return None;
    }
    Some(Symbol {
        name: class.name.clone(),
        detail: String::new(),
        kind: SymbolKind::Group,
        range: class.name_range.cover(last),
        selection: class.name_range,
        children,
    })
}

/// A call of a library that the catalog knows, with its keywords.
fn call(file: &SourceFile, imports: &Imports, call: &Call, expr: &Expr) -> Option<Symbol> {
    let path = imports.full_of(&call.callee)?;
    let loads = path.ends_with(".from_pretrained");
    if !loads && classes::find(&path).is_none() && class_name(&path).is_none() {
        return None;
    }
    let arguments = call.args.iter().filter_map(|argument| {
        let (name, at) = argument.name()?;
        Some(setting(name, clipped(argument.value.range.slice(&file.text)), argument.range, at))
    });
    let first = call.args.first().filter(|_| loads).map_or("", |argument| argument.value.range.slice(&file.text));
    Some(Symbol {
        name: call.callee.dotted()?,
        detail: clipped(first),
        kind: SymbolKind::Group,
        range: expr.range,
        selection: call.callee.range,
        children: arguments.collect(),
    })
}

/// A module-level constant: `BATCH = 4`.
fn constant(file: &SourceFile, field: Field<'_>) -> Option<Symbol> {
    let value = field.value?;
    let is_literal = matches!(&value.kind, ExprKind::Value(_) | ExprKind::Unary("-", _) | ExprKind::Binary(..));
    let is_constant_name = field.name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (is_literal && is_constant_name)
        .then(|| setting(field.name, clipped(value.range.slice(&file.text)), field.stmt.range, field.name_range))
}
