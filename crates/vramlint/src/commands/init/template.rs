//! The text of a new `vramlint.toml`.

use vramlint_base::text::len_noun;
use vramlint_base::{Lang, Message, message};
use vramlint_catalog::gpus;
use vramlint_gpu::visible_devices::GpuSelection;

/// The facts that the file is generated from.
pub(super) struct ProjectFacts {
    /// The GPUs, or the reason why they are unknown.
    pub(super) gpus: Result<GpuSelection, Message>,
    /// Memory of the host, bytes.
    pub(super) host_memory: Option<u64>,
    /// The operating system.
    pub(super) os: Option<&'static str>,
    /// The effective batch sizes of the runs.
    pub(super) batch: EffectiveBatches,
    /// Whether the command line sets the language.
    pub(super) lang_given: bool,
}

/// The runs, each with its effective batch size if known.
pub(super) struct EffectiveBatches(pub(super) Vec<(String, Option<u64>)>);

/// Maximum number of runs that are named.
const MAX_NAMED_RUNS: usize = 5;

/// The text of the file.
pub(super) fn render(facts: &ProjectFacts, lang: Lang) -> String {
    let mut page = Page { lang, text: String::new() };
    page.note(&message!(
        "vramlint settings for this project. `vramlint schema vramlint` describes every key",
        "本项目的 vramlint 设置。所有键的说明见 `vramlint schema vramlint`"
    ));
    target(&mut page, facts);
    batch(&mut page, &facts.batch);
    versions(&mut page);
    lint(&mut page, facts);
    page.text
}

struct Page {
    lang: Lang,
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn note(&mut self, message: &Message) {
        // A file name or a string from the driver must not end the comment.
        let text = message.get(self.lang).replace(char::is_control, " ");
        self.line(&format!("# {text}"));
    }

    fn table(&mut self, name: &str) {
        self.line(&format!("\n[{name}]"));
    }

    /// A key with its value, as a comment unless `set`.
    fn key(&mut self, set: bool, key: &str, value: &str) {
        let mark = if set { "" } else { "# " };
        self.line(&format!("{mark}{key} = {value}"));
    }
}

/// A TOML string; TOML supports all JSON escapes.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The size in MiB, as tools print it, rounded down.
fn mib(bytes: u64) -> String {
    toml_string(&format!("{}MiB", bytes >> 20))
}

fn target(page: &mut Page, facts: &ProjectFacts) {
    page.table("target");
    let here = facts.gpus.is_ok();
    match &facts.gpus {
        Ok(choice) => {
            page.note(&message!(
                "The training machine: this one, as reported by its driver",
                "训练所用的机器：即本机，数据来自驱动"
            ));
            gpu_keys(page, choice);
        }
        Err(why) => {
            let (en, zh) = (&why.en, &why.zh);
            page.note(&message!("The training machine; not detected here: {en}", "训练所用的机器；未在本机检测到：{zh}"));
            page.key(false, "gpu", &toml_string("RTX 4090"));
            page.key(false, "memory", &toml_string("24564MiB"));
            page.key(false, "count", "1");
        }
    }
    page.key(false, "nodes", "1");
    if !here {
        page.note(&message!("Values of this machine, if you train on it:", "若在本机训练，可启用以下本机的值："));
    }
    match facts.host_memory {
        Some(bytes) => page.key(here, "host-memory", &mib(bytes)),
        None => page.key(false, "host-memory", &toml_string("64GiB")),
    }
    match facts.os {
        Some(os) => page.key(here, "os", &toml_string(os)),
        None => page.key(false, "os", &toml_string("linux")),
    }
}

fn gpu_keys(page: &mut Page, choice: &GpuSelection) {
    let name = choice.name.as_deref();
    // An unknown name is only useful together with its memory.
    let named = name.is_some_and(|name| choice.memory.is_some() || gpus::find(name).is_some());
    page.key(named, "gpu", &toml_string(name.unwrap_or("RTX 4090")));
    match choice.memory {
        Some(bytes) => page.key(true, "memory", &mib(bytes)),
        None => page.key(false, "memory", &toml_string("24564MiB")),
    }
    page.key(true, "count", &choice.count.to_string());
}

fn batch(page: &mut Page, EffectiveBatches(runs): &EffectiveBatches) {
    page.table("batch");
    page.note(&message!(
        "Agreed effective batch size (samples per optimizer step over all processes); a run that differs is reported",
        "约定的有效批大小（每次优化器更新、所有进程合计的样本数）；与之不符的训练任务会被报告"
    ));
    let known: Vec<u64> = runs.iter().filter_map(|(_, batch)| *batch).collect();
    let (all, count) = (runs.len(), known.len());
    match known.first() {
        Some(first) if count == all && known.iter().all(|batch| batch == first) => {
            let runs = len_noun(all, "run");
            page.note(&message!("Current value of the project ({runs}):", "项目当前的值（{all} 个训练任务）："));
            page.key(false, "effective", &first.to_string());
        }
        Some(_) => {
            let list: Vec<String> = runs
                .iter()
                .take(MAX_NAMED_RUNS)
                .map(|(id, batch)| format!("{id}: {}", batch.map_or_else(|| "?".to_owned(), |batch| batch.to_string())))
                .chain((all > MAX_NAMED_RUNS).then(|| "…".to_owned()))
                .collect();
            let list = list.join(", ");
            page.note(&message!("The runs differ, or some are unknown: {list}", "各训练任务的值不一致，或有未知值：{list}"));
            page.key(false, "effective", "64");
        }
        None => page.key(false, "effective", "64"),
    }
}

fn versions(page: &mut Page) {
    page.table("versions");
    page.note(&message!(
        "Library versions, if requirements and lock files do not state them or state others",
        "库版本：依赖文件与锁文件未写明或与实际不符时填写"
    ));
    page.key(false, "transformers", &toml_string("5.23"));
    page.key(false, "trl", &toml_string(">=1.0,<2"));
}

fn lint(page: &mut Page, facts: &ProjectFacts) {
    page.table("lint");
    page.note(&message!("Language of the messages: en, zh", "消息语言：en、zh"));
    let lang = if page.lang == Lang::Zh { "zh" } else { "en" };
    page.key(facts.lang_given, "lang", &toml_string(lang));
    page.note(&message!(
        "Lowest severity at which `vramlint check` exits with 1: error, warning, info",
        "使 `vramlint check` 以状态 1 退出的最低严重级别：error、warning、info"
    ));
    page.key(false, "fail-on", &toml_string("warning"));
    page.note(&message!(
        "Rule preset: recommended, strict (advice becomes a warning), errors (errors only)",
        "规则预设：recommended、strict（提示按警告处理）、errors（只报告错误）"
    ));
    page.key(false, "preset", &toml_string("recommended"));
    page.note(&message!("Rules to disable, by name or code", "要禁用的规则，写名称或代码"));
    page.key(false, "ignore", "[]");
}
