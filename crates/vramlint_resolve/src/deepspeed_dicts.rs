//! DeepSpeed configurations as dicts in Python code, turned into the same located tree as a file, so that rules treat both alike.
//!
//! A dict that reaches a call has the entries of that moment, including those that were added on the way. A literal that does not
//! visibly reach a call is taken as written; code that uses it may change it before.

use crate::code::{ArgValue, DictEntry, LibraryCall, PossibleValue};
use crate::features::Feature;
use crate::kind;
use crate::project::Project;
use crate::source::SourceFile;
use std::collections::{BTreeSet, HashMap};
use vramlint_base::{FileId, FileRange, TextRange, Value};
use vramlint_syntax::data::{DataFile, Document, Entry, Node, NodeId, NodeKind, NodeRef, Scalar, Style};
use vramlint_syntax::python::{Expr, ExprKind, Module, StmtKind};

/// A dict that is a DeepSpeed configuration.
#[derive(Clone, Debug)]
pub struct DeepSpeedDict {
    /// The Python file.
    pub file: FileId,
    /// Its tree: one document whose root is a mapping, with ranges in the Python text. An unknown value is an alias of itself.
    pub data: DataFile,
    /// Its consumer; `None` if it is not visible.
    pub consumer: Option<ConfigConsumer>,
    /// The runs in which it is consumed: indices into [`Project::runs`].
    pub runs: Vec<usize>,
    /// Whether it has no entries beyond the tree when it is read.
    pub complete: bool,
}

/// The consumer of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigConsumer {
    /// `deepspeed.initialize(config=…)`.
    Engine,
    /// The arguments of transformers' Trainer, or a class that derives from them.
    Trainer,
    /// `DeepSpeedPlugin(hf_ds_config=…)`.
    Accelerate,
}

/// Maximum nesting of dicts.
const DEPTH: u32 = 8;

/// Every DeepSpeed dict of the project: those that reach a call first, then the other literals.
fn deepspeed_dicts(project: &Project) -> Vec<DeepSpeedDict> {
    let calls = |file: &SourceFile| file.is_python() && project.features(file.id).has(Feature::DeepSpeedConfigCall);
    if !project.files.iter().any(|file| is_candidate(project, file) || calls(file)) {
        return Vec::new();
    }
    let mut written: HashMap<FileId, HashMap<TextRange, TextRange>> = HashMap::new();
    let mut found: Vec<DeepSpeedDict> = Vec::new();
    let mut differing: Vec<(FileId, TextRange)> = Vec::new();
    let config_arguments = project
        .calls()
        .iter()
        .flat_map(|call| config_arguments(call.call()).map(move |(by, value, sure)| (call, by, value, sure)));
    for (call, by, value, sure) in config_arguments {
        let ArgValue::Dict { entries, open } = &value.value else { continue };
        let file = value.place.file;
        let Some(module) = project.file(file).python() else { continue };
        let of_file = written.entry(file).or_insert_with(|| values_by_key(module));
        let mut tree = Tree { nodes: Vec::new(), file, written: of_file };
        let root = tree.mapping(value.place.range, entries, DEPTH);
        let runs: Vec<usize> =
            call.runs(project).filter_map(|run| project.runs.iter().position(|other| std::ptr::eq(other, run))).collect();
        let touched = project.any_has(&call.facts.files, Feature::DeepSpeedConfigChange);
        let dict =
            DeepSpeedDict { file, data: tree.document(root), consumer: Some(by), runs, complete: sure && !open && !touched };
        let same = found.iter_mut().find(|other| other.file == file && other.range() == dict.range());
        match same {
            // The same literal reaches two calls, or one call in two runs.
            Some(other) if other.consumer == dict.consumer && other.has_same_tree(&dict) => {
                other.complete &= dict.complete;
                other.runs.extend(dict.runs.iter().filter(|run| !other.runs.contains(run)).copied().collect::<Vec<_>>());
            }
            Some(_) => differing.extend(dict.range().map(|range| (file, range))),
            None => found.push(dict),
        }
    }
    found.retain(|dict| dict.range().is_none_or(|range| !differing.contains(&(dict.file, range))));
    let reached: Vec<(FileId, Option<TextRange>)> = found.iter().map(|dict| (dict.file, dict.range())).collect();
    let candidates: Vec<&SourceFile> = project.files.iter().filter(|file| is_candidate(project, file)).collect();
    let keys_set_later = if candidates.is_empty() { BTreeSet::new() } else { keys_set_later(project) };
    for file in candidates {
        let literals =
            config_literals(file, &keys_set_later).into_iter().filter(|dict| !reached.contains(&(dict.file, dict.range())));
        found.extend(literals);
    }
    found
}

impl Project {
    /// DeepSpeed configurations that are dicts in Python code.
    pub fn deepspeed_dicts(&self) -> &[DeepSpeedDict] {
        self.queries.deepspeed_dicts.get_or_init(|| deepspeed_dicts(self))
    }
}

impl DeepSpeedDict {
    /// The range of the dict.
    pub fn range(&self) -> Option<TextRange> {
        self.data.root().map(NodeRef::range)
    }

