//! # removed-key
//!
//! A key that its tool has removed or renamed: newer versions reject it or silently ignore it.
//!
//! ## Why it matters
//! A file that worked for a year fails on the day the library is upgraded, or the run continues without the setting. DeepSpeed
//! rejects its removed blocks even with `"enabled": false`.
//!
//! ## Example
//! ```text file=requirements.txt
//! accelerate==1.15.0
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! use_xpu: true
//! ```
//!
//! ## Use instead
//! ```text file=requirements.txt
//! accelerate==1.15.0
//! ```
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! ```
//!
//! ## Fix
//! Renames the key to its successor if there is one; otherwise removes it. Safe if the key disables something that no longer
//! exists, unsafe otherwise.
//!
//! ## Severity
//! An info finding if the version is not known; silent if the project's version still reads the key. A warning if the key is
//! ignored and the run continues.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:107`, run, and its releases; DeepSpeed 0.19.8 `runtime/config.py:82`, run. Axolotl
//! `utils/schemas/deprecated.py` of seven releases from 0.5.2 to 0.19.0, run with 0.18.0; the names of LLaMA-Factory, ms-swift and
//! OpenRLHF by release, read.
//!
//! # 中文
//!
//! 已被工具删除或改名的键：较新版本会拒绝它，或静默忽略。
//!
//! ## 为什么重要
//! 用了一年的文件，在升级库的那天突然无法运行，或运行继续而该设置失效。DeepSpeed 只要看到已删除的块就会拒绝，即使写了
//! `"enabled": false`。
//!
//! ## 修复
//! 有后继键时改名为后继键，否则删除。若该键只是关闭已不存在的功能则为安全修复，其余为不安全。
//!
//! ## 严重程度
//! 版本未知时仅作提示；项目所用版本仍读取时不报告。键被忽略而运行继续时为警告。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:107`，实际运行，并对照各发行版；DeepSpeed 0.19.8 `runtime/config.py:82`，
//! 实际运行。Axolotl 0.5.2 至 0.19.0 共七个版本的 `utils/schemas/deprecated.py`，以 0.18.0 实际运行；LLaMA-Factory、ms-swift、
//! OpenRLHF 各版本的键名，阅读源码。

mod accelerate;
pub(super) mod arguments;
mod calls;
mod deepspeed;
mod frameworks;

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, Value, message};
use vramlint_catalog::keys::Standing;
use vramlint_edit as edit;
use vramlint_resolve::SourceFile;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::schema::KnownEntry;
use vramlint_semantic::version_gate;
use vramlint_syntax::data::{Loader, NodeRef};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    tag: Some(DiagnosticTag::Deprecated),
    ..Rule::new("VL011", "removed-key", Severity::Error, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    arguments::check(cx, out);
    calls::check(cx, out);
    deepspeed::check(cx, out);
    frameworks::check(cx, out);
}

/// A removed key of a tool's table, as far as the project's version may be one that no longer reads it. `library` is the
/// package, `tool` its name in messages.
fn report(cx: &Context<'_>, file: &SourceFile, found: &KnownEntry<'_>, (library, tool): (&'static str, &str), out: &mut Sink) {
    let Some(until) = found.row.until.as_deref() else { return };
    let certain = match found.row.standing {
        Standing::Refused => Severity::Error,
        Standing::Ignored => Severity::Warning,
        Standing::Current | Standing::Converted => return,
    };
    let Some(severity) = version_gate::severity(cx.project, file.id, &VersionRange::since(library, until), certain) else {
        return;
    };
    let path = &found.row.path;
    let message = if certain == Severity::Error {
        message!("{tool} {until} and later reject the removed key `{path}`", "{tool} 从 {until} 起拒绝已删除的键 `{path}`")
    } else {
        message!("{tool} {until} and later no longer read `{path}`", "{tool} 从 {until} 起不再读取 `{path}`")
    };
    let mut finding = RULE.finding(FileRange::new(file.id, found.key.range()), message).with_severity(severity);
    if let Some(instead) = &found.row.instead {
        finding = finding.with_help(message!("use `{instead}`", "改用 `{instead}`"));
    }
    finding.fixes.extend(fix(file, found));
    out.push(finding);
}

/// The rename to a successor of the same block, else the removal.
fn fix(file: &SourceFile, found: &KnownEntry<'_>) -> Option<Fix> {
    let block = |path: &str| path.rsplit_once('.').map_or(String::new(), |(block, _)| block.to_owned());
    let successor = found.row.instead.as_deref().filter(|instead| block(instead) == block(&found.row.path));
    if let Some(instead) = successor {
        let name = instead.rsplit_once('.').map_or(instead, |(_, name)| name);
        let edit = edit::rename_key(file, found.block, found.key, name)?;
        let title = message!("rename it to `{name}`", "改名为 `{name}`");
        return Some(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] });
    }
    let edit = edit::remove_entry(file, found.key.range(), found.value.range())?;
    let off = is_off(found.value);
    let applicability = if off { Applicability::Safe } else { Applicability::Unsafe };
    Some(Fix { title: message!("remove the key", "删除该键"), applicability, edits: vec![edit] })
}

/// Whether a value only switches off what it stands for.
fn is_off(node: NodeRef<'_>) -> bool {
    let off = |node: NodeRef<'_>| matches!(node.value(Loader::Json), Some(Value::Bool(false) | Value::Null));
    let empty = node.is_mapping() && node.entries().next().is_none();
    off(node) || empty || node.get("enabled").is_some_and(off)
}
