//! The `setup` of a record.

use super::fields::Fields;
use super::vocabulary::{
    ATTENTION, CHECKPOINTING, DTYPES, HEADS, KEPT_OUTPUTS, OFFLOADS, OPTIMIZERS, PLATFORMS, PRECISIONS, QUANTIZATIONS,
    QUANTIZED_EXPERTS, REFERENCES, SCHEMES, TASKS, name,
};
use vramlint_base::{Message, message};
use vramlint_memory::Setup;
use vramlint_memory::setup::{
    AdapterKind, Checkpointing, Dtype, Generation, KeptOutputs, Lora, Parallel, Reference, Restored, Scheme, Targets, Task,
    TrainedParts,
};

/// Upper bounds of plausible values.
const CALLS: u64 = 64;
const ROWS: u64 = 1 << 20;
const TOKENS: u64 = 1 << 27;
const RANKS: u64 = 1 << 20;
const ELEMENTS: u64 = 1 << 46;

/// The assumptions for main fields that are absent. A null is a value: there is none.
pub(super) fn assumptions(fields: &Fields<'_>, setup: &Setup) -> Vec<Message> {
    let checkpointing = if setup.checkpointing == Checkpointing::None { "none" } else { "full" };
    let main: [(&[&str], &str); 6] = [
        (&["dtype", "weights_dtype"], setup.weights.name()),
        (&["optimizer", "optim"], name(OPTIMIZERS, setup.optimizer)),
        (&["checkpointing", "ckpt", "gradient_checkpointing"], checkpointing),
        (&["attn", "attention"], name(ATTENTION, setup.attention)),
        (&["padding_mask", "padding"], "false"),
        (&["task"], setup.task.name()),
    ];
    let absent = main.into_iter().filter(|(names, _)| !names.iter().any(|name| fields.has(name)));
    let mut assumed: Vec<Message> = absent
        .map(|(names, value)| {
            let field = names[0];
            message!("`{field}` is not set: assuming {value}", "没有设置 `{field}`：按 {value} 计")
        })
        .collect();
    if setup.parallel.world > setup.parallel.local && !fields.has("local") {
        let local = setup.parallel.local;
        assumed.push(message!("assuming {local} GPUs per machine", "每台机器按 {local} 张 GPU 计"));
    }
    assumed
}

