//! # gpu-ids-repeated
//!
//! `gpu_ids` names a GPU twice.
//!
//! ## Why it matters
//! The list becomes `CUDA_VISIBLE_DEVICES`. For a repeated id, CUDA shows the GPU once, or hides every GPU after it: processes share a GPU
//! or find none, and NCCL rejects two ranks on one device.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! gpu_ids: '0,0'
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! gpu_ids: '0,1'
//! ```
//!
//! ## Fix
//! None: the intended GPU is not known.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/launch.py:1258`, run: counts the ids, not the GPUs, and accepts the list.
//!
//! # 中文
//!
//! `gpu_ids` 中同一张 GPU 出现两次。
//!
//! ## 为什么重要
//! 该列表会成为 `CUDA_VISIBLE_DEVICES`。CUDA 对重复的编号只显示一次，或使其后的都不可见：进程共用一张 GPU，或找不到 GPU；NCCL 也拒绝两个 rank 使用同一设
//! 备。
//!
//! ## 修复
//! 无：无法得知本意是哪张 GPU。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/launch.py:1258`，实际运行：只数编号个数，不核对 GPU，因此接受该列表。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL108", "gpu-ids-repeated", Severity::Warning, page!("gpu_ids_repeated.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for start in cx.accelerate_launches() {
        let Some((ids, given)) = start.gpu_ids() else { continue };
        let Some(twice) = ids.iter().enumerate().find(|(i, id)| ids[..*i].contains(id)).map(|(_, id)| id) else { continue };
        if out.mark_reported(given.place) {
            let shown = ids.join(",");
            let finding = RULE.finding(
                given.place,
                message!("`gpu_ids` {shown} lists GPU {twice} twice", "`gpu_ids` {shown} 中 GPU {twice} 出现两次"),
            );
            out.push(finding.with_help(message!("list each GPU once", "每张 GPU 只写一次")));
        }
    }
}
