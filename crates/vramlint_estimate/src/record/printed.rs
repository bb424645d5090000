//! A setup as `estimate` and `fit` print it: every dimension by its name in `vramlint runs`, on one level.

use super::fields::Fields;
use super::vocabulary::{
    ATTENTION, DTYPES, HEADS, KEPT_OUTPUTS, OFFLOADS, OPTIMIZERS, PLATFORMS, QUANTIZATIONS, QUANTIZED_EXPERTS, REFERENCES,
    SCHEMES, TASKS,
};
use vramlint_base::{Message, message};
use vramlint_memory::Setup;
use vramlint_memory::setup::{
    Checkpointing, Dtype, Generation, Lora, Megatron, Parallel, Quantization, Reference, Restored, SavedModules, Scheme, Targets,
};

/// Upper bounds of plausible values.
const ROWS: u64 = 1 << 20;
const TOKENS: u64 = 1 << 27;
const RANKS: u64 = 1 << 20;
const ELEMENTS: u64 = 1 << 46;

/// Whether an object is a printed setup, rather than a record that holds a setup.
pub(super) fn is_printed(top: &Fields<'_>) -> bool {
    !top.has("setup") && top.has("micro_batch") && top.has("sequence_length")
}

/// Reads a printed setup. An error names what it does not describe.
pub(super) fn read_setup(fields: &mut Fields<'_>) -> Result<Setup, Message> {
    // Results and sums.
    fields.ignore(&["parameters", "trainable", "effective_batch", "nodes", "gpu", "num_generations"]);
    let undescribed = [
        ("residents", fields.texts(&["residents"])?.is_some_and(|names| !names.is_empty())),
        ("teacher_model", fields.text(&["teacher_model"])?.is_some()),
        ("own_loss", fields.flag(&["own_loss"])?.is_some()),
        ("trained_parts", fields.flag(&["trained_parts"])?.is_some()),
        ("pipeline_parallel", fields.count(&["pipeline_parallel"], 1, RANKS)?.is_some()),
    ];
    if let Some((name, _)) = undescribed.into_iter().find(|(_, is_named)| *is_named) {
        let why = message!("a printed setup names this and does not describe it", "打印出的配置只给出其名称，没有描述");
        return Err(fields.error_at(name, &why));
    }
    let mut setup = Setup { task: fields.word(&["task"], TASKS)?.unwrap_or_default(), ..Setup::default() };
    setup.parallel = parallel(fields)?;
    setup.weights = fields.word(&["weights_dtype"], DTYPES)?.unwrap_or(setup.weights);
    mixed_precision(fields, &mut setup)?;
    setup.micro_batch = required(fields, "micro_batch", ROWS)?;
    setup.sequence_length = required(fields, "sequence_length", TOKENS)?;
    setup.target_length = fields.count(&["target_length"], 0, TOKENS)?.unwrap_or(0);
    setup.prompt_length = fields.count(&["prompt_length"], 0, TOKENS)?.unwrap_or(0);
    setup.accumulation = fields.count(&["gradient_accumulation_steps"], 1, 1 << 30)?.unwrap_or(1);
    setup.evaluation_batch = fields.count(&["evaluation_batch"], 1, ROWS)?;
    setup.evaluation_keeps_graph = fields.flag(&["evaluation_keeps_graph"])?.unwrap_or(false);
    setup.generation = generation(fields, &setup)?;
    setup.checkpointing = checkpointing(fields)?;
    setup.attention = fields.word(&["attention"], ATTENTION)?.unwrap_or_default();
    setup.padding_mask = fields.flag(&["padding_mask"])?.unwrap_or(false);
    setup.optimizer = fields.word(&["optimizer"], OPTIMIZERS)?.unwrap_or_default();
    setup.optimizer_in_backward = fields.flag(&["optimizer_in_backward"])?.unwrap_or(false);
    setup.gradient_rank = fields.count(&["gradient_rank"], 1, 1 << 20)?.unwrap_or(setup.gradient_rank);
    setup.narrow_embedding_states = fields.flag(&["narrow_embedding_states"])?.unwrap_or(false);
    setup.held_batches = fields.count(&["held_batches"], 1, 1 << 12)?.unwrap_or(1);
    setup.zeroes_after_forward = fields.flag(&["zeroes_after_forward"])?.unwrap_or(false);
    setup.clip = fields.flag(&["clip"])?.unwrap_or(true);
    setup.use_cache = fields.flag(&["use_cache"])?.unwrap_or(false);
    setup.forward_calls = fields.count(&["forward_calls"], 1, 64)?.unwrap_or(1);
    setup.kept_outputs = fields.word(&["kept_outputs"], KEPT_OUTPUTS)?.unwrap_or_default();
    setup.outputs_to_fp32 = fields.flag(&["outputs_to_fp32"])?.unwrap_or(true);
    setup.quantization = fields.word(&["quantization"], QUANTIZATIONS)?.unwrap_or_default();
    let computes = fields.word(&["quantization_compute_dtype"], DTYPES)?;
    setup.quantized_compute =
        if matches!(setup.quantization, Quantization::FourBit { .. }) { computes } else { setup.quantized_compute };
    setup.quantized_experts = fields.word(&["quantized_experts"], QUANTIZED_EXPERTS)?.unwrap_or_default();
    setup.kbit_prepare = fields.flag(&["kbit_prepare"])?.unwrap_or(false);
    setup.kbit_restored = match (fields.flag(&["kbit_restored"])?, fields.flag(&["kbit_norms_stay"])?) {
        (Some(true), Some(true)) => Restored::Embeddings,
        (Some(true), _) => Restored::NormsToo,
        _ => Restored::Nothing,
    };
    setup.head = fields.word(&["head"], HEADS)?.unwrap_or_default();
    setup.reference = fields.word(&["reference_model"], REFERENCES)?.unwrap_or(Reference::None);
    method(fields, &mut setup)?;
    setup.model_gpus = fields.count(&["device_map_gpus"], 1, 128)?.unwrap_or(1);
    setup.external_bytes = fields.count(&["external_bytes"], 0, 1 << 50)?.unwrap_or(0);
    setup.dataloader_workers = fields.count(&["dataloader_num_workers"], 0, 1 << 16)?.unwrap_or(0);
    setup.prefetch_factor = fields.count(&["prefetch_factor"], 0, 1 << 16)?.unwrap_or(2);
    setup.platform = fields.word(&["platform"], PLATFORMS)?.unwrap_or_default();
    setup.expandable_segments = fields.flag(&["expandable_segments"])?.unwrap_or(false);
    #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation)] // bounded by the filter
    let tenths = |number: f64| (number * 10.0).round() as u32;
    setup.capability = fields.number(&["compute_capability"])?.filter(|number| (1.0..100.0).contains(number)).map(tenths);
    Ok(setup)
}