/// Reads every supported field.
pub(super) fn read_setup(fields: &mut Fields<'_>) -> Result<Setup, Message> {
    // Notes, the number of traced steps (the second is already steady), and counts that micro_batch includes.
    fields.ignore(&["note", "dist_note", "tag", "id", "model", "num_generations", "input_require_grads"]);
    let mut setup = Setup { task: fields.word(&["task"], TASKS)?.unwrap_or_default(), ..Setup::default() };
    setup.parallel = parallel(fields)?;
    precision(fields, &mut setup)?;
    let Some(micro_batch) = fields.count(&["micro_batch", "mb"], 1, ROWS)? else { return Err(fields.missing("micro_batch")) };
    setup.micro_batch = micro_batch;
    let Some(sequence_length) = fields.count(&["seq", "sequence_length"], 1, TOKENS)? else {
        return Err(fields.missing("seq"));
    };
    setup.sequence_length = sequence_length;
    setup.evaluation_batch = fields.count(&["evaluation_batch"], 1, ROWS)?;
    setup.target_length = fields.count(&["target", "target_length"], 0, TOKENS)?.unwrap_or(0);
    setup.prompt_length = fields.count(&["prompt", "prompt_length"], 0, sequence_length)?.unwrap_or(0);
    setup.generation = fields.object(&["generation"])?.map(|mut round| generation(&mut round)).transpose()?;
    setup.accumulation = fields.count(&["accum", "gradient_accumulation_steps"], 1, 1 << 30)?.unwrap_or(1);
    if fields.flag(&["pairs"])? == Some(false) {
        singles(fields, &mut setup)?;
    }
    setup.checkpointing = checkpointing(fields)?;
    setup.attention = fields.word(&["attn", "attention"], ATTENTION)?.unwrap_or_default();
    setup.padding_mask = fields.flag(&["padding_mask", "padding"])?.unwrap_or(false);
    setup.optimizer = fields.word(&["optimizer", "optim"], OPTIMIZERS)?.unwrap_or_default();
    setup.gradient_rank = fields.count(&["gradient_rank"], 1, 1 << 20)?.unwrap_or(128);
    setup.narrow_embedding_states = fields.flag(&["narrow_embedding_states"])?.unwrap_or(false);
    setup.held_batches = fields.count(&["held_batches"], 1, 1 << 12)?.unwrap_or(1);
    setup.zeroes_after_forward = fields.flag(&["zeroes_after_forward"])?.unwrap_or(false);
    setup.clip = fields.flag(&["clip"])?.unwrap_or(true);
    setup.use_cache = fields.flag(&["use_cache"])?.unwrap_or(false);
    setup.model_gpus = fields.count(&["device_map_gpus"], 1, 128)?.unwrap_or(1);
    setup.forward_calls = fields.count(&["forward_calls"], 1, CALLS)?.unwrap_or(1);
    setup.outputs_to_fp32 = fields.flag(&["outputs_to_fp32"])?.unwrap_or(true);
    setup.kept_outputs = match fields.flag(&["keeps_outputs"])? {
        Some(true) => KeptOutputs::NextForward,
        _ => fields.word(&["kept_outputs"], KEPT_OUTPUTS)?.unwrap_or_default(),
    };
    setup.lora = fields.object(&["lora"])?.map(|mut lora| adapters(&mut lora)).transpose()?;
    setup.freeze_base = frozen(fields)?;
    if let Some(steps) = fields.texts(&["own_loss"])? {
        let kept = fields.texts(&["own_loss_kept"])?.unwrap_or_default();
        let in_autocast = fields.flag(&["own_loss_in_autocast"])?.unwrap_or(false);
        setup.own_loss = Some(super::own_loss::read(&steps, &kept, in_autocast)?);
    }
    setup.trained = fields.object(&["trained"])?.map(|mut parts| trained_parts(&mut parts)).transpose()?;
    setup.trains_prompt = fields.flag(&["trains_prompt"])?.unwrap_or(false);
    setup.quantization = fields.word(&["quant", "quantization"], QUANTIZATIONS)?.unwrap_or_default();
    setup.quantized_compute =
        fields.word(&["quantization_compute_dtype", "bnb_4bit_compute_dtype"], DTYPES)?.or(Some(Dtype::Bf16));
    setup.quantized_experts = fields.word(&["quantized_experts"], QUANTIZED_EXPERTS)?.unwrap_or_default();
    setup.kbit_prepare = fields.flag(&["kbit_prepare"])?.unwrap_or(false);
    setup.kbit_restored = match fields.flag(&["kbit_restored"])? {
        Some(true) if fields.flag(&["kbit_norms_stay"])?.unwrap_or(false) => Restored::Embeddings,
        Some(true) => Restored::NormsToo,
        _ => Restored::Nothing,
    };
    setup.head = fields.word(&["head"], HEADS)?.unwrap_or_default();
    setup.reference = match (fields.word(&["reference"], REFERENCES)?, setup.task) {
        (Some(given), _) => given,
        (None, Task::Dpo | Task::Kto | Task::Bco | Task::OnlineDpo) if setup.lora.is_some() => Reference::Adapter,
        (None, Task::Dpo | Task::Kto | Task::Bco | Task::OnlineDpo) => Reference::Copy,
        _ => Reference::None,
    };
    setup.dataloader_workers = fields.count(&["dataloader_workers", "dataloader_num_workers"], 0, 1 << 16)?.unwrap_or(0);
    setup.prefetch_factor = fields.count(&["prefetch_factor"], 1, 1 << 16)?.unwrap_or(2);
    setup.platform = fields.word(&["platform"], PLATFORMS)?.unwrap_or_default();
    setup.expandable_segments = fields.flag(&["expandable_segments"])?.unwrap_or(false);
    setup.capability = fields.number(&["capability"])?.and_then(capability);
    Ok(setup)
}

/// What is trained of a model with frozen parts: `from_block` and `to_block` (exclusive) bound the trained blocks.
fn trained_parts(parts: &mut Fields<'_>) -> Result<TrainedParts, Message> {
    let first = parts.count(&["from_block"], 0, 1 << 16)?.unwrap_or(0);
    let embedding = parts.flag(&["embedding"])?.unwrap_or(false);
    let head = parts.flag(&["head"])?.unwrap_or(false);
    Ok(TrainedParts {
        embedding,
        beside_embedding: parts.flag(&["beside_embedding"])?.unwrap_or(embedding),
        pooler: parts.flag(&["pooler"])?.unwrap_or(head),
        decoder: parts.flag(&["decoder"])?.unwrap_or(false),
        head,
        blocks: vec![(first, parts.count(&["to_block"], 0, 1 << 16)?.unwrap_or(first))],
        modules: parts.texts(&["modules"])?.unwrap_or_default(),
        norm: parts.flag(&["norm"])?.unwrap_or(false),
        tower: parts.flag(&["tower"])?.unwrap_or(false),
        beside: parts.count(&["beside"], 0, 1 << 40)?.unwrap_or(0),
        starts_at_block: parts.flag(&["starts_at_block"])?.unwrap_or(false),
        dtype: parts.word(&["dtype"], DTYPES)?,
    })
}

