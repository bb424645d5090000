//! Parses a configuration file into a [`Config`].

use super::glob::Globs;
use super::raw::{FailOn, Level, Os, RawConfig, RawLang, RawMeasured, RawModel};
use super::size::{Size, SizeError};
use super::validate::validate;
use super::{Config, ConfigError, DeclaredModel, PerFileIgnore, RunSetting, schema, unknown_gpu};
use crate::discovery::paths::absolute;
use crate::rule_selection::{RuleList, SelectionLayer, Selector};
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use vramlint_base::{Lang, Message, Severity, TextRange, message};
use vramlint_resolve::versions::VersionSpec;
use vramlint_resolve::{MeasuredRun, RunSelector, Target};

/// A configuration file to load.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    /// The file, absolute.
    pub file: &'a Path,
    /// The path as shown to the user.
    pub shown: &'a str,
    /// Its text.
    pub text: &'a str,
    /// The folder that its globs are relative to.
    pub root: &'a Path,
}

/// Whether the configuration of this file is in `[tool.vramlint]`.
fn is_pyproject(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "pyproject.toml")
}

/// Whether a `pyproject.toml` has the table. Invalid TOML that mentions vramlint counts, so that its error is reported.
pub(super) fn has_table(text: &str) -> bool {
    text.contains("vramlint") && DeTable::parse(text).map_or(true, |table| tool_table(table.get_ref()).is_some())
}

fn tool_table<'a>(table: &'a DeTable<'a>) -> Option<&'a Spanned<DeValue<'a>>> {
    table.get("tool")?.get_ref().as_table()?.get("vramlint")
}

/// Parses and validates a configuration.
pub(crate) fn load(source: &Source<'_>, rules: &RuleList) -> Result<Config, ConfigError> {
    let at = |range, what: &Message| ConfigError::at(source.shown, source.text, range, what);
    let broken = |error: &toml::de::Error| {
        let range = error.span().map_or(TextRange::at(0), TextRange::of);
        let what = SizeError::decode(error.message());
        let Message { en, zh } = &what;
        if en == zh { at(range, &message!("invalid TOML: {en}", "TOML 错误：{zh}")) } else { at(range, &what) }
    };
    let document = DeTable::parse(source.text).map_err(|error| broken(&error))?;
    let (table, raw) = if is_pyproject(source.file) {
        let Some(value) = tool_table(document.get_ref()) else {
            return Err(ConfigError::new(no_table(source.shown)));
        };
        let Some(table) = value.get_ref().as_table() else {
            return Err(at(
                TextRange::of(value.span()),
                &message!("`tool.vramlint` must be a table", "`tool.vramlint` 必须是表"),
            ));
        };
        (table, toml::from_str::<Pyproject>(source.text).map(|file| file.tool.vramlint))
    } else {
        (document.get_ref(), toml::from_str::<RawConfig>(source.text))
    };
    if let Some((range, what)) = validate(table, schema()) {
        return Err(at(range, &what));
    }
    let raw = raw.map_err(|error| broken(&error))?;
    let places = KeyLocations { source, table };
    reject_auto(&raw, &places)?;
    build(&raw, &places, rules)
}

/// Rejects `gpu = "auto"`, which is allowed on the command line only: findings would differ between machines.
fn reject_auto(raw: &RawConfig, places: &KeyLocations<'_>) -> Result<(), ConfigError> {
    if raw.target.gpu.as_deref().is_some_and(|gpu| gpu.eq_ignore_ascii_case("auto")) {
        let what = message!(
            "`target.gpu` cannot be `auto`, because findings would differ between machines; specify the GPU, let `vramlint init` write it, or use `--gpu auto` on the command line",
            "`target.gpu` 不能是 `auto`：结果会因机器而异；请写明 GPU 名称，或用 `vramlint init` 生成，或在命令行使用 `--gpu auto`"
        );
        return Err(places.error(&["target", "gpu"], usize::MAX, &what));
    }
    Ok(())
}

