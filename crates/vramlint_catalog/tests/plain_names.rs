//! Names that people choose, against the list that was collected from real projects.

use vramlint_base::Value;
use vramlint_catalog::Concept as C;
use vramlint_catalog::dialect::{Confidence, Dialect, Meaning, meaning};

fn int(number: i64) -> Value {
    Value::Int(number)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn on() -> Value {
    Value::Bool(true)
}

fn plain(name: &str, value: &Value) -> Option<Meaning> {
    let path: Vec<_> = name.split('/').collect();
    meaning(Dialect::Plain, &path, value)
}

#[track_caller]
fn means(names: &str, concept: C, value: &Value) {
    for name in names.split(", ") {
        let found = plain(name, value);
        assert_eq!(found.as_ref().map(|meaning| meaning.concept), Some(concept), "{name}: {found:?}");
        assert_eq!(found.map(|meaning| meaning.confidence), Some(Confidence::Guess), "{name}");
    }
}

#[track_caller]
fn says_nothing(names: &str, value: &Value) {
    for name in names.split(", ") {
        assert_eq!(plain(name, value), None, "{name}");
    }
}

/// Every spelling in the row "plain" of the dialects; `/` parts the keys of a path.
#[test]
fn every_collected_spelling_is_known() {
    means(
        "batch_size, BATCH_SIZE, train_batch_size, bs, mini_batch_size, micro_bs, batch_size_per_gpu, SFT_BATCH_SIZE, \
         GRPO_BATCH_SIZE, training.batch_size, train.batch_size, training/batch_size, train/batch_size",
        C::MicroBatch,
        &int(4),
    );
    means(
        "GRADIENT_ACCUMULATION_STEPS, accumulation_steps, accum_steps, grad_accum, grad_accum_steps, ga, gas, accumulate_steps, \
         update_freq, gradient_accumulation",
        C::GradientAccumulationSteps,
        &int(8),
    );
    means("num_gpus, n_gpus, NUM_GPUS, ngpus, gpus, num_processes, gpu_count", C::NumProcesses, &int(8));
    means("world_size", C::WorldSize, &int(8));
    means("epochs, NUM_EPOCHS, n_epochs", C::Epochs, &int(3));
    means("total_steps", C::MaxSteps, &int(1000));
    means(
        "max_length, MAX_LEN, max_len, max_seq_len, seq_len, seq_length, block_size, context_length, cutoff_len, SFT_MAXLEN, \
         data.loading.max_length, data/loading/max_length, model_max_length",
        C::SequenceLength,
        &int(2048),
    );
    means("use_packing, pack", C::Packing, &on());
    means("precision, mixed_precision", C::MixedPrecision, &text("bf16"));
    means("use_fp16, amp, use_amp, half, fp16", C::MixedPrecision, &on());
    means("torch_dtype, model_dtype, dtype", C::WeightsDtype, &text("bfloat16"));
    means("use_4bit, quantize, load_4bit, quantization, int8", C::Quantization, &on());
    means("bits", C::Quantization, &int(4));
    // `qlora` is a way to train: that it is quantized follows.
    means("use_lora, lora.enabled, peft, use_peft, is_lora, qlora", C::Method, &on());
    means("train_mode", C::Method, &text("lora"));
    means("LORA_R, LORA_RANK, lora_r, lora.r, lora/rank, peft_config/r", C::LoraR, &int(16));
    means("lora.alpha, LORA_ALPHA, lora/alpha", C::LoraAlpha, &int(32));
    means("optimizer, optim, OPTIMIZER", C::Optimizer, &text("adamw"));
    means("use_8bit_adam", C::Optimizer, &on());
    means("lr, LR, LEARNING_RATE", C::LearningRate, &Value::Float(2e-5));
    means(
        "gradient_checkpointing, use_checkpoint, grad_ckpt, activation_checkpointing, checkpointing",
        C::GradientCheckpointing,
        &on(),
    );
    means("use_flash_attention, flash_attn", C::Attention, &on());
    means("attn_impl", C::Attention, &text("sdpa"));
    means(
        "K_ROLLOUTS, num_rollouts, n_samples, group_size, rollouts_per_prompt, num_return_sequences, best_of, GRPO_K, grpo/k",
        C::NumGenerations,
        &int(4),
    );
    means(
        "MAX_NEW_TOKENS, MAX_NEW_TOKENS_TRAIN, max_new_tokens, max_gen_len, max_tokens, response_length",
        C::MaxCompletionLength,
        &int(128),
    );
    means("max_prompt_len", C::MaxPromptLength, &int(512));
    means("ref_model, reference_model, sft_model", C::ReferenceModel, &text("Qwen/Qwen2.5-7B"));
    means("RM, reward_model_path, rm_paths, judge_model", C::RewardModel, &text("Qwen/Qwen2.5-7B"));
    means("num_workers, NUM_WORKERS, n_workers", C::DataloaderWorkers, &int(4));
    means("zero_stage", C::ZeroStage, &int(2));
    means(
        "MODEL_NAME, model_name, model, model_id, MODEL_PATH, pretrained, llm.name, --model",
        C::Model,
        &text("Qwen/Qwen2.5-7B"),
    );
    means("gpu_id, gpu_ids", C::GpuIds, &text("0"));
}

/// Collected spellings that name no concept, or not one: each with the reason.
#[test]
fn collected_spellings_that_say_too_little() {
    // Prompts or completions: a factor of the group between them.
    says_nothing("rollout_batch_size", &int(4));
    // How much data, not what is held at once.
    says_nothing("tasks_per_domain, num_tasks, tasks_per_step, prompts_per_step", &int(4));
    // Anywhere but under GRPO.
    says_nothing("k, rank, r, alpha", &int(8));
    // A place, not a map of modules; sizes of kernels, seeds, shares of memory have no concept.
    says_nothing("device, DEVICE, compile, use_liger, torch_compile, max_memory", &text("cuda"));
    says_nothing("pin_memory, use_pin_memory, persistent_workers, compile, use_liger, torch_compile", &on());
    says_nothing("SEED, prefetch_factor", &int(42));
    says_nothing("gpu_memory_utilization, gpu_util, mem_fraction_static, lora.dropout", &Value::Float(0.5));
    says_nothing("ds_config, deepspeed_config", &text("ds.json"));
}

#[test]
fn the_names_of_other_projects_work() {
    means("learn_rate, learnRate, training/learning_rate, optimizer/lr, optim/lr, base_lr", C::LearningRate, &text("2e-5"));
    means("llm_name, model/llm_name, model/name, model_name_or_path, MODEL_ID, base_model, modelName", C::Model, &text("a/b"));
    means(
        "batchSize, BatchSize, batch-size, per_device_train_batch_size, MICRO_BATCH_SIZE, microBatchSize",
        C::MicroBatch,
        &int(2),
    );
    means("training/micro_batch_size, data/batch_size, hparams/batch_size, experiment/batch_size", C::MicroBatch, &int(2));
    means("maxSeqLen, MAX_SEQ_LENGTH, tokenizer/max_length, sft/max_length", C::SequenceLength, &int(1024));
    means("global_batch_size, effective_batch_size, TOTAL_BATCH_SIZE", C::EffectiveBatch, &int(256));
    means("numGPUs, nproc_per_node", C::NumProcesses, &int(8));
    means("max_train_steps, num_train_steps, train_steps, MAX_STEPS", C::MaxSteps, &int(100));
    means("num_train_epochs, trainEpochs", C::Epochs, &int(3));
    means("optimizer/name, optimizer/type", C::Optimizer, &text("adamw"));
    means("finetuning_type, tuning_type", C::Method, &text("lora"));
    means("nnodes, num_nodes", C::NumMachines, &int(2));
}

#[test]
fn numbers_may_be_left_to_others() {
    for word in ["auto", "${bs}", "{{ bs }}", "2e-5", "8"] {
        assert!(plain("learning_rate", &text(word)).is_some(), "{word}");
    }
}

#[test]
fn a_switch_of_quantization_says_when_it_is_off() {
    for name in ["is_quantized", "enable_quantization"] {
        assert_eq!(plain(name, &Value::Bool(false)).map(|found| found.value), Some(text("none")), "{name}");
        assert!(plain(name, &on()).is_none(), "{name} does not say how");
    }
}

#[test]
fn a_list_in_one_word_is_a_list() {
    let both = Value::List(vec![text("q_proj"), text("v_proj")]);
    for word in [r#"["q_proj", "v_proj"]"#, "['q_proj', 'v_proj']"] {
        assert_eq!(plain("lora_target_modules", &text(word)).map(|found| found.value), Some(both.clone()));
    }
    let pattern = text("[qv]_proj");
    assert_eq!(plain("lora_target_modules", &pattern).map(|found| found.value), Some(pattern));
}

#[test]
fn traps_say_nothing() {
    let number = int(8);
    says_nothing(
        "eval_batch_size, val_batch_size, test_batch_size, per_device_eval_batch_size, batch_size_val, preprocessing_batch_size, \
         max_batch_size, writer_batch_size, encode_batch_size, embed_batch_size, inference_batch_size, vllm_batch_size, \
         map_batch_size, EVAL_BATCH_SIZE, agent_batch_size, batch_size_multiplier, eval/batch_size, validation/batch_size, \
         preprocessing/batch_size, embedding/batch_size, milvus/batch_size, redis/batch_size, vllm/batch_size, zoo/batch_size, \
         data/preprocessing/batch_size, callbacks/x/batch_size",
        &number,
    );
    says_nothing("MAX_NEW_TOKENS_EVAL, eval_max_new_tokens, max_new_tokens_eval, generation_eval/max_new_tokens", &int(128));
    says_nothing(
        "save_steps, checkpoint_steps, eval_steps, logging_steps, warmup_steps, eval_accumulation_steps, max_grad_norm, local_rank, \
         process/rank, dist/rank, top_k, num_samples, preprocessing_num_workers, num_proc, max_checkpoints, save_total_limit, \
         sample_packing_group_size, gradient_accumulation_plugin, max_lr_steps, num_iterations, vocab_size, hidden_size, \
         image_size, max_position_embeddings, max_path_length, max_string_length, quantization/group_size_x, num_layers",
        &number,
    );
    says_nothing(
        "grad_accum_dtype, checkpoint, checkpoint_dir, resume_from_checkpoint, model_type, tokenizer_name, run_name, name",
        &text("x"),
    );
    says_nothing(
        "enable_checkpointing_callback, save_checkpoint, use_cache, do_eval, enable_checkpointing, trainer/enable_checkpointing, \
         is_quantized, is_bf16, is_peft",
        &on(),
    );
    // A table of names.
    says_nothing("zero_stage, micro_batch_size, learning_rate", &text("zero_optimization.stage"));
    says_nothing("scheduler/lr, lr_scheduler/learning_rate, discriminator/lr, teacher/model", &Value::Float(0.1));
    // What the tokenizer, a sub-model, a search or PPO's inner loop calls the same.
    says_nothing(
        "tokenizer/model, tokenizer_model, model/tokenizer/model, processor_cfg/model_path, action_head_cfg/model_name",
        &text("a/b"),
    );
    says_nothing(
        "ppo_epochs, training/grpo_epochs, epoch, overrides/batch_size, search_space/batch_size, method/num_rollouts",
        &int(4),
    );
    says_nothing("rollout/gpus, moe/high_noise/batch_size, sched/max_steps", &int(4));
    says_nothing("attention_type, train_mode", &text("window"));
    says_nothing("task", &text("summarization"));
    says_nothing("批大小, пакет", &number);
}

#[test]
fn stages_are_two_runs() {
    for (name, stage) in [
        ("SFT_BATCH_SIZE", Some("sft")),
        ("GRPO_BATCH_SIZE", Some("grpo")),
        ("dpo_batch_size", Some("dpo")),
        ("RM_BATCH_SIZE", Some("reward")),
        ("reward_batch_size", Some("reward")),
        ("batch_size_sft", Some("sft")),
        ("sft/batch_size", Some("sft")),
        ("grpo_config/batch_size", Some("grpo")),
        ("stages/ppo/batch_size", None),
        ("BATCH_SIZE", None),
        ("training/batch_size", None),
    ] {
        let found = plain(name, &int(4));
        if name.starts_with("stages") {
            assert_eq!(found, None, "an unknown block");
        } else {
            assert_eq!(found.map(|meaning| meaning.stage), Some(stage), "{name}");
        }
    }
    assert_eq!(plain("MAX_NEW_TOKENS_TRAIN", &int(96)).and_then(|meaning| meaning.stage), None);
    assert_eq!(plain("reward_model", &text("a/b")).and_then(|meaning| meaning.stage), None);
    assert_eq!(plain("SFT_MAXLEN", &int(896)).and_then(|meaning| meaning.stage), Some("sft"));
}

#[test]
fn values_must_fit() {
    for (name, value) in [
        ("batch_size", int(0)),
        ("batch_size", int(-1)),
        ("batch_size", int(100_000)),
        ("batch_size", Value::Float(0.5)),
        ("batch_size", on()),
        ("batch_size", Value::Null),
        ("batch_size", Value::List(vec![int(1)])),
        ("batch_size", Value::Map(vec![])),
        ("max_length", int(8)),
        ("lr", int(100)),
        ("lr", Value::Float(0.0)),
        ("lr", text("1e9")),
        ("model", Value::Map(vec![])),
        ("model", int(3)),
        ("model", text("")),
        ("optimizer", Value::Map(vec![])),
        ("fp16", Value::Bool(false)),
        ("checkpointing", text("outputs")),
        ("gradient_checkpointing", text("unsure")),
        ("max_steps", int(-1)),
        ("quantization_bits", int(1)),
        ("use_4bit", Value::Bool(false)),
    ] {
        assert_eq!(plain(name, &value), None, "{name}: {value:?}");
    }
}

#[test]
fn values_become_canonical() {
    for (name, value, expected) in [
        ("use_lora", Value::Bool(false), text("full")),
        ("use_lora", on(), text("lora")),
        ("fp16", on(), text("fp16")),
        ("dtype", text("torch.bfloat16"), text("bf16")),
        ("mixed_precision", text("fp32"), text("no")),
        ("mixed_precision", text("BF16"), text("bf16")),
        ("use_4bit", on(), text("nf4")),
        ("bits", int(8), text("int8")),
        ("quantization", text("4bit"), text("nf4")),
        ("use_flash_attention", on(), text("flash_attention_2")),
        ("use_8bit_adam", on(), text("adamw_8bit")),
        ("task", text("reward"), text("reward")),
        // Not numbers: the concept is known, its value is not.
        ("batch_size", text("1-2"), text("1-2")),
        ("batch_size", text("${BATCH}"), text("${BATCH}")),
        ("learning_rate", text("2e-5"), text("2e-5")),
    ] {
        assert_eq!(plain(name, &value).map(|meaning| meaning.value), Some(expected), "{name}: {value:?}");
    }
}

#[test]
fn odd_paths_do_no_harm() {
    assert_eq!(meaning(Dialect::Plain, &[], &int(1)), None);
    assert_eq!(meaning(Dialect::Plain, &[""], &int(1)), None);
    let dots = ".".repeat(5000);
    for name in ["...", ".batch_size", "batch_size.", "_._", "\u{feff}batch_size", dots.as_str(), "a\tb\nc"] {
        let _ = meaning(Dialect::Plain, &[name], &int(1));
    }
    let deep = vec!["train"; 200];
    assert_eq!(meaning(Dialect::Plain, &deep, &int(4)), None);
}
