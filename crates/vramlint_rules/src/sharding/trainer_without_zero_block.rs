//! # trainer-without-zero-block
//!
//! A DeepSpeed file for the Trainer without `zero_optimization`.
//!
//! ## Why it matters
//! transformers passes the file to accelerate, which stops with `Please specify the ZeRO optimization config in the DeepSpeed
//! config`. Plain DeepSpeed uses stage 0.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "gradient_clipping": "auto",
//!   "bf16": {"enabled": "auto"}
//! }
//! ```
//!
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8, max_grad_norm=0.3)
//!     Trainer(model=model, args=args, train_dataset=dataset).train()
//! ```
//!
//! ```sh file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": "auto",
//!   "gradient_accumulation_steps": "auto",
//!   "gradient_clipping": "auto",
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ```python file=train.py
//! from transformers import Trainer, TrainingArguments
//!
//!
//! def main(model, dataset):
//!     args = TrainingArguments("out", deepspeed="ds_config.json", per_device_train_batch_size=8, max_grad_norm=0.3)
//!     Trainer(model=model, args=args, train_dataset=dataset).train()
//! ```
//!
//! ```sh file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Fix
//! Unsafe: adds a block with stage 0, which is equivalent; stages 1 to 3 shard.
//!
//! ## When it stays silent
//! When DeepSpeed itself reads the file, when its autotuner does, or its reader is unknown. `deepspeed-json-and-prepare` covers runs with `Accelerator()`.
//!
//! ## Sources
//! accelerate 1.15.0 `utils/dataclasses.py:1277`, run.
//!
//! # 中文
//!
//! 供 Trainer 使用的 DeepSpeed 文件没有 `zero_optimization`。
//!
//! ## 为什么重要
//! transformers 会把该文件交给 accelerate，后者以 `Please specify the ZeRO optimization config in the DeepSpeed config`
//! 终止。原生 DeepSpeed 则视为阶段 0。
//!
//! ## 修复
//! 不安全：加入阶段 0 的块，含义相同；阶段 1 到 3 才会分片。
//!
//! ## 何时不报
//! 由 DeepSpeed 本身或其自动调优器读取，或看不出由谁读取时。使用 `Accelerator()` 的运行由 `deepspeed-json-and-prepare` 报告。
//!
//! ## 来源
//! accelerate 1.15.0 `utils/dataclasses.py:1277`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::consumers::Consumers;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL562", "trainer-without-zero-block", Severity::Error, page!("trainer_without_zero_block.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(one) = config.read_by(Consumers::TRAINER).filter(|_| config.entry("zero_optimization").is_none()) else {
            continue;
        };
        // The tuner writes the files of its experiments itself, with the stages that it tries.
        if config.flag("autotuning.enabled", false) != Some(false) {
            continue;
        }
        let message = message!(
            "the Trainer rejects a DeepSpeed file without `zero_optimization`",
            "Trainer 拒绝没有 `zero_optimization` 的 DeepSpeed 文件"
        );
        let help = message!(
            "add \"zero_optimization\": {{\"stage\": 2}}, or 0 for none",
            "加入 \"zero_optimization\": {{\"stage\": 2}}，或以 0 表示不用"
        );
        let mut finding = RULE.finding(config.head(), message).with_help(help);
        let block = Value::Map(vec![(Value::Text("stage".to_owned()), Value::Int(0))]);
        if let Some(edit) = edit::put(config.file, &[], "zero_optimization", &block) {
            let title = message!("add stage 0", "加入阶段 0");
            finding = finding.with_fix(Fix { title, applicability: Applicability::Unsafe, edits: vec![edit] });
        }
        out.push(match one.run {
            Some(run) => finding.with_run(&run.id),
            None => finding,
        });
    }
}
