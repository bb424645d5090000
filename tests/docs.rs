//! The pages of the rules in `docs/rules` are made from the head comments of the rules and from what the program prints.
//!
//! `UPDATE_DOCS=1 cargo test --test docs` writes them anew.

use std::{collections::BTreeMap, fmt::Write, path::Path, process::Command};
use vramlint_base::Lang;
use vramlint_rules::{Group, RULES, Rule, Symptom};
use vramlint_test::workspace_root;

/// A language, and how its files end.
const LANGUAGES: [(Lang, &str); 2] = [(Lang::En, ".md"), (Lang::Zh, ".zh.md")];

fn say(lang: Lang, en: &'static str, zh: &'static str) -> &'static str {
    if lang == Lang::Zh { zh } else { en }
}

/// A block of a page that is a file.
struct Block {
    name: String,
    text: String,
}

/// The body as a reader of Markdown wants it: names of files stand above their blocks. Also the files of the example.
fn rendered(body: &str, example: &str) -> (String, Vec<Block>) {
    let (mut out, mut files, mut open, mut inside, mut fenced) = (String::new(), Vec::new(), None::<Block>, false, false);
    let mut sources = false;
    for line in body.lines() {
        if !fenced && let Some(heading) = line.strip_prefix("## ") {
            inside = heading.starts_with(example);
            sources = heading == "Sources" || heading == "来源";
        }
        if line.starts_with("```") {
            fenced = !fenced;
            if fenced {
                let name = line.split_whitespace().find_map(|word| word.strip_prefix("file="));
                if let Some(name) = name {
                    open = Some(Block { name: name.to_owned(), text: String::new() });
                    let _ = writeln!(out, "`{name}`\n");
                }
                let info: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with("file=")).collect();
                let _ = writeln!(out, "{}", info.join(" "));
                continue;
            }
            files.extend(open.take().filter(|_| inside));
        } else if let Some(block) = &mut open {
            let _ = writeln!(block.text, "{line}");
        }
        let line = line.trim_end();
        let _ = writeln!(out, "{}", if sources { linked(line) } else { line.to_owned() });
    }
    (out, files)
}

/// What `vramlint check` prints of a rule for the files of its example.
fn output(rule: &Rule, files: &[Block], lang: Lang) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for Block { name, text } in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_vramlint"))
        .args([
            "check",
            "-q",
            "--output-format",
            "full",
            "--color",
            "never",
            "--lang",
            say(lang, "en", "zh"),
            "--select",
            rule.name,
        ])
        .current_dir(folder.path())
        .env_clear()
        .env("LANG", "C.UTF-8")
        .output()
        .expect("the binary starts");
    assert!(output.stderr.is_empty(), "{}: {}", rule.name, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
}

/// The severity that the output of an example shows: `error[VL102] …`. Rules can report milder or graver cases than their default.
fn printed_severity<'a>(rule: &Rule, output: &'a str) -> Option<&'a str> {
    let line = output.lines().find(|line| line.contains(&format!("[{}]", rule.code)))?;
    line.split('[').next()
}

/// Repositories of libraries: name in the sources, address of a file at a version, with `VERSION` and `PATH` in it.
const REPOSITORIES: &[(&str, &str)] = &[
    ("accelerate", "https://github.com/huggingface/accelerate/blob/vVERSION/src/accelerate/PATH"),
    ("transformers", "https://github.com/huggingface/transformers/blob/vVERSION/src/transformers/PATH"),
    ("trl", "https://github.com/huggingface/trl/blob/vVERSION/trl/PATH"),
    ("peft", "https://github.com/huggingface/peft/blob/vVERSION/src/peft/PATH"),
    ("DeepSpeed", "https://github.com/deepspeedai/DeepSpeed/blob/vVERSION/deepspeed/PATH"),
    ("torch", "https://github.com/pytorch/pytorch/blob/vVERSION/torch/PATH"),
];

/// A line of sources, in which a library, a release and a quoted `path.py:4` are a link to that line of that release.
fn linked(line: &str) -> String {
    let mut out = String::new();
    let mut address = None::<String>;
    for (i, part) in line.split('`').enumerate() {
        if i % 2 == 0 {
            let words: Vec<&str> = part.split_whitespace().collect();
            for pair in words.windows(2) {
                let repository = REPOSITORIES.iter().find(|(name, _)| *name == pair[0].trim_start_matches('('));
                let release = pair[1].split('.').count() == 3 && pair[1].chars().all(|c| c.is_ascii_digit() || c == '.');
                let starts_another = pair[1].starts_with(|c: char| c.is_ascii_digit());
                match repository {
                    Some((_, address_of)) if release => address = Some(address_of.replace("VERSION", pair[1])),
                    _ if starts_another => address = None,
                    _ => {}
                }
            }
            out.push_str(part);
            continue;
        }
        let (path, number) = part.split_once(':').map_or((part, None), |(path, number)| (path, Some(number)));
        let is_file =
            path.ends_with(".py") && !path.contains(' ') && number.is_none_or(|n| n.chars().all(|c| c.is_ascii_digit()));
        match &address {
            Some(address) if is_file => {
                let anchor = number.map_or_else(String::new, |number| format!("#L{number}"));
                let _ = write!(out, "[`{part}`]({}{anchor})", address.replace("PATH", path));
            }
            _ => {
                let _ = write!(out, "`{part}`");
            }
        }
    }
    out
}

