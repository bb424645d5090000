//! # yaml-number-is-text
//!
//! A number that YAML 1.1 parses as a string: `2e-5` without a decimal point, `1e5` without a sign.
//!
//! ## Why it matters
//! For `learning_rate: 2e-5`, PyYAML's `safe_load` returns the string `'2e-5'`. An optimizer raises a `TypeError` for it; code
//! that compares it silently compares strings. OmegaConf (LLaMA-Factory, torchtune), TrlParser and Axolotl convert it to a
//! number, so the rule is silent there.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! import yaml
//!
//! with open("config.yaml") as handle:
//!     cfg = yaml.safe_load(handle)
//! ```
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! batch_size: 4
//! learning_rate: 2e-5
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model_name: mistralai/Mistral-7B-v0.1
//! batch_size: 4
//! learning_rate: 2.0e-5
//! ```
//!
//! ## Fix
//! Safe: adds a decimal point (and a sign), so that every loader reads the same number; a count becomes an integer.
//!
//! ## When it stays silent
//! If a string is intended: `run_name: 1e5`, `commit: 12e4567`, quoted values. If a loader in the project converts it to a
//! number, or code that reads the file does: `float(cfg["lr"])`, pydantic, `ast.literal_eval`. An info finding if no code that
//! reads the file is found; silent then if any code of the project reads configurations in such a way.
//!
//! ## Sources
//! PyYAML 6.0.3 `resolver.py`, run; transformers 5.23.0 `HfArgumentParser.parse_yaml_file`, run; accelerate 1.15.0
//! `utils/dataclasses.py:1930` (`int("1e8")` and `int("100000000.0")` raise an error), read.
//!
//! # 中文
//!
//! 被 YAML 1.1 解析为字符串的数字：没有小数点的 `2e-5`，没有符号的 `1e5`。
//!
//! ## 为什么重要
//! 对 `learning_rate: 2e-5`，PyYAML 的 `safe_load` 得到的是字符串 `'2e-5'`。优化器会对它抛出 `TypeError`；拿它比较的代码比的是
//! 字符串。OmegaConf（LLaMA-Factory、torchtune）、TrlParser 与 Axolotl 会把它转换为数字，因此这些情况不报告。
//!
//! ## 修复
//! 安全：补上小数点（和符号），所有读取器都会读成同一个数；计数则写成整数。
//!
//! ## 何时不报
//! 本意是字符串：`run_name: 1e5`、`commit: 12e4567`、加了引号的值。项目中的读取器会把它转换为数字，或读取该文件的代码会转换：
//! `float(cfg["lr"])`、pydantic、`ast.literal_eval`。找不到读取该文件的代码时仅作提示；此时若项目中有以这种方式读取配置的代码，则不报。
//!
//! ## 来源
//! PyYAML 6.0.3 `resolver.py`，实际运行；transformers 5.23.0 `HfArgumentParser.parse_yaml_file`，实际运行；accelerate 1.15.0
//! `utils/dataclasses.py:1930`（`int("1e8")` 与 `int("100000000.0")` 会被拒绝），阅读源码。

use crate::syntax_and_keys::loads::{Load, loads};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::cell::OnceCell;
use vramlint_base::{Applicability, FileRange, Finding, Fix, Related, Severity, Value, message};
use vramlint_catalog::keys::{self, KeyType};
use vramlint_catalog::{Dialect, dialect};
use vramlint_edit as edit;
use vramlint_resolve::{Feature, FileKind, Project, SourceFile};
use vramlint_syntax::data::{Loader, NodeKind, NodeRef, Style};
use vramlint_syntax::yaml;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL007", "yaml-number-is-text", Severity::Warning, page!("yaml_number_is_text.rs"), check)
};

/// Depth of blocks that is looked into.
const DEPTH: usize = 16;

fn check(cx: &Context<'_>, out: &mut Sink) {
    let loads = loads(cx.project);
    let converts = OnceCell::new();
    for file in &cx.project.files {
        let Some(data) = file.data().filter(|data| !data.json) else { continue };
        let calls = loads.get(&file.id).map_or(&[][..], Vec::as_slice);
        let Some(reader) = reader(cx.project, file, calls) else { continue };
        // Nobody is seen to read it: the project's own reader may be one that converts.
        let unseen = reader.call.is_none() && cx.project.kind(file.id) != FileKind::Accelerate;
        if unseen && *converts.get_or_init(|| has_converting_reader(cx.project)) {
            continue;
        }
        let mut found = Found { file, kind: cx.project.kind(file.id), reader, out };
        for root in data.roots() {
            found.block(root, &mut Vec::new());
        }
    }
}

