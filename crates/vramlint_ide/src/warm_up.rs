//! What is asked next: made while nobody waits.

use crate::hover;
use vramlint_base::{FileId, Lang};
use vramlint_project::Report;

/// Makes the simulations that the hovers of a file are made of; they are kept with those of the report. `stop` is asked in between.
pub fn warm_up(report: &Report, file: FileId, lang: Lang, stop: &dyn Fn() -> bool) {
    let text = report.project.file(file).text.clone();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if stop() {
            return;
        }
        // Keys stand first; flags behind white space; values behind a colon or an equals sign.
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