#[test]
fn sources_link_to_the_file_at_its_version() {
    assert_eq!(
        linked("accelerate 1.15.0 `commands/launch.py:981` and `utils/other.py`, run; OpenRLHF 0.11.2 `cli/a.py`"),
        "accelerate 1.15.0 [`commands/launch.py:981`](https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py#L981) \
         and [`utils/other.py`](https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/utils/other.py), run; OpenRLHF 0.11.2 `cli/a.py`"
    );
    assert_eq!(linked("torch 2.15 `distributed/run.py`, the same"), "torch 2.15 `distributed/run.py`, the same");
}

fn page(rule: &Rule, lang: Lang) -> String {
    let (code, name, since) = (rule.code, rule.name, rule.since);
    let (other, link) = say(lang, "中文|zh.", "English|").split_once('|').expect("two parts");
    let mut text = format!("# {code} {name}\n\n");
    let (body, files) = rendered(&rule.page(lang).body, say(lang, "Example", "示例"));
    let english = if files.is_empty() { String::new() } else { output(rule, &files, Lang::En) };
    let severity = printed_severity(rule, &english).unwrap_or(rule.severity.name());
    let _ = match lang {
        Lang::En => writeln!(text, "Severity: {severity}. Since {since}. [Index](README.md) · [{other}]({name}.{link}md)\n"),
        Lang::Zh => writeln!(text, "级别：{severity}。自 {since} 起。[索引](README.zh.md) · [{other}]({name}.{link}md)\n"),
    };
    let made = if lang == Lang::En || files.is_empty() { english } else { output(rule, &files, lang) };
    if made.is_empty() {
        text.push_str(&body);
        return text;
    }
    // Behind the example, before the good form.
    let heading = say(lang, "\n## Use instead\n", "\n## 正确写法\n");
    let at = body.find(heading).unwrap_or(body.len());
    let title = say(lang, "Output", "输出");
    let _ = write!(text, "{}\n\n## {title}\n```console\n$ vramlint check\n{made}\n```\n{}", body[..at].trim_end(), &body[at..]);
    text
}

fn index(lang: Lang) -> String {
    let end = say(lang, "md", "zh.md");
    let line = |rule: &Rule| {
        let summary = rule.page(lang).summary;
        format!("- [{} `{}`]({}.{end}) ({}): {summary}\n", rule.code, rule.name, rule.name, rule.severity.name())
    };
    let other = say(lang, "[中文](README.zh.md)", "[English](README.md)");
    let mut text = format!("# {}\n\n{other}\n\n## {}\n", say(lang, "Rules", "规则"), say(lang, "By symptom", "按现象"));
    for symptom in Symptom::ALL {
        let (en, zh) = symptom.words();
        let _ = writeln!(text, "\n### {}\n", if lang == Lang::Zh { zh } else { en });
        RULES.iter().filter(|rule| rule.symptoms.contains(&symptom)).for_each(|rule| text.push_str(&line(rule)));
    }
    let _ = writeln!(text, "\n## {}", say(lang, "By family", "按类别"));
    let mut families: BTreeMap<Group, Vec<&Rule>> = BTreeMap::new();
    for rule in RULES.iter() {
        families.entry(rule.group).or_default().push(rule);
    }
    for (group, rules) in families {
        let _ = writeln!(text, "\n### {} (`{}`)\n", group.about(lang), group.prefix());
        for rule in &rules {
            text.push_str(&line(rule));
        }
    }
    text
}

/// Every page with its name.
fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for (lang, end) in LANGUAGES {
        pages.insert(format!("README{end}"), index(lang));
        pages.extend(RULES.iter().map(|rule| (format!("{}{end}", rule.name), page(rule, lang))));
    }
    pages
}

fn kept(folder: &Path) -> BTreeMap<String, String> {
    let name = |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let read = |path: &Path| std::fs::read_to_string(path).expect("readable").replace("\r\n", "\n");
    vramlint_test::files_below(folder).iter().map(|path| (name(path), read(path))).collect()
}

#[test]
fn the_pages_are_those_of_the_rules() {
    let (folder, pages) = (workspace_root().join("docs/rules"), pages());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("writable");
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).expect("writable");
        }
    }
    let kept = kept(&folder);
    let names = pages.keys().chain(kept.keys());
    let mut differ: Vec<&String> = names.filter(|name| pages.get(*name) != kept.get(*name)).collect();
    differ.dedup();
    assert!(differ.is_empty(), "UPDATE_DOCS=1 cargo test --test docs writes them anew: {differ:?}");
}

#[test]
fn every_rule_has_its_symptoms() {
    let missing: Vec<&str> = RULES.iter().filter(|rule| rule.symptoms.is_empty()).map(|rule| rule.name).collect();
    assert!(missing.is_empty(), "rules without symptoms: {missing:?}");
}
