//! # inert-key
//!
//! A key that its tool accepts, but that has no effect as written.
//!
//! ## Why it matters
//! The file and the run disagree, without any message. accelerate ignores some keys of its file because the command-line flag
//! always has a value of its own; other keys were never read at all.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! enable_cpu_affinity: true
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 4
//! enable_cpu_affinity: false
//! downcast_bf16: 'no'
//! ```
//!
//! ## Fix
//! Unsafe: renames the key to the one that is read, if the same block has one.
//!
//! ## Severity
//! Info where a run on GPUs loses nothing: `downcast_bf16` (for TPU), `zero3_init_flag` below stage 3, prefetching and `use_orig_params` under FSDP 2.
//!
//! ## When it stays silent
//! If the value is the default, if the launch passes the flag, and for `same_network` on one machine.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1278`, run.
//!
//! # 中文
//!
//! 工具接受该键，但照目前的写法不起任何作用。
//!
//! ## 为什么重要
//! 文件与实际运行不一致，而且没有任何提示。accelerate 会忽略其文件中的某些键，因为对应的命令行参数总有自己的值；另一些键从未被
//! 读取。
//!
//! ## 修复
//! 不安全：同一块中有会被读取的键名时，改为该名。
//!
//! ## 严重程度
//! 若在 GPU 上训练并无损失，仅作提示：`downcast_bf16`（用于 TPU）、第 3 阶段以下的 `zero3_init_flag`、FSDP 2 下的预取与 `use_orig_params`。
//!
//! ## 何时不报
//! 值与默认相同；启动命令已给出该参数；只有一台机器时的 `same_network`。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1278`，实际运行。

mod accelerate;
mod accelerate_blocks;
mod arguments;

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::Severity;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL013", "inert-key", Severity::Warning, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    arguments::check(cx, out);
    accelerate_blocks::check(cx, out);
}
