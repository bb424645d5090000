//! # deepspeed-one-process
//!
//! DeepSpeed with a single process.
//!
//! ## Why it matters
//! ZeRO shards over processes. With one process there is nothing to shard; only offloading saves memory, at the cost of DeepSpeed's
//! buckets.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 1
//! deepspeed_config:
//!   zero_stage: 2
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: DEEPSPEED
//! num_processes: 2
//! deepspeed_config:
//!   zero_stage: 2
//! ```
//!
//! ## When it stays silent
//! When optimizer states or parameters are offloaded, or a JSON may offload them.
//!
//! ## Fix
//! None: one process may be intended on a small machine.
//!
//! ## Sources
//! accelerate 1.15.0 and DeepSpeed 0.19.8, run on one process: accepted.
//!
//! # 中文
//!
//! 只有一个进程的 DeepSpeed。
//!
//! ## 为什么重要
//! ZeRO 在进程之间分片：只有一个进程时没有可分的对象，只有卸载能节省显存，并且还要付出 DeepSpeed 桶的代价。
//!
//! ## 何时不报
//! 优化器状态或参数被卸载，或 JSON 可能如此设置时。
//!
//! ## 修复
//! 无：在小机器上一个进程可能正是所需。
//!
//! ## 来源
//! accelerate 1.15.0 与 DeepSpeed 0.19.8，以单进程实际运行：接受。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Evaluated, Severity, message};
use vramlint_semantic::accelerate::AccelerateLaunch;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::IdleGpus, Symptom::OutOfMemory],
    ..Rule::new("VL507", "deepspeed-one-process", Severity::Info, page!("deepspeed_one_process.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some((1, processes)) = start.processes() else { continue };
        let Some(stage) = start.zero_stage().filter(|stage| *stage > 0) else { continue };
        if start.distributed_type().is_none_or(|kind| kind.name != "DEEPSPEED")
            || offloads(start)
            || !out.mark_reported(processes.place)
        {
            continue;
        }
        let finding = RULE.finding(
            processes.place,
            message!("ZeRO {stage} over one process shards nothing", "只有一个进程时 ZeRO {stage} 不会分片任何内容"),
        );
        out.push(finding.with_help(message!(
            "start one process per GPU, or offload if the GPU is too small",
            "每个 GPU 启动一个进程；GPU 太小时使用卸载"
        )));
    }
}

fn offloads(start: &AccelerateLaunch<'_>) -> bool {
    ["offload_optimizer_device", "offload_param_device"].iter().any(|key| match start.block("deepspeed_config", key) {
        Evaluated::Absent => false,
        Evaluated::Unknown(_) => true,
        Evaluated::Known(given) => given.text().is_none_or(|text| text != "none"),
    })
}
