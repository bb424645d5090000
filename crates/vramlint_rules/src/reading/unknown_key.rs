//! # unknown-key
//!
//! A key that its tool does not know, where the tool refuses such keys.
//!
//! ## Why it matters
//! `accelerate launch` refuses a file with an unknown key at its top level, and DeepSpeed refuses one inside most of its blocks.
//! A batch size or an accumulation in accelerate's file has no reader there at all: it belongs to the training code, or under
//! `deepspeed_config`.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! gradient_accumulation_steps: 4
//! ```
//!
//! ## Fine
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! mixed_precision: bf16
//! ```
//!
//! ## Fix
//! Unsafe: a near spelling is offered as a rename, else the removal of the line. We cannot know what it was meant to do.
//!
//! ## When it is milder
//! A warning where only its name says that the file is accelerate's. Advice for a key that older versions took. Nothing for keys
//! that a template fills in, and for blocks whose unknown keys the tool ignores.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:154`, run; DeepSpeed 0.19.8 `runtime/config_utils.py`, run.
//!
//! # 中文
//!
//! 工具不认识的键，而该工具会拒绝这样的键。
//!
//! ## 为什么重要
//! `accelerate launch` 会拒绝顶层含未知键的文件，DeepSpeed 的多数块内也拒绝未知键。写在 accelerate 文件里的批大小或梯度累积
//! 根本没有谁会读：它应写在训练代码中，或写在 `deepspeed_config` 之下。
//!
//! ## 修复
//! 不安全：有相近的拼写时改名，否则删除该行。我们无法得知它原本的用意。
//!
//! ## 何时从轻
//! 仅凭文件名才认为是 accelerate 的文件时只报警告；旧版本接受的键仅作提示；由模板填入的键，以及工具会忽略未知键的块，不报告。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:154`，实际运行；DeepSpeed 0.19.8 `runtime/config_utils.py`，实际运行。

use crate::rule::Build;
use crate::{Context, Group, Rule, Sink, edit};
use vramlint_base::{Applicability, Fix, Place, Severity, message};
use vramlint_catalog::keys;
use vramlint_resolve::{Kind, Project, SourceFile};
use vramlint_syntax::data::{DataFile, NodeRef};

pub(crate) static RULE: Rule = Rule {
    code: "VL004",
    name: "unknown-key",
    group: Group::Reading,
    severity: Severity::Error,
    since: "0.1.0",
    source: include_str!("unknown_key.rs"),
    check: Some(check),
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let Some(root) = file.data().and_then(DataFile::root) else { continue };
        match cx.project.kind(file.id) {
            Kind::Accelerate => accelerate(cx.project, file, root, out),
            Kind::DeepSpeed => deepspeed(file, root, &mut Vec::new(), out),
            _ => {}
        }
    }
}

/// Certainty from which a file is taken for what its keys say: below it the name alone decided.
const CERTAIN: u8 = 90;

/// A key that a template fills in, or that YAML itself reads: nothing is known about it.
fn is_open(key: &str) -> bool {
    key == "<<" || ["{{", "{%", "${", "<%"].iter().any(|mark| key.contains(mark))
}

fn accelerate(project: &Project, file: &SourceFile, root: NodeRef<'_>, out: &mut Sink) {
    let mut known: Vec<&str> = keys::accelerate_top_level().map(|key| key.path.as_str()).collect();
    // Another class, with other keys, reads the file of a cluster at Amazon.
    if root.get("compute_environment").is_some_and(|node| node.text() != Some("LOCAL_MACHINE")) {
        known.extend(keys::accelerate_sagemaker().iter().map(|key| key.path.as_str()));
    }
    let certain = project.kinds[file.id.0 as usize].confidence >= CERTAIN;
    for (key, value) in root.entries() {
        let Some(text) = key.text().filter(|text| !is_open(text) && !known.contains(text)) else { continue };
        let removed = keys::removed(keys::accelerate(), text).and_then(|key| key.until.clone());
        let message = match &removed {
            Some(version) => {
                message!(
                    "accelerate {version} and later no longer know the key `{text}`",
                    "accelerate 从 {version} 起不再接受键 `{text}`"
                )
            }
            None if certain => {
                message!("accelerate refuses the file: unknown key `{text}`", "accelerate 会拒绝此文件：含未知的键 `{text}`")
            }
            None => message!(
                "accelerate does not know the key `{text}`, and would refuse this file",
                "accelerate 不认识键 `{text}`，读取时会拒绝此文件"
            ),
        };
        // A key that older versions take is only advice while the installed version is not known.
        let severity = match removed {
            Some(_) => Severity::Info,
            None if certain => Severity::Error,
            None => Severity::Warning,
        };
        let mut finding = RULE.finding(Place::new(file.id, key.range()), message).severity(severity);
        if let Some(advice) = advice(text) {
            finding = finding.help(advice);
        }
        out.push(with_fixes(finding, file, key, value, nearest(root, text, &known)));
    }
}

