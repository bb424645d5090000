use crate::Page;
use crate::fixture::{Fixture, file_at, report};
use crate::{Action, ActionKind, actions, rule_page};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vramlint_base::{Edit, FileId, Lang, TextRange};
use vramlint_project::Report;

/// The files after the edits of an action.
fn applied(report: &Report, files: &[(String, String)], edits: &[Edit]) -> Vec<(String, String)> {
    let mut by_file: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(edit.place.file).or_default().push(edit);
    }
    let mut out = files.to_vec();
    for (id, mut edits) in by_file {
        let path = &report.project.file(id).path;
        let text = &mut out.iter_mut().find(|(own, _)| own == path).expect("a file of the project").1;
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place.range));
        for edit in edits {
            text.replace_range(edit.place.range.as_usize(), &edit.text);
        }
    }
    out
}

fn of_kind(fixture: &Fixture, kind: ActionKind, lang: Lang) -> Vec<Action> {
    let all = actions(&fixture.report, fixture.file, TextRange::at(fixture.offset), lang);
    all.into_iter().filter(|action| action.kind == kind).collect()
}

fn titles(actions: &[Action]) -> Vec<&str> {
    actions.iter().map(|action| action.title.as_str()).collect()
}

/// The number of findings of a rule.
fn count(report: &Report, name: &str) -> usize {
    report.findings.iter().filter(|finding| finding.name == name).count()
}

const TRAP: &str = "//- accelerate_config.yaml\r\ncompute_environment: LOCAL_MACHINE\r\n# 中文\r\ndistributed_type: NO$0\r\nnum_processes: 1\r\nmixed_precision: no\r\nuse_cpu: false\r\n";

#[test]
fn a_safe_fix_settles_its_finding_and_is_preferred() {
    let fixture = Fixture::new(TRAP);
    let fixes = of_kind(&fixture, ActionKind::QuickFix, Lang::En);
    assert_eq!(fixes.len(), 1, "{fixes:?}");
    assert!(fixes[0].preferred);
    let name = fixture.report.findings[fixes[0].finding.expect("of a finding")].name;
    let after = report(&applied(&fixture.report, &fixture.files, &fixes[0].edits));
    assert_eq!(count(&after, name) + 1, count(&fixture.report, name));
    assert_ne!(titles(&of_kind(&fixture, ActionKind::QuickFix, Lang::Zh)), titles(&fixes));
}

#[test]
fn fix_all_leaves_nothing_to_fix() {
    let fixture = Fixture::new(TRAP);
    let all = of_kind(&fixture, ActionKind::FixAll, Lang::En);
    assert_eq!(titles(&all), ["apply 2 safe fixes in this file"]);
    assert_eq!(titles(&of_kind(&fixture, ActionKind::FixAll, Lang::Zh)), ["应用此文件的 2 处安全修复"]);
    let files = applied(&fixture.report, &fixture.files, &all[0].edits);
    assert!(
        files[0].1.contains("distributed_type: 'NO'\r\n") && files[0].1.contains("mixed_precision: 'no'\r\n"),
        "{}",
        files[0].1
    );
    let after = report(&files);
    let file = file_at(&after.project, "accelerate_config.yaml").expect("there");
    assert!(actions(&after, file, TextRange::at(0), Lang::En).iter().all(|action| action.kind != ActionKind::FixAll));
}

#[test]
fn a_suppression_silences_its_finding() {
    let fixture = Fixture::new(TRAP);
    let found = of_kind(&fixture, ActionKind::Suppress, Lang::En);
    assert_eq!(titles(&found), ["ignore `yaml-boolean-trap` here"]);
    assert_eq!(found[0].edits[0].text, "# vramlint: ignore[yaml-boolean-trap]\r\n");
    let after = report(&applied(&fixture.report, &fixture.files, &found[0].edits));
    assert_eq!(count(&after, "yaml-boolean-trap") + 1, count(&fixture.report, "yaml-boolean-trap"));
    assert_eq!(count(&after, "unused-suppression"), 0);
    assert_eq!(titles(&of_kind(&fixture, ActionKind::Suppress, Lang::Zh)), ["在此处忽略 `yaml-boolean-trap`"]);
}