fn required(fields: &mut Fields<'_>, name: &str, most: u64) -> Result<u64, Message> {
    fields.count(&[name], 1, most)?.ok_or_else(|| fields.missing(name))
}

/// Autocast; under DeepSpeed the type of the engine, which keeps fp32 masters beside weights in it.
fn mixed_precision(fields: &mut Fields<'_>, setup: &mut Setup) -> Result<(), Message> {
    let is_off = fields.is_text("mixed_precision") && fields.text(&["mixed_precision"])?.as_deref() == Some("no");
    let dtype = if is_off { None } else { fields.word(&["mixed_precision"], DTYPES)? };
    if matches!(setup.parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3) {
        setup.parallel.master = dtype.is_some() || setup.weights == Dtype::Fp32;
        setup.autocast = dtype.filter(|dtype| *dtype != setup.weights);
    } else {
        setup.autocast = dtype;
    }
    Ok(())
}

fn method(fields: &mut Fields<'_>, setup: &mut Setup) -> Result<(), Message> {
    let method = fields.text(&["method"])?.unwrap_or_default();
    match method.as_str() {
        "freeze" => setup.freeze_base = true,
        "prompt-tuning" => setup.trains_prompt = true,
        "ia3" => {
            let why = message!("a printed setup does not describe this method", "打印出的配置没有描述该方法");
            return Err(fields.error_at("method", &why));
        }
        _ => {}
    }
    let Some(r) = fields.count(&["lora_r"], 1, 1 << 20)? else { return Ok(()) };
    let targets = if fields.is_text("lora_targets") {
        super::vocabulary::parse_targets(&fields.text(&["lora_targets"])?.unwrap_or_default())
    } else {
        Targets::Named(fields.texts(&["lora_targets"])?.unwrap_or_default())
    };
    let saved = fields.texts(&["lora_modules_to_save"])?.unwrap_or_default();
    setup.lora = Some(Lora {
        r,
        targets,
        dropout: fields.flag(&["lora_dropout"])?.unwrap_or(false),
        dtype: fields.word(&["adapters_dtype"], DTYPES)?,
        dora: fields.flag(&["use_dora"])?.unwrap_or(false),
        saved: SavedModules {
            embedding: saved.iter().any(|name| name == "embed_tokens"),
            head: saved.iter().any(|name| name == "lm_head"),
        },
        ..Lora::default()
    });
    Ok(())
}