    fn has_same_tree(&self, other: &Self) -> bool {
        is_same_tree(&self.data.nodes, &other.data.nodes)
    }
}

/// Whether two trees of one literal are the same, node by node.
fn is_same_tree(left: &[Node], right: &[Node]) -> bool {
    let is_same_node = |(left, right): (&Node, &Node)| match (&left.kind, &right.kind) {
        (NodeKind::Scalar(left), NodeKind::Scalar(right)) => left == right,
        (NodeKind::Sequence(left), NodeKind::Sequence(right)) => left == right,
        (NodeKind::Mapping(left), NodeKind::Mapping(right)) => left.len() == right.len(),
        (left, right) => std::mem::discriminant(left) == std::mem::discriminant(right),
    };
    left.len() == right.len() && left.iter().zip(right).all(is_same_node)
}

fn is_candidate(project: &Project, file: &SourceFile) -> bool {
    file.is_python()
        && project.features(file.id).has(Feature::DeepSpeedConfigKey)
        && !file.is_test()
        && !project.is_library_code(file.id)
        && !project.is_documentation_snippet(file.id)
}

/// The values that a call takes as DeepSpeed configuration, each with its consumer and whether it is the certain value.
fn config_arguments(call: &LibraryCall) -> impl Iterator<Item = (ConfigConsumer, &PossibleValue, bool)> {
    let argument = if call.path == "deepspeed.initialize" {
        call.argument("config", None)
            .or_else(|| call.argument("config_params", None))
            .map(|found| (ConfigConsumer::Engine, found))
    } else if call.name() == "DeepSpeedPlugin" {
        call.argument("hf_ds_config", Some(0)).map(|found| (ConfigConsumer::Accelerate, found))
    } else if call.name().ends_with("Arguments") || call.name().ends_with("Config") {
        call.argument("deepspeed", None).map(|found| (ConfigConsumer::Trainer, found))
    } else {
        None
    };
    let certain = !call.conditional && !call.caught && argument.is_some_and(|(_, found)| found.sole_value().is_some());
    argument.into_iter().flat_map(move |(by, found)| found.values.iter().map(move |value| (by, value, certain)))
}

/// The literals of a file that are DeepSpeed configurations by their keys.
fn config_literals(file: &SourceFile, keys_set_later: &BTreeSet<&str>) -> Vec<DeepSpeedDict> {
    let Some(module) = file.python() else { return Vec::new() };
    let written = HashMap::new();
    let mut found: Vec<DeepSpeedDict> = Vec::new();
    for expr in dict_literals(module) {
        let inside = found.iter().any(|dict| dict.range().is_some_and(|range| range.contains(expr.range)));
        if inside || !Feature::DeepSpeedConfigKey.words().iter().any(|word| expr.range.slice(&file.text).contains(word)) {
            continue;
        }
        let mut tree = Tree { nodes: Vec::new(), file: file.id, written: &written };
        let root = tree.literal(expr, keys_set_later, DEPTH);
        let data = tree.document(root);
        if data.root().is_some_and(|root| kind::is_deepspeed(root) && has_block(root) && !is_search_space(root)) {
            found.push(DeepSpeedDict { file: file.id, data, consumer: None, runs: Vec::new(), complete: false });
        }
    }
    found
}

/// Keys that code of the project sets by subscript: a literal's value for them may not be the one that is read.
fn keys_set_later(project: &Project) -> BTreeSet<&str> {
    let may_set = |file: &SourceFile| {
        let speaks_of_it = file.features().has_any(&[Feature::TrainingLibrary, Feature::DeepSpeedConfigKey]);
        speaks_of_it && !project.is_library_code(file.id)
    };
    let modules = project.files.iter().filter_map(|file| file.python_if(may_set(file)));
    let statements = modules.flat_map(Module::statements);
    let targets = statements.flat_map(|located| match &located.stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().collect(),
        StmtKind::AugAssign { target, .. } => vec![target],
        _ => Vec::new(),
    });
    targets.filter_map(|target| if let ExprKind::Subscript(_, index) = &target.kind { index.as_str() } else { None }).collect()
}

/// Whether one of its values is a mapping: a flat dict may hold the defaults of a command line.
fn has_block(root: NodeRef<'_>) -> bool {
    root.entries().any(|(_, value)| value.is_mapping())
}

/// Whether it is a search space: a tuner tries the values of its lists one after another.
fn is_search_space(root: NodeRef<'_>) -> bool {
    let block = root.get("zero_optimization").unwrap_or(root);
    let lists = |node: NodeRef<'_>| node.entries().any(|(_, value)| value.items().next().is_some());
    lists(block) || block.entries().any(|(_, value)| value.is_mapping() && value.get("classes").is_none() && lists(value))
}

/// Every dict literal of a module, outer ones before inner ones.
fn dict_literals(module: &Module) -> impl Iterator<Item = &Expr> {
    let expressions = module.statements().flat_map(|located| located.stmt.expressions());
    expressions.flat_map(Expr::walk).filter(|expr| matches!(expr.kind, ExprKind::Dict(_)))
}