fn no_table(file: &str) -> Message {
    message!("{file} has no `[tool.vramlint]`", "{file} 中没有 `[tool.vramlint]`")
}

/// The part of `pyproject.toml` that vramlint reads.
#[derive(Deserialize)]
struct Pyproject {
    tool: Tool,
}

#[derive(Deserialize)]
struct Tool {
    vramlint: RawConfig,
}

/// Locates values in the file, for errors.
struct KeyLocations<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
}

impl KeyLocations<'_> {
    /// The range of the value at a path of keys; with `index`, of that list item.
    fn of(&self, path: &[&str], index: Option<usize>) -> Option<TextRange> {
        let (first, rest) = path.split_first()?;
        let mut at = self.table.get(*first)?;
        for key in rest {
            at = at.get_ref().as_table()?.get(*key)?;
        }
        let item = index.and_then(|index| at.get_ref().as_array()?.get(index)).unwrap_or(at);
        Some(TextRange::of(item.span()))
    }

    fn error(&self, path: &[&str], index: usize, what: &Message) -> ConfigError {
        let range = self.of(path, Some(index)).unwrap_or(TextRange::at(0));
        ConfigError::at(self.source.shown, self.source.text, range, what)
    }

    fn globs(&self, path: &[&str], patterns: &[String]) -> Result<Globs, ConfigError> {
        Globs::new(patterns).map_err(|(index, what)| self.error(path, index, &what))
    }

    fn selectors(&self, path: &[&str], words: &[String], rules: &RuleList) -> Result<Vec<Selector>, ConfigError> {
        let read = |(index, word): (usize, &String)| rules.parse_selector(word).map_err(|what| self.error(path, index, &what));
        words.iter().enumerate().map(read).collect()
    }
}

fn build(raw: &RawConfig, places: &KeyLocations<'_>, rules: &RuleList) -> Result<Config, ConfigError> {
    if let Some(what) = raw.target.gpu.as_ref().filter(|_| raw.target.memory.is_none()).and_then(|gpu| unknown_gpu(gpu, "memory"))
    {
        return Err(places.error(&["target", "gpu"], usize::MAX, &what));
    }
    let root = places.source.root.to_path_buf();
    let select = raw.lint.select.as_ref().map(|words| places.selectors(&["lint", "select"], words, rules)).transpose()?;
    let choice = SelectionLayer {
        select,
        extend: places.selectors(&["lint", "extend-select"], &raw.lint.extend_select, rules)?,
        ignore: places.selectors(&["lint", "ignore"], &raw.lint.ignore, rules)?,
    };
    let exclude = raw.exclude.as_ref().map(|list| places.globs(&["exclude"], list)).transpose()?;
    Ok(Config {
        file: Some(places.source.file.to_path_buf()),
        text: places.source.text.into(),
        target: target(raw),
        count_at: places.of(&["target", "count"], None),
        effective_batch: raw.batch.effective.zip(places.of(&["batch", "effective"], None)),
        versions: versions(raw, places)?,
        run_settings: run_settings(raw, places)?,
        preset: raw.lint.preset,
        fail_on: raw.lint.fail_on.map(fail_on),
        lang: raw.lint.lang.map(|lang| if matches!(lang, RawLang::Zh) { Lang::Zh } else { Lang::En }),
        models: models(raw, places, &root),
        declared: Vec::new(),
        measured: raw.measured.iter().map(measured).collect(),
        exclude,
        extend_exclude: places.globs(&["extend-exclude"], &raw.extend_exclude)?,
        choice,
        per_file_ignores: per_file_ignores(raw, places, rules)?,
        levels: levels(raw, places, rules)?,
        root,
    })
}

fn versions(raw: &RawConfig, places: &KeyLocations<'_>) -> Result<Vec<(&'static str, VersionSpec, TextRange)>, ConfigError> {
    let read = |(name, text): (&String, &String)| {
        let path = ["versions", name.as_str()];
        let (library, known) = super::versions::read(name, text).map_err(|what| places.error(&path, usize::MAX, &what))?;
        Ok((library, known, places.of(&path, None).unwrap_or(TextRange::at(0))))
    };
    raw.versions.iter().map(read).collect()
}

