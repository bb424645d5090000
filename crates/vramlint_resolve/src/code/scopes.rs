//! Names and what they are bound to, in modules, functions and class bodies.

use super::value::AbstractValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{Index, IndexMut};
use vramlint_base::FileId;

/// Names of a module, function or class body.
pub(super) struct Scope {
    pub(super) vars: HashMap<String, AbstractValue>,
    pub(super) parent: Option<usize>,
    pub(super) file: FileId,
    /// Per open branch, the names that it wrote and their values before.
    journals: Vec<BTreeMap<String, Option<AbstractValue>>>,
    /// Names that a `global` statement sends to the module.
    pub(super) globals: HashSet<String>,
    /// Library modules that `import *` imports.
    pub(super) star_imports: Vec<String>,
    /// Whether it is the body of a class, which is not visible to functions inside.
    pub(super) is_class_body: bool,
}

/// Every scope that was opened, by index.
#[derive(Default)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
}

impl Index<usize> for Scopes {
    type Output = Scope;

    fn index(&self, id: usize) -> &Scope {
        &self.scopes[id]
    }
}

impl IndexMut<usize> for Scopes {
    fn index_mut(&mut self, id: usize) -> &mut Scope {
        &mut self.scopes[id]
    }
}

impl Scopes {
    /// Opens a scope for a module, a function or a class body.
    pub(super) fn open(&mut self, parent: Option<usize>, file: FileId) -> usize {
        self.scopes.push(Scope {
            vars: HashMap::new(),
            parent,
            file,
            journals: Vec::new(),
            globals: HashSet::new(),
            star_imports: Vec::new(),
            is_class_body: false,
        });
        self.scopes.len() - 1
    }

    /// The value of a name, searched from the innermost scope outwards. The body of a class is not visible to its functions.
    pub(super) fn lookup(&self, name: &str, scope: usize) -> Option<AbstractValue> {
        let mut at = Some(scope);
        let mut first = true;
        while let Some(id) = at {
            let scope = &self.scopes[id];
            if (first || !scope.is_class_body)
                && let Some(val) = scope.vars.get(name)
            {
                return Some(val.clone());
            }
            first = false;
            at = scope.parent;
        }
        None
    }

    /// The scope in which a name is bound, from the innermost outwards.
    pub(super) fn owner(&self, name: &str, scope: usize) -> Option<usize> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let own = &self.scopes[id];
            if (id == scope || !own.is_class_body) && own.vars.contains_key(name) {
                return Some(id);
            }
            at = own.parent;
        }
        None
    }

    /// Binds a name, and logs its old value for the open branch.
    pub(super) fn set(&mut self, scope: usize, name: &str, val: AbstractValue) {
        let scope = if self.scopes[scope].globals.contains(name) { self.root_of(scope) } else { scope };
        let scope = &mut self.scopes[scope];
        let old = scope.vars.insert(name.to_string(), val);
        if let Some(journal) = scope.journals.last_mut() {
            journal.entry(name.to_string()).or_insert(old);
        }
    }

    pub(super) fn root_of(&self, mut scope: usize) -> usize {
        while let Some(parent) = self.scopes[scope].parent {
            scope = parent;
        }
        scope
    }

    /// Starts to log the names that a branch writes.
    pub(super) fn begin_branch(&mut self, scope: usize) {
        self.scopes[scope].journals.push(BTreeMap::new());
    }

    /// Restores the names as they were before the branch. Returns what the branch wrote.
    pub(super) fn end_branch(&mut self, scope: usize) -> BTreeMap<String, AbstractValue> {
        let scope = &mut self.scopes[scope];
        let journal = scope.journals.pop().unwrap_or_default();
        let mut writes = BTreeMap::new();
        for (name, old) in journal {
            let new = match old {
                Some(old) => scope.vars.insert(name.clone(), old),
                None => scope.vars.remove(&name),
            };
            if let Some(new) = new {
                writes.insert(name, new);
            }
        }
        writes
    }
}
