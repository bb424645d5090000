//! How sure a rule may be when what it finds depends on the version of a library.
//!
//! [`severity`] answers how severe a finding is; [`evaluate`] answers the same with words for the message and the place of the pin:
//!
//! ```text
//! let Some(gate) = version_gate::evaluate(project, file, &Span::since("transformers", "5.0"), Severity::Error) else { return };
//! sink.push(gate.annotate(RULE.finding(place, message!("`x` is rejected", "`x` 会被拒绝"))));
//! ```

use vramlint_base::{FileId, FileRange, Finding, Message, Related, Severity, message};
use vramlint_resolve::Project;
use vramlint_resolve::versions::{EvidenceRank, RangeMatch, VersionEvidence, VersionRange};

/// The severity of something that holds for a span of versions: the rule's own where every version that may be installed is in
/// it, advice where only some are (the message then names the version), `None` where none is.
pub fn severity(project: &Project, file: FileId, span: &VersionRange, certain: Severity) -> Option<Severity> {
    match project.version_matches(file, span) {
        RangeMatch::Always => Some(certain),
        RangeMatch::Sometimes => Some(certain.min(Severity::Info)),
        RangeMatch::Never => None,
    }
}

/// The severity of something, and how to say why.
#[derive(Clone, Debug)]
pub struct VersionGate {
    /// The rule's own severity, or advice where the version is not certain.
    pub severity: Severity,
    /// ` (transformers 5.23.0 from requirements.txt)`, to put after a message; ` (from transformers 5.23 on)` where the version
    /// is not known.
    pub note: Message,
    /// What to do where the version is not certain: say which it is.
    pub pin_hint: Option<Message>,
    /// Where the version is written, and what is there.
    pub pin: Option<(FileRange, Message)>,
}

/// Judges something that holds for a span of versions; `None` where no version that may be installed is in it.
pub fn evaluate(project: &Project, file: FileId, span: &VersionRange, certain: Severity) -> Option<VersionGate> {
    let severity = severity(project, file, span, certain)?;
    let evidence = project.library(file, span.library);
    let always = project.version_matches(file, span) == RangeMatch::Always;
    let pin = evidence.and_then(|evidence| Some((evidence.place?, library_at(span.library, evidence))));
    Some(VersionGate {
        severity,
        note: note(span, evidence, always),
        pin_hint: (!always).then(|| pin_hint(span.library, evidence)),
        pin,
    })
}

impl VersionGate {
    /// A finding with this severity, the note after its message, and the pin as another end of it.
    pub fn annotate(&self, mut finding: Finding) -> Finding {
        finding.severity = self.severity;
        finding.message.en.push_str(&self.note.en);
        finding.message.zh.push_str(&self.note.zh);
        finding.related.extend(self.pin.as_ref().map(|(place, message)| Related { place: *place, message: message.clone() }));
        finding
    }
}

/// `transformers 5.23.0`; of a range what it allows.
fn library_at(library: &str, evidence: &VersionEvidence) -> Message {
    let version = &evidence.version;
    message!("{library} {version}", "{library} {version}")
}

fn note(span: &VersionRange, evidence: Option<&VersionEvidence>, always: bool) -> Message {
    let library = span.library;
    if let Some(evidence) = evidence.filter(|_| always) {
        let (version, source) = (&evidence.version, &evidence.source);
        return message!(" ({library} {version} from {source})", "（{library} {version}，见 {source}）");
    }
    if always {
        return message!("", "");
    }
    match (span.since, span.until) {
        (Some(since), Some(until)) => {
            message!(" (since {library} {since}, until {until})", "（{library} {since} 起，{until} 之前）")
        }
        (Some(since), None) => message!(" (since {library} {since})", "（{library} {since} 起）"),
        (None, Some(until)) => message!(" (until {library} {until})", "（{library} {until} 之前）"),
        (None, None) => message!(" ({library})", "（{library}）"),
    }
}

fn pin_hint(library: &str, evidence: Option<&VersionEvidence>) -> Message {
    let Some(evidence) = evidence else {
        return message!(
            "the {library} version is not known: pin it in `requirements.txt`, or set it under `[versions]` in `vramlint.toml`",
            "{library} 的版本未知：请在 `requirements.txt` 中固定版本，或在 `vramlint.toml` 的 `[versions]` 中设置"
        );
    };
    let (version, source) = (&evidence.version, &evidence.source);
    if evidence.candidates.first().is_some_and(|first| first.rank == EvidenceRank::Range) {
        return message!(
            "{source} allows {library} {version}: pin it, or set it under `[versions]` in `vramlint.toml`",
            "{source} 允许 {library} {version}：请固定版本，或在 `vramlint.toml` 的 `[versions]` 中设置"
        );
    }
    message!(
        "{source} specify {library} {version}: set the version in use under `[versions]` in `vramlint.toml`",
        "{source} 中的 {library} 版本为 {version}：请在 `vramlint.toml` 的 `[versions]` 中设置实际版本"
    )
}
