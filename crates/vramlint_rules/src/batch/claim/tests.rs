//! Lines as people write them, and what must be read from each.

use super::*;

/// `64 = 2m x 4a x 8w @8`: the total, the factors with what they count, the GPUs of the sentence, and what else is known.
fn shown(claim: &Claim) -> String {
    let factor = |factor: &Factor| {
        let part = match factor.part {
            Some(BatchFactor::Micro) => "m",
            Some(BatchFactor::Accumulation) => "a",
            Some(BatchFactor::World) => "w",
            None => "",
        };
        format!("{}{part}", factor.value)
    };
    let factors: Vec<String> = claim.factors.iter().map(factor).collect();
    let mut shown = claim.total.to_string();
    if !factors.is_empty() {
        shown = format!("{shown} = {}", factors.join(" x "));
    }
    if let Some(setup) = claim.setup {
        shown = format!("{shown} @{setup}");
    }
    let marks = [
        (claim.implied, " implied"),
        (claim.per_gpu_too, " loose"),
        (claim.bare, " bare"),
        (claim.like_setting.is_some(), " setting"),
    ];
    marks.iter().filter(|(is, _)| *is).for_each(|(_, mark)| shown += mark);
    shown
}

#[test]
fn what_is_read() {
    for (text, expected) in CLAIMS {
        let claims = find(text);
        assert_eq!(claims.iter().map(shown).collect::<Vec<_>>(), [*expected], "{text}");
        let claim = &claims[0];
        for factor in &claim.factors {
            assert_eq!(number(factor.range.slice(text)), factor.value, "{text}");
        }
        if !claim.implied {
            assert_eq!(number(claim.total_range.slice(text)), claim.total, "{text}");
        }
        assert!(claim.range.contains(claim.total_range), "{text}");
    }
}

/// A number as written, full-width digits and commas included.
fn number(text: &str) -> i64 {
    let digit = |c: char| c.to_digit(10).or_else(|| (c as u32).checked_sub(0xff10).filter(|digit| *digit < 10));
    text.chars().filter_map(digit).fold(0, |number, digit| number * 10 + i64::from(digit))
}

#[test]
fn what_is_no_claim() {
    for text in SILENT {
        assert_eq!(find(text), vec![], "{text}");
    }
}

#[test]
fn lines_are_read_one_by_one() {
    let text = "first\neffective batch = 8\r\nlast";
    assert_eq!(find(text)[0].total_range.slice(text), "8");
}

/// Any cut of any line is read without a panic, and places stay inside of it.
#[test]
fn cut_anywhere() {
    for (text, _) in CLAIMS {
        for (at, _) in text.char_indices() {
            for part in [&text[..at], &text[at..]] {
                for claim in find(part) {
                    assert!(
                        part.get(claim.range.as_usize()).is_some() && part.get(claim.total_range.as_usize()).is_some(),
                        "{part}"
                    );
                }
            }
        }
    }
}

#[test]
fn long_lines_are_left_alone() {
    assert_eq!(find(&format!("{} effective batch = 8", "x * ".repeat(100_000))), vec![]);
    assert_eq!(find(&"(".repeat(500)), vec![]);
    assert_eq!(find(&"1 * ".repeat(140)), vec![]);
}

