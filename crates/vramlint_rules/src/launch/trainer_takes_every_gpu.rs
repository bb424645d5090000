//! # trainer-takes-every-gpu
//!
//! transformers' Trainer runs in one process that sees several GPUs.
//!
//! ## Why it matters
//! Without a distributed launcher the Trainer wraps the model in `nn.DataParallel` over all visible GPUs: the batch is multiplied by their
//! number, all outputs are gathered on GPU 0, and it is slower than one process per GPU. TRL's trainers raise an error.
//! `distributed_type: 'NO'` alone does not select one GPU: `CUDA_VISIBLE_DEVICES` or `gpu_ids` do.
//!
//! ## Example
//! ```bash file=launch.sh
//! CUDA_VISIBLE_DEVICES=0,1 python train.py
//! ```
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
//! args = TrainingArguments(output_dir="out", per_device_train_batch_size=4)
//! Trainer(model=model, args=args, train_dataset=None).train()
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! CUDA_VISIBLE_DEVICES=0 python train.py
//! ```
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
//! args = TrainingArguments(output_dir="out", per_device_train_batch_size=4)
//! Trainer(model=model, args=args, train_dataset=None).train()
//! ```
//!
//! ## When it stays silent
//! If the number of visible GPUs is not set anywhere, if a model has a `device_map` or is quantized (it is then not wrapped), or if the
//! code starts processes itself.
//!
//! ## Fix
//! None: use one GPU, or one process per GPU with `accelerate launch` or `torchrun`.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py:2667`, `training_args.py:1824` and `:1949`, read; trl 1.16.0 `trainer/sft_trainer.py:1118`,
//! `trainer/dpo_trainer.py:884`, read: `does not support nn.DataParallel`.
//!
//! # 中文
//!
//! transformers 的 Trainer 在一个能看到多张 GPU 的进程中运行。
//!
//! ## 为什么重要
//! 没有分布式启动器时，Trainer 会用 `nn.DataParallel` 把模型包到所有可见 GPU 上：批大小乘以 GPU 数，所有输出汇集到 GPU 0，而且比每张 GPU 一个进程更慢。
//! TRL 的 Trainer 会报错。仅写 `distributed_type: 'NO'` 并不意味着只用一张 GPU：由 `CUDA_VISIBLE_DEVICES` 或 `gpu_ids` 决定。
//!
//! ## 何时不报
//! 没有任何地方写明可见 GPU 数时；模型带有 `device_map` 或已量化时（此时不会被包装）；以及代码自己启动进程时。
//!
//! ## 修复
//! 无：使用一张 GPU，或用 `accelerate launch` 或 `torchrun` 每张 GPU 启动一个进程。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py:2667`、`training_args.py:1824` 与 `:1949`，阅读源码；trl 1.16.0 `trainer/sft_trainer.py:1118`、`trainer/dpo_trainer.py:884`，
//! 阅读源码：`does not support nn.DataParallel`。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_resolve::Run;
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::accelerate::{AccelerateLaunch, LaunchMethod};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OtherBatch, Symptom::Slow],
    ..Rule::new("VL117", "trainer-takes-every-gpu", Severity::Warning, page!("trainer_takes_every_gpu.rs"), check)
};

/// TRL's trainers raise an error since this version at the latest.
const REFUSED: VersionRange = VersionRange::since("trl", "1.16");

fn check(cx: &Context<'_>, out: &mut Sink) {
    let starts = cx.accelerate_launches();
    for run in &cx.project.runs {
        if !matches!(run.dialect, Dialect::HfTrainer | Dialect::Trl) || run.int(Concept::WorldSize) != Some(1) {
            continue;
        }
        let Some((gpus, place)) = visible(cx, run, starts).filter(|(gpus, _)| *gpus > 1) else { continue };
        let Some(code) = run.code.as_deref() else { continue };
        let kept = |model: &vramlint_resolve::code::ModelLoad| {
            !model.device_map.is_empty()
                || model.open
                || model.arguments.iter().any(|(name, _, _)| name.contains("quantization") || name.starts_with("load_in"))
        };
        if code.models.iter().any(kept) {
            continue;
        }
        let trl = run.dialect == Dialect::Trl && cx.project.version_matches(run.place.file, &REFUSED) == RangeMatch::Always;
        // If the number of GPUs is declared, another rule reports this.
        if trl && cx.project.policy(run.place.file).target.count.is_some() {
            continue;
        }
        let message = if trl {
            message!(
                "one process sees {gpus} GPUs; TRL raises an error because its trainers do not support nn.DataParallel",
                "单进程能看到 {gpus} 张 GPU；TRL 会报错，因为其 Trainer 不支持 nn.DataParallel"
            )
        } else {
            message!(
                "one process sees {gpus} GPUs: Trainer uses nn.DataParallel, and the batch is {gpus} times as large",
                "单进程能看到 {gpus} 张 GPU：Trainer 会使用 nn.DataParallel，批大小变为 {gpus} 倍"
            )
        };
        let severity = if trl { Severity::Error } else { Severity::Warning };
        let finding = RULE.finding(run.place, message).with_severity(severity).with_run(&run.id);
        let finding = match place {
            Some(place) => finding.with_related(place, message!("{gpus} GPUs are visible", "可见 {gpus} 张 GPU")),
            None => finding,
        };
        out.push(finding.with_help(message!(
            "make one GPU visible (`CUDA_VISIBLE_DEVICES=0`), or start one process per GPU with `accelerate launch` or `torchrun`",
            "只让一张 GPU 可见（`CUDA_VISIBLE_DEVICES=0`），或用 `accelerate launch` 或 `torchrun` 每张 GPU 启动一个进程"
        )));
    }
}

/// GPUs visible to the only process, if a command starts it without ranks.
fn visible(cx: &Context<'_>, run: &Run, starts: &[AccelerateLaunch<'_>]) -> Option<(i64, Option<FileRange>)> {
    let launch = run.launch.as_deref()?;
    match run.launcher? {
        Launcher::Python => {}
        Launcher::Accelerate => {
            let start = starts.iter().find(|start| start.run.is_some_and(|own| own.id == run.id))?;
            if start.method()? != LaunchMethod::Single || start.flag("--cpu").is_some() || start.machines()? > 1 {
                return None;
            }
            if let Some((ids, given)) = start.gpu_ids() {
                return Some((i64::try_from(ids.len()).ok()?, Some(given.place)));
            }
            if start.gives_gpu_ids() || start.top_level("use_cpu").known().is_some_and(|given| given.as_bool() != Some(false)) {
                return None;
            }
        }
        _ => return None,
    }
    if let Some(variable) = launch.variable("CUDA_VISIBLE_DEVICES") {
        let text = variable.value.text()?;
        let ids = text.split(',').map(str::trim).take_while(|id| !id.is_empty() && !id.starts_with('-')).count();
        return Some((i64::try_from(ids).ok()?, Some(FileRange::new(launch.file, variable.range))));
    }
    if run.settings.contains_key(&Concept::VisibleDevices) {
        return None;
    }
    cx.project.policy(run.place.file).target.count.map(|count| (i64::from(count), None))
}
