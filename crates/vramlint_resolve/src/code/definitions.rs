//! Functions and classes that the project defines.

use super::library_classes::argument_class;
use super::qualified_name::leaf;
use super::scopes::Scopes;
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::FileId;
use vramlint_syntax::python::{Class, Expr, ExprKind, Function, StmtKind};

/// Maximum number of classes in a line of inheritance.
const MAX_LINEAGE: usize = 16;
/// Maximum number of fields of a class.
const MAX_FIELDS: usize = 400;

/// A function of the project.
pub(super) struct FunctionInfo<'a> {
    pub(super) def: &'a Function,
    pub(super) file: FileId,
    pub(super) scope: usize,
    pub(super) class: Option<usize>,
    pub(super) decorators: Vec<AbstractValue>,
    pub(super) runs: u32,
    /// Whether code that certainly runs calls it or hands it on.
    pub(super) is_used: bool,
}

/// A class of the project.
pub(super) struct ClassInfo<'a> {
    pub(super) def: &'a Class,
    pub(super) file: FileId,
    pub(super) scope: usize,
    pub(super) bases: Vec<AbstractValue>,
    pub(super) is_record: bool,
    pub(super) made: bool,
}

/// Every function and class, by index.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    pub(super) functions: Vec<FunctionInfo<'a>>,
    pub(super) classes: Vec<ClassInfo<'a>>,
}

impl Definitions<'_> {
    /// The attribute of a class or of its base classes.
    pub(super) fn class_attribute(&self, scopes: &Scopes, class: usize, name: &str) -> Option<AbstractValue> {
        self.lineage(class).into_iter().find_map(|class| self.own_attribute(scopes, class, name))
    }

    pub(super) fn own_attribute(&self, scopes: &Scopes, class: usize, name: &str) -> Option<AbstractValue> {
        let info = &self.classes[class];
        scopes[info.scope].vars.get(name).cloned()
    }

    /// A class and its base classes in the project, nearest first.
    pub(super) fn lineage(&self, class: usize) -> Vec<usize> {
        let mut found = vec![class];
        let mut next = 0;
        while next < found.len() && found.len() < MAX_LINEAGE {
            for base in &self.classes[found[next]].bases {
                for alt in &base.alternatives {
                    if let ValueKind::Class(id) = alt.kind
                        && !found.contains(&id)
                    {
                        found.push(id);
                    }
                }
            }
            next += 1;
        }
        found
    }

    /// The library class that a class of the project derives from.
    pub(super) fn external_base(&self, class: usize) -> Option<Rc<str>> {
        self.lineage(class)
            .into_iter()
            .flat_map(|class| &self.classes[class].bases)
            .filter_map(AbstractValue::library_path)
            .find(|path| !path.starts_with("builtins.") && !path.starts_with("abc.") && !path.starts_with("typing."))
    }

    /// Whether a class of the project derives from a class that is not visible, or from several library classes.
    pub(super) fn has_hidden_base(&self, class: usize) -> bool {
        let is_builtin_base = |path: &str| ["builtins.", "abc.", "typing."].iter().any(|start| path.starts_with(start));
        let lineage = self.lineage(class);
        let bases: Vec<&AbstractValue> = lineage.iter().flat_map(|class| &self.classes[*class].bases).collect();
        let is_invisible = |base: &&AbstractValue| {
            !base.alternatives.iter().all(|alt| matches!(alt.kind, ValueKind::Class(_) | ValueKind::External(_)))
        };
        let external = bases.iter().filter_map(|base| base.library_path()).filter(|path| !is_builtin_base(path)).count();
        bases.iter().any(is_invisible) || external > 1
    }

    /// The fields of a class in order, those of its base classes first.
    pub(super) fn fields(&self, class: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for class in self.lineage(class).into_iter().rev() {
            for stmt in &self.classes[class].def.body {
                if let StmtKind::Assign { targets, annotation: Some(_), .. } = &stmt.kind
                    && let Some(name) = targets.first().and_then(Expr::dotted)
                    && !found.contains(&name)
                    && found.len() < MAX_FIELDS
                {
                    found.push(name);
                }
            }
        }
        found
    }

    /// The annotation of a field, and the class that has it.
    pub(super) fn annotation(&self, class: usize, name: &str) -> Option<(usize, &Expr)> {
        self.lineage(class).into_iter().find_map(|class| {
            self.classes[class].def.body.iter().find_map(|stmt| match &stmt.kind {
                StmtKind::Assign { targets, annotation: Some(annotation), .. }
                    if targets.first().and_then(Expr::dotted).as_deref() == Some(name) =>
                {
                    Some((class, annotation))
                }
                _ => None,
            })
        })
    }

    /// Whether a class that derives from `base` is a record.
    pub(super) fn makes_record(&self, base: &AbstractValue) -> bool {
        base.alternatives.iter().any(|alt| match &alt.kind {
            ValueKind::Class(class) => self.classes[*class].is_record,
            ValueKind::External(path) => {
                matches!(leaf(path), "BaseModel" | "BaseSettings" | "NamedTuple" | "Struct" | "Serializable")
                    || argument_class(path).is_some()
            }
            _ => false,
        })
    }

    /// The name of the class whose body a scope is.
    pub(super) fn class_name(&self, scopes: &Scopes, scope: usize) -> Option<String> {
        if !scopes[scope].is_class_body {
            return None;
        }
        self.classes.iter().rev().find(|class| class.scope == scope).map(|class| class.def.name.clone())
    }

    /// The `__init__` of a class of the project or of its base classes.
    pub(super) fn initializer(&self, scopes: &Scopes, class: usize) -> Option<usize> {
        let val = self.class_attribute(scopes, class, "__init__")?;
        val.single().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
    }

    /// Whether a class and all its base classes in the project are dataclasses without code of their own that runs on construction.
    pub(super) fn is_plain_record(&self, scopes: &Scopes, class: usize) -> bool {
        self.class_attribute(scopes, class, "__post_init__").is_none()
            && self.lineage(class).into_iter().all(|class| {
                let decorators = &self.classes[class].def.decorators;
                let is_dataclass = |expr: &vramlint_syntax::python::Expr| {
                    let callee = if let ExprKind::Call(call) = &expr.kind { &call.callee } else { expr };
                    callee.dotted().is_some_and(|name| name.rsplit('.').next() == Some("dataclass"))
                };
                decorators.iter().any(is_dataclass)
            })
    }
}
