//! The tools' own keys, with their values in canonical form.

use vramlint_base::Value;
use vramlint_catalog::Concept as C;
use vramlint_catalog::LibraryVersions;
use vramlint_catalog::dialect::{Confidence, Dialect as D, default_of, meaning};
use vramlint_catalog::frameworks::Accumulation;

fn int(number: i64) -> Value {
    Value::Int(number)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

const ON: Value = Value::Bool(true);
const OFF: Value = Value::Bool(false);
const NULL: Value = Value::Null;

#[track_caller]
fn check(dialect: D, path: &str, value: &Value, concept: C, expected: &Value) {
    let parts: Vec<_> = path.split('/').collect();
    let found = meaning(dialect, &parts, value).unwrap_or_else(|| panic!("{dialect:?} {path} {value:?} says nothing"));
    assert_eq!((found.concept, &found.value), (concept, expected), "{dialect:?} {path} {value:?}");
    assert_eq!((found.confidence, found.stage), (Confidence::Sure, None));
}

#[track_caller]
fn silent(dialect: D, path: &str, value: &Value) {
    let parts: Vec<_> = path.split('/').collect();
    assert_eq!(meaning(dialect, &parts, value), None, "{dialect:?} {path} {value:?}");
}

#[test]
fn transformers() {
    let d = D::HfTrainer;
    check(d, "per_device_train_batch_size", &int(4), C::MicroBatch, &int(4));
    check(d, "--per-device-train-batch-size", &int(4), C::MicroBatch, &int(4));
    check(d, "per_device_train_batch_size", &text("4"), C::MicroBatch, &text("4"));
    check(d, "gradient_accumulation_steps", &int(0), C::GradientAccumulationSteps, &int(0));
    check(d, "bf16", &ON, C::MixedPrecision, &text("bf16"));
    check(d, "fp16", &text("True"), C::MixedPrecision, &text("fp16"));
    silent(d, "bf16", &OFF);
    silent(d, "bf16", &NULL);
    silent(d, "max_steps", &int(-1));
    check(d, "max_steps", &int(100), C::MaxSteps, &int(100));
    check(d, "activation_checkpointing", &ON, C::GradientCheckpointing, &ON);
    check(d, "dtype", &text("torch.bfloat16"), C::WeightsDtype, &text("bf16"));
    check(d, "torch_dtype", &text("auto"), C::WeightsDtype, &text("auto"));
    check(d, "load_in_4bit", &ON, C::Quantization, &text("fp4"));
    check(d, "load_in_8bit", &ON, C::Quantization, &text("int8"));
    check(d, "r", &int(16), C::LoraR, &int(16));
    check(d, "per_device_eval_batch_size", &int(4), C::EvaluationBatch, &int(4));
    check(d, "learning_rate", &text("2e-5"), C::LearningRate, &text("2e-5"));
    for key in ["batch_size", "max_length", "num_generations", "bf16_full_eval", "optim_args"] {
        silent(d, key, &int(4));
    }
}

#[test]
fn trl() {
    let d = D::Trl;
    check(d, "num_generations", &int(4), C::NumGenerations, &int(4));
    check(d, "max_length", &NULL, C::SequenceLength, &NULL);
    check(d, "max_seq_length", &int(512), C::SequenceLength, &int(512));
    check(d, "load_in_4bit", &ON, C::Quantization, &text("nf4"));
    check(d, "use_peft", &OFF, C::Method, &text("full"));
    check(d, "model_init_kwargs/dtype", &text("bfloat16"), C::WeightsDtype, &text("bf16"));
    check(d, "per_device_train_batch_size", &int(2), C::MicroBatch, &int(2));
    silent(d, "num_generations_eval", &int(4));
}

#[test]
fn llama_factory() {
    let d = D::LlamaFactory;
    check(d, "cutoff_len", &int(2048), C::SequenceLength, &int(2048));
    check(d, "stage", &text("pt"), C::Task, &text("causal-lm"));
    check(d, "stage", &text("rm"), C::Task, &text("reward"));
    check(d, "finetuning_type", &text("lora"), C::Method, &text("lora"));
    check(d, "finetuning_type", &text("oft"), C::Method, &text("oft"));
    check(d, "quantization_bit", &int(4), C::Quantization, &text("nf4-double"));
    check(d, "quantization_bit", &int(8), C::Quantization, &text("int8"));
    check(d, "disable_gradient_checkpointing", &ON, C::GradientCheckpointing, &OFF);
    check(d, "disable_gradient_checkpointing", &OFF, C::GradientCheckpointing, &ON);
    check(d, "flash_attn", &text("fa2"), C::Attention, &text("flash_attention_2"));
    check(d, "flash_attn", &text("auto"), C::Attention, &text("auto"));
    check(d, "lora_target", &text("q_proj,v_proj"), C::LoraTargets, &text("q_proj,v_proj"));
    check(d, "bf16", &ON, C::MixedPrecision, &text("bf16"));
    silent(d, "preprocessing_num_workers", &int(16));
    silent(d, "r", &int(16));
}

#[test]
fn axolotl() {
    let d = D::Axolotl;
    check(d, "micro_batch_size", &int(2), C::MicroBatch, &int(2));
    check(d, "--micro-batch-size", &int(2), C::MicroBatch, &int(2));
    check(d, "adapter", &text("qlora"), C::Method, &text("qlora"));
    check(d, "adapter", &NULL, C::Method, &text("full"));
    check(d, "load_in_4bit", &ON, C::Quantization, &text("nf4-double"));
    check(d, "bf16", &text("auto"), C::MixedPrecision, &text("auto"));
    check(d, "gradient_checkpointing", &text("offload"), C::GradientCheckpointing, &ON);
    check(d, "lora_target_linear", &ON, C::LoraTargets, &text("all-linear"));
    check(d, "flash_attention", &ON, C::Attention, &text("flash_attention_2"));
    check(d, "trl/num_generations", &int(8), C::NumGenerations, &int(8));
    check(d, "rl", &text("grpo"), C::Task, &text("grpo"));
    silent(d, "batch_size", &int(8));
    silent(d, "eval_batch_size", &int(8));
    silent(d, "flash_attention", &OFF);
    silent(d, "eval_sample_packing", &ON);
}

#[test]
fn ms_swift_torchtune_openrlhf() {
    check(D::MsSwift, "model", &text("Qwen/Qwen3-8B"), C::Model, &text("Qwen/Qwen3-8B"));
    check(D::MsSwift, "train_type", &text("full"), C::Method, &text("full"));
    check(D::MsSwift, "deepspeed", &text("zero3_offload"), C::ZeroStage, &int(3));
    silent(D::MsSwift, "deepspeed", &text("configs/ds.json"));
    check(D::MsSwift, "attn_impl", &text("flash_attn"), C::Attention, &text("flash_attention_2"));
    check(D::MsSwift, "NPROC_PER_NODE", &int(8), C::NumProcesses, &int(8));
    check(D::Torchtune, "batch_size", &int(2), C::MicroBatch, &int(2));
    check(D::Torchtune, "optimizer/lr", &Value::Float(3e-4), C::LearningRate, &Value::Float(3e-4));
    check(D::Torchtune, "tokenizer/max_seq_len", &NULL, C::SequenceLength, &NULL);
    check(D::Torchtune, "model/_component_", &text("torchtune.models.llama3_1.qlora_llama3_1_8b"), C::Method, &text("qlora"));
    check(D::Torchtune, "model/_component_", &text("torchtune.models.llama3_1.llama3_1_8b"), C::Method, &text("full"));
    check(D::Torchtune, "dataset/packed", &OFF, C::Packing, &OFF);
    silent(D::Torchtune, "batch_size_val", &int(2));
    check(D::OpenRlhf, "--train.micro_batch_size", &int(8), C::MicroBatch, &int(8));
    check(D::OpenRlhf, "train/batch_size", &int(128), C::EffectiveBatch, &int(128));
    check(D::OpenRlhf, "--micro_train_batch_size", &int(8), C::MicroBatch, &int(8));
    check(D::OpenRlhf, "--ds.zero_stage", &int(3), C::ZeroStage, &int(3));
    silent(D::OpenRlhf, "--rollout.batch_size", &int(1024));
    silent(D::OpenRlhf, "--critic.adam.lr", &Value::Float(9e-6));
}

#[test]
fn unsloth_and_lightning() {
    check(D::Unsloth, "load_in_4bit", &OFF, C::Quantization, &text("none"));
    check(D::Unsloth, "use_gradient_checkpointing", &text("unsloth"), C::GradientCheckpointing, &ON);
    check(D::Unsloth, "max_seq_length", &int(2048), C::SequenceLength, &int(2048));
    check(D::Lightning, "precision", &text("bf16-mixed"), C::MixedPrecision, &text("bf16"));
    check(D::Lightning, "precision", &int(16), C::MixedPrecision, &text("fp16"));
    check(D::Lightning, "precision", &text("32-true"), C::MixedPrecision, &text("no"));
    check(D::Lightning, "devices", &Value::List(vec![int(0), int(1)]), C::NumProcesses, &int(2));
    check(D::Lightning, "devices", &int(-1), C::NumProcesses, &text("auto"));
    check(D::Lightning, "trainer/accumulate_grad_batches", &int(4), C::GradientAccumulationSteps, &int(4));
    check(D::Lightning, "strategy", &text("deepspeed_stage_3_offload"), C::ZeroStage, &int(3));
    silent(D::Lightning, "strategy", &text("ddp"));
    silent(D::Lightning, "max_epochs", &int(-1));
}

#[test]
fn accelerate_and_deepspeed() {
    let a = D::Accelerate;
    check(a, "distributed_type", &OFF, C::DistributedType, &text("NO"));
    check(a, "distributed_type", &text("MULTI_GPU"), C::DistributedType, &text("MULTI_GPU"));
    check(a, "num_processes", &text("2"), C::NumProcesses, &text("2"));
    check(a, "mixed_precision", &OFF, C::MixedPrecision, &text("no"));
    check(a, "mixed_precision", &text("BF16"), C::MixedPrecision, &text("bf16"));
    check(a, "mixed_precision", &text("fp32"), C::MixedPrecision, &text("fp32"));
    check(a, "deepspeed_config/zero_stage", &int(3), C::ZeroStage, &int(3));
    silent(a, "gradient_accumulation_steps", &int(4));
    silent(a, "mixed_precision", &NULL);
    let d = D::DeepSpeed;
    check(d, "train_micro_batch_size_per_gpu", &text("auto"), C::MicroBatch, &text("auto"));
    check(d, "train_batch_size", &int(64), C::EffectiveBatch, &int(64));
    check(d, "zero_optimization/stage", &int(2), C::ZeroStage, &int(2));
    check(d, "zero_optimization", &ON, C::ZeroStage, &int(1));
    silent(d, "zero_optimization", &Value::Map(vec![]));
    check(d, "zero_optimization/offload_optimizer/device", &text("cpu"), C::OffloadOptimizer, &text("cpu"));
    check(d, "zero_optimization/cpu_offload", &ON, C::OffloadOptimizer, &text("cpu"));
    silent(d, "zero_optimization/cpu_offload", &OFF);
    check(d, "bf16/enabled", &ON, C::MixedPrecision, &text("bf16"));
    check(d, "bf16/enabled", &text("auto"), C::MixedPrecision, &text("auto"));
    silent(d, "fp16/enabled", &OFF);
    check(d, "optimizer/params/lr", &Value::Float(1e-4), C::LearningRate, &Value::Float(1e-4));
    silent(d, "lr", &Value::Float(1e-4));
}

#[test]
fn defaults_by_tool_and_task() {
    let get = |dialect, concept, task| default_of(dialect, concept, task, &LibraryVersions::newest()).map(|(value, _)| value);
    for (dialect, concept, task, expected) in [
        (D::HfTrainer, C::MicroBatch, None, Some(int(8))),
        (D::HfTrainer, C::GradientCheckpointing, None, Some(OFF)),
        (D::HfTrainer, C::SequenceLength, None, None),
        (D::HfTrainer, C::WeightsDtype, None, None),
        (D::Trl, C::MicroBatch, Some("grpo"), Some(int(8))),
        (D::Trl, C::GradientCheckpointing, None, Some(ON)),
        (D::Trl, C::MixedPrecision, None, Some(text("bf16"))),
        (D::Trl, C::LearningRate, Some("sft"), Some(Value::Float(2e-5))),
        (D::Trl, C::LearningRate, Some("DPO"), Some(Value::Float(1e-6))),
        (D::Trl, C::LearningRate, Some("reward"), Some(Value::Float(1e-4))),
        (D::Trl, C::LearningRate, None, None),
        (D::Trl, C::SequenceLength, Some("grpo"), None),
        (D::Trl, C::SequenceLength, Some("sft"), Some(int(1024))),
        (D::Trl, C::NumGenerations, Some("grpo"), Some(int(8))),
        (D::Trl, C::NumGenerations, Some("rloo"), Some(int(2))),
        (D::Trl, C::NumGenerations, Some("sft"), None),
        (D::Trl, C::MaxCompletionLength, Some("grpo"), Some(int(512))),
        (D::LlamaFactory, C::SequenceLength, None, Some(int(2048))),
        (D::LlamaFactory, C::Method, None, Some(text("lora"))),
        (D::LlamaFactory, C::MicroBatch, None, Some(int(8))),
        (D::LlamaFactory, C::LoraAlpha, None, None),
        (D::Axolotl, C::MicroBatch, None, Some(int(1))),
        (D::Axolotl, C::LearningRate, None, None),
        (D::MsSwift, C::MicroBatch, None, Some(int(1))),
        (D::MsSwift, C::GradientAccumulationSteps, None, None),
        (D::Torchtune, C::MicroBatch, None, None),
        (D::Unsloth, C::Quantization, None, Some(text("nf4-double"))),
        (D::DeepSpeed, C::ZeroStage, None, Some(int(0))),
        (D::Accelerate, C::ZeroStage, None, Some(int(2))),
        (D::OpenRlhf, C::MicroBatch, Some("sft"), Some(int(8))),
        (D::OpenRlhf, C::MicroBatch, None, None),
    ] {
        assert_eq!(get(dialect, concept, task), expected, "{dialect:?} {concept:?} {task:?}");
    }
    for concept in C::ALL {
        assert_eq!(default_of(D::Plain, *concept, Some("sft"), &LibraryVersions::newest()), None);
    }
}

#[test]
fn batch_arithmetic_differs_where_the_tools_do() {
    assert!(D::Trl.batch.counts_completions && D::OpenRlhf.batch.counts_completions && !D::Plain.batch.counts_completions);
    assert_eq!(D::OpenRlhf.batch.whole, ["train.batch_size", "train_batch_size"]);
    assert_eq!(D::DeepSpeed.batch.whole, ["train_batch_size"]);
    assert_eq!(D::MsSwift.batch.accumulation, Accumulation::UpTo(16));
    for dialect in D::ALL {
        for key in dialect.batch.whole {
            let found = meaning(*dialect, &[key], &int(8)).map(|meaning| meaning.concept);
            assert_eq!(found, Some(C::EffectiveBatch), "{dialect:?} {key}");
        }
    }
}
