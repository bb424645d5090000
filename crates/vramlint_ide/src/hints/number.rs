//! The number that a string such as `2e-5` becomes: YAML 1.1 parses it as a string, and some readers convert it.

use super::{Hint, HintKind, host};
use crate::markdown::inline;
use vramlint_base::{FileId, FileRange, Lang, Value, message};
use vramlint_catalog::dialect;
use vramlint_catalog::frameworks::ConfigFiles;
use vramlint_project::Report;
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{Loader, NodeKind, NodeRef, Style};
use vramlint_syntax::yaml::scalar::looks_like_number;

/// Maximum depth of blocks.
const DEPTH: usize = 16;

/// The hints of a host file and the files embedded in it.
pub(super) fn numbers(report: &Report, file: FileId, wanted: &impl Fn(FileRange) -> bool, lang: Lang) -> Vec<Hint> {
    let project = &report.project;
    let host_file = project.files.iter().skip(file.0 as usize).take(1);
    let embedded = project.files.iter().skip(file.0 as usize + 1).take_while(|inner| inner.host.is_some());
    let mut found = NumberHints { report, wanted, lang, hints: Vec::new() };
    for text in host_file.chain(embedded) {
        // Only these readers are known to convert it: OmegaConf, TrlParser and Axolotl (rule yaml-number-is-text).
        if !project.kind(text.id).config().is_some_and(ConfigFiles::reads_more_numbers) {
            continue;
        }
        let Some(data) = text.data().filter(|data| !data.json) else { continue };
        for root in data.roots() {
            found.block(text, root, &mut Vec::new());
        }
    }
    found.hints
}

struct NumberHints<'a, W> {
    report: &'a Report,
    wanted: &'a W,
    lang: Lang,
    hints: Vec<Hint>,
}

impl<W: Fn(FileRange) -> bool> NumberHints<'_, W> {
    fn block<'n>(&mut self, file: &SourceFile, node: NodeRef<'n>, path: &mut Vec<&'n str>) {
        // The target of an alias gets its hint at the anchor.
        if path.len() > DEPTH || node.follow().id != node.id {
            return;
        }
        for (key, value) in node.entries() {
            let Some(name) = key.text() else { continue };
            path.push(name);
            match &value.raw().kind {
                NodeKind::Mapping(_) => self.block(file, value, path),
                NodeKind::Scalar(scalar) if scalar.style == Style::Plain && value.raw().tag.is_none() => {
                    self.scalar(file, value, &scalar.text, path);
                }
                _ => {}
            }
            path.pop();
        }
    }

    fn scalar(&mut self, file: &SourceFile, value: NodeRef<'_>, text: &str, path: &[&str]) {
        let Some(number) = looks_like_number(text) else { return };
        if !matches!(value.value(Loader::PyYaml), Some(Value::Text(_))) {
            return;
        }
        let project = &self.report.project;
        let Some(dialect) = project.kind(file.id).dialect() else { return };
        // `run_name: 1e5` stays a string.
        let meaning = dialect::meaning(dialect, path, &Value::Float(number));
        if !meaning.is_some_and(|meaning| matches!(meaning.value, Value::Int(_) | Value::Float(_))) {
            return;
        }
        let Some(place) = host(project, FileRange::new(file.id, value.range())).filter(|place| (self.wanted)(*place)) else {
            return;
        };
        let is_reported = |name: &str| self.report.findings.iter().any(|finding| finding.name == name && finding.place == place);
        if is_reported("yaml-number-is-text") {
            return;
        }
        let tooltip = message!(
            "YAML 1.1 parses `{text}` as a string; the reader of this file converts it to the number {number}",
            "YAML 1.1 把 `{text}` 解析为字符串；读取此文件的程序将其转成数字 {number}"
        );
        self.hints.push(Hint {
            offset: place.range.end,
            label: format!(" = {number}"),
            tooltip: inline(tooltip.get(self.lang)),
            kind: HintKind::Number,
        });
    }
}
