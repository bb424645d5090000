//! The state of an interpretation, and the order in which code is run.

use super::CodeFacts;
use super::facts_builder::FactsBuilder;
use super::modules::{ModuleIndex, ModuleResolver};
use super::training_loop::{Loop, TrainingLoop};
use super::value::{AbstractValue, Alternative, FieldSource, Object, ObjectKind, ValueKind};
use crate::SourceFile;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Class, Function, Stmt};

/// Steps (expressions and statements) at most.
pub(crate) const STEP_LIMIT: u32 = 250_000;
/// Steps at most for code that nobody is seen to call.
const UNCALLED_STEP_LIMIT: u32 = 60_000;
/// Steps at most for code that nobody is seen to call, where only its calls of libraries are looked for.
const CALL_SEARCH_STEP_LIMIT: u32 = 30_000;
/// Libraries that train: code of a project that uses none of them is not searched for training.
const TRAINING_LIBRARIES: &[&str] = &[
    "torch",
    "transformers",
    "trl",
    "accelerate",
    "deepspeed",
    "peft",
    "unsloth",
    "lightning",
    "pytorch_lightning",
    "bitsandbytes",
    "sentence_transformers",
    "torchtune",
    "swift",
    "llamafactory",
];
/// Calls inside of calls at most.
pub(super) const MAX_CALL_DEPTH: usize = 20;
/// Expressions and blocks inside of each other at most.
const NESTING: u32 = 150;
/// How often one function is run at most.
pub(super) const MAX_RUNS_PER_FUNCTION: u32 = 30;

/// Names of a module, function or class body.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) vars: HashMap<String, AbstractValue>,
    pub(super) parent: Option<usize>,
    pub(super) file: Option<FileId>,
    /// Per open branch, the names that it wrote with what they were before.
    pub(super) journals: Vec<BTreeMap<String, Option<AbstractValue>>>,
    /// Names that a `global` statement sends to the module.
    pub(super) globals: HashSet<String>,
    /// Modules that `import *` brings in and that the project does not hold.
    pub(super) stars: Vec<String>,
    /// Whether it is the body of a class, which functions inside do not see.
    pub(super) class: bool,
}

/// A function of the project.
pub(super) struct FunctionInfo<'a> {
    pub(super) def: &'a Function,
    pub(super) file: FileId,
    pub(super) scope: usize,
    pub(super) class: Option<usize>,
    pub(super) decorators: Vec<AbstractValue>,
    pub(super) runs: u32,
}

/// A class of the project.
pub(super) struct ClassInfo<'a> {
    pub(super) def: &'a Class,
    pub(super) file: FileId,
    pub(super) scope: usize,
    pub(super) bases: Vec<AbstractValue>,
    pub(super) record: bool,
    pub(super) made: bool,
}

/// A function that runs.
pub(super) struct Frame {
    pub(super) function: usize,
    pub(super) returns: Vec<(AbstractValue, Option<Rc<str>>)>,
    /// Conditions of branches that returned before.
    pub(super) passed: Vec<Rc<str>>,
    /// Number of guards when it was entered.
    pub(super) guards: usize,
    pub(super) call: Option<FileRange>,
    pub(super) receiver: Option<usize>,
    /// The name that its result is given.
    pub(super) target: Option<String>,
}

/// Something that a library may call later.
pub(super) enum DeferredCall {
    Function(usize, Option<usize>),
    Instance(usize),
}

