//! Every dimension of a setup, named as in `vramlint runs`.

use super::format::pick;
use super::report::EstimateReport;
use serde_json::{Value as Json, json};
use vramlint_base::Lang;
use vramlint_estimate::record::vocabulary::{
    ATTENTION, DTYPES, HEADS, KEPT_OUTPUTS, OFFLOADS, OPTIMIZERS, PLATFORMS, QUANTIZATIONS, QUANTIZED_EXPERTS, REFERENCES,
    SCHEMES, name,
};
use vramlint_memory::setup::{
    Checkpointing, Dtype, Head, Megatron, Offload, Parallel, Quantization, QuantizedExperts, Recompute, Restored, Scheme, Setup,
    Targets,
};

/// Names and values, the most important first.
pub fn list(report: &EstimateReport) -> Vec<(&'static str, Json)> {
    list_of(report, &report.input.setup)
}

/// The value of a dimension in another setup of the same run.
pub fn value_in(report: &EstimateReport, setup: &Setup, name: &str) -> Option<Json> {
    list_of(report, setup).into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

fn list_of(report: &EstimateReport, setup: &Setup) -> Vec<(&'static str, Json)> {
    let input = &report.input;
    let parallel = &setup.parallel;
    let model = if input.model.is_empty() { Json::Null } else { json!(input.model) };
    let master = report.engine() && setup.weights != Dtype::Fp32;
    let four_bit = matches!(setup.quantization, Quantization::FourBit { .. });
    let computes = setup.quantized_compute.filter(|_| four_bit).map(Dtype::name);
    let mut list = vec![
        ("model", model),
        ("parameters", json!(report.estimate.parameters)),
        ("trainable", json!(report.estimate.trainable)),
        ("task", json!(input.task)),
        ("method", json!(report.method())),
        ("weights_dtype", json!(setup.weights.name())),
        ("mixed_precision", json!(setup.autocast.or(master.then_some(setup.weights)).map_or("no", Dtype::name))),
        ("quantization", json!(name(QUANTIZATIONS, setup.quantization))),
        ("quantization_compute_dtype", json!(computes)),
        ("kbit_prepare", json!(setup.kbit_prepare)),
        ("kbit_restored", json!(setup.kbit_restored != Restored::Nothing)),
    ];
    if setup.quantized_experts != QuantizedExperts::Left {
        list.push(("quantized_experts", json!(name(QUANTIZED_EXPERTS, setup.quantized_experts))));
    }
    list.extend(adapters(setup));
    list.extend([
        ("optimizer", json!(name(OPTIMIZERS, setup.optimizer))),
        ("micro_batch", json!(setup.micro_batch)),
        ("gradient_accumulation_steps", json!(setup.accumulation)),
        ("world_size", json!(parallel.world)),
        ("effective_batch", json!(setup.micro_batch.saturating_mul(setup.accumulation).saturating_mul(parallel.world))),
        ("sequence_length", json!(setup.sequence_length)),
        ("evaluation_batch", json!(setup.evaluation_batch)),
        ("teacher_model", json!(setup.teacher.as_ref().map(|teacher| &teacher.label))),
        ("target_length", json!((setup.target_length > 0).then_some(setup.target_length))),
        ("prompt_length", json!(setup.prompt_length)),
        ("num_generations", json!(input.num_generations)),
        ("max_completion_length", json!(setup.generation.map(|generation| generation.completion))),
        ("vllm_share", json!(setup.generation.and_then(|generation| generation.vllm_share))),
        ("gradient_checkpointing", json!(setup.checkpointing != Checkpointing::None)),
        ("reentrant", json!(matches!(setup.checkpointing, Checkpointing::Reentrant | Checkpointing::Offloaded))),
        ("checkpoints_offloaded", json!(setup.checkpointing == Checkpointing::Offloaded)),
        ("attention", json!(name(ATTENTION, setup.attention))),
        ("padding_mask", json!(setup.padding_mask)),
        ("head", json!(name(HEADS, setup.head))),
        ("reference_model", json!(name(REFERENCES, setup.reference))),
        ("clip", json!(setup.clip)),
        ("use_cache", json!(setup.use_cache)),
        ("forward_calls", json!(setup.forward_calls)),
        ("kept_outputs", json!(name(KEPT_OUTPUTS, setup.kept_outputs))),
        ("outputs_to_fp32", json!(setup.outputs_to_fp32)),
    ]);
    list.extend(sharing(parallel));
    if parallel.scheme == Scheme::Megatron {
        list.extend(megatron(&parallel.megatron));
    }
    list.push(("device_map_gpus", json!(setup.model_gpus)));
    list.extend(rare(setup));
    list.extend([
        ("dataloader_num_workers", json!(setup.dataloader_workers)),
        ("prefetch_factor", json!(setup.prefetch_factor)),
        ("residents", json!(setup.residents.iter().map(|resident| resident.label.as_str()).collect::<Vec<_>>())),
        ("expandable_segments", json!(setup.expandable_segments)),
        ("platform", json!(name(PLATFORMS, setup.platform))),
        ("gpu", json!(report.gpu().and_then(|gpu| gpu.name.as_deref()))),
        ("compute_capability", json!(setup.capability.map(|tenths| f64::from(tenths) / 10.0))),
    ]);
    list
}

fn adapters(setup: &Setup) -> [(&'static str, Json); 5] {
    let lora = setup.lora.as_ref();
    let targets = lora.map(|lora| match &lora.targets {
        Targets::AllLinear => json!("all-linear"),
        Targets::LinearLayers => json!("linear-layers"),
        Targets::Named(names) => json!(names),
    });
    [
        ("lora_r", json!(lora.map(|lora| lora.r))),
        ("lora_targets", targets.unwrap_or_default()),
        ("lora_dropout", json!(lora.map(|lora| lora.dropout))),
        ("adapters_dtype", json!(lora.map(|lora| name(DTYPES, lora.dtype.unwrap_or(setup.weights))))),
        ("use_dora", json!(lora.map(|lora| lora.dora))),
    ]
}

/// Sharding settings; `null` if the scheme does not have them.
fn sharing(parallel: &Parallel) -> Vec<(&'static str, Json)> {
    let zero = matches!(parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3);
    let three = parallel.scheme == Scheme::Zero3;
    let fsdp = matches!(parallel.scheme, Scheme::Fsdp1 | Scheme::Fsdp2);
    let nodes = parallel.world.div_ceil(parallel.local.max(1));
    let when = |holds: bool, value: Json| if holds { value } else { Json::Null };
    vec![
        ("gpus", json!(parallel.local)),
        ("nodes", json!(nodes)),
        ("parallel", json!(name(SCHEMES, parallel.scheme))),
        ("offload_optimizer", json!(name(OFFLOADS, parallel.offload_optimizer))),
        ("offload_param", json!(name(OFFLOADS, parallel.offload_param))),
        ("reduce_bucket_size", when(zero, json!(parallel.reduce_bucket))),
        ("allgather_bucket_size", when(zero, json!(parallel.allgather_bucket))),
        ("overlap_comm", when(zero, json!(parallel.overlap))),
        ("contiguous_gradients", when(zero, json!(parallel.contiguous))),
        ("stage3_prefetch_bucket_size", when(three, json!(parallel.prefetch_bucket))),
        ("stage3_max_live_parameters", when(three, json!(parallel.max_live))),
        ("stage3_param_persistence_threshold", when(three, json!(parallel.persistence))),
        ("sub_group_size", when(three, json!(parallel.sub_group))),
        ("gradient_as_bucket_view", when(parallel.scheme == Scheme::Ddp, json!(parallel.bucket_view))),
        ("reshard_after_forward", when(fsdp, json!(parallel.reshard))),
        ("reduce_fp32", when(fsdp, json!(parallel.reduce_fp32))),
        ("tensor_parallel", json!(parallel.tensor)),
        ("context_parallel", json!(parallel.context)),
    ]
}

/// What few setups have, only where it is not the default: with it, `estimate --setup` reads a printed setup back.
fn rare(setup: &Setup) -> Vec<(&'static str, Json)> {
    let (plain, parallel) = (Setup::default(), &setup.parallel);
    let usual = &plain.parallel;
    let saved = setup.lora.as_ref().map(|lora| {
        [("embed_tokens", lora.saved.embedding), ("lm_head", lora.saved.head)]
            .into_iter()
            .filter(|(_, own)| *own)
            .map(|(name, _)| name)
    });
    let saved: Vec<&str> = saved.into_iter().flatten().collect();
    let round = setup.generation;
    let sequences = round.map(|round| round.sequences).filter(|own| *own != setup.micro_batch.saturating_mul(setup.accumulation));
    let prompt = round.map(|round| round.prompt).filter(|own| *own != setup.prompt_length);
    let all = [
        ("lora_modules_to_save", !saved.is_empty(), json!(saved)),
        ("sequences_per_generation", sequences.is_some(), json!(sequences)),
        ("generation_prompt_length", prompt.is_some(), json!(prompt)),
        ("vllm_sleep", round.is_some_and(|round| round.sleep_mode), json!(true)),
        ("external_bytes", setup.external_bytes > 0, json!(setup.external_bytes)),
        ("optimizer_in_backward", setup.optimizer_in_backward, json!(true)),
        ("gradient_rank", setup.gradient_rank != plain.gradient_rank, json!(setup.gradient_rank)),
        ("narrow_embedding_states", setup.narrow_embedding_states, json!(true)),
        ("evaluation_keeps_graph", setup.evaluation_keeps_graph, json!(true)),
        ("held_batches", setup.held_batches > 1, json!(setup.held_batches)),
        ("zeroes_after_forward", setup.zeroes_after_forward, json!(true)),
        ("kbit_norms_stay", setup.kbit_restored == Restored::Embeddings, json!(true)),
        ("own_loss", setup.own_loss.is_some(), json!(true)),
        ("trained_parts", setup.trained.is_some(), json!(true)),
        ("ddp_bucket", parallel.ddp_bucket != usual.ddp_bucket, json!(parallel.ddp_bucket)),
        ("defer_reduction", parallel.defer_reduction, json!(true)),
        ("wrap_blocks", !parallel.wrap_blocks, json!(false)),
        ("zero_hpz_partition_size", parallel.hpz != usual.hpz, json!(parallel.hpz)),
        ("zero_quantized_weights", parallel.quantized_weights, json!(true)),
        ("gather_16bit_on_save", parallel.gather_at_save, json!(true)),
    ];
    all.into_iter().filter(|(_, is_set, _)| *is_set).map(|(name, _, value)| (name, value)).collect()
}

/// How Megatron divides the model and what it computes again.
fn megatron(own: &Megatron) -> [(&'static str, Json); 6] {
    let recompute = match own.recompute {
        Recompute::Nothing => json!("none"),
        Recompute::Parts(_) => json!("selective"),
        Recompute::Groups(blocks) => json!(format!("uniform {blocks}")),
        Recompute::First(blocks) => json!(format!("block {blocks}")),
    };
    [
        ("pipeline_parallel", json!(own.pipeline)),
        ("expert_parallel", json!(own.expert)),
        ("expert_tensor_parallel", json!(own.expert_tensor)),
        ("sequence_parallel", json!(own.sequence_parallel)),
        ("distributed_optimizer", json!(own.distributed_optimizer)),
        ("recompute", recompute),
    ]
}

/// The setup in one line. Names of libraries and settings are not translated.
pub fn line(report: &EstimateReport, lang: Lang) -> String {
    let setup = &report.input.setup;
    let mut parts = vec![report.input.task.to_owned(), report.method().to_owned()];
    if let Some(lora) = &setup.lora {
        parts.push(format!("r {}", lora.r));
    }
    if report.method() == "qlora" {
        parts.push(name(QUANTIZATIONS, setup.quantization).to_owned());
    }
    parts.push(match setup.autocast {
        Some(amp) => {
            let (weights, amp) = (setup.weights.name(), amp.name());
            pick(lang, format!("{weights} + {amp} autocast"), format!("{weights} + {amp} 自动混合精度"))
        }
        _ => setup.weights.name().to_owned(),
    });
    parts.push(format!("{} × {} tokens", setup.micro_batch, setup.sequence_length));
    if setup.accumulation > 1 {
        parts.push(format!("{} {}", pick(lang, "accumulation", "梯度累积"), setup.accumulation));
    }
    if setup.checkpointing != Checkpointing::None {
        parts.push(pick(lang, "checkpointing", "激活检查点").to_owned());
    }
    parts.push(name(ATTENTION, setup.attention).to_owned());
    if setup.head != Head::FullLogits {
        parts.push(name(HEADS, setup.head).to_owned());
    }
    parts.push(name(OPTIMIZERS, setup.optimizer).to_owned());
    if setup.parallel.scheme != Scheme::None {
        parts.push(format!("{} × {}", name(SCHEMES, setup.parallel.scheme), setup.parallel.world));
    }
    if setup.model_gpus > 1 {
        let gpus = setup.model_gpus;
        parts.push(pick(lang, format!("device_map over {gpus} GPUs"), format!("device_map 分散到 {gpus} 块 GPU")));
    }
    let parallel = &setup.parallel;
    for (en, zh, to) in [("optimizer", "优化器", parallel.offload_optimizer), ("parameters", "参数", parallel.offload_param)]
    {
        if to != Offload::None {
            let place = name(OFFLOADS, to);
            parts.push(pick(lang, format!("{en} on {place}"), format!("{zh}卸载到 {place}")));
        }
    }
    parts.join(", ")
}