/// Settings of runs, ids before globs: the more specific one counts.
fn run_settings(raw: &RawConfig, places: &KeyLocations<'_>) -> Result<Vec<RunSetting>, ConfigError> {
    let mut settings = Vec::new();
    for (selector, values) in &raw.runs {
        for (name, value) in values {
            let path = ["runs", selector.as_str(), name.as_str()];
            let setting =
                super::run_settings::read(selector, name, value).map_err(|what| places.error(&path, usize::MAX, &what))?;
            settings.push(RunSetting { setting, range: places.of(&path, None).unwrap_or(TextRange::at(0)) });
        }
    }
    settings.sort_by_key(|setting| !matches!(setting.setting.runs, RunSelector::Id(_)));
    Ok(settings)
}

fn measured(raw: &RawMeasured) -> MeasuredRun {
    let bytes = |size: Option<Size>| size.map(|size| size.0);
    MeasuredRun {
        run: raw.run.clone(),
        tensors: bytes(raw.tensors),
        reserved: bytes(raw.reserved),
        process: bytes(raw.process),
        source: raw.source.clone(),
        setup: raw.setup.clone(),
    }
}

fn target(raw: &RawConfig) -> Target {
    let os = |os: Os| match os {
        Os::Linux => "linux",
        Os::Windows => "windows",
        Os::Macos => "macos",
    };
    Target {
        gpu: raw.target.gpu.clone(),
        memory: raw.target.memory.map(|size| size.0),
        count: raw.target.count,
        nodes: raw.target.nodes,
        host_memory: raw.target.host_memory.map(|size| size.0),
        os: raw.target.os.map(|name| os(name).to_owned()),
    }
}

fn fail_on(level: FailOn) -> Severity {
    match level {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    }
}

fn models(raw: &RawConfig, places: &KeyLocations<'_>, root: &Path) -> Vec<DeclaredModel> {
    let tables = places.table.get("model").and_then(|models| models.get_ref().as_array());
    let at = |index: usize| tables?.get(index)?.get_ref().as_table()?.get("config").map(|value| TextRange::of(value.span()));
    let model = |(index, model): (usize, &RawModel)| DeclaredModel {
        id: model.id.clone(),
        config: absolute(root, Path::new(&model.config)),
        at: at(index).unwrap_or(TextRange::at(0)),
    };
    raw.model.iter().enumerate().map(model).collect()
}

fn per_file_ignores(raw: &RawConfig, places: &KeyLocations<'_>, rules: &RuleList) -> Result<Vec<PerFileIgnore>, ConfigError> {
    let read = |(glob, words): (&String, &Vec<String>)| {
        let path = ["lint", "per-file-ignores", glob.as_str()];
        let (negated, pattern) = glob.strip_prefix('!').map_or((false, glob.as_str()), |rest| (true, rest));
        let globs = Globs::new(&[pattern]).map_err(|(_, what)| places.error(&path, usize::MAX, &what))?;
        Ok(PerFileIgnore { globs, negated, rules: places.selectors(&path, words, rules)? })
    };
    raw.lint.per_file_ignores.iter().map(read).collect()
}

