//! Lengths that calls of a tokenizer give as numbers: `tokenizer(text, truncation=True, max_length=256)`.

use super::call_arguments::CallArguments;
use super::facts_builder::Strength;
use super::interpreter::Interpreter;
use super::name_roles::is_evaluation_name;
use super::value::{AbstractValue, ValueKind};
use crate::features::Feature;
use crate::setting::Resolved;
use crate::source::SourceFile;
use std::collections::BTreeSet;
use vramlint_base::{FileId, FileRange, TextRange, Value};
use vramlint_catalog::Concept;
use vramlint_syntax::python::{CallSite, Expr, ExprKind, Stmt, StmtKind};

impl<'a> Interpreter<'a> {
    /// Notes the length at which a call cuts texts: `tokenizer(text, truncation=True, max_length=args.max_length)`.
    pub(super) fn note_cut(&mut self, args: &CallArguments, place: FileRange) {
        if args.get("truncation").is_none() {
            return;
        }
        let Some(length) = args.get("max_length").and_then(AbstractValue::constant).and_then(Value::as_int) else { return };
        self.facts.cuts.entry(place).or_default().insert(length);
    }

    /// Notes the name by which a call loads a tokenizer.
    pub(super) fn note_tokenizer(&mut self, callee: &AbstractValue, args: &CallArguments) {
        let loads = callee.library_path().is_some_and(|path| path.ends_with(".from_pretrained") && path.contains("Tokenizer"));
        if loads {
            let name = args.arg("pretrained_model_name_or_path", 0).and_then(AbstractValue::constant).and_then(Value::as_str);
            self.facts.tokenizers.insert(name.map(str::to_owned));
        }
    }

    /// The name of the only tokenizer that the code loads.
    pub(super) fn only_tokenizer(&self) -> Option<String> {
        let mut names = self.facts.tokenizers.iter();
        names.next().filter(|_| names.next().is_none()).cloned().flatten()
    }

    /// The names of the lengths to which collators cut the rows: no other length is that of the training.
    pub(super) fn collated_lengths(&self) -> Vec<String> {
        let collates = |file: &SourceFile| file.features().has(Feature::Collator);
        let files = self.load_order.iter().filter_map(|id| self.sources.file(*id));
        let modules = files.filter_map(|file| file.python_if(collates(file)));
        modules.flat_map(|module| module.calls().filter_map(|site| collated_length(&site)).collect::<Vec<_>>()).collect()
    }

    /// Adds the length of a row, and of its target, where nothing else gives one and the calls of the tokenizer agree.
    pub(super) fn collect_tokenizer_lengths(&mut self) {
        if !self.collated_lengths().is_empty() {
            return;
        }
        let mut rows: Vec<(i64, FileRange)> = Vec::new();
        let mut targets = Vec::new();
        for id in self.load_order.clone() {
            let Some(file) = self.sources.file(id) else { continue };
            let Some(module) = file.python_if(file.features().has(Feature::Truncation)) else { continue };
            let loaded: BTreeSet<String> = module.calls().flat_map(|site| loaded_tokenizers(&site)).collect();
            for site in module.calls() {
                for (length, range) in self.truncations(id, &site, &loaded) {
                    let place = FileRange::new(id, range);
                    let target = is_of_target(&site, &file.text);
                    if target {
                        targets.push((length, place));
                    }
                    // `tokenizer(inputs, text_target=targets)` cuts both.
                    if !target || site.call.positional(0).is_some() && site.call.keyword("text_target").is_some() {
                        rows.push((length, place));
                    }
                }
            }
            if rows.is_empty() && module.calls().any(|site| cuts_at_limit(&site, &loaded)) {
                let limit = module.body.iter().rev().find_map(|stmt| limit_of_tokenizer(stmt, &loaded));
                rows.extend(limit.and_then(|given| {
                    let scope = *self.module_scopes.get(&id)?;
                    let length = self.without_reads(|this| this.eval(given, scope)).constant().and_then(Value::as_int)?;
                    (length > 0).then_some((length, FileRange::new(id, given.range)))
                }));
            }
        }
        for (concept, lengths) in [(Concept::SequenceLength, rows), (Concept::TargetLength, targets)] {
            let known = self.facts.candidates.iter().any(|(own, _, candidate)| *own == concept && candidate.used);
            let Some((length, place)) = lengths.first().copied().filter(|_| !known) else { continue };
            if lengths.iter().any(|(other, _)| *other != length) {
                if concept == Concept::SequenceLength {
                    let distinct: BTreeSet<u64> = lengths.iter().filter_map(|(length, _)| u64::try_from(*length).ok()).collect();
                    self.facts.text_lengths = distinct.into_iter().collect();
                }
                continue;
            }
            let value = AbstractValue::located(ValueKind::Scalar(Value::Int(length)), place);
            for alternative in &value.alternatives {
                let candidate = self.candidates().candidate(alternative, Resolved::Known(Value::Int(length)), None);
                self.candidates().push(concept, Strength::Used, candidate);
            }
        }
    }