/// The reader of the file: the severity of a finding, and the place of the call and its program where the project shows it.
#[derive(Clone)]
struct Reader<'a> {
    severity: Severity,
    call: Option<FileRange>,
    program: Vec<&'a SourceFile>,
}

/// What makes numbers of texts whatever their keys are: a resolver of YAML, an evaluation of literals, classes that convert.
const CONVERTERS: &[&str] =
    &["add_implicit_resolver", "literal_eval", "OmegaConf", "BaseModel", "pydantic", "dacite", "json.loads", "jsonargparse"];

impl Reader<'_> {
    /// Whether the program makes a number of the value of this key: `float(cfg["lr"])`, an option of that name with a type.
    fn converts(&self, name: &str) -> bool {
        let whole = |line: &str| {
            line.match_indices(name).any(|(at, _)| {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                !line[..at].ends_with(word) && !line[at + name.len()..].starts_with(word)
            })
        };
        let converting =
            |line: &str| ["float(", "int(", "Decimal(", "type=float", "type=int"].iter().any(|call| line.contains(call));
        let mut files = self.program.iter().filter(|file| file.mentions(name));
        files.any(|file| file.text.lines().any(|line| whole(line) && converting(line)))
    }
}

/// `None` where the loader makes a number of it.
fn reader<'a>(project: &'a Project, file: &SourceFile, calls: &[Load]) -> Option<Reader<'a>> {
    if let Some(load) = calls.iter().find(|load| load.loader == Some(Loader::PyYaml)) {
        let program: Vec<&SourceFile> = load.program.iter().map(|id| project.file(*id)).collect();
        let converted = program.iter().any(|file| CONVERTERS.iter().any(|name| file.mentions(name)));
        return (!converted).then_some(Reader { severity: Severity::Warning, call: Some(load.place), program });
    }
    if calls.iter().any(|load| load.loader.is_some()) {
        return None;
    }
    match project.kind(file.id) {
        // int('1e8') is rejected when the plugin is built (accelerate 1.15.0 utils/dataclasses.py:1930).
        FileKind::Accelerate => Some(Reader { severity: Severity::Warning, call: None, program: Vec::new() }),
        // Hydra and OmegaConf take it for a number.
        FileKind::Training | FileKind::Framework(Dialect::HfTrainer) if is_hydra(project, file) => None,
        FileKind::Training | FileKind::Framework(Dialect::HfTrainer) => {
            Some(Reader { severity: Severity::Info, call: None, program: Vec::new() })
        }
        _ => None,
    }
}

/// Whether some code of the project reads configurations and makes numbers of texts.
fn has_converting_reader(project: &Project) -> bool {
    let reads = |file: &&SourceFile| file.is_python() && project.features(file.id).has(Feature::ConfigReader);
    let mut readers = project.files.iter().filter(reads);
    readers.any(|file| CONVERTERS.iter().any(|name| file.mentions(name)))
}

/// Whether a file is written for Hydra or OmegaConf.
fn is_hydra(project: &Project, file: &SourceFile) -> bool {
    let root = file.data().and_then(vramlint_syntax::data::DataFile::root);
    let composes = root.is_some_and(|root| {
        root.get("hydra").is_some() || root.get("defaults").is_some_and(|node| node.items().next().is_some())
    });
    composes || project.features(file.id).has(Feature::HydraConfig)
}

struct Found<'a> {
    file: &'a SourceFile,
    kind: FileKind,
    reader: Reader<'a>,
    out: &'a mut Sink,
}

impl<'a> Found<'a> {
    /// Every value of a block where it is written: what an alias stands for is reported at its anchor.
    fn block(&mut self, node: NodeRef<'a>, path: &mut Vec<&'a str>) {
        if path.len() > DEPTH {
            return;
        }
        let NodeKind::Mapping(entries) = &node.raw().kind else { return };
        for entry in entries {
            let (key, value) = (NodeRef { file: node.file, id: entry.key }, NodeRef { file: node.file, id: entry.value });
            let Some(name) = key.text() else { continue };
            path.push(name);
            self.value(value, path);
            path.pop();
        }
    }

