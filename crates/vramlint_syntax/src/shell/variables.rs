//! What the variables of a script hold at one place in it, through branches and loops.

use super::spanned_text::{Field, Piece, assumptions_of, depends_on_caller, text_of, to_word};
use super::{Assignment, Assumption, Word, WordValue};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use vramlint_base::TextRange;

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// One text, perhaps not known in all its parts.
    Text(Field),
    /// An array whose length is known.
    List(Vec<Field>),
    /// Nothing is known. `caller`: only since it depends on what the caller passes or types.
    Unknown { caller: bool },
    /// Left as the round before left it, at the head of a loop.
    Carried,
    /// Unset by the script itself.
    Unset,
}

impl Value {
    /// How many pieces it is made of, and items.
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::Text(field) => field.len(),
            Self::List(items) => items.iter().map(|item| 1 + item.len()).sum(),
            Self::Unknown { .. } | Self::Carried | Self::Unset => 0,
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// What it holds.
    pub(super) value: Value,
    /// Whether children see it.
    pub(super) exported: bool,
    /// The assignment that made it; its value is as of then.
    pub(super) made: Rc<Assignment>,
}

/// All variables, with a journal that lets a branch be taken back.
#[derive(Debug, Default)]
pub(super) struct Variables {
    map: HashMap<String, Rc<Variable>>,
    journal: Vec<(String, Option<Rc<Variable>>)>,
    exports: Vec<String>,
    exported_once: HashSet<String>,
}

/// What one branch did to the variables.
#[derive(Debug, Default)]
pub(super) struct Branch {
    changes: HashMap<String, Option<Rc<Variable>>>,
    /// Whether it leaves the script or function, so that nothing after it sees its variables.
    pub(super) leaves: bool,
}

/// How branches come together again.
#[derive(Debug, Default)]
pub(super) struct Join {
    /// Whether none of them may be taken.
    pub(super) may_skip: bool,
    /// Whether what the caller passes decides.
    pub(super) caller: bool,
    /// The variable whose being empty leads into the first branch: `[ -z "$A" ]`.
    pub(super) empty: Option<String>,
}

impl Branch {
    /// Tells whether it leaves the script or function.
    pub(super) fn leaving(self, leaves: bool) -> Self {
        Self { leaves, ..self }
    }

    /// Drops what the branch did not change after all: what is still as the round before left it.
    pub(super) fn without_carried(mut self) -> Self {
        self.changes.retain(|_, after| !after.as_ref().is_some_and(|v| matches!(v.value, Value::Carried)));
        self
    }
}

impl Variable {
    /// Its value as a word at the place of its assignment.
    fn word(&self) -> Word {
        let range = self.made.value.range;
        match &self.value {
            Value::Text(field) => Word { sources: self.made.value.sources.clone(), ..to_word(field, range) },
            Value::List(items) => items.first().map_or(unknown_word(range), |field| to_word(field, range)),
            Value::Unknown { .. } | Value::Carried | Value::Unset => unknown_word(range),
        }
    }

    /// The text in it, where it holds one known text.
    pub(super) fn known(&self) -> Option<String> {
        if let Value::Text(field) = &self.value { text_of(field) } else { None }
    }

    fn depends_on_caller(&self) -> bool {
        match &self.value {
            Value::Text(field) => depends_on_caller(field),
            Value::List(items) => items.iter().any(|field| depends_on_caller(field)),
            Value::Unknown { caller } => *caller,
            Value::Carried | Value::Unset => false,
        }
    }

    fn is_known(&self) -> bool {
        match &self.value {
            Value::Text(field) => text_of(field).is_some(),
            Value::List(items) => items.iter().all(|field| text_of(field).is_some()),
            Value::Unknown { .. } | Value::Carried => false,
            Value::Unset => true,
        }
    }

    fn same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Text(a), Value::Text(b)) => text_of(a).is_some() && text_of(a) == text_of(b),
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| text_of(a).is_some() && text_of(a) == text_of(b))
            }
            (Value::Carried, Value::Carried) | (Value::Unset, Value::Unset) => true,
            _ => false,
        }
    }

    fn with(&self, value: Value) -> Rc<Self> {
        Rc::new(Self { value, exported: self.exported, made: Rc::clone(&self.made) })
    }

    /// Itself, but holding this value only under these assumptions.
    fn under(&self, assumptions: &[Assumption]) -> Rc<Self> {
        let mark = |field: &Field| -> Field {
            let mut field = field.clone();
            let known = assumptions_of(&field);
            if let Some(first) = field.first_mut() {
                first.assumptions.extend(assumptions.iter().filter(|assumption| !known.contains(assumption)).cloned());
            }
            field
        };
        match &self.value {
            Value::Text(field) => self.with(Value::Text(mark(field))),
            Value::List(items) => self.with(Value::List(items.iter().map(mark).collect())),
            _ => self.with(self.value.clone()),
        }
    }

    /// Itself, but taken as its value only because the caller is assumed to say nothing.
    fn assumed(&self, name: &str) -> Rc<Self> {
        let field_text = |field: &Field| text_of(field).unwrap_or_default();
        let text = match &self.value {
            Value::Text(field) => field_text(field),
            Value::List(items) => items.iter().map(field_text).collect::<Vec<_>>().join(" "),
            _ => String::new(),
        };
        let assumption = Assumption { variable: name.to_owned(), value: text, range: self.made.value.range };
        let mark = |field: &Field| -> Field {
            let mut field = field.clone();
            if field.is_empty() {
                field.push(Piece::literal("", self.made.value.range, false));
            }
            if !assumptions_of(&field).contains(&assumption) {
                field[0].assumptions.push(assumption.clone());
            }
            field
        };
        match &self.value {
            Value::Text(field) => self.with(Value::Text(mark(field))),
            Value::List(items) => self.with(Value::List(items.iter().map(mark).collect())),
            _ => self.with(self.value.clone()),
        }
    }
}

