//! What a rule is.

use crate::symptom::Symptom;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{FileRange, Finding, Lang, Message, Severity};
use vramlint_estimate::{Estimates, Models};
use vramlint_resolve::{Feature, FileFeatures, Project, SourceFile};
use vramlint_semantic::Semantics;
use vramlint_semantic::accelerate::AccelerateLaunch;
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;
use vramlint_semantic::frameworks::FrameworkConfig;
use vramlint_semantic::trainers::Trainer;

/// Family of a rule: the digit behind `VL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `VL0`: syntax, keys and values of files.
    SyntaxAndKeys,
    /// `VL1`: processes and devices.
    Launch,
    /// `VL2`: batch arithmetic.
    Batch,
    /// `VL3`: memory.
    Memory,
    /// `VL4`: precision, quantization, adapters.
    Precision,
    /// `VL5`: DeepSpeed and FSDP.
    Sharding,
    /// `VL6`: Python code.
    Code,
    /// `VL7`: data loading and throughput.
    Data,
    /// `VL8`: environment.
    Environment,
    /// `VL9`: reinforcement learning and generation.
    Generation,
}

impl Group {
    /// All families, by the digit of their codes.
    const ALL: [Self; 10] = [
        Self::SyntaxAndKeys,
        Self::Launch,
        Self::Batch,
        Self::Memory,
        Self::Precision,
        Self::Sharding,
        Self::Code,
        Self::Data,
        Self::Environment,
        Self::Generation,
    ];

    /// The family of a code; a declaration with another code than `VL` and digits does not compile.
    const fn of(code: &str) -> Self {
        Self::ALL[(code.as_bytes()[2] - b'0') as usize]
    }

    /// The prefix of its codes.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::SyntaxAndKeys => "VL0",
            Self::Launch => "VL1",
            Self::Batch => "VL2",
            Self::Memory => "VL3",
            Self::Precision => "VL4",
            Self::Sharding => "VL5",
            Self::Code => "VL6",
            Self::Data => "VL7",
            Self::Environment => "VL8",
            Self::Generation => "VL9",
        }
    }

    /// What its rules are about.
    pub const fn about(self, lang: Lang) -> &'static str {
        let (en, zh) = match self {
            Self::SyntaxAndKeys => ("Reading: YAML traps, unknown keys, types", "读取：YAML 陷阱、未知的键、类型"),
            Self::Launch => ("Processes and devices", "进程与设备"),
            Self::Batch => ("Batch arithmetic", "批大小计算"),
            Self::Memory => ("Memory", "显存与内存"),
            Self::Precision => ("Precision, quantization, adapters", "精度、量化、适配器"),
            Self::Sharding => ("DeepSpeed and FSDP", "DeepSpeed 与 FSDP"),
            Self::Code => ("Python code", "Python 代码"),
            Self::Data => ("Data loading and throughput", "数据加载与吞吐"),
            Self::Environment => ("Environment", "环境"),
            Self::Generation => ("Reinforcement learning and generation", "强化学习与生成"),
        };
        match lang {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Stable code, never reused.
    pub code: &'static str,
    /// Kebab-case name; reads well after "ignore".
    pub name: &'static str,
    /// Family.
    pub group: Group,
    /// Severity unless the case or the configuration says otherwise.
    pub severity: Severity,
    /// First version of vramlint that has it.
    pub since: &'static str,
    /// The head comment of the file that declares the rule: its page, English first, Chinese below `# 中文`.
    pub head: &'static str,
    /// The check. Rules whose findings come from elsewhere (unused suppressions) have none.
    pub check: Option<fn(&Context<'_>, &mut Sink)>,
    /// The check of one Python file alone, for rules that no feature announces.
    pub check_file: Option<fn(&SourceFile, FileFeatures, &mut Sink)>,
    /// The features of which a Python file must have one for the rule to look at it; a rule without any gets every file.
    pub needs: &'static [Feature],
    /// What users see when the rule applies; never empty.
    pub symptoms: &'static [Symptom],
    /// How an editor marks the text that the rule points at.
    pub tag: Option<DiagnosticTag>,
}

/// How an editor marks a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiagnosticTag {
    /// The text has no effect.
    Unnecessary,
    /// The library has removed or renamed what the text names.
    Deprecated,
}

/// What a rule may look at.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The project with its runs.
    pub project: &'a Project,
    /// What is known about the models that it names.
    pub models: &'a Models,
    /// The estimates of its runs, made when the first rule asks for them.
    pub estimates: &'a Estimates,
    /// The views of the project that rules share, each made when the first rule asks for it.
    pub semantics: &'a Semantics<'a>,
}

