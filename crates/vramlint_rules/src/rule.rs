//! What a rule is.

use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::{FileRange, Finding, Fix, Lang, Message, Related, Severity};
use vramlint_estimate::{Estimates, Models};
use vramlint_resolve::Project;
use vramlint_semantic::Semantics;
use vramlint_semantic::accelerate::AccelerateLaunch;
use vramlint_semantic::deepspeed::config::DeepSpeedConfig;
use vramlint_semantic::frameworks::FrameworkConfig;
use vramlint_semantic::trainers::Trainer;

/// Family of a rule: the digit behind `VL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `VL0`: reading.
    Reading,
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
    /// The prefix of its codes.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Reading => "VL0",
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
            Self::Reading => ("Reading: YAML traps, unknown keys, types", "读取：YAML 陷阱、未知的键、类型"),
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
    /// The source file of the rule: its head comment is the page, English first, Chinese below `# 中文`.
    pub source: &'static str,
    /// The check. Rules whose findings come from elsewhere (unused suppressions) have none.
    pub check: Option<fn(&Context<'_>, &mut Sink)>,
}

/// A rule's page in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// One sentence.
    pub summary: String,
    /// Markdown, without the title.
    pub body: String,
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
}

/// The line that parts the English page from the Chinese one.
const CHINESE: &str = "# 中文";

impl Rule {
    /// The page in a language.
    pub fn page(&self, lang: Lang) -> Page {
        let text: Vec<&str> = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let split = text.iter().position(|line| line.trim() == CHINESE).unwrap_or(text.len());
        let lines = match lang {
            Lang::En => &text[..split],
            Lang::Zh => text.get(split + 1..).unwrap_or(&[]),
        };
        let own = lines.iter().skip_while(|line| line.is_empty() || line.starts_with("# ")).copied().collect::<Vec<_>>();
        let own = own.join("\n").trim().to_owned();
        let body = match lang {
            Lang::En => own,
            Lang::Zh => with_examples(&own, &text[..split]),
        };
        let summary = body.split("\n\n").next().unwrap_or("").replace('\n', " ");
        Page { summary, body }
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

/// The Chinese page with the examples of the English one, which are the same in both languages, behind its first section.
fn with_examples(page: &str, english: &[&str]) -> String {
    let mut examples = String::new();
    for (heading, chinese) in [("## Example", "## 示例"), ("## Fine", "## 正确写法")] {
        let section: Vec<&str> = english
            .iter()
            .skip_while(|line| **line != heading)
            .skip(1)
            .take_while(|line| !line.starts_with("## "))
            .copied()
            .collect();
        if !section.is_empty() {
            examples += &["\n\n", chinese, "\n", section.join("\n").trim()].concat();
        }
    }
    let second = page.match_indices("\n## ").nth(1).map_or(page.len(), |(at, _)| at);
    let (first, rest) = page.split_at(second);
    let rest = rest.trim_start();
    if rest.is_empty() { format!("{}{examples}", first.trim_end()) } else { format!("{}{examples}\n\n{rest}", first.trim_end()) }
}

impl Sink {
    /// Takes a finding.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Steps that read well when a finding is built.
pub(crate) trait Build {
    /// With another severity.
    fn severity(self, severity: Severity) -> Self;
    /// With help.
    fn help(self, help: Message) -> Self;
    /// With another end.
    fn related(self, place: FileRange, message: Message) -> Self;
    /// With a fix.
    fn fix(self, fix: Fix) -> Self;
    /// For a run.
    fn run(self, id: &str) -> Self;
}

impl Build for Finding {
    fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    fn help(mut self, help: Message) -> Self {
        self.help = Some(help);
        self
    }

    fn related(mut self, place: FileRange, message: Message) -> Self {
        self.related.push(Related { place, message });
        self
    }

    fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    fn run(mut self, id: &str) -> Self {
        self.run = Some(id.to_owned());
        self
    }
}

/// Places already reported, for rules that see the same file through several runs.
#[derive(Debug, Default)]
pub(crate) struct ReportedPlaces(BTreeSet<FileRange>);

impl ReportedPlaces {
    /// Whether this is the first time.
    pub(crate) fn insert(&mut self, place: FileRange) -> bool {
        self.0.insert(place)
    }
}

/// Reports each place reported, with the gravest of what the starts with one file find there.
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
