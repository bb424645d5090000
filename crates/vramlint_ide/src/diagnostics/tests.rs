use super::*;
use crate::fixture::Fixture;

const INERT: &str = "\
//- launch.sh
accelerate launch --config_file acc.yaml train.py
//- acc.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_processes: 1
num_machines: 1
tp_config: {}
//- train.py
import torch
";

fn of(text: &str, path: &str, lang: Lang) -> Vec<Diagnostic> {
    let fixture = Fixture::new(text);
    let file = fixture.report.project.files.iter().find(|file| file.path == path).expect("the file").id;
    diagnostics(&fixture.report, file, lang)
}

#[test]
fn a_finding_has_its_help_on_a_line_of_its_own() {
    let found = of(INERT, "acc.yaml", Lang::En);
    let one = found.iter().find(|one| one.name == "multi-gpu-one-process").expect("found");
    assert!(one.message.split_once('\n').is_some_and(|(_, help)| !help.is_empty()), "{}", one.message);
    let zh = of(INERT, "acc.yaml", Lang::Zh);
    assert!(zh.iter().any(|one| one.name == "multi-gpu-one-process" && !one.message.is_ascii()));
}

#[test]
fn who_takes_part_is_a_note() {
    let found = of(INERT, "acc.yaml", Lang::En);
    assert!(found.iter().any(|one| !one.notes.is_empty()), "{found:?}");
}

#[test]
fn what_is_gone_is_struck_through_and_what_does_nothing_is_greyed() {
    let found = of(INERT, "acc.yaml", Lang::En);
    let gone = found.iter().find(|one| one.name == "removed-key").expect("tp_config was removed");
    assert_eq!(gone.tags, [Tag::Deprecated]);
    let unused = of("//- a.yaml\nx: 1 # vramlint: ignore[does-not-fit]\n", "a.yaml", Lang::En);
    assert!(unused.iter().any(|one| one.name == "unused-suppression" && one.tags == [Tag::Unnecessary]), "{unused:?}");
    let plain = found.iter().find(|one| one.name == "multi-gpu-one-process").expect("found");
    assert!(plain.tags.is_empty());
}