/// A word of which nothing is known.
pub(super) fn unknown_word(range: TextRange) -> Word {
    Word { range, value: WordValue::Unknown, sources: Vec::new(), assumptions: Vec::new(), path_end: None, origin: None }
}

impl Variables {
    /// The variable, unless the script has not touched it yet.
    pub(super) fn get(&self, name: &str) -> Option<&Rc<Variable>> {
        self.map.get(name)
    }

    /// Sets or forgets a variable.
    pub(super) fn put(&mut self, name: &str, variable: Option<Rc<Variable>>) {
        if variable.as_ref().is_some_and(|v| v.exported) && self.exported_once.insert(name.to_owned()) {
            self.exports.push(name.to_owned());
        }
        let before = match variable {
            Some(variable) => self.map.insert(name.to_owned(), variable),
            None => self.map.remove(name),
        };
        self.journal.push((name.to_owned(), before));
    }

    /// Makes a variable's value unknown, if the script has touched it or `made` tells how.
    pub(super) fn blur(&mut self, name: &str, value: Value, made: Option<&Rc<Assignment>>) {
        let next = match (self.map.get(name), made) {
            (Some(variable), None) => Some(variable.with(value)),
            (before, Some(made)) => {
                Some(Rc::new(Variable { value, exported: before.is_some_and(|v| v.exported), made: Rc::clone(made) }))
            }
            (None, None) => None,
        };
        if next.is_some() {
            self.put(name, next);
        }
    }

    /// How many names have ever been exported: what [`Self::environment`] costs.
    pub(super) fn export_count(&self) -> usize {
        self.exports.len()
    }

    /// The exported variables in force, in the order of their first export.
    pub(super) fn environment(&self) -> impl Iterator<Item = Assignment> + '_ {
        let exported = self.exports.iter().filter_map(|name| self.map.get(name)).filter(|v| v.exported);
        exported.filter(|v| !matches!(v.value, Value::Unset)).map(|v| Assignment {
            value: v.word(),
            exported: true,
            ..(*v.made).clone()
        })
    }

    /// A mark to come back to.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Takes back everything since `mark` and tells what it was.
    pub(super) fn take_back(&mut self, mark: usize) -> Branch {
        let mut branch = Branch::default();
        while self.journal.len() > mark {
            let Some((name, before)) = self.journal.pop() else { break };
            let after = match before {
                Some(before) => self.map.insert(name.clone(), before),
                None => self.map.remove(&name),
            };
            branch.changes.entry(name).or_insert(after);
        }
        branch
    }

    /// Continues after branches that all began here.
    pub(super) fn join(&mut self, branches: &[Branch], how: &Join) {
        let mut names: Vec<&String> = branches.iter().flat_map(|branch| branch.changes.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let before = self.map.get(name).cloned();
            let live = branches.iter().filter(|branch| !branch.leaves);
            let ends: Vec<_> = live.map(|branch| branch.changes.get(name).cloned().unwrap_or_else(|| before.clone())).collect();
            if ends.is_empty() {
                continue;
            }
            let next = if how.empty.as_ref() == Some(name) {
                joined_where_empty(name, before, &ends)
            } else {
                let mut ends = ends;
                if how.may_skip && how.caller {
                    ends.iter_mut().for_each(left_to_caller);
                }
                if how.may_skip {
                    ends.push(before);
                }
                joined(name, &ends)
            };
            self.put(name, next);
        }
    }
}

impl Variables {
    /// Continues after a branch that runs only as far as these assumptions hold.
    pub(super) fn apply(&mut self, branch: &Branch, assumptions: &[Assumption]) {
        let mut names: Vec<&String> = branch.changes.keys().collect();
        names.sort_unstable();
        for name in names {
            let after = branch.changes.get(name).cloned().flatten();
            self.put(name, after.map(|variable| variable.under(assumptions)));
        }
    }

    /// Forgets what rests on assumptions about these variables: the caller says otherwise.
    pub(super) fn lose_assumed(&mut self, assumptions: &[Assumption]) {
        let about = |assumption: &Assumption| assumptions.iter().any(|other| other.variable == assumption.variable);
        let rests = |variable: &Variable| match &variable.value {
            Value::Text(field) => assumptions_of(field).iter().any(about),
            Value::List(items) => items.iter().any(|field| assumptions_of(field).iter().any(about)),
            _ => false,
        };
        let mut names: Vec<String> = match assumptions {
            [] => Vec::new(),
            _ => self.map.iter().filter(|(_, variable)| rests(variable)).map(|(name, _)| name.clone()).collect(),
        };
        names.sort_unstable();
        for name in names {
            self.blur(&name, Value::Unknown { caller: true }, None);
        }
    }

