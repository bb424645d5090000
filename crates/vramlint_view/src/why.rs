//! `why` as text: what a file is, who decided its settings, and what keeps rules silent.

use crate::origin::{VALUE, origin, show};
use crate::table::{pad, widest};
use crate::{StyleRole, Styler};
use std::fmt::Write;
use vramlint_base::visible::one_line;
use vramlint_base::{Lang, Message, message};
use vramlint_catalog::Concept;
use vramlint_project::explanation::{Explanation, SilentRule, deciding, why_lost};
use vramlint_resolve::{Candidate, Resolved, Run, Setting};

/// The explanation of a file or of a line.
pub fn render(explanation: &Explanation<'_>, lang: Lang, styler: Styler) -> String {
    let (path, kind) = (&explanation.file.path, explanation.kind);
    let reason = explanation.kind_reason.get(lang);
    let name = explanation.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
    let mut text = format!(
        "{}  {}\n",
        styler(&one_line(&name), StyleRole::Strong),
        say(&message!("{kind}: {reason}", "{kind}：{reason}"), lang)
    );
    if explanation.runs.is_empty() {
        let none = message!("it takes part in no training run", "它不属于任何训练任务");
        let _ = writeln!(text, "  {}", say(&none, lang));
    }
    for run in &explanation.runs {
        let _ = writeln!(text, "\n{}", styler(&one_line(&run.id), StyleRole::Strong));
        settings(&mut text, explanation, run, lang, styler);
        silent(&mut text, explanation, run, lang, styler);
    }
    text
}

/// `--set model=…`: how a command line gives a setting.
pub fn settle_with(concept: Concept) -> String {
    let value = if concept.unit().is_empty() { "…" } else { "N" };
    format!("--set {}={value}", concept.name())
}

fn settings(text: &mut String, explanation: &Explanation<'_>, run: &Run, lang: Lang, styler: Styler) {
    let own = explanation.settings.iter().filter(|(other, ..)| other.id == run.id);
    let rows: Vec<(Concept, &Setting)> = own.map(|(_, concept, setting)| (*concept, *setting)).collect();
    let names = widest(rows.iter().map(|(concept, _)| concept.name()), VALUE);
    for (concept, setting) in rows {
        let value = setting.value().map_or_else(|| "?".to_owned(), show);
        let by = deciding(setting).map(|winner| described(explanation, winner, lang)).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {}  {}  {}",
            pad(concept.name(), names),
            styler(&value, StyleRole::Strong),
            styler(&one_line(&by), StyleRole::Faint)
        );
        for (index, candidate) in setting.candidates.iter().enumerate() {
            let Some(why) = why_lost(setting, index) else { continue };
            let (value, from) = (candidate.known().map_or_else(|| "?".to_owned(), show), described(explanation, candidate, lang));
            let why = why.get(lang);
            let lost = message!("not {value} from {from}: {why}", "不取 {value}（{from}）：{why}");
            let _ = writeln!(text, "  {}  {}", pad("", names), styler(&say(&lost, lang), StyleRole::Faint));
        }
    }
}

/// The origin of a candidate, with the reason if its value is unknown.
fn described(explanation: &Explanation<'_>, candidate: &Candidate, lang: Lang) -> String {
    let from = origin(explanation.project, &candidate.origin, lang);
    match &candidate.value {
        Resolved::Unknown(why) if from.is_empty() => why.get(lang).to_owned(),
        Resolved::Unknown(why) => {
            let why = why.get(lang);
            say(&message!("{from} ({why})", "{from}（{why}）"), lang)
        }
        Resolved::Known(_) => from,
    }
}

/// The silent rules of a run, those with the same cause on one line.
fn silent(text: &mut String, explanation: &Explanation<'_>, run: &Run, lang: Lang, styler: Styler) {
    let own: Vec<&SilentRule> = explanation.silent.iter().filter(|silent| silent.run == run.id).collect();
    let mut causes: Vec<(&Message, Option<Concept>, Vec<&str>)> = Vec::new();
    for silent in own {
        match causes.iter_mut().find(|(because, ..)| **because == silent.because) {
            Some((_, _, rules)) => rules.push(silent.rule.code),
            None => causes.push((&silent.because, silent.settle_with, vec![silent.rule.code])),
        }
    }
    if causes.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {}", say(&message!("silent for want of a value:", "因缺少值而未检查："), lang));
    for (because, settle, rules) in causes {
        let (because, rules) = (one_line(because.get(lang)), rules.join(", "));
        let _ = writeln!(text, "    {because}: {}", styler(&rules, StyleRole::Faint));
        if let Some(concept) = settle {
            let flag = settle_with(concept);
            let _ = writeln!(text, "      {}", say(&message!("to settle it: {flag}", "可用 {flag} 给出"), lang));
        }
    }
}

fn say(message: &Message, lang: Lang) -> String {
    one_line(message.get(lang)).into_owned()
}
