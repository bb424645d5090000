//! What a rule is.

use vramlint_base::{Finding, Lang, Severity};
use vramlint_resolve::Project;

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
    /// The source file of the rule: its head comment is the page, English first, Chinese below `# zh`.
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
}

/// Where a rule puts what it finds.
#[derive(Debug, Default)]
pub struct Sink {
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Rule {
    /// The page in a language.
    pub fn page(&self, lang: Lang) -> Page {
        todo!("{lang:?}")
    }
}
