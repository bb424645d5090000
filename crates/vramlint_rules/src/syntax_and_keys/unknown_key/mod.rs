//! # unknown-key
//!
//! A key that its tool does not know: the tool rejects the file, or silently ignores the key.
//!
//! ## Why it matters
//! `accelerate launch` rejects a file with an unknown key at its top level, and DeepSpeed rejects one inside most of its
//! blocks. accelerate never reads a batch size or an accumulation from its file: set it in the training script, or under
//! `deepspeed_config`. LLaMA-Factory, ms-swift and OpenRLHF raise an error for an unknown key or flag; Axolotl silently ignores
//! it, and trains with the default of the intended setting.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! gradient_accumulation_steps: 4
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! mixed_precision: bf16
//! ```
//!
//! ## Fix
//! Unsafe: renames the key to a similar one if there is one; otherwise removes the line. vramlint cannot know what the key was
//! meant to do.
//!
//! ## Severity
//! A warning if only the file name suggests that the file belongs to accelerate, and inside the blocks of accelerate's file,
//! where accelerate silently ignores an unknown key. An info finding for a key that only later versions know. Silent for keys
//! from a template, for keys that older versions knew (see removed-key), and for keys of a framework whose own source is in the project and
//! mentions them. Several unknown keys of one block of DeepSpeed's file are one finding. In Axolotl's file, a warning if the key looks like
//! a typo or has another name there, otherwise an info finding. In LLaMA-Factory's file, a warning if no reader of the file is
//! found, and silent with `ALLOW_EXTRA_ARGS`.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:154`, run; its blocks `commands/launch.py:1262`, run; DeepSpeed 0.19.8
//! `runtime/config_utils.py`, run. Axolotl 0.8.1, 0.12.2 and 0.18.0 schemas, run; LLaMA-Factory 0.9.4 `hparams/parser.py:92`, ms-swift
//! 4.6.0 `swift/pipelines/base.py:40`, OpenRLHF 0.11.2 `cli/`, read.
//!
//! # 中文
//!
//! 工具不认识的键：工具会拒绝该文件，或静默忽略该键。
//!
//! ## 为什么重要
//! `accelerate launch` 会拒绝顶层含未知键的文件，DeepSpeed 的多数块内也拒绝未知键。accelerate 从不读取其文件中的批大小或梯度累
//! 积步数：请在训练脚本中设置，或写在 `deepspeed_config` 之下。LLaMA-Factory、ms-swift、OpenRLHF 遇到未知的键或参数会报错；
//! Axolotl 则静默忽略，并按原本想设置的那一项的默认值训练。
//!
//! ## 修复
//! 不安全：有相近的键名时改名，否则删除该行。vramlint 无法得知该键的用意。
//!
//! ## 严重程度
//! 仅凭文件名才认为是 accelerate 的文件时为警告；accelerate 文件各块内的未知键会被静默忽略，也为警告。较新版本才有的键仅作提
//! 示。由模板填入的键、旧版本曾接受的键（见 removed-key），以及项目自带框架源码且其中提到的键，不报告。DeepSpeed 文件同一块内的多个未知键
//! 合为一条报告。Axolotl 文件中形似笔误或另有名称的键为警告，其余仅作提
//! 示。找不到读取者的 LLaMA-Factory 文件为警告，设置了 `ALLOW_EXTRA_ARGS` 时不报告。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:154`，实际运行；各块 `commands/launch.py:1262`，实际运行；DeepSpeed 0.19.8
//! `runtime/config_utils.py`，实际运行。Axolotl 0.8.1、0.12.2 与 0.18.0 的 schema，实际运行；LLaMA-Factory 0.9.4
//! `hparams/parser.py:92`、ms-swift 4.6.0 `swift/pipelines/base.py:40`、OpenRLHF 0.11.2 `cli/`，阅读源码。

mod accelerate;
mod arguments;
mod calls;
pub(super) mod deepspeed;
mod frameworks;

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Fix, Severity, message};
use vramlint_catalog::keys;
use vramlint_edit as edit;
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::NodeRef;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::NoEffect],
    ..Rule::new("VL004", "unknown-key", Severity::Error, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    arguments::check(cx, out);
    calls::check(cx, out);
    deepspeed::check(cx, out);
    frameworks::check(cx, out);
}

/// The known name that was meant, unless the block has it already.
fn nearest<'a>(block: NodeRef<'_>, text: &str, known: &[&'a str]) -> Option<&'a str> {
    keys::nearest(text, known.iter().copied()).filter(|near| block.get(near).is_none())
}

/// The rename to what was meant, and the removal.
fn with_fixes(
    mut finding: Finding,
    file: &SourceFile,
    block: NodeRef<'_>,
    (key, value): (NodeRef<'_>, NodeRef<'_>),
    nearest: Option<&str>,
) -> Finding {
    let rename = nearest.and_then(|near| Some((near, edit::rename_key(file, block, key, near)?)));
    if let Some((near, edit)) = rename {
        finding = finding.with_fix(Fix {
            title: message!("rename it to `{near}`", "改名为 `{near}`"),
            applicability: Applicability::Unsafe,
            edits: vec![edit],
        });
    }
    if let Some(removal) = edit::remove_entry(file, key.range(), value.range()) {
        finding = finding.with_fix(Fix {
            title: message!("remove the line", "删除该行"),
            applicability: Applicability::Unsafe,
            edits: vec![removal],
        });
    }
    finding
}
