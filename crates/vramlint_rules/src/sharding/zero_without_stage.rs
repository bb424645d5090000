//! # zero-without-stage
//!
//! A `zero_optimization` block without a stage, or a value that is not a block.
//!
//! ## Why it matters
//! Without `stage` DeepSpeed uses stage 0: nothing is sharded or offloaded, whatever else the block sets. `true` and `false` are
//! the format of its first versions for stages 1 and 0; accelerate and the Trainer cannot read it.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"offload_optimizer": {"device": "cpu"}}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}
//! }
//! ```
//!
//! ## Fix
//! None: the intended stage is unknown.
//!
//! ## Severity
//! Warning for the old format with plain DeepSpeed, error if accelerate or the Trainer reads the file.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/zero/config.py:95` and `:20` (old format), run; accelerate 1.15.0 `utils/deepspeed.py`, run.
//!
//! # 中文
//!
//! `zero_optimization` 没有写阶段，或根本不是一个块。
//!
//! ## 为什么重要
//! 没有 `stage` 时 DeepSpeed 取阶段 0：无论块中还写了什么，都不会分片或卸载。`true` 与 `false` 是最早版本的写法，分别表示
//! 阶段 1 与 0；accelerate 与 Trainer 无法读取。
//!
//! ## 修复
//! 无：无法得知本意是哪个阶段。
//!
//! ## 严重程度
//! 旧写法在原生 DeepSpeed 下只报警告；由 accelerate 或 Trainer 读取时报错误。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/zero/config.py:95` 与 `:20`（旧写法），实际运行；accelerate 1.15.0 `utils/deepspeed.py`，实
//! 际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Evaluated, Finding, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::{ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    ..Rule::new("VL552", "zero-without-stage", Severity::Warning, page!("zero_without_stage.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(item) = config.entry("zero_optimization") else { continue };
        match config.setting("zero_optimization") {
            Evaluated::Known(Value::Bool(on)) => out.push(old_format(config, item, on)),
            Evaluated::Known(Value::Map(entries)) if !entries.is_empty() && config.entry("zero_optimization.stage").is_none() => {
                let message = message!(
                    "`zero_optimization` does not set `stage`: DeepSpeed uses stage 0, and the block has no effect",
                    "`zero_optimization` 未设置 `stage`：DeepSpeed 取阶段 0，整个块不起作用"
                );
                let help = message!("add \"stage\": 1, 2 or 3", "加入 \"stage\"：1、2 或 3");
                out.push(RULE.finding(config.key_place(item), message).with_help(help));
            }
            _ => {}
        }
    }
}

fn old_format(config: &DeepSpeedConfig<'_>, item: ConfigEntry<'_>, on: bool) -> Finding {
    let stage = i32::from(on);
    let place = config.place(item);
    let help =
        message!("write \"zero_optimization\": {{\"stage\": {stage}}}", "写作 \"zero_optimization\": {{\"stage\": {stage}}}");
    let fix = Fix {
        title: message!("write {{\"stage\": {stage}}}", "改写为 {{\"stage\": {stage}}}"),
        applicability: Applicability::Safe,
        edits: vec![edit::replace(config.value_place(item), format!("{{\"stage\": {stage}}}"))],
    };
    if config.read_by(Consumers::HUGGING_FACE).is_some() {
        let message = message!(
            "accelerate and the Trainer cannot read `zero_optimization: {on}`: expected a mapping",
            "accelerate 与 Trainer 无法读取 `zero_optimization: {on}`：应为映射"
        );
        return RULE.finding(place, message).with_severity(Severity::Error).with_help(help).with_fix(fix);
    }
    let message = message!(
        "`zero_optimization: {on}` is a deprecated form of stage {stage}",
        "`zero_optimization: {on}` 是表示阶段 {stage} 的已弃用写法"
    );
    // Off is what DeepSpeed does without the key as well.
    let severity = if on { Severity::Warning } else { Severity::Info };
    RULE.finding(place, message).with_severity(severity).with_help(help).with_fix(fix)
}