/// Runs the code.
pub(super) struct Interpreter<'a> {
    pub(super) files: &'a [SourceFile],
    pub(super) entry: FileId,
    pub(super) given: &'a [(String, Value)],
    pub(super) modules: ModuleResolver,
    pub(super) module_scopes: HashMap<FileId, usize>,
    pub(super) order: Vec<FileId>,
    pub(super) scopes: Vec<Scope>,
    pub(super) functions: Vec<FunctionInfo<'a>>,
    pub(super) classes: Vec<ClassInfo<'a>>,
    pub(super) objects: Vec<Object>,
    pub(super) frames: Vec<Frame>,
    pub(super) guards: Vec<Rc<str>>,
    pub(super) loops: Vec<Loop>,
    pub(super) loop_count: usize,
    pub(super) pending: VecDeque<DeferredCall>,
    pub(super) mute: u32,
    pub(super) reads: BTreeMap<FileRange, Alternative>,
    pub(super) record: FactsBuilder,
    pub(super) events: TrainingLoop,
    pub(super) noted: super::call_recorder::CallRecorder,
    /// Blocks around what runs, in the same function, that catch what it raises and go on.
    pub(super) catching: u32,
    pub(super) target: Option<String>,
    pub(super) commands: HashMap<usize, super::cli_functions::CommandKind>,
    pub(super) command_line: Option<usize>,
    /// Concepts that the code which is called speaks of: what nobody calls adds nothing to them.
    pub(super) settled: BTreeSet<Concept>,
    /// Whether a library that trains is imported.
    trains_perhaps: bool,
    fuel: u32,
    /// Steps at most for each part of the work.
    limit: u32,
    /// Steps that were made.
    pub(super) steps: u32,
    nesting: u32,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        files: &'a [SourceFile],
        index: &Arc<ModuleIndex>,
        entry: FileId,
        given: &'a [(String, Value)],
        limit: u32,
    ) -> Self {
        Self {
            files,
            entry,
            given,
            modules: ModuleResolver::new(Arc::clone(index), files, entry),
            module_scopes: HashMap::new(),
            order: Vec::new(),
            scopes: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            objects: Vec::new(),
            frames: Vec::new(),
            guards: Vec::new(),
            loops: Vec::new(),
            loop_count: 0,
            pending: VecDeque::new(),
            mute: 0,
            reads: BTreeMap::new(),
            record: FactsBuilder::default(),
            events: TrainingLoop::default(),
            noted: super::call_recorder::CallRecorder::default(),
            catching: 0,
            target: None,
            commands: HashMap::new(),
            command_line: None,
            settled: BTreeSet::new(),
            trains_perhaps: false,
            fuel: limit,
            limit,
            steps: 0,
            nesting: 0,
        }
    }

    /// Runs the entry as a program, then what libraries may call back, then, where no training was seen, what nobody called.
    pub(super) fn run(&mut self) {
        self.load_module(self.entry);
        self.run_pending();
        for of_entry in [true, false] {
            if !self.events.trains() && (of_entry || self.trains_perhaps) {
                self.settle();
                self.fuel = self.fuel.min(UNCALLED_STEP_LIMIT);
                self.noted.uncalled = true;
                self.run_uncalled(of_entry);
                self.noted.uncalled = false;
            }
        }
    }

    /// Runs what nobody called for the calls of libraries in it; nothing else of it is meant to be kept.
    pub(super) fn run_for_calls(&mut self) {
        self.noted.uncalled = true;
        self.noted.late = true;
        self.fuel = CALL_SEARCH_STEP_LIMIT.min(self.limit);
        if self.trains_perhaps {
            self.run_uncalled(true);
            self.run_uncalled(false);
        }
    }

    pub(super) fn finish(self) -> CodeFacts {
        super::facts_builder::finish(self)
    }

    /// Notes that a library is imported.
    pub(super) fn note_import(&mut self, module: &str) {
        let root = module.split('.').next().unwrap_or(module);
        self.trains_perhaps |= TRAINING_LIBRARIES.contains(&root);
    }

    /// Whether there is work left to spend; takes one step.
    pub(super) fn step(&mut self) -> bool {
        if self.fuel == 0 {
            return false;
        }
        self.fuel -= 1;
        self.steps += 1;
        true
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(&mut self, fallback: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.nesting >= NESTING {
            return fallback;
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// The file with this number; the list may be any part of a project.
    pub(super) fn file(&self, id: FileId) -> Option<&'a SourceFile> {
        self.files.get(id.0 as usize).filter(|file| file.id == id).or_else(|| self.files.iter().find(|file| file.id == id))
    }

    /// The text at a place.
    pub(super) fn text(&self, place: FileRange) -> &'a str {
        self.file(place.file).map_or("", |file| place.range.slice(&file.text))
    }

    /// The file that a scope belongs to.
    pub(super) fn file_of(&self, scope: usize) -> FileId {
        self.scopes[scope].file.unwrap_or(self.entry)
    }

    pub(super) fn new_scope(&mut self, parent: Option<usize>, file: FileId) -> usize {
        self.scopes.push(Scope { parent, file: Some(file), ..Scope::default() });
        self.scopes.len() - 1
    }

    pub(super) fn new_object(&mut self, kind: ObjectKind) -> usize {
        self.objects.push(Object { kind, attributes: HashMap::new(), depth: self.guards.len() });
        self.objects.len() - 1
    }

    /// Runs a module once; a module that is being run already is returned as far as it is.
    pub(super) fn load_module(&mut self, file: FileId) -> Option<usize> {
        if let Some(scope) = self.module_scopes.get(&file) {
            return Some(*scope);
        }
        let module = self.file(file)?.python()?;
        let scope = self.new_scope(None, file);
        self.module_scopes.insert(file, scope);
        self.order.push(file);
        let body: &'a [Stmt] = &module.body;
        // An import inside of a branch or a call runs the module as if it stood at the top.
        let guards = std::mem::take(&mut self.guards);
        let loops = std::mem::take(&mut self.loops);
        let frames = std::mem::take(&mut self.frames);
        let catching = std::mem::take(&mut self.catching);
        self.deeper((), |this| {
            this.block(body, scope);
        });
        self.guards = guards;
        self.loops = loops;
        self.frames = frames;
        self.catching = catching;
        Some(scope)
    }

    /// Runs what was handed to a library: `fire.Fire(train)`, a module given to a trainer.
    pub(super) fn run_pending(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            match pending {
                DeferredCall::Function(id, receiver) => {
                    if self.functions[id].runs == 0 {
                        self.run_root(id, receiver);
                    }
                }
                DeferredCall::Instance(object) => self.run_methods(object),
            }
        }
    }

    /// Takes stock before code is run that nobody calls.
    fn settle(&mut self) {
        self.collect_constants();
        self.settled = self.record.candidates.iter().map(|(concept, ..)| *concept).collect();
    }

    /// Runs functions and methods that nobody called, of the entry or of the other modules.
    fn run_uncalled(&mut self, of_entry: bool) {
        let mut class = 0;
        while class < self.classes.len() {
            let info = &self.classes[class];
            if !info.made && (info.file == self.entry) == of_entry {
                let object = self.make_unseen(class, FieldSource::Soft);
                self.run_methods(object);
                self.run_pending();
            }
            class += 1;
        }
        let mut id = 0;
        while id < self.functions.len() {
            let info = &self.functions[id];
            let top = info.class.is_none() && self.scopes[info.scope].parent.is_none();
            if top && info.runs == 0 && (info.file == self.entry) == of_entry {
                self.run_root(id, None);
                self.run_pending();
            }
            id += 1;
        }
    }

    /// Runs the methods of an object that nobody called yet.
    fn run_methods(&mut self, object: usize) {
        let ObjectKind::Instance { class, .. } = self.objects[object].kind else { return };
        let mut methods: Vec<usize> = Vec::new();
        for class in self.lineage(class) {
            let scope = &self.scopes[self.classes[class].scope];
            let mut own: Vec<usize> = scope
                .vars
                .values()
                .flat_map(|val| &val.alternatives)
                .filter_map(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
                .collect();
            own.sort_unstable();
            methods.extend(own);
        }
        for id in methods {
            if self.functions[id].runs == 0 {
                self.run_root(id, Some(object));
            }
        }
    }
}
