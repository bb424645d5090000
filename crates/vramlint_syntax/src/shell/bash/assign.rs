//! Assignments, `export`, `local`, `unset`.

use super::super::scope::{Places, nowhere};
use super::super::spanned_text::{Piece, depends_on_caller, stored, text_of, used};
use super::super::variables::{Value, Variable};
use super::expand;
use super::outline::is_name;
use super::walk::{Context, Walker};
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// Items of an array that are followed at most.
const ITEMS: usize = 4096;

impl<'t> Walker<'t> {
    /// `A=1` as a statement.
    pub(super) fn assignment(&mut self, node: Node<'t>, context: &Context, export: bool) {
        self.substitutions(node, context);
        self.scope.conditional = context.unsure();
        self.assign(node, export);
    }

    /// Records `A=1`, wherever it is.
    pub(super) fn assign(&mut self, node: Node<'t>, export: bool) {
        let Some(target) = node.child_by_field_name("name") else { return };
        let name_range = TextRange::of(target.byte_range());
        if target.kind() == "subscript" {
            let name = self.slice(target).split('[').next().unwrap_or("").to_owned();
            self.scope.lose(&name, name_range, false);
            return;
        }
        let name = self.slice(target).to_owned();
        let behind = self.text.get(target.end_byte()..node.end_byte()).unwrap_or("");
        let append = behind.starts_with("+=");
        let start = (target.end_byte() + if append { 2 } else { 1 }).min(node.end_byte());
        let value_node = node.child_by_field_name("value").filter(|value| value.kind() == "array");
        let range = TextRange::of(start..node.end_byte());
        let value = match value_node {
            Some(array) => self.list_value(array, range),
            None => match self.document_of(node.child_by_field_name("value")) {
                Some(document) => Value::Text(document),
                None => Value::Text(expand::text(self.text, start..node.end_byte(), &mut self.scope)),
            },
        };
        let value = if append { self.appended(&name, value) } else { value };
        let places = Places { range: TextRange::of(node.byte_range()), name: name_range, value: range };
        self.scope.assign(&name, places, value, export);
    }

    fn list_value(&mut self, array: Node<'t>, range: TextRange) -> Value {
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut cursor = array.walk();
        for child in array.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
            match places.last_mut() {
                Some(last) if last.end == child.start_byte() => last.end = child.end_byte(),
                _ => places.push(child.byte_range()),
            }
        }
        let mut items = Vec::new();
        for place in places {
            let word = self.text.get(place.clone()).unwrap_or("");
            if word.starts_with('[') && word.contains("]=") {
                return Value::Unknown { caller: false };
            }
            let item_range = TextRange::of(place.clone());
            let fields = expand::words(self.text, place, &mut self.scope);
            // An unknown word outside quotes may be none, or several; it stays one word of which nothing is known.
            items.extend(fields.into_iter().map(|field| stored(field, item_range)));
        }
        if items.len() > ITEMS || range.is_empty() { Value::Unknown { caller: false } } else { Value::List(items) }
    }

    /// `A+=x`, `A+=(x)`.
    fn appended(&self, name: &str, value: Value) -> Value {
        let before = self.scope.variables.get(name);
        let place = before.map_or(TextRange::default(), |v| v.made.value.range);
        match (before.map(|v| &v.value), value) {
            (Some(Value::List(items)), Value::List(more)) if items.len() + more.len() <= ITEMS => {
                Value::List(items.iter().cloned().chain(more).collect())
            }
            (Some(Value::Text(text)), Value::Text(more)) => {
                // Kept pieces point at where they were written already; used again they are derived.
                Value::Text(used(text, place, place, false).into_iter().chain(more).collect())
            }
            (Some(Value::Unset), value) => value,
            (Some(Value::Carried | Value::Unknown { caller: true }), Value::List(more)) => {
                Value::Unknown { caller: more.iter().all(|item| depends_on_caller(item)) }
            }
            _ => Value::Unknown { caller: false },
        }
    }

    /// `export A=1 B`, `declare -x A=1`, `local A=$1`, `readonly A`.
    pub(super) fn declaration(&mut self, node: Node<'t>, context: &Context) {
        self.substitutions(node, context);
        self.scope.conditional = context.unsure();
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        let keyword = children.next().map_or("", |child| self.slice(child));
        let children: Vec<Node<'t>> = children.collect();
        let flags: String = children.iter().map(|child| self.slice(*child)).filter(|text| text.starts_with('-')).collect();
        let export = keyword == "export" && !flags.contains('n')
            || matches!(keyword, "declare" | "typeset" | "local") && flags.contains('x');
        let local =
            keyword == "local" || matches!(keyword, "declare" | "typeset") && !flags.contains('g') && !self.active.is_empty();
        for child in children {
            match child.kind() {
                "variable_assignment" => {
                    if local {
                        self.hide(child.child_by_field_name("name").map_or("", |name| self.slice(name)));
                    }
                    self.assign(child, export);
                    if flags.contains('A') || flags.contains('i') {
                        let name = child.child_by_field_name("name").map_or("", |name| self.slice(name));
                        self.scope.variables.blur(name, Value::Unknown { caller: false }, None);
                    }
                }
                "variable_name" => self.declared(child, export, local),
                "string" | "raw_string" | "concatenation" | "word" => self.quoted_assignment(child, export),
                _ => {}
            }
        }
    }

    /// Remembers what `local` hides.
    fn hide(&mut self, name: &str) {
        let before = self.scope.variables.get(name).cloned();
        if let Some(hidden) = self.locals.last_mut()
            && !hidden.contains_key(name)
        {
            hidden.insert(name.to_owned(), before);
        }
    }

    fn declared(&mut self, node: Node<'t>, export: bool, local: bool) {
        let name = self.slice(node);
        if local {
            self.hide(name);
        }
        if export && let Some(variable) = self.scope.variables.get(name).cloned() {
            let exported = Variable { exported: true, ..(*variable).clone() };
            self.scope.variables.put(name, Some(Rc::new(exported)));
        }
    }

    /// `export "A=1"`.
    fn quoted_assignment(&mut self, node: Node<'t>, export: bool) {
        let place = node.byte_range();
        let text = self.slice(node);
        let Some(equals) = text.find('=') else { return };
        let name = text[..equals].trim_start_matches(['"', '\'']);
        if !is_name(name) {
            return;
        }
        let field = expand::text(self.text, place.clone(), &mut self.scope);
        let whole = text_of(&field);
        let value = whole.as_deref().and_then(|whole| whole.strip_prefix(name)?.strip_prefix('='));
        let start = place.start + equals + 1;
        let quotes = usize::from(text.ends_with(['"', '\'']) && text.starts_with(['"', '\'']));
        let range = TextRange::of(start..(place.end - quotes).max(start));
        let name_start = place.start + text.find(name).unwrap_or(0);
        let name_range = TextRange::of(name_start..name_start + name.len());
        let verbatim = value == Some(range.slice(self.text));
        let value = match value {
            Some(value) => Value::Text(vec![Piece::literal(value, range, verbatim)]),
            None => Value::Unknown { caller: false },
        };
        let places = Places { range: TextRange::of(place), name: name_range, value: range };
        self.scope.assign(name, places, value, export);
    }

    /// `unset A B`.
    pub(super) fn unset(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
            let name = self.slice(child);
            if !is_name(name) {
                continue;
            }
            let place = TextRange::of(child.byte_range());
            let made = nowhere(name, place);
            let plain = Variable { value: Value::Unset, exported: false, made };
            self.scope.variables.put(name, Some(Rc::new(plain)));
        }
    }
}