#[rustfmt::skip]
const CLAIMS: &[(&str, &str)] = &[
    ("# effective bs = 4*8*2 = 64", "64 = 4 x 8 x 2"),
    ("# effective batch = 16 * 3(GPU) * 8 = 384", "384 = 16 x 3w x 8"),
    ("# 有效batch_size = 2 × 4 × 8 GPUs = 64", "64 = 2 x 4 x 8w"),
    ("# 有效 batch = 4", "4"),
    ("# 有效 batch = 1 × 4 = 4（保持不变）", "4 = 1 x 4"),
    ("# effective batch_size = 64", "64"),
    ("# Effective batch size: 32", "32"),
    ("# effective batch size is 128 on 8 GPUs.", "128 @8"),
    ("  实际有效batch_size: 16 * 3 * 8 = 384", "384 = 16 x 3 x 8"),
    ("# global batch size = per_device * accum * gpus = 256", "256"),
    ("# total batch size = 4 x 8 x 2 = 64", "64 = 4 x 8 x 2"),
    ("# effective batch = micro(2) * accum(8) = 16", "16 = 2m x 8a"),
    ("# effective batch size = 1,024", "1024"),
    ("# global batch: 8 GPUs x 4 x 4 = 128", "128 = 8w x 4 x 4"),
    ("# 有效批次大小：2×8×4=64", "64 = 2 x 8 x 4"),
    ("# 等效batch size = 32", "32"),
    ("# effective_batch_size=64", "64 setting"),
    ("# Effective batch size: 4 (per device) x 8 (accum) x 2 (GPUs) = 64", "64 = 4m x 8a x 2w"),
    ("# => effective 64", "64 bare"),
    ("# 等效 batch = 2 * 4(梯度累积) = 8", "8 = 2 x 4a"),
    ("# total_batch_size: 128 = 16*8", "128 = 16 x 8"),
    ("# 16 * 8 = 128 effective batch size", "128 = 16 x 8"),
    ("# effective batch size of 32 (=4x8)", "32 = 4 x 8"),
    ("# 有效批量大小＝２×４×８＝６４", "64 = 2 x 4 x 8"),
    ("# 每卡 2 × 累积 8 × 4 卡 = 64", "64 = 2m x 8a x 4w"),
    ("# 有效 batch：4 卡 × 2 × 8 = 64", "64 = 4w x 2 x 8"),
    ("# 梯度累积，有效batch=8×3×16=384", "384 = 8 x 3 x 16"),
    ("# Effective batch size = 32 * 4 = 128", "128 = 32 x 4"),
    ("# effective batch = 16", "16"),
    ("# effective batch: 16 (4 x 4)", "16 = 4 x 4"),
    ("# eff. batch size: 64", "64"),
    ("# eff batch = 8 * 4 * 2 = 64", "64 = 8 x 4 x 2"),
    ("# eff_bs = 64", "64 setting"),
    ("# effective bsz: 256", "256"),
    ("# global_batch_size = 4 * 8 * 8 = 256", "256 = 4 x 8 x 8"),
    ("# gbs = 512", "512"),
    ("# GBS: 4 x 16 x 8 = 512", "512 = 4 x 16 x 8"),
    ("# Total train batch size (w. parallel, distributed & accumulation) = 64", "64"),
    ("# effective batch size per step: 64", "64"),
    ("# effective batch size per optimizer step = 64", "64"),
    ("# effective global batch size = 64", "64"),
    ("# 全局 batch size 为 256", "256"),
    ("# 全局批大小：256", "256"),
    ("# 总 batch size = 8 x 4 x 2 = 64", "64 = 8 x 4 x 2"),
    ("# 总的batch_size=64", "64"),
    ("# 总 batch = 4 × 8 × 2 = 64", "64 = 4 x 8 x 2"),
    ("# 实际 batch size = 2*4*8 = 64", "64 = 2 x 4 x 8"),
    ("# 等价 batch size：64", "64"),
    ("# 有效训练批次大小 = 64", "64"),
    ("# 相当于 batch size 64", "64 loose"),
    ("# 相当于 batch_size=64", "64 loose"),
    ("# 等效于 batch size = 64", "64 loose"),
    ("# equivalent to a batch size of 64", "64 loose"),
    ("# simulates batch size 64", "64 loose"),
    ("# effective batch: 2 x 4 x 8", "64 = 2 x 4 x 8 implied"),
    ("# 有效 batch = 2 × 4 × 8", "64 = 2 x 4 x 8 implied"),
    ("# effective batch size = 4 per device * 8 accumulation steps * 2 GPUs = 64", "64 = 4m x 8a x 2w"),
    ("# effective batch size: 4/GPU x 8 GPUs x 2 steps = 64", "64 = 4m x 8w x 2a"),
    ("# 4 x 8 x 2 = 64 (effective batch size)", "64 = 4 x 8 x 2"),
    ("# per_device 4 * grad_accum 8 * 2 gpus = 64", "64 = 4m x 8a x 2w"),
    ("# bs 4 x ga 8 x 2 GPUs = 64", "64 = 4m x 8a x 2w"),
    ("# micro 2 x accum 8 x 4 gpus = 64", "64 = 2m x 8a x 4w"),
    ("# batch_size * grad_accum * num_gpus = 2 * 8 * 4 = 64", "64 = 2m x 8a x 4w"),
    ("# effective batch = batch_size * accum = 2 * 8 = 16", "16 = 2m x 8a"),
    ("# Effective batch size = 2 * 8 * 4 = 64 samples", "64 = 2 x 8 x 4"),
    ("# effective batch size = 64 sequences per step", "64"),
    ("# effective batch size = 64 with 8 GPUs", "64 @8"),
    ("# effective batch size = 64 (8 GPUs)", "64 @8"),
    ("# effective batch size = 64 on 8xA100", "64 @8"),
    ("# effective batch size = 64 on 2 nodes x 8 GPUs", "64 @16"),
    ("# on 4 GPUs: effective batch size = 64", "64 @4"),
    ("# 8卡: 有效 batch = 64", "64 @8"),
    ("# 单卡：有效 batch = 2 × 4 = 8", "8 = 2 x 4 @1"),
    ("# 双卡训练，有效 batch = 16", "16 @2"),
    ("# 八卡训练时有效批次大小为 64", "64 @8"),
    ("# 单卡 batch 4 × 累积 8 × 8 卡 = 256", "256 = 4m x 8a x 8w"),
    ("# 有效 batch size = 单卡4 × 累积8 × 8卡 = 256", "256 = 4m x 8a x 8w"),
    ("# 有效batch = 2(每卡) * 4(累积步数) * 8(卡数) = 64", "64 = 2m x 4a x 8w"),
    ("# 有效batch（每卡 2 × 累积 4 × 8 卡）= 64", "64 = 2m x 4a x 8w @8"),
    ("# 有效 batch 大小: 32", "32"),
    ("# 有效 batch 保持 64", "64"),
    ("# keeps the effective batch size at 64", "64"),
    ("# keep effective batch = 64", "64"),
    ("# to get an effective batch size of 64", "64"),
    ("# accumulate 8 steps for an effective batch of 64", "64"),
    ("# same effective batch size: 64", "64"),
    ("# effective batch size (all GPUs): 64", "64"),
    ("# effective batch is 64.", "64"),
    ("# Effective batch size is now 64", "64"),
    ("# **Effective batch size**: 64", "64"),
    ("**有效batch_size** = 4 × 2 × 8 = 64（保持不变）", "64 = 4 x 2 x 8"),
    ("- `effective_batch_size` = 2 × 4 × 8 = 64", "64 = 2 x 4 x 8"),
    ("# effective batch size = 64, lr = 2e-5", "64"),
    ("# effective batch size = 64; lr 2e-5", "64"),
    ("# effective batch size = 64 (was 128)", "64"),
    ("# 有效 batch = 64（原来是 384）", "64"),
    ("# effective batch = 2 (micro) × 4 (GA) × 8 (DP) = 64", "64 = 2m x 4a x 8w"),
    ("# effective batch = 2 nodes x 8 GPUs x 4 x 1 = 64", "64 = 2w x 8w x 4 x 1"),
    ("# effective batch = 4 * (2 * 8) = 64", "64 = 4 x 2 x 8"),
    ("# effective batch = (4 * 8) * 2 = 64", "64 = 4 x 8 x 2"),
    ("# Effective batch = batch_size(4) × grad_accum(8) = 32", "32 = 4m x 8a"),
    ("# batch size (effective): 64", "64"),
    ("# batch_size_effective = 64", "64 setting"),
    ("# 批次大小（有效）：64", "64"),
    ("# effective train batch size = 64", "64"),
    ("# 有效的 batch size 是 64", "64"),
    ("# 有效 bs=64", "64"),
    ("# 有效 bs: 4*4*4", "64 = 4 x 4 x 4 implied"),
    ("# 累计 batch = 4 * 16 = 64", "64 = 4 x 16"),
    ("# 等效批大小 64", "64"),
    ("# 等效总 batch size = 4 × 8 × 2 = 64", "64 = 4 x 8 x 2"),
    ("# effective batch size = 4×16 = 64 ✅", "64 = 4 x 16"),
    ("# // effective batch = 64", "64"),
    ("# effective batch: 4 x 8 gpus x 2 accum = 64 (fits 24GB)", "64 = 4 x 8w x 2a"),
    ("# effective batch size 64 on 8 GPUs", "64 @8"),
    ("# effective batch-size: 64", "64"),
    ("# Effective Batch Size = 64", "64"),
    ("# effective batchsize = 64", "64"),
    ("# overall batch size = 64", "64"),
    ("# aggregate batch size: 4096", "4096"),
    ("# combined batch size = 2 * 32 = 64", "64 = 2 x 32"),
    ("# global batch = 128", "128"),
    ("# global bs = 128", "128"),
    ("# -> effective batch size 64", "64"),
    ("# → 有效 batch 64", "64"),
    ("# 2 x 4 x 8 = 64 有效 batch", "64 = 2 x 4 x 8"),
    ("# 8 张 A100 × 4 × 2 = 64 effective batch", "64 = 8w x 4 x 2"),
    ("# effective batch = 4 x 2 x 8 A100 = 64", "64 = 4 x 2 x 8w"),
    ("# 有效 batch_size = per_device_train_batch_size × gradient_accumulation_steps × 8 = 64", "64"),
    ("# effective batch size = 64 prompts", "64"),
    ("# effective batch size = 4 * 4", "16 = 4 x 4 implied"),
    ("# effective batch = 8 x 1 x 1 = 8 (single GPU)", "8 = 8 x 1 x 1 @1"),
    ("# 128 = 4 x 4 x 8 effective batch size", "128 = 4 x 4 x 8"),
    ("# effective batch = 1 * 16", "16 = 1 x 16 implied"),
    ("# effective batch = 32 (micro 4 x accum 8)", "32 = 4m x 8a"),
    ("# effective batch = 32 (bs=4, accum=8)", "32"),
    ("# 有效 batch = 32（4 × 8，单卡）", "32 @1"),
    ("# 2*4*8=128 (effective batch)", "128 = 2 x 4 x 8"),
    ("# train_batch_size = 2 * 4 * 8 = 64", "64 = 2 x 4 x 8"),
    ("# real batch size = 4 * 8 = 32", "32 = 4 x 8"),
    ("# 每设备 4 x 8 步累积 x 2 GPU = 64", "64 = 4m x 8a x 2w"),
    ("# 有效批次 = 批次大小(4) × 梯度累积(8) = 32", "32 = 4m x 8a"),
    ("# effective batch size = 64 # keep in sync with lr", "64"),
    ("# effective batch = 64 = 4 x 16", "64 = 4 x 16"),
    ("# effective batch = 16 per_device * 4 accum = 64", "64 = 16m x 4a"),
    ("# 有效batch size=per_device(2)*accum(8)*gpus(4)=64", "64 = 2m x 8a x 4w"),
    ("# effective batch: per-device 2 × 8 accumulation steps × 4 GPUs = 64", "64 = 2m x 8a x 4w"),
    ("# effective_batch = micro_batch_size (2) * gradient_accumulation_steps (8) * world_size (4) = 64", "64 = 2m x 8a x 4w"),
    ("# micro_batch_size × gradient_accumulation_steps × GPUs = 2 × 8 × 4 = 64", "64 = 2m x 8a x 4w"),
    ("# Effective batch: 64", "64"),
    ("# EFFECTIVE BATCH SIZE: 64", "64"),
    ("#effective batch=64", "64"),
    ("# effective batch = 2×8 = 16 on one GPU", "16 = 2 x 8 @1"),
    ("# 有效batch：2*8*4 = 64，学习率不变", "64 = 2 x 8 x 4"),
    ("# 有效 Batch Size：64", "64"),
    ("# 有效batch=64, 8卡", "64 @8"),
    ("# 全局批次大小 = 2 × 8 × 4 = 64", "64 = 2 x 8 x 4"),
    ("# 有效批 = 4 × 16 = 64", "64 = 4 x 16"),
    ("# effective batch (8 GPUs) = 64", "64 @8"),
    ("# effective batch size = 8 × 8", "64 = 8 x 8 implied"),
    ("# 2 per GPU x 8 accumulation x 4 GPUs = 64", "64 = 2m x 8a x 4w"),
    ("# 2 (per GPU) * 8 (grad accum) = 16", "16 = 2m x 8a"),
    ("# 累积 16 步，等效 batch size 64", "64"),
    ("# 等效batch_size = 4*16 = 64", "64 = 4 x 16"),
    ("# bsz 2 * accum 8 * 8 gpus = 128 (effective)", "128 = 2m x 8a x 8w"),
    ("# effective batch size for 8 GPUs: 64", "64 @8"),
    ("# Global Batch Size = 16 * 8(GPUs) * 4(Accum) = 512", "512 = 16 x 8w x 4a"),
    ("# Global batch size = 128: per_device(2) x grad_accum(16) x gpus(4) = 128", "128 = 2m x 16a x 4w"),
    ("# effective bs = 16", "16"),
    ("# 有效batch size=12（每设备1×梯度累积12）", "12 = 1m x 12a"),
    ("# 有效batch size = 1 × 16 × 2 = 32", "32 = 1 x 16 x 2"),
    ("# 梯度累积步数，等效batch=6", "6"),
    ("# 累积2个batch，有效batch_size=300", "300"),
    ("# 累积4次batch=4，等效batch=16", "16"),
    ("# 累积梯度，相当于 Batch Size = 8", "8 loose"),
    ("# Increased to maintain effective batch size of 16", "16"),
    ("# Effective batch = 1*4 = 4", "4 = 1 x 4"),
    ("# Effective batch = 32 (same as Phase 1)", "32"),
    ("# 保证总batch_size 为32", "32"),
    ("# 单卡：等效 batch 8", "8 @1"),
];