fn generation(fields: &mut Fields<'_>, setup: &Setup) -> Result<Option<Generation>, Message> {
    let sequences = fields.count(&["sequences_per_generation"], 1, ROWS)?;
    let sleep_mode = fields.flag(&["vllm_sleep"])?.unwrap_or(false);
    let vllm_share = fields.number(&["vllm_share"])?;
    let prompt = fields.count(&["generation_prompt_length"], 0, TOKENS)?.unwrap_or(setup.prompt_length);
    let Some(completion) = fields.count(&["max_completion_length"], 1, TOKENS)? else { return Ok(None) };
    let sequences = sequences.unwrap_or_else(|| setup.micro_batch.saturating_mul(setup.accumulation));
    Ok(Some(Generation { sequences, prompt, completion, vllm_share, sleep_mode }))
}

fn checkpointing(fields: &mut Fields<'_>) -> Result<Checkpointing, Message> {
    let on = fields.flag(&["gradient_checkpointing"])?.unwrap_or(false);
    let reentrant = fields.flag(&["reentrant"])?.unwrap_or(false);
    let offloaded = fields.flag(&["checkpoints_offloaded"])?.unwrap_or(false);
    Ok(match (on, reentrant, offloaded) {
        (false, ..) => Checkpointing::None,
        (true, _, true) => Checkpointing::Offloaded,
        (true, true, false) => Checkpointing::Reentrant,
        (true, false, false) => Checkpointing::NonReentrant,
    })
}

fn parallel(fields: &mut Fields<'_>) -> Result<Parallel, Message> {
    let plain = Parallel::default();
    let world = fields.count(&["world_size"], 1, RANKS)?.unwrap_or(1);
    let mut elements = |name: &str, otherwise: u64| Ok(fields.count(&[name], 0, ELEMENTS)?.unwrap_or(otherwise));
    let (reduce_bucket, allgather_bucket, prefetch_bucket, max_live, persistence, sub_group, ddp_bucket, hpz) = (
        elements("reduce_bucket_size", plain.reduce_bucket)?,
        elements("allgather_bucket_size", plain.allgather_bucket)?,
        elements("stage3_prefetch_bucket_size", plain.prefetch_bucket)?,
        elements("stage3_max_live_parameters", plain.max_live)?,
        elements("stage3_param_persistence_threshold", plain.persistence)?,
        elements("sub_group_size", plain.sub_group)?,
        elements("ddp_bucket", plain.ddp_bucket)?,
        elements("zero_hpz_partition_size", plain.hpz)?,
    );
    let mut flag = |name: &str, otherwise: bool| Ok::<_, Message>(fields.flag(&[name])?.unwrap_or(otherwise));
    let (overlap, contiguous, bucket_view, reshard, reduce_fp32) = (
        flag("overlap_comm", plain.overlap)?,
        flag("contiguous_gradients", plain.contiguous)?,
        flag("gradient_as_bucket_view", plain.bucket_view)?,
        flag("reshard_after_forward", plain.reshard)?,
        flag("reduce_fp32", plain.reduce_fp32)?,
    );
    let (defer_reduction, wrap_blocks, quantized_weights, gather_at_save) = (
        flag("defer_reduction", plain.defer_reduction)?,
        flag("wrap_blocks", plain.wrap_blocks)?,
        flag("zero_quantized_weights", plain.quantized_weights)?,
        flag("gather_16bit_on_save", plain.gather_at_save)?,
    );
    Ok(Parallel {
        scheme: fields.word(&["parallel"], SCHEMES)?.unwrap_or_default(),
        world,
        local: fields.count(&["gpus"], 1, RANKS)?.unwrap_or(world.min(8)),
        reduce_bucket,
        allgather_bucket,
        prefetch_bucket,
        max_live,
        persistence,
        sub_group,
        overlap,
        contiguous,
        bucket_view,
        ddp_bucket,
        reshard,
        reduce_fp32,
        defer_reduction,
        wrap_blocks,
        offload_optimizer: fields.word(&["offload_optimizer"], OFFLOADS)?.unwrap_or_default(),
        offload_param: fields.word(&["offload_param"], OFFLOADS)?.unwrap_or_default(),
        hpz,
        quantized_weights,
        tensor: fields.count(&["tensor_parallel"], 1, RANKS)?.unwrap_or(1),
        context: fields.count(&["context_parallel"], 1, RANKS)?.unwrap_or(1),
        gather_at_save,
        master: plain.master,
        megatron: Megatron::default(),
    })
}