    /// Continues after branches between which the caller chooses, and one that is taken if the caller says nothing.
    pub(super) fn join_or(&mut self, branches: &[Branch], fallback: &Branch) {
        let mut names: Vec<&String> = branches.iter().chain([fallback]).flat_map(|branch| branch.changes.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let before = self.map.get(name).cloned();
            let end_of = |branch: &Branch| branch.changes.get(name).cloned().unwrap_or_else(|| before.clone());
            let mut ends: Vec<_> = branches.iter().filter(|branch| !branch.leaves).map(end_of).collect();
            ends.iter_mut().for_each(left_to_caller);
            ends.push(end_of(fallback));
            let next = joined(name, &ends);
            self.put(name, next);
        }
    }
}

/// A known value that only what the caller passes can bring about counts as the caller's.
fn left_to_caller(end: &mut Option<Rc<Variable>>) {
    if let Some(variable) = end
        && !matches!(variable.value, Value::Carried)
    {
        *end = Some(variable.with(Value::Unknown { caller: true }));
    }
}

/// After `if [ -z "$A" ]; then A=8; fi`.
fn joined_where_empty(name: &str, before: Option<Rc<Variable>>, ends: &[Option<Rc<Variable>>]) -> Option<Rc<Variable>> {
    let first = ends.first().cloned().flatten();
    let Some(variable) = &before else { return first.map(|v| if v.is_known() { v.assumed(name) } else { v }) };
    match variable.known() {
        Some(text) if !text.is_empty() => before,
        Some(_) => first,
        None if matches!(variable.value, Value::Unset) => first,
        None if variable.depends_on_caller() => first.map(|v| if v.is_known() { v.assumed(name) } else { v }),
        None => Some(variable.with(Value::Unknown { caller: false })),
    }
}

/// The words that all branches begin an array with, then each option that some of them add, with a value that is not known. `None` if
/// they add anything else.
fn joined_lists(ends: &[Option<Rc<Variable>>]) -> Option<Vec<Field>> {
    let list = |end: &Option<Rc<Variable>>| match &end.as_ref()?.value {
        Value::List(items) => Some(items.clone()),
        _ => None,
    };
    let lists: Vec<Vec<Field>> = ends.iter().map(list).collect::<Option<_>>()?;
    let shortest = lists.iter().min_by_key(|items| items.len())?.clone();
    let same =
        |a: &Field, b: &Field| text_of(a) == text_of(b) && a.iter().map(|piece| piece.leaf).eq(b.iter().map(|piece| piece.leaf));
    if shortest.is_empty() || !lists.iter().all(|items| items.iter().zip(&shortest).all(|(a, b)| same(a, b))) {
        return None;
    }
    let mut joined = shortest.clone();
    for items in &lists {
        let mut is_value = false;
        for item in &items[shortest.len()..] {
            match text_of(item).filter(|text| text.starts_with("--")) {
                Some(text) => {
                    let place = item.first().map_or_else(TextRange::default, |piece| piece.leaf);
                    let name = text.split('=').next().unwrap_or(&text);
                    joined.push(vec![Piece::literal(name, place, name == text)]);
                    joined.push(vec![Piece::unknown(place, false)]);
                    is_value = true;
                }
                None if is_value => {}
                None => return None,
            }
        }
    }
    Some(joined)
}

/// One value for what several branches left.
fn joined(name: &str, ends: &[Option<Rc<Variable>>]) -> Option<Rc<Variable>> {
    let exported = ends.iter().flatten().any(|v| v.exported);
    let some = ends.iter().flatten().next()?.clone();
    let with = |value: Value| Some(Rc::new(Variable { value, exported, made: Rc::clone(&some.made) }));
    if ends.iter().all(|end| end.as_ref().is_some_and(|v| v.same(&some))) {
        return with(some.value.clone());
    }
    if let Some(items) = joined_lists(ends) {
        return with(Value::List(items));
    }
    let (caller, rest): (Vec<_>, Vec<_>) = ends.iter().partition(|end| end.as_ref().is_some_and(|v| v.depends_on_caller()));
    if caller.is_empty() {
        return with(Value::Unknown { caller: false });
    }
    let mut known = rest.iter().copied().flatten();
    let Some(first) = known.next() else { return with(Value::Unknown { caller: true }) };
    if rest.iter().all(|end| end.as_ref().is_some_and(|v| matches!(v.value, Value::Carried))) {
        return with(Value::Unknown { caller: true });
    }
    if first.is_known() && rest.iter().all(|end| end.as_ref().is_some_and(|v| v.same(first))) {
        let assumed = first.assumed(name);
        return Some(Rc::new(Variable { exported, ..(*assumed).clone() }));
    }
    with(Value::Unknown { caller: false })
}
