//! Baselines, suppressions that are written, presets.

use crate::run::Folder;

#[test]
fn a_baseline_leaves_what_is_new() {
    let folder = Folder::project();
    let wrote = folder.run("check --write-baseline");
    assert_eq!((wrote.status, wrote.out.as_str()), (Some(0), ""));
    assert!(wrote.err.starts_with("Wrote 4 findings to vramlint-baseline.json"), "{}", wrote.err);
    let known = "check --baseline vramlint-baseline.json";
    assert!(folder.run(known).out(0).starts_with("Nothing found"));
    folder.write("train.yaml", format!("# moved\n{}", folder.read("train.yaml")));
    assert!(folder.run(known).out(0).starts_with("Nothing found"));
    folder.write("new.yaml", "learning_rate: 2e-5\nbatch_size: 4\n");
    let new = folder.run(&format!("{known} --output-format concise --fail-on info")).out(1);
    assert!(new.starts_with("new.yaml:1:") && new.contains("Found 1"), "{new}");
    assert!(folder.run("check --baseline no.json").fault().starts_with("error: cannot read no.json"));
    folder.write("no.json", "{}");
    assert!(folder.run("check --baseline no.json --lang zh").fault().starts_with("错误：no.json 不是基线文件"));
}

#[test]
fn suppressions_are_written_once() {
    let folder = Folder::project();
    let shown = folder.run("check --add-ignore --diff");
    assert!(shown.out.contains("+# vramlint: ignore[") && shown.err.starts_with("Would suppress 4 findings in "), "{shown:?}");
    let ran = folder.run("check --add-ignore --lang en");
    assert!(ran.err.starts_with("Suppressed 4 findings in "), "{ran:?}");
    assert!(ran.out.starts_with("Nothing found"), "{ran:?}");
    assert!(folder.read("accelerate_config.yaml").contains("known when vramlint was introduced"));
    assert!(folder.run("check --fail-on info").out(0).starts_with("Nothing found"));
    let again = folder.run("check --add-ignore");
    assert_eq!(again.err, "Suppressed 0 findings in 0 files\n");
    assert_eq!(folder.run("check --reason x").status, Some(2), "a reason needs something to give it for");
}

#[test]
fn presets_choose_by_severity() {
    let folder = Folder::project();
    let count = |words: &str| folder.run(&format!("check --output-format jsonl {words}")).out.lines().count();
    assert_eq!((count(""), count("--preset strict"), count("--preset errors")), (4, 4, 0));
    assert_eq!(count("--preset errors --extend-select VL101"), 1);
    assert_eq!(count("--preset errors --extend-select VL101 --ignore VL101"), 0);
    let strict = folder.run("check --preset strict --output-format jsonl").out;
    assert!(!strict.contains(r#""severity":"info""#), "{strict}");
    folder.write("vramlint.toml", "[lint]\npreset = \"errors\"\n");
    assert_eq!((count(""), count("--preset recommended")), (0, 4));
    folder.write("vramlint.toml", "[lint]\npreset = \"lenient\"\n");
    let said = folder.run("check").fault();
    assert!(said.contains("`lenient`, expected one of `recommended`, `strict`, `errors`"), "{said}");
}

#[test]
fn runs_show_the_versions() {
    let folder = Folder::project();
    folder.write("requirements.txt", "transformers==4.44.0\ntorch>=2.1\n");
    let text = folder.run("runs").out(0);
    assert!(text.contains("4.44.0") && text.contains("requirements.txt:1"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&folder.run("runs --output-format json").out(0)).expect("JSON");
    let library = &json["runs"][0]["libraries"]["transformers"];
    assert_eq!((&library["version"], &library["exact"]), (&"4.44.0".into(), &true.into()), "{library}");
    folder.write("vramlint.toml", "[versions]\ntransformer = \"5\"\n");
    assert!(
        folder.run("runs").fault().contains("vramlint.toml:2:15: unknown library `transformer`; did you mean `transformers`?")
    );
}