/// A compute capability in tenths, from 8.0, 80 or 9.0.
fn capability(number: f64) -> Option<u32> {
    let tenths = if number < 20.0 { (number * 10.0).round() } else { number };
    #[allow(clippy::cast_sign_loss)] // in the range, which has no negative number
    (10.0..1000.0).contains(&tenths).then_some(tenths as u32)
}

/// Weights and autocast. `dtype` alone determines both; the two specific fields win if they are present.
fn precision(fields: &mut Fields<'_>, setup: &mut Setup) -> Result<(), Message> {
    let (weights, autocast) = fields.word(&["dtype"], PRECISIONS)?.unwrap_or((setup.weights, None));
    let stated = fields.has("autocast");
    let own = fields.word(&["autocast", "trainer_amp"], DTYPES)?.filter(|dtype| *dtype != Dtype::Fp32);
    setup.weights = fields.word(&["weights_dtype"], DTYPES)?.unwrap_or(weights);
    setup.autocast = if stated { own } else { own.or(autocast) };
    match setup.parallel.scheme {
        // DeepSpeed's engine casts an fp32 model to bf16, runs without autocast, and keeps fp32 masters of its own
        // (DeepSpeed 0.19.8 runtime/bf16_optimizer.py, runtime/zero/stage_1_and_2.py).
        Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3 => {
            setup.parallel.master = autocast.is_some() || setup.weights != Dtype::Fp32;
            setup.weights = autocast.unwrap_or(setup.weights);
            setup.autocast = own;
        }
        // FSDP with MixedPrecisionPolicy(param_dtype): fp32 shards that compute in the other type. Autocast casts nothing here,
        // but `autocast` holds the compute type as everywhere else.
        // Without a requested type, torch 2.15 reduces in that of the shards (`_fsdp_api.py`, `reduce_dtype`).
        Scheme::Fsdp1 | Scheme::Fsdp2 => {
            setup.autocast = own.or(autocast);
            setup.parallel.reduce_fp32 |= setup.weights == Dtype::Fp32;
        }
        Scheme::None | Scheme::Ddp | Scheme::Megatron => {}
    }
    Ok(())
}

/// Samples without pairs, for a task that usually has pairs.
fn singles(fields: &Fields<'_>, setup: &mut Setup) -> Result<(), Message> {
    match setup.task {
        Task::Reward | Task::Dpo | Task::Orpo | Task::Simpo if setup.micro_batch.is_multiple_of(2) => setup.micro_batch /= 2,
        Task::Reward => setup.task = Task::SequenceClassification,
        Task::Dpo | Task::Orpo | Task::Simpo => {
            let why = message!("without pairs, micro_batch must be even", "不成对时，micro_batch 必须是偶数");
            return Err(fields.error_at("pairs", &why));
        }
        _ => {}
    }
    Ok(())
}

/// Completions by transformers before the update.
fn generation(round: &mut Fields<'_>) -> Result<Generation, Message> {
    let mut count = |name| round.count(&[name], 1, TOKENS)?.ok_or_else(|| round.missing(name));
    let (sequences, prompt, completion) = (count("sequences")?, count("prompt")?, count("completion")?);
    Ok(Generation { sequences, prompt, completion, vllm_share: None, sleep_mode: false })
}

fn checkpointing(fields: &mut Fields<'_>) -> Result<Checkpointing, Message> {
    if fields.is_text("checkpointing") || fields.is_text("ckpt") {
        return Ok(fields.word(&["checkpointing", "ckpt"], CHECKPOINTING)?.unwrap_or_default());
    }
    let on = fields.flag(&["checkpointing", "ckpt", "gradient_checkpointing"])?.unwrap_or(false);
    Ok(if on { Checkpointing::NonReentrant } else { Checkpointing::None })
}

