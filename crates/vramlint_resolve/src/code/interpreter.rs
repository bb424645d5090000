//! The state of an interpretation, and the order in which code is run.

use super::call_recorder::CallRecorder;
use super::candidates::CandidateSink;
use super::command_line::CommandLine;
use super::conditions::{conjoin, conjoin_all};
use super::control_flow::{ControlFlow, DeferredCall};
use super::definitions::Definitions;
use super::facts::TrainingPath;
use super::facts_builder::FactsBuilder;
use super::heap::{FieldSource, Heap, ObjectKind};
use super::modules::ModuleResolver;
use super::read_log::ReadLog;
use super::scopes::Scopes;
use super::script_arguments::ScriptArguments;
use super::sources::{ProjectFiles, Sources};
use super::step_budget::StepBudget;
use super::trained_parameters::TrainedParameters;
use super::training_loop::TrainingLoop;
use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::libraries;
use vramlint_syntax::python::Stmt;

/// Runs the code.
///
/// Each part of the state is a type of its own; what needs one part only is a method of that type.
pub(super) struct Interpreter<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) modules: ModuleResolver,
    pub(super) module_scopes: HashMap<FileId, usize>,
    /// Modules in the order in which they are loaded.
    pub(super) load_order: Vec<FileId>,
    pub(super) scopes: Scopes,
    pub(super) definitions: Definitions<'a>,
    pub(super) heap: Heap,
    pub(super) control: ControlFlow,
    pub(super) reads: ReadLog,
    pub(super) facts: FactsBuilder,
    pub(super) training: TrainingLoop,
    pub(super) parameters: TrainedParameters,
    pub(super) recorder: CallRecorder,
    pub(super) command_line: CommandLine<'a>,
    pub(super) deferred: VecDeque<DeferredCall>,
    /// The name that the result of the current expression is assigned to.
    pub(super) assigned_to: Option<String>,
    pub(super) budget: StepBudget,
    /// Whether a library that trains is imported: code of a project without one is not searched for training.
    imports_training_library: bool,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(project: ProjectFiles<'a>, entry: FileId, arguments: &'a ScriptArguments, step_limit: u32) -> Self {
        let ProjectFiles { files, paths, modules, versions } = project;
        Self {
            sources: Sources { files, paths, entry, versions },
            modules: ModuleResolver::new(Arc::clone(modules), files, entry),
            module_scopes: HashMap::new(),
            load_order: Vec::new(),
            scopes: Scopes::default(),
            definitions: Definitions::default(),
            heap: Heap::default(),
            control: ControlFlow::default(),
            reads: ReadLog::default(),
            facts: FactsBuilder::default(),
            training: TrainingLoop::default(),
            parameters: TrainedParameters::default(),
            recorder: CallRecorder::default(),
            command_line: CommandLine::new(arguments),
            deferred: VecDeque::new(),
            assigned_to: None,
            budget: StepBudget::new(step_limit),
            imports_training_library: false,
        }
    }

    /// Runs the entry as a program, then what libraries may call back. If no training was seen, code without visible callers
    /// follows.
    pub(super) fn run(&mut self) {
        self.load_module(self.sources.entry);
        self.run_deferred();
        self.facts.is_cut_off = self.budget.is_spent();
        let path = if self.training.changes_weights() { TrainingPath::Called } else { TrainingPath::TrainerMade };
        self.facts.training_path = self.training.may_change_weights().then_some(path);
        for of_entry in [true, false] {
            if !self.training.trains() && (of_entry || self.imports_training_library) {
                self.collect_constants();
                self.facts.freeze_concepts();
                self.budget.restrict_to_uncalled();
                self.recorder.uncalled = true;
                self.run_uncalled(of_entry);
                self.recorder.uncalled = false;
                let path = if of_entry { TrainingPath::UncalledInEntry } else { TrainingPath::UncalledInImport };
                self.facts.training_path = self.facts.training_path.or(self.training.may_change_weights().then_some(path));
            }
        }
    }

    /// Runs code without visible callers for its library calls; nothing else that it says is kept.
    pub(super) fn run_for_calls(&mut self) {
        self.recorder.uncalled = true;
        self.recorder.calls_only = true;
        self.budget.restart_for_calls();
        if self.imports_training_library {
            self.run_uncalled(true);
            self.run_uncalled(false);
        }
    }

    /// Logs that a library is imported.
    pub(super) fn record_import(&mut self, module: &str) {
        self.imports_training_library |= libraries::of_module(module).is_some_and(|library| library.searched);
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, fallback: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        if !self.budget.enter() {
            return fallback;
        }
        let result = inner(self);
        self.budget.leave();
        result
    }

    /// Runs `inner` without counting what it reads as used.
    pub(super) fn without_reads<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.reads.mute();
        let result = inner(self);
        self.reads.unmute();
        result
    }

    /// Makes an object. A write to it under more open branches is conditional.
    pub(super) fn new_object(&mut self, kind: ObjectKind) -> usize {
        self.heap.allocate(kind, self.control.guards.depth())
    }

    /// The sink for candidates under the current conditions.
    pub(super) fn candidates(&mut self) -> CandidateSink<'_, 'a> {
        CandidateSink::new(&mut self.facts, &self.heap, &self.sources, self.control.condition())
    }

    /// What an object holds after a write: the new value, next to the old one if the write may not happen.
    pub(super) fn after_write(
        &self,
        object: usize,
        old: Option<AbstractValue>,
        new: AbstractValue,
        certain: bool,
    ) -> AbstractValue {
        let condition = conjoin_all(self.control.guards.since(self.heap[object].depth).iter());
        if condition.is_none() && certain {
            return new;
        }
        let condition = condition.or_else(|| Some("…".into()));
        let mut alternatives: Vec<Alternative> = old.map_or_else(Vec::new, |old| old.alternatives);
        for alt in new.alternatives {
            if alternatives.iter().any(|known| known.same(&alt)) {
                continue;
            }
            let condition = conjoin(condition.as_ref(), alt.condition.as_ref());
            alternatives.push(Alternative { condition, ..alt });
        }
        AbstractValue::from_alternatives(alternatives)
    }

    /// Runs a module once; a module that is still being run is returned as far as it is.
    pub(super) fn load_module(&mut self, file: FileId) -> Option<usize> {
        if let Some(scope) = self.module_scopes.get(&file) {
            return Some(*scope);
        }
        let module = self.sources.file(file)?.python()?;
        let scope = self.scopes.open(None, file);
        self.module_scopes.insert(file, scope);
        self.load_order.push(file);
        let body: &'a [Stmt] = &module.body;
        // An import inside of a branch or a call runs the module as if it stood at the top.
        let importer = std::mem::take(&mut self.control);
        self.nested((), |this| {
            this.block(body, scope);
            this.run_cells(body, scope);
        });
        self.control = importer;
        Some(scope)
    }

    /// Runs what was handed to a library: `fire.Fire(train)`, a module given to a trainer.
    fn run_deferred(&mut self) {
        while let Some(deferred) = self.deferred.pop_front() {
            match deferred {
                DeferredCall::Function(id, receiver) => {
                    if self.definitions.functions[id].runs == 0 {
                        self.run_without_caller(id, receiver);
                    }
                }
                DeferredCall::Instance(object) => self.run_methods(object),
            }
        }
    }

    /// Runs functions and methods without visible callers, of the entry or of the other modules.
    fn run_uncalled(&mut self, of_entry: bool) {
        let mut class = 0;
        while class < self.definitions.classes.len() {
            let info = &self.definitions.classes[class];
            if !info.made && (info.file == self.sources.entry) == of_entry {
                let object = self.instantiate_uncalled(class, FieldSource::Overridable);
                self.run_methods(object);
                self.run_deferred();
            }
            class += 1;
        }
        let mut id = 0;
        while id < self.definitions.functions.len() {
            let info = &self.definitions.functions[id];
            let top_level = info.class.is_none() && self.scopes[info.scope].parent.is_none();
            if top_level && info.runs == 0 && (info.file == self.sources.entry) == of_entry {
                self.run_without_caller(id, None);
                self.run_deferred();
            }
            id += 1;
        }
    }

    /// Runs the methods of an object that have not run yet.
    fn run_methods(&mut self, object: usize) {
        let ObjectKind::Instance { class, .. } = self.heap[object].kind else { return };
        let mut methods: Vec<usize> = Vec::new();
        for class in self.definitions.lineage(class) {
            let scope = &self.scopes[self.definitions.classes[class].scope];
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
            if self.definitions.functions[id].runs == 0 {
                self.run_without_caller(id, Some(object));
            }
        }
    }
}
