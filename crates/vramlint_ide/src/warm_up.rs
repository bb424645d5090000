//! Computes what later requests need.

use crate::hover;
use vramlint_base::{FileId, Lang};
use vramlint_project::Report;

/// Runs the simulations that the hovers of a file need; the report caches them. `stop` is polled in between.
pub fn warm_up(report: &Report, file: FileId, lang: Lang, stop: &dyn Fn() -> bool) {
    let text = report.project.file(file).text.clone();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if stop() {
            return;
        }
        // Keys start a line, flags follow whitespace, values follow a colon or an equals sign.
        let mut before = ' ';
        for (offset, letter) in line.char_indices() {
            if letter.is_alphanumeric() && matches!(before, ' ' | '\t' | '=' | '(' | '"' | '\'' | '-' | ',') {
                hover(report, file, at + offset as u32, lang);
            }
            before = letter;
        }
        at += line.len() as u32;
    }
}
