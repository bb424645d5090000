//! # trl-needs-a-launcher
//!
//! A TRL script is started with plain `python` on a machine with several GPUs.
//!
//! ## Why it matters
//! If one process sees several GPUs, transformers wraps the model in `nn.DataParallel`. Newer versions of TRL raise an error: start
//! one process per GPU, or expose a single GPU.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]})).train()
//! ```
//!
//! ```bash file=launch.sh
//! python train.py
//! ```
//!
//! ```toml file=vramlint.toml
//! [target]
//! count = 2
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import Dataset
//! from transformers import AutoModelForCausalLM
//! from trl import SFTConfig, SFTTrainer
//!
//! model = AutoModelForCausalLM.from_pretrained("my-org/tiny")
//! SFTTrainer(model, args=SFTConfig("out"), train_dataset=Dataset.from_dict({"text": ["a"]})).train()
//! ```
//!
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ```toml file=vramlint.toml
//! [target]
//! count = 2
//! ```
//!
//! ## Fix
//! None: use `accelerate launch` or `torchrun` instead of `python`, or put `CUDA_VISIBLE_DEVICES=0` in front of it.
//!
//! ## Severity
//! Info if the version of trl is unknown: before 1.15 the script runs under `nn.DataParallel`. Silent when the number of GPUs is
//! not declared, when they are masked, and when `device_map` spreads the model.
//!
//! ## Sources
//! trl 1.16.0 `trainer/sft_trainer.py:1117`, `dpo_trainer.py:879`, read; the check is in 1.15.0 and not in 1.14.0.
//!
//! # 中文
//!
//! 在有多个 GPU 的机器上直接用 `python` 启动 TRL 脚本。
//!
//! ## 为什么重要
//! 一个进程看到多个 GPU 时，transformers 会用 `nn.DataParallel` 包装模型。较新的 TRL 会报错：请为每个 GPU 启动一个进程，或只暴露一个 GPU。
//!
//! ## 修复
//! 无：把 `python` 换成 `accelerate launch` 或 `torchrun`，或在前面加上 `CUDA_VISIBLE_DEVICES=0`。
//!
//! ## 严重程度
//! trl 版本未知时为 info：1.15 之前脚本会在 `nn.DataParallel` 下运行。未声明 GPU 数量、GPU 已被屏蔽，或模型由 `device_map` 拆分时不报。
//!
//! ## 来源
//! trl 1.16.0 `trainer/sft_trainer.py:1117`、`dpo_trainer.py:879`，阅读源码；1.15.0 有此检查，1.14.0 没有。

use crate::argument_findings::ReportedFindings;
use crate::{Context, Rule, Sink, Symptom, needs};
use std::sync::Arc;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::Feature;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL913", "trl-needs-a-launcher", Severity::Error, page!("trl_needs_a_launcher.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for trainer in cx.trainers().iter().filter(|trainer| trainer.is_trl()) {
        let whole = trainer.model().and_then(|index| trainer.code.model(index)).is_some_and(|model| {
            model.device_map.is_empty() && !model.open && !model.arguments.iter().any(|(name, ..)| name == "quantization_config")
        });
        let masked = |file: &vramlint_base::FileId| cx.project.features(*file).has(Feature::CudaVisibleDevices);
        for run in cx.project.runs.iter().filter(|run| run.code.as_ref().is_some_and(|code| Arc::ptr_eq(code, trainer.code))) {
            let Some(launch) = run.launch.as_ref().filter(|launch| launch.launcher == Launcher::Python) else { continue };
            let several = cx.project.policy(launch.file).target.count.filter(|count| *count >= 2);
            let hidden = run.files.iter().any(masked) || run.settings.contains_key(&Concept::VisibleDevices);
            let Some(count) = several.filter(|_| whole && !hidden && run.int(Concept::WorldSize) == Some(1)) else { continue };
            let span = VersionRange::since("trl", "1.15");
            let Some(severity) = version_gate::severity(cx.project, trainer.call.file, &span, RULE.severity) else { continue };
            if reported.insert(run.place, "") {
                let name = &trainer.name;
                let message = message!(
                    "one process for {count} GPUs: {name} raises an error for nn.DataParallel since trl 1.15",
                    "{count} 个 GPU 只有一个进程：自 trl 1.15 起 {name} 遇到 nn.DataParallel 会报错"
                );
                out.push(
                    RULE.finding(run.place, message)
                        .with_severity(severity)
                        .with_related(trainer.call.callee, message!("the trainer", "trainer"))
                        .with_help(message!(
                            "start it with `accelerate launch` or `torchrun`, or set `CUDA_VISIBLE_DEVICES=0`",
                            "用 `accelerate launch` 或 `torchrun` 启动，或设置 `CUDA_VISIBLE_DEVICES=0`"
                        ))
                        .with_run(&run.id),
                );
            }
        }
    }
}
