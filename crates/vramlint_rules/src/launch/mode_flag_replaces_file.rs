//! # mode-flag-replaces-file
//!
//! A flag of `accelerate launch` disables the sharding that the file configures.
//!
//! ## Why it matters
//! `--multi_gpu`, `--use_deepspeed`, `--use_fsdp`, `--use_megatron_lm` and `--tpu` silently override the file's `distributed_type`.
//! `--multi_gpu` with a file for FSDP or DeepSpeed is plain data parallelism: every GPU holds a full copy of the model, its gradients and
//! its optimizer states. Each of these flags also drops the file's `parallelism_config`. `--cpu` starts one process and drops all of it.
//!
//! ## Example
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml --multi_gpu train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//! ```yaml file=accelerate_config.yaml
//! distributed_type: FSDP
//! num_processes: 2
//! fsdp_config:
//!   fsdp_version: 2
//!   fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
//! ```
//!
//! ## Fix
//! Unsafe: removes the flag, so that the file applies.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1217-1245` and `:1390-1417`, run.
//!
//! # 中文
//!
//! `accelerate launch` 的参数使配置文件中的分片不起作用。
//!
//! ## 为什么重要
//! `--multi_gpu`、`--use_deepspeed`、`--use_fsdp`、`--use_megatron_lm`、`--tpu` 会静默覆盖文件中的 `distributed_type`。对 FSDP 或 DeepSpeed 的配
//! 置文件使用 `--multi_gpu`，就是普通数据并行：每张 GPU 都有完整的模型、梯度与优化器状态。它们还会丢弃文件中的 `parallelism_config`。`--cpu` 只启动一个进
//! 程，丢弃全部设置。
//!
//! ## 修复
//! 不安全：删除该参数，由文件决定。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1217-1245` 与 `:1390-1417`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, message};
use vramlint_semantic::accelerate::AccelerateLaunch;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    ..Rule::new("VL105", "mode-flag-replaces-file", Severity::Warning, page!("mode_flag_replaces_file.rs"), check)
};

/// Types that shard the model or its states; losing one costs memory.
const SHARDED: &[&str] = &["FSDP", "DEEPSPEED", "MEGATRON_LM"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches().iter().filter(|start| !start.is_alone()) {
        let Some((flag, at)) = mode(start) else { continue };
        let finding = dropped_type(start, flag, at).or_else(|| dropped_sizes(start, flag, at));
        if let Some(finding) = finding.filter(|finding| out.mark_reported(finding.place)) {
            out.push(with_fix(finding, start, at));
        }
    }
}

/// The flag that takes effect, and where it is.
fn mode(start: &AccelerateLaunch<'_>) -> Option<(&'static str, FileRange)> {
    if let Some(cpu) = start.flag("--cpu") {
        return Some(("--cpu", cpu.word));
    }
    let flags = ["--use_deepspeed", "--use_fsdp", "--use_megatron_lm", "--multi_gpu", "--tpu", "--tpu_cluster"];
    flags.into_iter().find_map(|flag| start.flag(flag).map(|found| (flag, found.word)))
}

fn dropped_type(start: &AccelerateLaunch<'_>, flag: &str, at: FileRange) -> Option<vramlint_base::Finding> {
    let file = start.distributed_type_in_file().filter(|kind| SHARDED.contains(&kind.name.as_str()))?;
    let kind = &file.name;
    if flag != "--cpu" && start.distributed_type().is_some_and(|now| now.name == *kind) {
        return None;
    }
    let finding = RULE.finding(
        at,
        message!(
            "`{flag}` overrides `distributed_type: {kind}` of the file; {kind} is off",
            "`{flag}` 覆盖了文件中的 `distributed_type: {kind}`；{kind} 不起作用"
        ),
    );
    Some(finding.with_related(file.place, message!("the file sets {kind}", "文件设为 {kind}")).with_help(message!(
        "remove `{flag}` to use the distributed type of the file",
        "去掉 `{flag}`，以使用文件中的分布式类型"
    )))
}

fn dropped_sizes(start: &AccelerateLaunch<'_>, flag: &str, at: FileRange) -> Option<vramlint_base::Finding> {
    if start.flag("--use_parallelism_config").is_some() {
        return None;
    }
    let (key, sizes) = start.root()?.entry("parallelism_config")?;
    let splits = sizes.entries().any(|(_, value)| value.text().and_then(|text| text.parse::<i64>().ok()).is_some_and(|n| n > 1));
    if !splits {
        return None;
    }
    let file = start.file?;
    let finding = RULE.finding(
        at,
        message!("`{flag}` drops the `parallelism_config` of the file", "`{flag}` 会丢弃文件中的 `parallelism_config`"),
    );
    Some(finding.with_related(FileRange::new(file.id, key.range()), message!("it has no effect", "它不起作用")).with_help(
        message!(
            "remove `{flag}`, or add `--use_parallelism_config` next to `--use_fsdp`",
            "去掉 `{flag}`，或与 `--use_fsdp` 一起加上 `--use_parallelism_config`"
        ),
    ))
}

fn with_fix(finding: vramlint_base::Finding, start: &AccelerateLaunch<'_>, at: FileRange) -> vramlint_base::Finding {
    let flag = at.range.slice(&start.project.file(at.file).text);
    let Some(edit) = start.without_word(at) else { return finding };
    finding.with_fix(Fix {
        title: message!("remove `{flag}`", "删除 `{flag}`"),
        applicability: Applicability::Unsafe,
        edits: vec![edit],
    })
}
