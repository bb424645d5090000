//! # variable-not-expanded
//!
//! `${VARIABLE}` in accelerate's file is never expanded.
//!
//! ## Why it matters
//! accelerate reads the file as plain YAML, so the variable stays a literal string. As a number of processes, a rank or a port it raises an
//! error; as an address it leads to no machine.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 16
//! num_machines: 2
//! machine_rank: ${SLURM_NODEID}
//! main_process_ip: 10.0.0.1
//! main_process_port: 29500
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --machine_rank "$SLURM_NODEID" train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 16
//! num_machines: 2
//! main_process_ip: 10.0.0.1
//! main_process_port: 29500
//! ```
//!
//! ## Severity
//! Warning if no command of the project uses the file.
//!
//! ## When it stays silent
//! If the file's name or markers (`{{`, `{%`) show that it is a template, if a script in the project renders files (`envsubst`, `jinja2`;
//! `sed` and similar if they mention the file), or if a flag of the launch sets the value.
//!
//! ## Fix
//! None: pass the value as a flag, which the shell expands.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/launch.py:161`, `:216-219` and `:233`, run: `invalid literal for int() with base 10: '${SLURM_NODEID}'`.
//!
//! # 中文
//!
//! accelerate 的文件中的 `${VARIABLE}` 不会被展开。
//!
//! ## 为什么重要
//! accelerate 按普通 YAML 读取文件，变量只是原样的字符串。作为进程数、编号或端口会报错；作为地址则找不到机器。
//!
//! ## 严重程度
//! 项目中没有命令使用该文件时为警告。
//!
//! ## 何时不报
//! 文件名或标记（`{{`、`{%`）表明是模板；项目中有填充文件的脚本（`envsubst`、`jinja2`，或提到该文件的 `sed` 等）；启动时以参数给出该值。
//!
//! ## 修复
//! 无：请以参数给出取值，由 shell 展开。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/launch.py:161`、`:216-219` 与 `:233`，实际运行：`invalid literal for int() with base 10: '${SLURM_NODEID}'`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Finding, Severity, message};
use vramlint_resolve::{Feature, Project, SourceFile};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod};
use vramlint_syntax::data::NodeRef;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::Hangs],
    ..Rule::new("VL121", "variable-not-expanded", Severity::Error, page!("variable_not_expanded.rs"), check)
};

/// Keys that the launcher calculates with or uses as an address.
const KEYS: &[&str] = &["num_processes", "num_machines", "machine_rank", "main_process_port", "main_process_ip"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let (Some(file), Some(root)) = (start.file, start.root()) else { continue };
        if !cx.project.features(file.id).has(Feature::Dollar)
            || is_named_or_marked_as_template(cx.project, file)
            || cx.project.is_documentation_snippet(file.id)
        {
            continue;
        }
        let found: Vec<_> = KEYS.iter().filter_map(|key| variable(start, root, key)).collect();
        if found.is_empty() || fills(cx.project, file) {
            continue;
        }
        for (key, node) in found {
            let Some(finding) = judge(start, root, file, key, node) else { continue };
            if out.mark_reported(finding.place) {
                out.push(finding);
            }
        }
    }
}

/// The value of a key that is a single variable and that no flag overrides.
fn variable<'a>(start: &AccelerateLaunch<'a>, root: NodeRef<'a>, key: &'static str) -> Option<(&'static str, NodeRef<'a>)> {
    let node = root.get(key)?;
    let name = node.text()?.strip_prefix('$')?;
    let bare = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let whole = bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !bare.contains(['{', '}', '$', ' ', '/', '.'])
        && !bare.starts_with("oc");
    let given = start.may_hide_flags() || start.flag(&format!("--{key}")).is_some();
    (whole && !given).then_some((key, node))
}

fn judge(start: &AccelerateLaunch<'_>, root: NodeRef<'_>, file: &SourceFile, key: &str, node: NodeRef<'_>) -> Option<Finding> {
    let path = start.method()?;
    let written = node.text()?;
    let number = |key: &str| root.get(key).and_then(NodeRef::text).and_then(|text| text.parse::<i64>().ok());
    let several = number("num_machines").is_none_or(|machines| machines > 1) && root.get("num_machines").is_some();
    let torchrun = matches!(path, LaunchMethod::Torchrun | LaunchMethod::DeepSpeed);
    let first = number("machine_rank").is_none_or(|rank| rank == 0);
    let most = if start.is_alone() { Severity::Warning } else { Severity::Error };
    let severity = match key {
        "num_processes" | "num_machines" if torchrun || path == LaunchMethod::Single => Severity::Error,
        "machine_rank" if path == LaunchMethod::Torchrun && several => Severity::Error,
        "main_process_port" if torchrun && (!several || first && root.get("machine_rank").is_some()) => Severity::Error,
        // The address is looked up unchanged, and the port is part of it.
        "machine_rank" | "main_process_port" | "main_process_ip" if torchrun && several => Severity::Warning,
        _ => return None,
    };
    let finding = RULE.finding(
        FileRange::new(file.id, node.range()),
        message!(
            "accelerate does not expand `{written}`: `{key}` is this literal string",
            "accelerate 不会展开 `{written}`：`{key}` 就是这个字符串"
        ),
    );
    Some(finding.with_severity(severity.min(most)).with_help(message!(
        "remove `{key}` here and pass `--{key}` in the command, where the shell expands it",
        "请从这里去掉 `{key}`，在命令中以 `--{key}` 给出，由 shell 展开"
    )))
}

/// Whether the name or a template mark anywhere says that a program renders the file. Broader than `is_templated` of one value and
/// than `yaml::is_template_source`: a template may have `$x` as its only mark.
fn is_named_or_marked_as_template(project: &Project, file: &SourceFile) -> bool {
    if project.features(file.id).has(Feature::TemplateMark) {
        return true;
    }
    let name = file.name().to_lowercase();
    ["template", "tmpl", ".j2", ".jinja", ".tpl", ".in.", ".mustache", "example"].iter().any(|word| name.contains(word))
}

/// Programs and calls that render whole files.
const FILLERS: &[&str] = &["envsubst", "jinja", "gomplate", "esh "];
/// Those with other uses too: they count if the file is mentioned.
const EDITORS: &[&str] =
    &["sed ", "perl ", "yq ", "eval ", "awk ", "expandvars", "safe_substitute", "string.Template", "OmegaConf", "replace("];

/// Whether a script or code of the project may render another file from this one.
fn fills(project: &Project, file: &SourceFile) -> bool {
    let name = file.name();
    let codes = project.files.iter().filter(|other| other.is_python() || other.is_script());
    codes.into_iter().any(|other| {
        let has = |words: &[&str]| words.iter().any(|word| contains_word(&other.text, word));
        has(FILLERS) || other.mentions(name) && has(EDITORS)
    })
}

/// Whether a text contains a word that is not the end of a longer one: `sed `, not `used `.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()))
}