#[rustfmt::skip]
const SILENT: &[&str] = &[
    "effective batch was 384",
    "effective batch = 64 -> 128",
    "effective batch size of about 0.5M tokens",
    "effective batch size: 32-64",
    "effective batch = 64 / 8",
    "effective batch size ~ 64",
    "increase the effective batch size",
    "global_batch_size: null",
    "有效 batch 比原来的 16 * 3 * 8 = 384 小一半",
    "if you use 4 GPUs, the effective batch should be 64",
    "effective batch size per GPU = 16",
    "effective batch = 2k",
    "batch = 4",
    "effective batch = micro * accum",
    "# Use to increase effective batch size",
    "# Larger effective batch size",
    "# Effective batch = batch_size × this",
    "# total batch = per_device_train_batch_size * num_gpus * gradient_accumulation_steps",
    "# start_step: 10  # Global batch to start profiling",
    "# global batchsize = (8 // 2 // 4) * 8 = 8",
    "# total batch norm = 64",
    "# total batches = 1000",
    "# total batches: 1000",
    "# number of total batches = 64",
    "# 总批次数：100",
    "# 总批次: 100",
    "# 总 batch 数 = 100",
    "# total batch: 100",
    "# effective batch size = 64 tokens",
    "# effective batch size = 0.5M",
    "# effective batch size = 64k",
    "# effective batch = 64.5",
    "# effective batch size?",
    "# is the effective batch size 64?",
    "# 有效 batch 是 64 吗？",
    "# effective batch size ≈ 64",
    "# effective batch size: about 64",
    "# 有效 batch 约 64",
    "# 有效 batch 大约为 64",
    "# 建议有效 batch = 64",
    "# 目标有效 batch = 64",
    "# target effective batch size: 64",
    "# effective batch size should be 64",
    "# we want an effective batch size of 64",
    "# paper uses effective batch size 64",
    "# 论文的有效 batch = 256",
    "# original effective batch size: 128",
    "# default effective batch size is 32",
    "# e.g. effective batch size = 64",
    "# 例如：有效 batch = 2 × 4 × 8 = 64",
    "# effective batch size at least 64",
    "# effective batch size >= 64",
    "# effective batch size < 64",
    "# max effective batch size = 64",
    "# effective batch size 64 or 128",
    "# effective batch = 64 or 128",
    "# effective batch = 64 to 128",
    "# effective batch size: 64/128",
    "# effective batch size is not 64",
    "# effective batch size != 64",
    "# effective batch = 64 per GPU",
    "# 有效 batch = 64 每卡",
    "# 每卡有效 batch size 4",
    "# effective batch size 2 times larger",
    "# effective batch 4x larger",
    "# 2x effective batch size",
    "# doubles the effective batch size",
    "# effective batch size = bs * 8",
    "# effective batch size = 4 * num_gpus",
    "# effective batch size = world_size * 4",
    "# effective batch size = $((4 * 8))",
    "# effective batch size = {total}",
    "# effective batch size = N",
    "# step 10: effective batch",
    "# GPU 0: effective batch",
    "# 优化前 有效 batch = 384",
    "# 之前有效 batch = 384",
    "# effective batch: 384 → 192",
    "# effective batch 384 -> 192",
    "# | effective batch | 4 | 4 |",
    "# effective batch size, learning rate 2e-5",
    "# the effective batch size for 8 GPUs",
    "# effective batch size scales with 8 GPUs",
    "# eval effective batch size = 64",
    "# effective batch size for evaluation: 64",
    "# batch_size: 4  # effective batch = 32",
    "# per_device_train_batch_size: 4, gradient_accumulation_steps: 8",
    "# gradient_accumulation_steps: 8",
    "# batch size = 4 * 8 = 32",
    "# 4 * 8 = 32",
    "# 8 GPUs x 80 GB = 640 GB",
    "# 3 steps x 4 = 12",
    "# warmup 10 steps * 4 = 40",
    "# micro batch 4 x 1024 = 4096 tokens",
    "# effective context = 4096",
    "# effective 500 steps",
    "# effective lr = 2e-5",
    "# total steps = 1000",
    "# total batch loss: 12",
    "# global step 100 batch 20",
    "# effective batch size: 8 on 1 GPU, 64 on 8 GPUs",
    "# effective batch size: 64 (8 GPUs per node)",
    "# 如果 8 卡，有效 batch = 64",
    "# 有效 batch 减半",
    "# 有效 batch 翻倍到 128",
    "# TODO effective batch = 64",
    "# vs effective batch size 64",
    "# effective batch = 64 (x 2 nodes = 128)",
    "# effective batch size 3e4",
    "# effective batch = 0",
    "# effective batch = 2**6",
    "# effective batch size: 1_000",
    "# effective batch_index = 4",
    "# effective batch 12 of 100",
    "# 有效 batch：见下",
    "# 总 batch = 64",
    "# 实际 batch size = 64",
    "# total batch of 100 images",
    "# ppo mini batch: global mini batch size = 64",
    "# effective batch size version 2",
    "# 64 effective batch size",
    "# = 64 effective batch",
    "# 4 * 8 * 2 => 64 effective batch",
    "# effective batch size, 64",
    "# effective batch size = 64 / step",
    "# Effective batch size = 16x real batch size",
    "# 单卡批次 4，梯度累加 16 => 总 Effective BS 128",
    "# 等效于 batch_size=16，但显存占用相当于 batch_size=8",
    "# 比如 batch_size=1，累积4步相当于 batch=4",
    "# Global batch size = 256 sequences = 0.5M tokens per step",
    "# Global batch size = 8, for GPUs, so 1 sample per GPU",
    "# Global Batch Size = local_bs * dp_size (computed at runtime)",
    "# 有效batch size = MICRO_BATCH × GRAD_ACCUM × NUM_GPUS",
    "# global_bs = per_device_bs * num_gpus * grad_accum",
    "# 梯度累积步数，有效批次大小=batch_size×该值，显存不足时可增大该值",
    "# 2 GPUs, deepspeed max effective bs = 8",
    "# 显存不足时，有效 batch 8 也可以",
    "# Batch size per GPU 4, effective batch size = 64",
    "# (全局batch 32→64)",
    "# 当前所处的全局batch数 (Step)。默认为 0。",
];