impl<'a> Context<'a> {
    /// Every use of `accelerate launch`: its commands, then the files that no command uses.
    pub fn accelerate_launches(&self) -> &'a [AccelerateLaunch<'a>] {
        self.semantics.accelerate_launches()
    }

    /// Every DeepSpeed configuration that can be read, in files and in code.
    pub fn deepspeed_configs(&self) -> &'a [DeepSpeedConfig<'a>] {
        self.semantics.deepspeed_configs()
    }

    /// Every training that a framework reads from one file or one command line.
    pub fn framework_configs(&self) -> &'a [FrameworkConfig<'a>] {
        self.semantics.framework_configs()
    }

    /// Every call of a trainer of transformers or TRL.
    pub fn trainers(&self) -> &'a [Trainer<'a>] {
        self.semantics.trainers()
    }
}

/// Where a rule puts what it finds.
#[derive(Debug, Default)]
pub struct Sink {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The places that [`Sink::mark_reported`] has seen.
    reported: BTreeSet<FileRange>,
}

impl Rule {
    /// A rule of the first release. `head` is the head comment of the file that declares it.
    pub const fn new(
        code: &'static str,
        name: &'static str,
        severity: Severity,
        head: &'static str,
        check: fn(&Context<'_>, &mut Sink),
    ) -> Self {
        Self { check: Some(check), ..Self::without_check(code, name, severity, head) }
    }

    /// A rule that looks at single files, or whose findings come from elsewhere, such as unused suppressions.
    pub const fn without_check(code: &'static str, name: &'static str, severity: Severity, head: &'static str) -> Self {
        Self {
            code,
            name,
            group: Group::of(code),
            severity,
            since: "0.1.0",
            head,
            check: None,
            check_file: None,
            needs: &[],
            symptoms: &[],
            tag: None,
        }
    }

    /// Runs the check of the project, or the check of a file on each of its files.
    pub fn run(&self, cx: &Context<'_>, out: &mut Sink) {
        if let Some(check) = self.check {
            check(cx, out);
        }
        if let Some(check) = self.check_file {
            let own = cx.project.files.iter().filter(|file| !cx.project.is_library_code(file.id));
            own.for_each(|file| check(file, file.features(), out));
        }
        self.bound_severities(cx.project, &mut out.findings);
    }

    /// Lowers the severity of findings where they stand.
    pub fn bound_severities(&self, project: &Project, findings: &mut [Finding]) {
        for finding in findings {
            finding.severity = finding.severity.min(self.most_severe(project, finding));
        }
    }

    /// How severe a finding can be where it stands: files that a test suite feeds to the code are wrong on purpose, or chosen to be
    /// small; what a document shows is advice for others, but its arithmetic is a statement; what an author has archived is kept, not
    /// run.
    fn most_severe(&self, project: &Project, finding: &Finding) -> Severity {
        let folders = project.file(finding.place.file).folder();
        let of_tests = folders.split('/').any(|part| TEST_FOLDERS.contains(&part));
        let shown = self.group != Group::Batch && project.is_documentation_snippet(finding.place.file);
        let archived = folders.split('/').any(|part| ARCHIVE_FOLDERS.contains(&part.to_lowercase().as_str()));
        let shown = finding.severity == Severity::Warning && (shown || archived);
        if of_tests || shown || is_template(project.file(finding.place.file)) { Severity::Info } else { Severity::Error }
    }

    /// A finding of this rule, with its default severity.
    pub fn finding(&self, place: FileRange, message: Message) -> Finding {
        Finding {
            code: self.code,
            name: self.name,
            severity: self.severity,
            message,
            help: None,
            place,
            related: Vec::new(),
            run: None,
            fixes: Vec::new(),
        }
    }
}

/// Whether a file is to be copied and filled in, by its name: `config_TEMPLATE.yaml`, `job.sh.in`.
fn is_template(file: &SourceFile) -> bool {
    let name = file.name().to_lowercase();
    let data = file.is_data() || file.is_script();
    data && (name.contains("template") || name.contains("placeholder") || name.contains("skeleton"))
        || [".tmpl", ".tpl", ".in", ".dist"].iter().any(|end| name.ends_with(end))
}

/// Folders of what is kept for the record.
const ARCHIVE_FOLDERS: &[&str] = &["archive", "archived", "archives", "deprecated"];

/// Folders of test suites.
const TEST_FOLDERS: &[&str] = &["tests", "test", "testing", "unit_tests", "test_cases", "test_configs", "testdata", "fixtures"];

impl Sink {
    /// Takes a finding.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Whether the rule comes to a place for the first time: rules see the same file through several runs.
    pub(crate) fn mark_reported(&mut self, place: FileRange) -> bool {
        self.reported.insert(place)
    }
}

/// Reports each place once, with the gravest of what the starts with one file find there.
pub(crate) fn push_most_severe(found: Vec<Finding>, out: &mut Sink) {
    let mut places: BTreeMap<FileRange, usize> = BTreeMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in found {
        match places.get(&finding.place) {
            Some(at) if kept[*at].severity >= finding.severity => {}
            Some(at) => kept[*at] = finding,
            None => {
                places.insert(finding.place, kept.len());
                kept.push(finding);
            }
        }
    }
    out.findings.extend(kept);
}