/// The range of the value of each key of a dict.
fn values_by_key(module: &Module) -> HashMap<TextRange, TextRange> {
    let entries =
        dict_literals(module).filter_map(|expr| if let ExprKind::Dict(entries) = &expr.kind { Some(entries) } else { None });
    entries.flatten().filter_map(|(key, value)| Some((key.as_ref()?.range, value.range))).collect()
}

struct Tree<'a> {
    nodes: Vec<Node>,
    file: FileId,
    /// The range of the value of each key in the file.
    written: &'a HashMap<TextRange, TextRange>,
}

impl Tree<'_> {
    fn add(&mut self, range: TextRange, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { range, anchor: None, tag: None, flow: true, kind });
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn document(self, root: NodeId) -> DataFile {
        let range = self.nodes[root.0 as usize].range;
        let documents = vec![Document { range, root: Some(root) }];
        DataFile { json: true, nodes: self.nodes, documents, ..DataFile::default() }
    }

    /// An unknown value with a range: a node that is an alias of itself.
    fn unknown(&mut self, range: TextRange) -> NodeId {
        let own = NodeId(self.nodes.len() as u32);
        self.add(range, NodeKind::Alias { name: String::new(), target: Some(own) })
    }

    fn scalar(&mut self, range: TextRange, value: &Value) -> NodeId {
        let (text, style) = match value {
            Value::Null => ("null".to_owned(), Style::Plain),
            Value::Bool(truth) => (truth.to_string(), Style::Plain),
            Value::Int(number) => (number.to_string(), Style::Plain),
            Value::BigInt(digits) => (digits.clone(), Style::Plain),
            Value::Float(number) if number.is_finite() => (format!("{number:?}"), Style::Plain),
            Value::Text(text) => (text.clone(), Style::Double),
            Value::List(items) => {
                let items = items.iter().map(|item| self.scalar(range, item)).collect();
                return self.add(range, NodeKind::Sequence(items));
            }
            _ => return self.unknown(range),
        };
        self.add(range, NodeKind::Scalar(Scalar { text, style }))
    }

    fn mapping(&mut self, range: TextRange, entries: &[DictEntry], depth: u32) -> NodeId {
        let mut nodes = Vec::new();
        for entry in entries {
            let Value::Text(name) = &entry.key else { continue };
            let here = |place: &FileRange| (place.file == self.file).then_some(place.range);
            let key = entry.key_place.as_ref().and_then(here);
            let value = entry.values.first().and_then(|value| here(&value.place));
            // A key that is set after the literal has the place of its value.
            let key_range = key.or(value).unwrap_or(TextRange::new(range.start, range.start + 1));
            let value_range = key.and_then(|key| self.written.get(&key).copied()).or(value).unwrap_or(key_range);
            let key = self.add(key_range, NodeKind::Scalar(Scalar { text: name.clone(), style: Style::Double }));
            let value = self.values(value_range, &entry.values, depth.saturating_sub(1));
            nodes.push(Entry { key, value });
        }
        self.add(range, NodeKind::Mapping(nodes))
    }

    fn values(&mut self, range: TextRange, values: &[PossibleValue], depth: u32) -> NodeId {
        match values {
            [value] if value.condition.is_none() && !value.may_be_overridden && depth > 0 => match &value.value {
                ArgValue::Known(known) => self.scalar(range, known),
                ArgValue::Dict { entries, open: false } => self.mapping(range, entries, depth),
                ArgValue::List(items) => {
                    let items = items.iter().map(|item| self.values(range, std::slice::from_ref(item), depth - 1)).collect();
                    self.add(range, NodeKind::Sequence(items))
                }
                _ => self.unknown(range),
            },
            _ => self.unknown(range),
        }
    }

    fn literal(&mut self, expr: &Expr, keys_set_later: &BTreeSet<&str>, depth: u32) -> NodeId {
        match &expr.kind {
            _ if depth == 0 => self.unknown(expr.range),
            ExprKind::Value(value) => self.scalar(expr.range, value),
            ExprKind::Unary("-", inner) => match &inner.kind {
                ExprKind::Value(Value::Int(number)) => self.scalar(expr.range, &Value::Int(-number)),
                ExprKind::Value(Value::Float(number)) => self.scalar(expr.range, &Value::Float(-number)),
                _ => self.unknown(expr.range),
            },
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.literal(item, keys_set_later, depth - 1)).collect();
                self.add(expr.range, NodeKind::Sequence(items))
            }
            ExprKind::Dict(entries) => {
                let mut nodes = Vec::new();
                for (key, value) in entries {
                    let Some((key, name)) = key.as_ref().and_then(|key| Some((key, key.as_str()?))) else { continue };
                    let scalar = Scalar { text: name.to_owned(), style: Style::Double };
                    let key = self.add(key.range, NodeKind::Scalar(scalar));
                    let value = if keys_set_later.contains(name) {
                        self.unknown(value.range)
                    } else {
                        self.literal(value, keys_set_later, depth - 1)
                    };
                    nodes.push(Entry { key, value });
                }
                self.add(expr.range, NodeKind::Mapping(nodes))
            }
            _ => self.unknown(expr.range),
        }
    }
}