/// The known name that was meant, unless the block has it already.
fn nearest<'a>(block: NodeRef<'_>, text: &str, known: &[&'a str]) -> Option<&'a str> {
    keys::nearest(text, known.iter().copied()).filter(|near| block.get(near).is_none())
}

/// Where a key that people put here belongs.
fn advice(key: &str) -> Option<vramlint_base::Message> {
    Some(match key {
        "gradient_accumulation_steps" | "gradient_clipping" | "zero_stage" => message!(
            "it has a reader only under `deepspeed_config`; otherwise pass it in the training code",
            "只有写在 `deepspeed_config` 之下才会被读取；否则应在训练代码中给出"
        ),
        "batch_size" | "train_batch_size" | "per_device_train_batch_size" | "micro_batch_size" | "learning_rate" => message!(
            "accelerate's file describes the launch, not the training: pass it in the training code",
            "accelerate 的配置文件描述如何启动，而不是如何训练：应在训练代码中给出"
        ),
        "bf16" => message!("write `mixed_precision: bf16`", "应写作 `mixed_precision: bf16`"),
        _ => return None,
    })
}

fn deepspeed(file: &SourceFile, node: NodeRef<'_>, path: &mut Vec<String>, out: &mut Sink) {
    let block = path.join(".");
    let refuses = !block.is_empty() && keys::deepspeed_block_rejects_unknown(&block) == Some(true);
    let known: Vec<&str> = if refuses { names_in(&block) } else { Vec::new() };
    // A block whose keys are names of the user's own has no unknown ones.
    let refuses = refuses && !known.iter().any(|name| name.starts_with('<'));
    for (key, value) in node.entries() {
        let Some(text) = key.text().filter(|text| !is_open(text)) else { continue };
        if refuses && !known.contains(&text) {
            let message = message!(
                "DeepSpeed refuses the file: unknown key `{text}` in `{block}`",
                "DeepSpeed 会拒绝此文件：`{block}` 中含未知的键 `{text}`"
            );
            let finding = RULE.finding(Place::new(file.id, key.range()), message);
            out.push(with_fixes(finding, file, key, value, nearest(node, text, &known)));
        } else if value.is_mapping() && path.len() < 4 {
            path.push(text.to_owned());
            deepspeed(file, value, path, out);
            path.pop();
        }
    }
}

/// Every name that a block of DeepSpeed's file takes, second spellings too.
fn names_in(block: &str) -> Vec<&'static str> {
    let prefix = format!("{block}.");
    let paths = keys::deepspeed().iter().flat_map(|key| std::iter::once(&key.path).chain(&key.aliases));
    paths.filter_map(|path| path.strip_prefix(&prefix)).map(|rest| rest.split('.').next().unwrap_or(rest)).collect()
}

fn with_fixes(
    finding: vramlint_base::Finding,
    file: &SourceFile,
    key: NodeRef<'_>,
    value: NodeRef<'_>,
    nearest: Option<&str>,
) -> vramlint_base::Finding {
    let mut finding = finding;
    if let Some(near) = nearest {
        let text = key.range().slice(&file.text).replace(key.text().unwrap_or_default(), near);
        finding = finding.fix(Fix {
            title: message!("rename it to `{near}`", "改名为 `{near}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(Place::new(file.id, key.range()), text)],
        });
    }
    // An alias elsewhere may stand for what is anchored here.
    let anchored = file.data().is_some_and(|data| {
        data.nodes.iter().any(|node| node.anchor.is_some() && value.range().cover(key.range()).contains(node.range))
    });
    if let Some(removal) = edit::remove_entry(file, key.range(), value.range()).filter(|_| !anchored) {
        finding = finding.fix(Fix {
            title: message!("remove the line", "删除该行"),
            applicability: Applicability::Unsafe,
            edits: vec![removal],
        });
    }
    finding
}
