//! `why --output-format json`.

use super::ordered_json::{Node, Object};
use super::runs_json::{origin, plain};
use serde::Serialize;
use serde_json::Value as Json;
use vramlint_base::Lang;
use vramlint_project::explanation::{Explanation, deciding, why_lost};
use vramlint_resolve::{Resolved, Setting};
use vramlint_view::why::settle_with;

#[derive(Serialize)]
struct WhyJson {
    version: u32,
    #[serde(flatten)]
    explanation: Object,
}

/// The explanation as one object.
pub(crate) fn render(explanation: &Explanation<'_>, lang: Lang) -> String {
    let mut object = Object::default();
    object.put("path", explanation.file.path.as_str());
    if let Some(line) = explanation.line {
        object.put("line", line);
    }
    object.put("kind", explanation.kind);
    object.put("kind_reason", explanation.kind_reason.get(lang));
    object.put("runs", explanation.runs.iter().map(|run| run.id.as_str().into()).collect::<Node>());
    let settings = explanation.settings.iter().map(|(run, concept, own)| {
        let mut object = Object::default();
        object.put("run", run.id.as_str());
        object.put("name", concept.name());
        setting(&mut object, explanation, own, lang);
        object.into()
    });
    object.put("settings", settings.collect::<Node>());
    let silent = explanation.silent.iter().map(|silent| {
        let mut object = Object::default();
        object.put("rule", silent.rule.code);
        object.put("run", silent.run.as_str());
        object.put("because", silent.because.get(lang));
        object.put("settle_with", silent.settle_with.map_or(Json::Null, |concept| settle_with(concept).into()));
        object.into()
    });
    object.put("silent", silent.collect::<Node>());
    super::serialize::to_string_pretty(&WhyJson { version: super::serialize::VERSION, explanation: object })
}

/// `decided_by` is the origin of the winner, `candidates` are the others and why they lost.
fn setting(object: &mut Object, explanation: &Explanation<'_>, setting: &Setting, lang: Lang) {
    object.put("value", setting.value().map_or(Json::Null, plain));
    match deciding(setting) {
        Some(winner) => {
            object.put("decided_by", origin(explanation.project, &winner.origin, lang));
            if let Resolved::Unknown(why) = &winner.value {
                object.put("unknown", why.get(lang));
            }
        }
        None => object.put("decided_by", Json::Null),
    }
    let losers = setting.candidates.iter().enumerate().filter_map(|(index, candidate)| {
        let why = why_lost(setting, index)?;
        let mut loser = Object::default();
        loser.put("value", candidate.known().map_or(Json::Null, plain));
        loser.put("origin", origin(explanation.project, &candidate.origin, lang));
        loser.put("lost_because", why.get(lang));
        Some(loser.into())
    });
    object.put("candidates", losers.collect::<Node>());
}
