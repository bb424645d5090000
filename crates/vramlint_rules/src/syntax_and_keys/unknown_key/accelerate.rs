//! accelerate's file: rejected at the top level, ignored inside its blocks.

use crate::syntax_and_keys::unknown_key::{RULE, nearest, with_fixes};
use crate::{Context, Sink};
use vramlint_base::{FileRange, Message, Severity, is_templated, message};
use vramlint_catalog::flags::{self, Launcher};
use vramlint_catalog::keys::{self, Key};
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_resolve::{FileKind, SourceFile};
use vramlint_semantic::schema::{self};
use vramlint_semantic::version_gate;
use vramlint_syntax::data::NodeRef;

pub(super) fn check(cx: &Context<'_>, out: &mut Sink) {
    for (file, root, certain) in schema::files(cx.project, FileKind::Accelerate) {
        let mut known: Vec<&str> = keys::accelerate_top_level().map(|key| key.path.as_str()).collect();
        // Another class, with other keys, reads the file of a cluster at Amazon.
        if root.get("compute_environment").is_some_and(|node| node.text() != Some("LOCAL_MACHINE")) {
            known.extend(keys::accelerate_sagemaker().iter().map(|key| key.path.as_str()));
        }
        for (key, value) in root.entries() {
            let Some(text) = key.text().filter(|text| !is_templated(text) && !OF_FORKS.contains(text)) else { continue };
            if known.contains(&text) {
                too_new(cx, file, key, text, certain, out);
                if value.is_mapping() {
                    block(file, text, value, out);
                }
            } else if keys::removed(keys::accelerate(), text).is_none() {
                let finding = RULE.finding(FileRange::new(file.id, key.range()), message(text, certain));
                let mut finding = finding.with_severity(schema::refusal_severity(certain));
                if let Some(advice) = advice(text) {
                    finding = finding.with_help(advice);
                }
                out.push(with_fixes(finding, file, root, (key, value), nearest(root, text, &known)));
            }
        }
    }
}

/// Blocks that a release of accelerate for one engine takes: `accelerate-kt`, which comes with `ktransformers[sft]` (LLaMA-Factory
/// 0.9.5 examples/ktransformers/accelerate).
const OF_FORKS: &[&str] = &["kt_config"];

fn message(text: &str, certain: bool) -> Message {
    if certain {
        message!(
            "`accelerate launch` rejects this file: unknown key `{text}`",
            "`accelerate launch` 会拒绝此文件：未知的键 `{text}`"
        )
    } else {
        message!("unknown key `{text}`: accelerate would reject this file", "未知的键 `{text}`：accelerate 读取时会拒绝此文件")
    }
}

/// A key that only later versions than the project's know.
fn too_new(cx: &Context<'_>, file: &SourceFile, key: NodeRef<'_>, text: &str, certain: bool, out: &mut Sink) {
    let row: Option<&'static Key> = keys::find(keys::accelerate(), text);
    let Some(since) = row.and_then(|row| row.since.as_deref()).filter(|_| certain) else { return };
    let span = VersionRange::until("accelerate", since);
    if cx.project.version_matches(file.id, &span) != RangeMatch::Always {
        return;
    }
    let Some(severity) = version_gate::severity(cx.project, file.id, &span, Severity::Error) else { return };
    let message = message!(
        "accelerate before {since} rejects this file: unknown key `{text}`",
        "{since} 之前的 accelerate 会拒绝此文件：未知的键 `{text}`"
    );
    out.push(RULE.finding(FileRange::new(file.id, key.range()), message).with_severity(severity));
}

/// Where a key that people put here belongs.
fn advice(key: &str) -> Option<Message> {
    Some(match key {
        "gradient_accumulation_steps" | "gradient_clipping" | "zero_stage" => message!(
            "accelerate reads it only under `deepspeed_config`; otherwise set it in the training script",
            "accelerate 只在 `deepspeed_config` 下读取它；否则请在训练脚本中设置"
        ),
        "batch_size" | "train_batch_size" | "per_device_train_batch_size" | "micro_batch_size" | "learning_rate" => message!(
            "this file configures the launch, not the training: set it in the training script",
            "此文件配置启动方式，而不是训练：请在训练脚本中设置"
        ),
        "bf16" => message!("write `mixed_precision: bf16`", "改为 `mixed_precision: bf16`"),
        _ => return None,
    })
}

/// A block of the file: an unknown key there is never read (commands/launch.py:1262).
fn block(file: &SourceFile, name: &str, block: NodeRef<'_>, out: &mut Sink) {
    let prefix = format!("{name}.");
    let rows = keys::accelerate().iter().filter(|row| row.path.starts_with(&prefix));
    let paths = rows.flat_map(|row| std::iter::once(&row.path).chain(&row.aliases));
    let known: Vec<&'static str> = paths.filter_map(|path| path.strip_prefix(&prefix)).collect();
    if known.is_empty() {
        return;
    }
    for (key, value) in block.entries() {
        let Some(text) = key.text().filter(|text| !is_templated(text) && !known.contains(text)) else { continue };
        // These blocks want their own name in front of every key, and the launcher does not put it there.
        let prefixed = ["parallelism_config_", "megatron_lm_", "mpirun_"]
            .iter()
            .find_map(|prefix| known.iter().copied().find(|known| known.strip_prefix(prefix) == Some(text)));
        // Every entry becomes an attribute of the launcher's arguments: any flag's name has a reader.
        if prefixed.is_none() && flags::flag(Launcher::Accelerate, &format!("--{}", attribute(name, text))).is_some() {
            continue;
        }
        let message = message!(
            "accelerate ignores `{text}`: `{name}` has no such key",
            "accelerate 会忽略 `{text}`：`{name}` 中没有这个键"
        );
        let finding = RULE.finding(FileRange::new(file.id, key.range()), message).with_severity(Severity::Warning);
        out.push(with_fixes(finding, file, block, (key, value), prefixed.or_else(|| nearest(block, text, &known))));
    }
}

/// The name under which the launcher keeps an entry (commands/launch.py:1270-1276).
fn attribute(block: &str, key: &str) -> String {
    let prefix = match block {
        "fsdp_config" if !key.starts_with("fsdp") => "fsdp_",
        "fp8_config" if !key.starts_with("fp8") => "fp8_",
        "dynamo_config" if !key.starts_with("dynamo_") => "dynamo_",
        _ => "",
    };
    format!("{prefix}{key}")
}