    fn value(&mut self, value: NodeRef<'a>, path: &mut Vec<&'a str>) {
        match &value.raw().kind {
            NodeKind::Mapping(_) => self.block(value, path),
            // `betas: [0.9, 1e-8]`: items of a list count too, together.
            NodeKind::Sequence(items) => {
                let mut found: Option<Finding> = None;
                for id in items {
                    let item = NodeRef { file: value.file, id: *id };
                    match (&item.raw().kind, &mut found) {
                        (NodeKind::Mapping(_), _) => self.block(item, path),
                        (_, Some(first)) => {
                            if let Some(other) = self.number(item, path) {
                                join(first, other);
                            }
                        }
                        (_, None) => found = self.number(item, path),
                    }
                }
                self.out.findings.extend(found);
            }
            _ => {
                let found = self.number(value, path);
                self.out.findings.extend(found);
            }
        }
    }

    fn number(&self, value: NodeRef<'a>, path: &[&str]) -> Option<Finding> {
        let NodeKind::Scalar(scalar) = &value.raw().kind else { return None };
        if scalar.style != Style::Plain || value.raw().tag.is_some() {
            return None;
        }
        let number = yaml::scalar::looks_like_number(&scalar.text)?;
        if !matches!(value.value(Loader::PyYaml), Some(Value::Text(_))) || !wants_number(self.kind, path, number) {
            return None;
        }
        let name = path.last().copied().unwrap_or_default();
        if self.reader.converts(name) {
            return None;
        }
        let spelling = spelling(self.kind, path, &scalar.text, number);
        let finding = finding(self.file, name, value, &scalar.text, spelling, &self.reader);
        // accelerate makes an integer of the text, and stops, where this policy asks for it (utils/dataclasses.py:1930).
        let root = NodeRef { file: value.file, id: value.file.root().map_or(value.id, |root| root.id) };
        let policy = ["fsdp_auto_wrap_policy", "auto_wrap_policy"].iter().find_map(|key| root.at(&["fsdp_config", key])?.text());
        if self.kind == FileKind::Accelerate && path.last().is_some_and(|key| key.ends_with("min_num_params")) {
            // Another policy does not read it.
            let read = policy.is_none_or(|policy| policy.eq_ignore_ascii_case("SIZE_BASED_WRAP"));
            let fsdp = root.get("distributed_type").and_then(NodeRef::text) == Some("FSDP");
            return Some(match (read, policy.is_some() && fsdp) {
                (true, true) => finding.with_severity(Severity::Error),
                (true, false) => finding,
                (false, _) => finding.with_severity(Severity::Info),
            });
        }
        Some(finding)
    }
}

/// Whether a number is meant under this path: a key of accelerate that takes one, a setting that is one, or a name that mentions
/// one. `run_name: 1e5` and `commit: 12e4567` are meant as text.
fn wants_number(kind: FileKind, path: &[&str], number: f64) -> bool {
    if kind == FileKind::Accelerate
        && let Some(key) = keys::find(keys::accelerate(), &path.join("."))
    {
        return matches!(key.kind, KeyType::Int | KeyType::Float | KeyType::Any);
    }
    let as_number = Value::Float(number);
    let mut dialects = kind.dialect().into_iter().chain([Dialect::Plain]);
    dialects.any(|dialect| {
        dialect::meaning(dialect, path, &as_number)
            .is_some_and(|meaning| matches!(meaning.value, Value::Int(_) | Value::Float(_)))
    }) || path.last().is_some_and(|name| speaks_of_number(name))
}

/// Words in the names of settings that are numbers.
const WORDS: &[&str] = &[
    "lr",
    "rate",
    "decay",
    "eps",
    "epsilon",
    "ratio",
    "tol",
    "tolerance",
    "beta",
    "betas",
    "beta1",
    "beta2",
    "clip",
    "norm",
    "warmup",
    "temperature",
    "momentum",
    "dropout",
    "coef",
    "coeff",
    "coefficient",
    "weight",
    "alpha",
    "gamma",
    "threshold",
    "scale",
    "std",
    "factor",
    "loss",
    "delta",
    "lambda",
    "penalty",
    "epochs",
    "steps",
    "samples",
    "params",
    "tokens",
    "size",
    "sigma",
    "kl",
    "init",
    "min",
    "max",
];

