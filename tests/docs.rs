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
    for line in body.lines() {
        if !fenced && let Some(heading) = line.strip_prefix("## ") {
            inside = heading.starts_with(example);
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
        let _ = writeln!(out, "{}", line.trim_end());
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

fn page(rule: &Rule, lang: Lang) -> String {
    let (code, name, severity, since) = (rule.code, rule.name, rule.severity.name(), rule.since);
    let (other, link) = say(lang, "中文|zh.", "English|").split_once('|').expect("two parts");
    let mut text = format!("# {code} {name}\n\n");
    let _ = match lang {
        Lang::En => writeln!(text, "Severity: {severity}. Since {since}. [Index](README.md) · [{other}]({name}.{link}md)\n"),
        Lang::Zh => writeln!(text, "级别：{severity}。自 {since} 起。[索引](README.zh.md) · [{other}]({name}.{link}md)\n"),
    };
    let (body, files) = rendered(&rule.page(lang).body, say(lang, "Example", "示例"));
    let made = if files.is_empty() { String::new() } else { output(rule, &files, lang) };
    if made.is_empty() {
        text.push_str(&body);
        return text;
    }
    // Behind the example, before the good form.
    let heading = say(lang, "\n## Fine\n", "\n## 正确写法\n");
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