#[test]
fn json_takes_no_comment_and_the_configuration_does() {
    let json =
        "//- ds_config.json\n{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": 2, \"stgae\": 3$0}}\n";
    let alone = Fixture::new(json);
    assert!(!alone.report.findings.is_empty());
    assert!(of_kind(&alone, ActionKind::Suppress, Lang::En).is_empty());
    let with = Fixture::new(&format!("{json}//- vramlint.toml\n# ours\n[lint]\nlang = \"en\"\n"));
    let found = of_kind(&with, ActionKind::Suppress, Lang::En);
    let name = with.report.findings[found[0].finding.expect("of a finding")].name;
    assert_eq!(titles(&found), [format!("ignore `{name}` in this file (in the configuration)")]);
    let after = report(&applied(&with.report, &with.files, &found[0].edits));
    assert_eq!(count(&after, name), 0);
}

#[test]
fn rules_are_explained_in_the_language() {
    let fixture = Fixture::new(TRAP);
    let explain = |lang| of_kind(&fixture, ActionKind::ExplainRule, lang);
    let Some(Page::Rule(name)) = explain(Lang::En)[0].page else { panic!("a rule") };
    assert_eq!(name, "yaml-boolean-trap");
    assert_eq!(titles(&explain(Lang::Zh)), ["查看 `yaml-boolean-trap` 的说明"]);
    let (en, zh) = (rule_page(name, Lang::En).expect("a page"), rule_page(name, Lang::Zh).expect("a page"));
    assert!(en.starts_with("# yaml-boolean-trap (VL") && zh.starts_with("# yaml-boolean-trap (VL") && en != zh);
    assert_eq!(rule_page("no-such-rule", Lang::En), None);
}

#[test]
fn a_line_that_sets_something_is_explained() {
    let explain = |lang| of_kind(&Fixture::new(TOO_LARGE), ActionKind::ExplainLine, lang);
    assert_eq!(titles(&explain(Lang::En)), ["explain what decides `micro_batch`"]);
    assert_eq!(titles(&explain(Lang::Zh)), ["说明 `micro_batch` 由什么决定"]);
    assert_eq!(explain(Lang::En)[0].page, Some(Page::Line(10)));
    let comment = TOO_LARGE.replace("per_device_train_batch_size: 4$0", "per_device_train_batch_size: 4\n# a note$0");
    assert_eq!(of_kind(&Fixture::new(&comment), ActionKind::ExplainLine, Lang::En), []);
}

const TOO_LARGE: &str = "//- train.yaml\nmodel_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: lora\nlora_rank: 16\ndo_train: true\ndataset: alpaca\ntemplate: qwen\noutput_dir: out\ncutoff_len: 4096\nper_device_train_batch_size: 4$0\ngradient_accumulation_steps: 2\nbf16: true\n//- run.sh\nllamafactory-cli train train.yaml\n//- vramlint.toml\n[target]\ngpu = \"RTX 4090\"\ncount = 1\n";

#[test]
fn repairs_of_a_run_that_does_not_fit_say_what_they_give() {
    let fixture = Fixture::new(TOO_LARGE);
    let found = of_kind(&fixture, ActionKind::Repair, Lang::En);
    assert!(!found.is_empty(), "{:?}", fixture.report.findings);
    assert!(found.iter().all(|action| action.title.contains("GiB")), "{:?}", titles(&found));
    assert_eq!(found.len(), of_kind(&fixture, ActionKind::Repair, Lang::Zh).len());
    // A repair is not offered as a fix too.
    let fixes = of_kind(&fixture, ActionKind::QuickFix, Lang::En);
    assert!(fixes.iter().all(|fix| found.iter().all(|repair| repair.edits != fix.edits)));
    let batch = found.iter().find(|action| action.title.contains("micro_batch")).expect("a smaller batch");
    let files = applied(&fixture.report, &fixture.files, &batch.edits);
    let after = report(&files);
    let of = |report: &Report| report.project.runs[0].int(vramlint_catalog::Concept::EffectiveBatch);
    assert_eq!(of(&after), of(&fixture.report));
    assert_ne!(files[0].1, fixture.files[0].1);
}

#[test]
fn a_launch_offers_the_repairs_of_its_run() {
    let moved = TOO_LARGE.replace("$0", "").replace("train train.yaml", "train train$0.yaml");
    assert!(!of_kind(&Fixture::new(&moved), ActionKind::Repair, Lang::En).is_empty());
    let elsewhere = TOO_LARGE.replace("$0", "").replace("dataset: alpaca", "dataset: $0alpaca");
    assert!(of_kind(&Fixture::new(&elsewhere), ActionKind::Repair, Lang::En).is_empty());
    let large_card = TOO_LARGE.replace("RTX 4090", "H200");
    assert!(of_kind(&Fixture::new(&large_card), ActionKind::Repair, Lang::En).is_empty());
}