fn levels(raw: &RawConfig, places: &KeyLocations<'_>, rules: &RuleList) -> Result<Vec<(Selector, Level)>, ConfigError> {
    let read = |(word, level): (&String, &Level)| {
        let selector =
            rules.parse_selector(word).map_err(|what| places.error(&["lint", "severity", word.as_str()], usize::MAX, &what))?;
        Ok((selector, *level))
    };
    raw.lint.severity.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RULES;

    fn read(file: &str, text: &str) -> Result<Config, ConfigError> {
        let file_path = Path::new("/p").join(file);
        load(&Source { file: &file_path, shown: file, text, root: Path::new("/p") }, &RuleList::new(RULES))
    }

    fn error(text: &str) -> String {
        read("vramlint.toml", text).expect_err(text).message.en
    }

    #[test]
    fn the_whole_contract_is_read() {
        let text = r#"
exclude = ["data"]
extend-exclude = ["*.gen.yaml"]
[target]
gpu = "A100-SXM4-40GB"
memory = "40GiB"
count = 8
nodes = 2
host-memory = 256000000000
os = "linux"
[batch]
effective = 64
[lint]
select = ["default"]
extend-select = ["VL6"]
ignore = ["bad-word"]
fail-on = "error"
lang = "zh"
[lint.per-file-ignores]
"legacy/**" = ["VL6"]
[lint.severity]
"other-word" = "off"
[[model]]
id = "acme/acme-7b"
config = "models/acme/config.json"
"#;
        let config = read("vramlint.toml", text).expect("valid");
        assert_eq!(config.target.memory, Some(40 << 30));
        assert_eq!((config.target.count, config.target.nodes), (Some(8), Some(2)));
        assert_eq!(config.target.host_memory, Some(256_000_000_000));
        assert_eq!(config.target.os.as_deref(), Some("linux"));
        assert_eq!(config.count_at.map(|range| range.slice(text)), Some("8"));
        assert_eq!(config.effective_batch.map(|(n, range)| (n, range.slice(text))), Some((64, "64")));
        assert_eq!((config.fail_on, config.lang), (Some(Severity::Error), Some(Lang::Zh)));
        let models: Vec<_> = config.models.iter().map(|m| (m.id.as_str(), m.config.as_path(), m.at.slice(text))).collect();
        assert_eq!(models, [("acme/acme-7b", Path::new("/p/models/acme/config.json"), "\"models/acme/config.json\"")]);
        assert!(config.per_file_ignores[0].holds("legacy/a/b.yaml", "VL601"));
        assert!(!config.per_file_ignores[0].holds("legacy/a/b.yaml", "VL701"));
        assert_eq!(config.levels, [(Selector::Rule("VL602"), Level::Off)]);
    }

    #[test]
    fn pyproject_needs_the_table() {
        let text = "[project]\nname = \"x\"\n[tool.other]\nselect = 3\n[tool.vramlint.target]\ncount = 0\n";
        assert_eq!(read("pyproject.toml", text).expect("valid").target.count, Some(0));
        assert!(has_table(text));
        assert!(!has_table("[project]\nname = \"vramlint\"\n"));
        assert!(has_table("[tool.vramlint\n"));
        let error = read("pyproject.toml", "[tool.vramlint]\ncuont = 1\n").expect_err("unknown");
        assert!(error.message.en.starts_with("pyproject.toml:2:1: unknown key `cuont`"), "{error}");
    }

    #[test]
    fn unknown_keys_name_the_nearest() {
        assert_eq!(error("[lint]\nseelct = []\n"), "vramlint.toml:2:1: unknown key `seelct` in `[lint]`; did you mean `select`?");
        assert_eq!(
            error("# 显存\n\"目标\" = 1\n"),
            "vramlint.toml:2:1: unknown key `目标`; expected one of: `batch`, `exclude`, `extend-exclude`, `lint`, `measured`, `model`, `runs`, `target`, `versions`"
        );
        assert!(error("[target]\nhost_memory = 1\n").contains("did you mean `host-memory`?"));
        assert!(
            error("[[model]]\nid = \"a\"\nconfg = \"b\"\n").starts_with("vramlint.toml:3:1: unknown key `confg` in `[model]`")
        );
    }

    #[test]
    fn wrong_types_and_values_name_the_place() {
        assert_eq!(error("[target]\ncount = \"8\"\n"), "vramlint.toml:2:9: `target.count` must be an integer, not a string");
        assert_eq!(error("[target]\ncount = -1\n"), "vramlint.toml:2:9: `target.count` must be between 0 and 4294967295, not -1");
        assert_eq!(
            error("[target]\nos = \"bsd\"\n"),
            "vramlint.toml:2:6: `target.os` cannot be `bsd`; expected one of: `linux`, `windows`, `macos`"
        );
        assert_eq!(error("lint = 3\n"), "vramlint.toml:1:8: `lint` must be a table, not an integer");
        assert_eq!(
            error("[lint]\nselect = [\"all\", 3]\n"),
            "vramlint.toml:2:18: `lint.select` must be a string, not an integer"
        );
        assert_eq!(
            error("[lint.severity]\nbad-word = \"fatal\"\n"),
            "vramlint.toml:2:12: `lint.severity.bad-word` cannot be `fatal`; expected one of: `off`, `info`, `warning`, `error`"
        );
        assert!(error("[batch]\neffective = 0\n").contains("between 1"));
        assert!(error("[[model]]\nid = \"a\"\n").contains("missing field `config`"));
    }

    #[test]
    fn a_card_is_known_or_its_memory_is_given() {
        let target = |text: &str| read("vramlint.toml", &format!("[target]\n{text}\n"));
        for fine in ["gpu = \"RTX 4090\"", "gpu = \"A100\"", "gpu = \"Acme X1\"\nmemory = \"24GiB\""] {
            assert!(target(fine).is_ok(), "{fine}");
        }
        let unknown = target("gpu = \"RTX 4900\"").expect_err("unknown").message;
        assert_eq!(
            unknown.en,
            "vramlint.toml:2:7: unknown GPU `RTX 4900`; did you mean `GeForce RTX 4090`? For any other GPU, set `memory`"
        );
        assert!(unknown.zh.contains("是否想写 `GeForce RTX 4090`"), "{unknown:?}");
        assert_eq!(error("[target]\ngpu = \"toaster\"\n"), "vramlint.toml:2:7: unknown GPU `toaster`; set `memory`");
        let text = "[tool.vramlint.target]\ngpu = \"RTX 4090 48GB\"\n";
        assert!(
            read("pyproject.toml", text).expect_err("no such size").message.en.starts_with("pyproject.toml:2:7: unknown GPU")
        );
    }

    #[test]
    fn a_file_names_its_card() {
        for auto in ["auto", "Auto"] {
            let text = error(&format!("[target]\ngpu = \"{auto}\"\nmemory = \"24GiB\"\n"));
            assert!(text.starts_with("vramlint.toml:2:7: `target.gpu` cannot be `auto`"), "{text}");
        }
    }

    #[test]
    fn sizes_rules_and_globs_are_checked_where_they_stand() {
        let bad = read("vramlint.toml", "[target]\nmemory = \"24G\"\n").expect_err("ambiguous").message;
        assert!(bad.en.starts_with("vramlint.toml:2:10: `24G` is ambiguous: write GiB"), "{bad:?}");
        assert!(bad.zh.contains("有歧义"), "{bad:?}");
        assert_eq!(
            error("[lint]\nignore = [\"all\", \"bad-wrod\"]\n"),
            "vramlint.toml:2:18: unknown rule `bad-wrod`; did you mean `bad-word`?"
        );
        assert!(error("[lint.severity]\nnothing-like-it = \"off\"\n").starts_with("vramlint.toml:2:19: unknown rule"));
        assert!(error("exclude = [\"ok\", \"a[\"]\n").starts_with("vramlint.toml:1:18: `a[` is not a glob"));
    }

    #[test]
    fn broken_toml_is_an_error_with_a_place() {
        assert!(error("[target\n").starts_with("vramlint.toml:1:"));
        assert!(error("a = 1\na = 2\n").starts_with("vramlint.toml:2:1:"));
        for text in ["", "# only a comment\n", "\u{feff}[target]\ncount = 1\n", "[target]\r\ncount = 1\r\n"] {
            assert!(read("vramlint.toml", text).is_ok(), "{text:?}");
        }
    }
}