    /// The lengths to which a call of a tokenizer cuts the rows of a training, and their place.
    fn truncations(&mut self, file: FileId, site: &CallSite<'a>, loaded: &BTreeSet<String>) -> Vec<(i64, TextRange)> {
        let Some(given) = cut_length(site, loaded) else { return Vec::new() };
        let lengths = match given.as_value().and_then(Value::as_int) {
            Some(written) => BTreeSet::from([written]),
            // What the length was whenever the call ran.
            None => match self.facts.cuts.get(&FileRange::new(file, site.expr.range)) {
                Some(noted) => noted.clone(),
                None => self.length_around(file, site, given).into_iter().collect(),
            },
        };
        lengths.into_iter().filter(|length| *length > 0).map(|length| (length, given.range)).collect()
    }

    /// The length that an expression has around a function without a visible caller, such as `__getitem__` of a data set.
    fn length_around(&mut self, file: FileId, site: &CallSite<'a>, given: &'a Expr) -> Option<i64> {
        let inside = |stmt: &&Stmt| stmt.range.contains(site.expr.range);
        let around = self.definitions.functions.iter().filter(|info| info.file == file).filter_map(|info| {
            let stmt = info.def.body.iter().find(inside)?;
            Some((stmt.range.len(), info))
        });
        let (_, info) = around.min_by_key(|(len, _)| *len)?;
        let first = given.dotted()?.split('.').next().map(str::to_owned);
        let is_parameter = info.def.params.iter().any(|param| first.as_ref() == Some(&param.name));
        let scope = info.scope;
        if is_parameter {
            return None;
        }
        let found = self.without_reads(|this| this.eval(given, scope));
        let alternative = found.single().filter(|alternative| alternative.condition.is_none())?;
        alternative.scalar().and_then(Value::as_int)
    }
}

/// The name of the length to which a collator cuts the rows, where it is no number.
fn collated_length(site: &CallSite<'_>) -> Option<String> {
    let collates = site.call.callee.dotted().is_some_and(|name| name.to_lowercase().contains("collat"));
    let length = site.call.keyword("max_length").or_else(|| site.call.keyword("max_seq_length")).filter(|_| collates)?;
    match &length.value.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name.clone()),
        _ => None,
    }
}

/// The names that get a loaded tokenizer: `tok = AutoTokenizer.from_pretrained(…)`.
fn loaded_tokenizers(site: &CallSite<'_>) -> Vec<String> {
    let loads = site.call.callee.dotted().is_some_and(|name| name.ends_with("from_pretrained") && name.contains("Tokenizer"));
    let StmtKind::Assign { targets, .. } = &site.stmt.kind else { return Vec::new() };
    let name = |target: &Expr| target.dotted()?.rsplit('.').next().map(str::to_owned);
    if loads { targets.iter().filter_map(name).collect() } else { Vec::new() }
}

/// The length that a call of a tokenizer gets to cut the rows of a training.
fn cut_length<'a>(site: &CallSite<'a>, loaded: &BTreeSet<String>) -> Option<&'a Expr> {
    let callee = site.call.callee.dotted()?;
    let mut parts = callee.rsplit('.');
    let mut name = parts.next()?;
    if matches!(name, "encode" | "encode_plus" | "batch_encode_plus" | "__call__") {
        name = parts.next()?;
    }
    let cuts = site.call.keyword("truncation").is_some_and(|given| given.value.as_value() != Some(&Value::Bool(false)));
    let trains = !site.context.scopes.iter().any(|scope| is_evaluation_name(scope.name()));
    if !(cuts && trains && (loaded.contains(name) || name.to_lowercase().contains("tokenizer"))) {
        return None;
    }
    Some(&site.call.keyword("max_length")?.value)
}

/// Whether a call of a tokenizer cuts rows at the tokenizer's own limit: `tokenizer(texts, truncation=True)`.
fn cuts_at_limit(site: &CallSite<'_>, loaded: &BTreeSet<String>) -> bool {
    let truncates = site.call.keyword("truncation").is_some_and(|given| given.value.as_value() == Some(&Value::Bool(true)));
    let limit = site.call.keyword("max_length").is_none_or(|given| given.value.as_value() == Some(&Value::Null));
    truncates && limit && site.call.callee.dotted().is_some_and(|name| loaded.contains(&name))
}

/// The limit that a statement gives a loaded tokenizer: `tokenizer.model_max_length = 256`.
fn limit_of_tokenizer<'a>(stmt: &'a Stmt, loaded: &BTreeSet<String>) -> Option<&'a Expr> {
    let StmtKind::Assign { targets, value: Some(value), .. } = &stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let ExprKind::Attribute(owner, name, _) = &target.kind else { return None };
    (name == "model_max_length" && loaded.contains(owner.as_name()?)).then_some(value)
}

/// Whether a call tokenizes what the model shall answer.
fn is_of_target(site: &CallSite<'_>, text: &str) -> bool {
    let assigned = site.stmt.range.slice(text).trim_start();
    site.call.keyword("text_target").is_some() || ["label", "target", "tgt"].iter().any(|word| assigned.starts_with(word))
}