#[test]
fn changes_that_fit_together_are_one_action() {
    let large = TOO_LARGE
        .replace("per_device_train_batch_size: 4", "per_device_train_batch_size: 16")
        .replace("cutoff_len: 4096", "cutoff_len: 8192");
    let fixture = Fixture::new(&large);
    let found = of_kind(&fixture, ActionKind::Repair, Lang::En);
    let best = found.first().expect("a combination");
    assert!(best.title.contains("micro_batch") && best.title.contains("; "), "{:?}", titles(&found));
    let after = report(&applied(&fixture.report, &fixture.files, &best.edits));
    assert_eq!(count(&after, "does-not-fit"), 0, "{:?}", after.findings);
    let of = |report: &Report| report.project.runs[0].int(vramlint_catalog::Concept::EffectiveBatch);
    assert_eq!(of(&after), of(&fixture.report));
}

#[test]
fn blocks_of_a_document_are_edited_in_the_document() {
    let readme = "//- README.md\n# 训练\n> ```yaml title=\"accelerate_config.yaml\"\n> compute_environment: LOCAL_MACHINE\n> distributed_type: NO$0\n> num_processes: 1\n> mixed_precision: 'no'\n> ```\n";
    let fixture = Fixture::new(readme);
    for action in actions(&fixture.report, fixture.file, TextRange::at(fixture.offset), Lang::En) {
        let files = applied(&fixture.report, &fixture.files, &action.edits);
        assert!(action.edits.is_empty() || files[0].1 != fixture.files[0].1, "{action:?}");
    }
    assert!(of_kind(&fixture, ActionKind::QuickFix, Lang::En).iter().all(|fix| fix.edits[0].place.file == fixture.file));
}

/// The guides of the repository.
fn guides() -> Vec<PathBuf> {
    let guides = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guides"));
    guides.iter().flat_map(|guide| folders(guide)).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

#[test]
fn what_is_offered_settles_the_findings_of_the_guides() {
    let tried: usize = guides().iter().map(|project| actions_settle_findings(project)).sum();
    assert!(tried > 10, "{tried}");
}

#[test]
#[ignore = "needs the shared cases next to the checkout"]
fn what_is_offered_settles_the_findings_of_the_shared_cases() {
    /// Every fifth case of each family.
    const STEP: usize = 5;
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/projects");
    let families = ["accelerate", "deepspeed", "trainers"].map(|family| shared.join(family));
    let cases = families.iter().flat_map(|family| folders(family).into_iter().step_by(STEP));
    let tried: usize = cases.map(|case| actions_settle_findings(&case.join("bad"))).sum();
    assert!(tried > 10, "{tried}");
}

/// Each fix and each suppression removes its finding, the edited files still parse, and applying all safe fixes reaches a fixpoint. Returns how
/// many actions were tried.
fn actions_settle_findings(project: &Path) -> usize {
    let files = read(project, project);
    let before = report(&files);
    let mut tried = 0;
    for (number, finding) in before.findings.iter().enumerate() {
        let offered = actions(&before, finding.place.file, finding.place.range, Lang::En);
        for action in offered.iter().filter(|action| action.finding == Some(number) && !action.edits.is_empty()) {
            let settles = matches!(action.kind, ActionKind::QuickFix | ActionKind::Suppress);
            let after = report(&applied(&before, &files, &action.edits));
            let errors = count(&after, "syntax-error");
            assert!(errors <= count(&before, "syntax-error"), "{}: {action:?}", project.display());
            let same = |report: &Report| {
                let others = report.findings.iter();
                others.filter(|other| other.name == finding.name && other.message == finding.message).count()
            };
            assert!(!settles || same(&after) < same(&before), "{}: {action:?}", project.display());
            tried += 1;
        }
    }
    reaches_fixpoint(files, project);
    tried
}

/// A second round applies the fixes that waited for the first; a third finds nothing.
fn reaches_fixpoint(mut files: Vec<(String, String)>, project: &Path) {
    for _ in 0..3 {
        let now = report(&files);
        let hosts = now.project.files.iter().filter(|file| file.host.is_none()).map(|file| file.id);
        let offered = hosts.flat_map(|file| actions(&now, file, TextRange::at(0), Lang::En));
        let Some(action) = offered.into_iter().find(|action| action.kind == ActionKind::FixAll) else { return };
        files = applied(&now, &files, &action.edits);
    }
    panic!("{}: the fixes never end", project.display());
}

/// The text files below a folder, by path from `root`.
fn read(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(read(root, &path));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            found.push((name, text));
        }
    }
    found
}