fn adapters(lora: &mut Fields<'_>) -> Result<Lora, Message> {
    let Some(r) = lora.count(&["r", "rank"], 1, 1 << 20)? else { return Err(lora.missing("r")) };
    let targets = if lora.is_text("targets") {
        super::vocabulary::parse_targets(&lora.text(&["targets"])?.unwrap_or_default())
    } else {
        Targets::Named(lora.texts(&["targets"])?.ok_or_else(|| lora.missing("targets"))?)
    };
    Ok(Lora {
        r,
        targets,
        // The tracer's default; PEFT's is 0.
        dropout: lora.number(&["dropout"])?.unwrap_or(0.05) > 0.0,
        dtype: match lora.word(&["dtype"], DTYPES)? {
            Some(dtype) => Some(dtype),
            None => lora.flag(&["fp32_adapters", "fp32"])?.unwrap_or(true).then_some(Dtype::Fp32),
        },
        dora: lora.flag(&["dora", "use_dora"])?.unwrap_or(false),
        saved: super::vocabulary::saved_modules(lora.texts(&["modules_to_save"])?.unwrap_or_default().iter().map(String::as_str))
            .0,
        kind: scaling(lora)?,
    })
}

/// IA3 lists the modules whose input it scales.
fn scaling(lora: &mut Fields<'_>) -> Result<AdapterKind, Message> {
    let feedforward = lora.texts(&["scales_input_of"])?;
    Ok(feedforward.map_or(AdapterKind::LowRank, |feedforward| AdapterKind::Scaling { feedforward }))
}

/// `freeze` lists parts of parameter names. It freezes the base if one of them occurs in every name of the blocks.
fn frozen(fields: &mut Fields<'_>) -> Result<bool, Message> {
    if let Some(flag) = fields.flag(&["freeze_base"])? {
        return Ok(flag);
    }
    let Some(pieces) = fields.texts(&["freeze"])?.filter(|pieces| !pieces.is_empty()) else { return Ok(false) };
    let blocks = [
        "model.layers.0.self_attn.q_proj.weight",
        "transformer.h.0.attn.c_attn.weight",
        "bert.encoder.layer.0.output.dense.weight",
    ];
    let norms =
        ["model.layers.0.input_layernorm.weight", "transformer.h.0.ln_1.weight", "bert.encoder.layer.0.output.LayerNorm.weight"];
    let whole = pieces.iter().any(|piece| {
        blocks.iter().zip(norms).any(|(block, norm)| block.contains(piece.as_str()) && norm.contains(piece.as_str()))
    });
    if whole {
        return Ok(true);
    }
    let why = message!(
        "only freezing the whole base is supported, by a part of every name such as `model.`",
        "此处只能冻结整个基座模型，例如写 `model.`（所有参数名都含有的部分）"
    );
    Err(fields.error_at("freeze", &why))
}

fn parallel(fields: &mut Fields<'_>) -> Result<Parallel, Message> {
    let plain = Parallel::default();
    let scheme = fields.word(&["dist", "parallel"], SCHEMES)?.unwrap_or_default();
    let world = fields.count(&["world", "world_size"], 1, RANKS)?.unwrap_or(1);
    let bucket = fields.count(&["bucket"], 1, ELEMENTS)?;
    let mut elements = |name: &str, otherwise: u64| Ok(fields.count(&[name], 1, ELEMENTS)?.unwrap_or(otherwise));
    let reduce_bucket = elements("reduce_bucket", bucket.unwrap_or(plain.reduce_bucket))?;
    let allgather_bucket = elements("allgather_bucket", bucket.unwrap_or(plain.allgather_bucket))?;
    let prefetch_bucket = elements("prefetch_bucket", bucket.unwrap_or(plain.prefetch_bucket))?;
    let max_live = elements("max_live", plain.max_live)?;
    let persistence = elements("persistence", plain.persistence)?;
    let sub_group = elements("sub_group", plain.sub_group)?;
    Ok(Parallel {
        scheme,
        world,
        // Machines have eight GPUs by default.
        local: fields.count(&["local"], 1, RANKS)?.unwrap_or(world.min(8)),
        reduce_bucket,
        allgather_bucket,
        prefetch_bucket,
        max_live,
        persistence,
        sub_group,
        overlap: fields.flag(&["overlap_comm"])?.unwrap_or(plain.overlap),
        contiguous: fields.flag(&["contiguous_gradients"])?.unwrap_or(plain.contiguous),
        bucket_view: fields.flag(&["bucket_view"])?.unwrap_or(plain.bucket_view),
        reshard: fields.flag(&["reshard"])?.unwrap_or(plain.reshard),
        reduce_fp32: fields.flag(&["reduce_fp32"])?.unwrap_or(plain.reduce_fp32),
        offload_optimizer: fields.word(&["offload_optimizer"], OFFLOADS)?.unwrap_or_default(),
        offload_param: fields.word(&["offload_param"], OFFLOADS)?.unwrap_or_default(),
        tensor: fields.count(&["tensor"], 1, RANKS)?.unwrap_or(1),
        context: fields.count(&["context"], 1, RANKS)?.unwrap_or(1),
        ..plain
    })
}
