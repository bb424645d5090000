//! # missing-key
//!
//! A required key is missing: its reader rejects the file or a setting in it.
//!
//! ## Why it matters
//! Without `distributed_type`, accelerate cannot choose how to start processes, and raises an error before anything runs.
//! DeepSpeed needs `curriculum_metrics` if curriculum learning is enabled, and `max_tokens` if dynamic batching is.
//! LLaMA-Factory needs `max_steps` for streaming data, data for evaluation, and a launcher for DeepSpeed. Axolotl needs flash
//! attention for context parallelism; OpenRLHF needs sample packing for ring attention.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! mixed_precision: bf16
//! num_processes: 2
//! main_process_port: 29501
//! ```
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! mixed_precision: bf16
//! num_processes: 2
//! main_process_port: 29501
//! ```
//! ```bash file=launch.sh
//! accelerate launch --config_file accelerate_config.yaml train.py
//! ```
//!
//! ## Fix
//! Unsafe: adds the type that fits the number of processes.
//!
//! ## When it stays silent
//! If a merge key, a template or an included file may provide the key.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:110`, run; DeepSpeed 0.19.8 `runtime/data_pipeline/config.py:88`, `:107`, run.
//! LLaMA-Factory 0.9.4 `hparams/parser.py`, OpenRLHF 0.11.2 `cli/`, read; Axolotl 0.18.0 `utils/schemas/config.py:1653`, run.
//!
//! # 中文
//!
//! 缺少必需的键：读取者会因此拒绝该文件，或拒绝其中的某项设置。
//!
//! ## 为什么重要
//! 没有 `distributed_type`，accelerate 无法选择如何启动进程，会在运行任何代码之前报错。启用课程学习时 DeepSpeed 需要
//! `curriculum_metrics`，启用动态批时需要 `max_tokens`。LLaMA-Factory 的流式数据需要 `max_steps`，评估需要数据，使用 DeepSpeed
//! 需要启动器。Axolotl 的上下文并行需要 flash attention；OpenRLHF 的环形注意力需要样本打包。
//!
//! ## 修复
//! 不安全：按进程数补上相应的类型。
//!
//! ## 何时不报
//! 该键可能由合并键、模板或被包含的文件给出时。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:110`，实际运行；DeepSpeed 0.19.8 `runtime/data_pipeline/config.py:88`、
//! `:107`，实际运行。LLaMA-Factory 0.9.4 `hparams/parser.py`、OpenRLHF 0.11.2 `cli/`，阅读源码；Axolotl 0.18.0
//! `utils/schemas/config.py:1653`，实际运行。

mod accelerate;
mod deepspeed;
mod frameworks;

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::Severity;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL012", "missing-key", Severity::Error, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    deepspeed::check(cx, out);
    frameworks::check(cx, out);
}