/// Words in the names of settings that are text, whatever else is in them.
const TEXT: &[&str] = &[
    "name",
    "path",
    "dir",
    "file",
    "id",
    "model",
    "tag",
    "version",
    "hash",
    "commit",
    "sha",
    "revision",
    "key",
    "token",
    "seed",
    "run",
    "project",
    "date",
    "time",
    "type",
    "mode",
    "strategy",
    "url",
    "repo",
    "note",
    "comment",
    "description",
    "title",
    "suffix",
    "prefix",
    "label",
];

/// The words of a name, in lower case.
fn name_words(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn speaks_of_number(name: &str) -> bool {
    let words = name_words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let learning_rate =
        words.iter().any(|word| word.starts_with("lr") && word[2..].chars().all(|c| c.is_ascii_digit()) || word.ends_with("lr"));
    !has(TEXT) && (has(WORDS) || learning_rate)
}

/// Words in the names of settings that count something.
const COUNTS: &[&str] = &["steps", "samples", "params", "tokens", "size", "epochs", "episodes", "examples", "rows"];

/// The number as every loader reads it: in whole digits where an integer is wanted, since `1.0e+8` is a float, and
/// `int("100000000.0")` is rejected (accelerate 1.15.0 utils/dataclasses.py:1930); else with a dot and a sign.
#[allow(clippy::float_cmp, clippy::cast_possible_truncation)] // whole and far below 2^53
fn spelling(kind: FileKind, path: &[&str], text: &str, number: f64) -> Option<String> {
    let whole = number.fract() == 0.0 && (1.0..1e15).contains(&number);
    let wanted = || {
        let key = keys::find(keys::accelerate(), &path.join(".")).filter(|_| kind == FileKind::Accelerate);
        let counts = |name: &&str| name_words(name).iter().any(|word| COUNTS.contains(&word.as_str()));
        key.is_some_and(|key| key.kind == KeyType::Int) || path.last().is_some_and(counts)
    };
    if whole && wanted() {
        return Some((number as i64).to_string());
    }
    yaml::scalar::pyyaml_float_spelling(text)
}

/// Makes one finding, and one edit, of two numbers in one list.
fn join(first: &mut Finding, other: Finding) {
    first.related.push(Related { place: other.place, message: message!("a string too", "同样是字符串") });
    match (first.fixes.first_mut(), other.fixes.into_iter().next()) {
        (Some(fix), Some(more)) => {
            fix.edits.extend(more.edits);
            fix.title = message!("write them as floats", "改写为浮点数");
        }
        _ => first.fixes.clear(),
    }
}

fn finding(
    file: &SourceFile,
    name: &str,
    value: NodeRef<'_>,
    text: &str,
    spelling: Option<String>,
    reader: &Reader<'_>,
) -> Finding {
    let place = FileRange::new(file.id, value.range());
    let message = match reader.call {
        Some(_) => message!(
            "`{name}: {text}` is the string '{text}' in yaml.safe_load, not a number",
            "yaml.safe_load 把 `{name}: {text}` 解析为字符串 '{text}'，而不是数字"
        ),
        None => message!(
            "`{name}: {text}` is the string '{text}' in PyYAML, not a number",
            "PyYAML 把 `{name}: {text}` 解析为字符串 '{text}'，而不是数字"
        ),
    };
    let whole = spelling.as_deref().is_some_and(|spelling| spelling.bytes().all(|byte| byte.is_ascii_digit()));
    let help = if whole {
        message!("it counts something: write it in digits", "它表示数量：请写成整数")
    } else {
        message!(
            "YAML 1.1 floats need a decimal point in the mantissa and a sign in the exponent",
            "YAML 1.1 的浮点数要求尾数有小数点、指数有正负号"
        )
    };
    let mut finding = RULE.finding(place, message).with_severity(reader.severity).with_help(help);
    if let Some(call) = reader.call {
        finding = finding.with_related(call, message!("read here", "在此读取"));
    }
    if let Some(spelling) = spelling {
        finding = finding.with_fix(Fix {
            title: message!("write {spelling}", "改为 {spelling}"),
            applicability: Applicability::Safe,
            edits: vec![edit::replace(place, spelling)],
        });
    }
    finding
}
