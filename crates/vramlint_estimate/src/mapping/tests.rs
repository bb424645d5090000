use super::*;
use crate::models::Source;
use std::collections::BTreeMap;
use vramlint_base::{FileId, FileRange, TextRange, Value};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::Arch;
use vramlint_memory::setup::{Checkpointing, Dtype, Head, Optimizer, Quantization, Reference, Scheme, Targets, Task};
use vramlint_resolve::{Candidate, Origin, Resolved, Setting, SourceFile, SourceSet, Syntax};

const PLACE: FileRange = FileRange::new(FileId(0), TextRange::at(0));

pub(super) fn project() -> Project {
    let text = "";
    let file = SourceFile {
        id: FileId(0),
        path: "train.sh".into(),
        text: text.into(),
        tree: Syntax::Text.into(),
        decode_errors: Vec::new(),
        host: None,
        policy: 0,
        reported: true,
    };
    Project::new(SourceSet::new(vec![file], Vec::new(), Vec::new()))
}

pub(super) fn models() -> Models {
    let mut models = Models::default();
    for (id, parameters, dtype) in [("acme/one", 1_000_000_000, Dtype::Bf16), ("acme/seven", 7_000_000_000, Dtype::Bf16)] {
        models.insert(Model {
            id: id.into(),
            arch: Arch::from_parameters(parameters),
            source: Source::CommandLine,
            exact_parameters: None,
            dtype: Some(dtype),
            prequantized: None,
        });
    }
    models
}

pub(super) fn candidate(value: Value) -> Candidate {
    let origin = Origin::Flag { place: PLACE, flag: "--x".into() };
    Candidate { raw: value.to_string(), value: Resolved::Known(value), origin, condition: None, assumptions: Vec::new() }
}

pub(super) fn text(word: &str) -> Value {
    Value::Text(word.into())
}

pub(super) fn run(dialect: Dialect, task: &str, settings: &[(Concept, Value)]) -> Run {
    let set = |(concept, value): &(Concept, Value)| {
        (*concept, Setting { candidates: vec![candidate(value.clone())], winner: Some(0), precedence: None })
    };
    let usual = [
        (Concept::Model, text("acme/one")),
        (Concept::MicroBatch, Value::Int(4)),
        (Concept::GradientAccumulationSteps, Value::Int(2)),
        (Concept::WorldSize, Value::Int(1)),
        (Concept::SequenceLength, Value::Int(512)),
    ];
    let mut all: BTreeMap<Concept, Setting> = usual.iter().map(set).collect();
    all.extend(settings.iter().map(set));
    Run {
        id: "train.sh#1".into(),
        place: PLACE,
        launcher: Some(Launcher::Python),
        launch: None,
        dialect,
        task: Some(task.to_owned()).filter(|task| !task.is_empty()),
        entry: None,
        code: None,
        accelerate: None,
        deepspeed: None,
        files: Vec::new(),
        missing_files: Vec::new(),
        unsupported: None,
        settings: all,
        folder_model: None,
        unknown_reads: vramlint_resolve::run::UnknownReads::default(),
    }
}

pub(super) fn mapped(run: &Run) -> Mapped {
    map(&project(), run, &models()).unwrap_or_else(|why| panic!("{}", why.en))
}

pub(super) fn refused(run: &Run) -> String {
    map(&project(), run, &models()).expect_err("it is not known").en
}

#[test]
fn what_is_stated_is_taken_as_it_is() {
    let run = run(
        Dialect::HfTrainer,
        "sft",
        &[
            (Concept::WeightsDtype, text("fp16")),
            (Concept::GradientCheckpointing, Value::Bool(true)),
            (Concept::Optimizer, text("paged_adamw_8bit")),
            (Concept::Attention, text("flash_attention_2")),
            (Concept::DataloaderWorkers, Value::Int(3)),
        ],
    );
    let Mapped { setup, .. } = mapped(&run);
    assert_eq!((setup.micro_batch, setup.accumulation, setup.sequence_length), (4, 2, 512));
    assert_eq!((setup.weights, setup.autocast), (Dtype::Fp16, None));
    assert_eq!((setup.checkpointing, setup.optimizer), (Checkpointing::NonReentrant, Optimizer::PagedAdamW8bit));
    assert_eq!((setup.dataloader_workers, setup.parallel.scheme, setup.task), (3, Scheme::None, Task::CausalLm));
}

#[test]
fn what_is_missing_is_named() {
    let mut without = run(Dialect::HfTrainer, "sft", &[]);
    without.settings.remove(&Concept::MicroBatch);
    assert_eq!(refused(&without), "micro_batch is unknown");
    without.settings.remove(&Concept::Model);
    assert_eq!(refused(&without), "the project does not name the model; give it with `--set model=…`");
    let unknown = run(Dialect::HfTrainer, "sft", &[(Concept::Model, text("acme/secret"))]);
    assert!(refused(&unknown).starts_with("unknown model acme/secret"));
    assert_eq!(
        refused(&run(Dialect::LlamaFactory, "rm", &[(Concept::Freeze, text("none"))])),
        "do_train is not set: nothing is trained"
    );
    assert_eq!(refused(&run(Dialect::HfTrainer, "ppo", &[])), "estimates do not support task ppo");
}

#[test]
fn models_that_the_code_makes_have_the_shape_of_their_configuration() {
    let made = |first: (&str, &str), keys: &[(&str, i64)], vocabulary: Option<Value>| {
        let of_code = |(key, value): &(&str, i64)| (text(key), Value::Int(*value));
        let map = std::iter::once((text(first.0), text(first.1))).chain(keys.iter().map(of_code)).collect();
        let mut made = run(Dialect::HfTrainer, "sft", &[(Concept::ModelConfig, Value::Map(map))]);
        made.settings.remove(&Concept::Model);
        if let Some(size) = vocabulary {
            let winner = (size != Value::Null).then_some(0);
            made.settings.insert(Concept::VocabSize, Setting { candidates: vec![candidate(size)], winner, precedence: None });
        }
        made
    };
    let parameters = |run: &Run| mapped(run).model.arch.parameters();
    let small = [("n_embd", 384), ("n_layer", 6), ("n_head", 6)];
    // transformers 5.23.0: GPT2Config(n_embd=384, n_layer=6, n_head=6) has 50,257 × 384 + 1,024 × 384 + 6 × 1,774,464 + 768 parameters.
    assert_eq!(parameters(&made(("cls", "GPT2Config"), &small, None)), 30_339_456);
    assert_eq!(parameters(&made(("cls", "GPT2Config"), &small, Some(Value::Int(50_256)))), 30_339_456 - 384);
    assert_eq!(parameters(&made(("_name_or_path", "openai-community/gpt2"), &small, None)), 30_339_456);
    let open = mapped(&made(("cls", "GPT2Config"), &small, Some(Value::Null)));
    assert!(open.unverified.is_some() && open.model.arch.parameters() == 30_339_456);
    assert!(refused(&made(("cls", "LongformerConfig"), &[], None)).contains("whose family is not modelled"));
    assert!(refused(&made(("_name_or_path", "acme/secret"), &small, None)).starts_with("unknown model acme/secret"));
}

#[test]
fn sharding_over_unknown_processes_is_over_one_machine_between_one_process_and_many() {
    let mut sharded = run(Dialect::HfTrainer, "sft", &[(Concept::ZeroStage, Value::Int(3))]);
    let stated = crate::estimate_run(&project(), &sharded, &models()).expect("it is known");
    sharded.settings.remove(&Concept::WorldSize);
    let found = crate::estimate_run(&project(), &sharded, &models()).expect("it is known");
    assert_eq!((found.setup.parallel.world, found.world, found.is_well_supported()), (8, None, false));
    assert!(found.estimate.low < found.estimate.peak && stated.estimate.high <= found.estimate.high);
    assert!(found.assumptions.iter().any(|one| one.en.starts_with("the number of processes is unknown: assuming 8")));
}

#[test]
fn a_teacher_stays_beside_the_student() {
    let with = |settings: &[(Concept, Value)]| run(Dialect::Trl, "gkd", settings);
    assert!(refused(&with(&[])).starts_with("the teacher model is unknown; give it with `--set teacher_model=…`"));
    let found = mapped(&with(&[(Concept::TeacherModel, text("acme/seven")), (Concept::WeightsDtype, text("bf16"))]));
    let teacher = found.setup.teacher.expect("it has a teacher");
    assert_eq!((found.setup.task, teacher.label.as_str(), teacher.weights), (Task::Gkd, "acme/seven", Dtype::Bf16));
    let own = mapped(&run(Dialect::MsSwift, "gkd", &[]));
    assert!((own.setup.task, &own.setup.teacher) == (Task::Gkd, &None), "a student without a teacher is its own");
    let one_sided = [(Concept::TeacherModel, text("acme/seven")), (Concept::KlBeta, Value::Float(1.0))];
    assert_eq!(refused(&with(&one_sided)), "estimates support GKD only with a beta between 0 and 1");
}

#[test]
fn online_preferences_hold_a_reference_and_a_reward_model() {
    let settings = [
        (Concept::SequenceLength, Value::Int(512)),
        (Concept::MaxCompletionLength, Value::Int(64)),
        (Concept::RewardModel, text("acme/seven")),
    ];
    let setup = mapped(&run(Dialect::Trl, "online-dpo", &settings)).setup;
    assert_eq!((setup.task, setup.reference, setup.head), (Task::OnlineDpo, Reference::Copy, Head::FullLogits));
    assert_eq!((setup.prompt_length, setup.sequence_length), (448, 512));
    assert!(setup.residents.len() == 1 && setup.residents[0].scores);
    assert_eq!(setup.generation.map(|round| round.sequences), Some(2 * setup.micro_batch));
}

#[test]
fn modules_that_are_trained_as_a_whole_have_a_copy() {
    let adapters = |saved: &[&str]| {
        let names = Value::List(saved.iter().map(|name| text(name)).collect());
        let settings = [(Concept::Method, text("lora")), (Concept::LoraR, Value::Int(8)), (Concept::LoraModulesToSave, names)];
        crate::estimate_run(&project(), &run(Dialect::HfTrainer, "sft", &settings), &models()).expect("it is known")
    };
    let trainable = |saved: &[&str]| adapters(saved).estimate.trainable;
    let (none, embedding, head) = (trainable(&[]), trainable(&["embed_tokens"]), trainable(&["model.lm_head"]));
    assert!(embedding > none && embedding == head);
    assert_eq!(trainable(&["embed_tokens", "lm_head"]) - none, 2 * (head - none));
    let other = adapters(&["norm"]);
    assert!(other.estimate.trainable == none && !other.is_well_supported());
}

#[test]
fn ranks_of_a_sequence_share_what_is_sharded() {
    let sharded = [(Concept::ZeroStage, Value::Int(3)), (Concept::ContextParallelSize, Value::Int(4))];
    let parallel = mapped(&run(Dialect::HfTrainer, "sft", &sharded)).setup.parallel;
    assert_eq!((parallel.world, parallel.context), (4, 4));
    let whole = mapped(&run(Dialect::HfTrainer, "sft", &sharded[1..])).setup.parallel;
    assert_eq!((whole.world, whole.context), (1, 4));
}

#[test]
fn one_process_on_several_gpus_spreads_its_model_where_device_map_says_so() {
    let seen = (Concept::VisibleDevices, text("0,1,2,3"));
    let spread = [seen.clone(), (Concept::DeviceMap, text("auto"))];
    let gpus = |dialect, settings: &[_]| mapped(&run(dialect, "sft", settings)).setup.model_gpus;
    assert_eq!(gpus(Dialect::HfTrainer, &spread), 4);
    // ms-swift does so where nothing is said; a process for each GPU leaves nothing to spread over.
    assert_eq!(gpus(Dialect::MsSwift, std::slice::from_ref(&seen)), 4);
    assert_eq!(gpus(Dialect::MsSwift, &[seen.clone(), (Concept::WorldSize, Value::Int(4))]), 1);
    assert_eq!(gpus(Dialect::HfTrainer, std::slice::from_ref(&seen)), 1);
    let sequential = [seen.clone(), (Concept::DeviceMap, text("sequential"))];
    let pairs = [seen, (Concept::DeviceMap, text("auto")), (Concept::WorldSize, Value::Int(2))];
    for unsupported in [&sequential[..], &pairs] {
        let why = refused(&run(Dialect::HfTrainer, "sft", unsupported));
        assert!(why.starts_with("device_map spreads the model over"), "{why}");
    }
}

#[test]
fn preference_trainers_turn_dropout_off() {
    let adapters = [(Concept::Method, text("lora")), (Concept::LoraR, Value::Int(8)), (Concept::LoraDropout, Value::Float(0.05))];
    let drops = |off: bool| {
        let mut settings = adapters.to_vec();
        settings.push((Concept::DisableDropout, Value::Bool(off)));
        mapped(&run(Dialect::Trl, "dpo", &settings)).setup.lora.expect("it has adapters").dropout
    };
    assert_eq!((drops(true), drops(false)), (false, true));
}

#[test]
fn of_competing_values_the_heaviest_is_estimated_and_the_lightest_bounds_it() {
    let mut open = run(Dialect::Plain, "sft", &[]);
    let candidates = vec![candidate(Value::Int(1)), candidate(Value::Int(4))];
    open.settings.insert(Concept::MicroBatch, Setting { candidates, winner: None, precedence: None });
    let found = mapped(&open);
    assert_eq!((found.setup.micro_batch, found.lower.micro_batch), (4, 1));
    assert!(found.assumptions.iter().any(|one| one.en == "micro_batch may be 1 or 4: assuming 4, which needs the most memory"));

    let branch = Candidate { condition: Some("free < 8".into()), ..candidate(Value::Int(2)) };
    let candidates = vec![candidate(Value::Int(8)), branch];
    open.settings.insert(Concept::MicroBatch, Setting { candidates, winner: Some(0), precedence: None });
    let found = mapped(&open);
    assert_eq!((found.setup.micro_batch, found.lower.micro_batch), (8, 2));
}

#[test]
fn a_default_of_a_library_is_an_assumption_and_bounds_nothing() {
    let mut plain = run(Dialect::HfTrainer, "sft", &[]);
    let origin = Origin::Default { tool: "transformers", source: "transformers 5.23.0 training_args.py".into() };
    let candidates = vec![Candidate { origin, ..candidate(Value::Int(8)) }];
    plain.settings.insert(Concept::MicroBatch, Setting { candidates, winner: Some(0), precedence: None });
    let found = mapped(&plain);
    assert_eq!((found.setup.micro_batch, found.lower.micro_batch), (8, 1));
    assert!(found.assumptions.iter().any(|one| one.en == "micro_batch is not set: 8, the default of transformers 5.23.0"));
    assert_eq!(found.unverified, None);
}

#[test]
fn a_guess_raises_doubt() {
    let mut long = run(Dialect::HfTrainer, "sft", &[]);
    long.settings.remove(&Concept::SequenceLength);
    assert!(mapped(&long).unverified.is_some());
    let mut ranks = run(Dialect::HfTrainer, "sft", &[]);
    ranks.settings.remove(&Concept::WorldSize);
    assert!(mapped(&ranks).unverified.is_some());
}

#[test]
fn a_name_tells_a_family_or_a_size() {
    let named = |id: &str| mapped(&run(Dialect::HfTrainer, "sft", &[(Concept::Model, text(id))]));
    let derivative = named("acme/Qwen2.5-7B-medical");
    assert_eq!(derivative.model.source, Source::Derivative("Qwen/Qwen2.5-7B".into()));
    let said = "acme/Qwen2.5-7B-medical is taken for a model made from Qwen/Qwen2.5-7B, by its name";
    assert!(derivative.unverified.is_none() && derivative.assumptions.iter().any(|one| one.en == said));
    let copy = named("/data/Qwen2.5-7B");
    assert!(copy.assumptions.iter().any(|one| one.en == "/data/Qwen2.5-7B is taken for Qwen/Qwen2.5-7B, by its name"));
    let sized = named("acme/secret-2b");
    assert_eq!((sized.model.source, sized.unverified.is_some()), (Source::SizeInName(2_000_000_000), true));
    let slip = run(Dialect::HfTrainer, "sft", &[(Concept::Model, text("Qwen/Qwen3-1.8B"))]);
    assert!(refused(&slip).ends_with("did you mean Qwen/Qwen3-1.7B?"));
}

#[test]
fn precision_follows_the_library() {
    let bf16 = || (Concept::MixedPrecision, text("bf16"));
    let of = |dialect, settings: &[(Concept, Value)]| {
        let Mapped { setup, .. } = mapped(&run(dialect, "sft", settings));
        (setup.weights, setup.autocast)
    };
    // The type of the checkpoint stays.
    assert_eq!(of(Dialect::HfTrainer, &[bf16()]), (Dtype::Bf16, Some(Dtype::Bf16)));
    // What is trained under fp16 autocast must be fp32.
    assert_eq!(of(Dialect::Plain, &[(Concept::MixedPrecision, text("fp16"))]), (Dtype::Fp32, Some(Dtype::Fp16)));
    // torchtune computes in the type of its weights.
    assert_eq!(
        of(Dialect::Torchtune, &[bf16(), (Concept::WeightsDtype, text("bf16")), (Concept::Optimizer, text("AdamW"))]).1,
        None
    );
    // DeepSpeed's engine casts the model and runs without autocast.
    let zero = [bf16(), (Concept::ZeroStage, Value::Int(2)), (Concept::WorldSize, Value::Int(8))];
    assert_eq!(of(Dialect::HfTrainer, &zero), (Dtype::Bf16, None));
    // FSDP keeps fp32 shards under mixed precision.
    let fsdp = [bf16(), (Concept::DistributedType, text("FSDP")), (Concept::WorldSize, Value::Int(8))];
    assert_eq!(of(Dialect::HfTrainer, &fsdp), (Dtype::Fp32, Some(Dtype::Bf16)));
}

#[test]
fn adapters_and_quantization_come_together() {
    let qlora = [(Concept::Method, text("qlora")), (Concept::LoraR, Value::Int(32)), (Concept::LoraTargets, text("all-linear"))];
    let Mapped { setup, lower: least, .. } = mapped(&run(Dialect::Trl, "sft", &qlora));
    let lora = setup.lora.expect("adapters");
    assert_eq!((lora.r, lora.targets, lora.dtype), (32, Targets::AllLinear, Some(Dtype::Bf16)));
    assert_eq!(setup.quantization, Quantization::FourBit { double: true });
    assert_eq!(least.lora.map(|lora| (lora.r, lora.dropout)), Some((32, false)));
    let integer = run(Dialect::HfTrainer, "sft", &[(Concept::Quantization, text("int8"))]);
    assert_eq!(refused(&integer), "a quantized model cannot be trained without adapters");
}

#[test]
fn heads_and_references_follow_the_task() {
    let of = |dialect, task: &str, settings: &[(Concept, Value)]| {
        let Mapped { setup, .. } = mapped(&run(dialect, task, settings));
        (setup.head, setup.reference)
    };
    let lora = (Concept::Method, text("lora"));
    assert_eq!(of(Dialect::Trl, "sft", &[]), (Head::Fused, Reference::None));
    assert_eq!(of(Dialect::HfTrainer, "sft", &[]), (Head::FullLogits, Reference::None));
    assert_eq!(of(Dialect::Trl, "dpo", &[]).1, Reference::Copy);
    assert_eq!(of(Dialect::Trl, "dpo", std::slice::from_ref(&lora)).1, Reference::Adapter);
    assert_eq!(of(Dialect::Trl, "orpo", &[]).1, Reference::None);
    assert_eq!(of(Dialect::Trl, "reward", &[]).0, Head::FullLogits);
    assert_eq!(of(Dialect::Trl, "grpo", &[]).1, Reference::None);
    assert_eq!(of(Dialect::Trl, "rloo", &[lora]).1, Reference::Adapter);
}

#[test]
fn a_round_of_generation_holds_the_completions_of_its_steps() {
    let settings = [
        (Concept::MaxPromptLength, Value::Int(100)),
        (Concept::MaxCompletionLength, Value::Int(60)),
        (Concept::NumGenerations, Value::Int(8)),
    ];
    let found = mapped(&run(Dialect::Trl, "grpo", &settings));
    let round = found.setup.generation.expect("transformers generates");
    assert_eq!((round.sequences, round.prompt, round.completion), (8, 100, 60));
    assert_eq!((found.setup.sequence_length, found.setup.prompt_length, found.num_generations), (160, 100, Some(8)));
}

#[test]
fn ranks_of_one_machine_share_its_memory() {
    let settings =
        [(Concept::WorldSize, Value::Int(16)), (Concept::NumMachines, Value::Int(2)), (Concept::ZeroStage, Value::Int(3))];
    let Mapped { setup, .. } = mapped(&run(Dialect::HfTrainer, "sft", &settings));
    let parallel = setup.parallel;
    assert_eq!((parallel.scheme, parallel.world, parallel.local, parallel.overlap), (Scheme::Zero3, 16, 8, true));
}

#[test]
fn a_precision_that_is_set_to_an_unknown_value_is_within_the_bounds() {
    let mut open = run(Dialect::Plain, "sft", &[]);
    let candidates = vec![candidate(text("bf16")), candidate(text("no"))];
    open.settings.insert(Concept::MixedPrecision, Setting { candidates, winner: None, precedence: None });
    let found = mapped(&open);
    assert_eq!((found.setup.autocast, found.lower.autocast), (None, Some(Dtype::Bf16)));
    assert!(found.assumptions.iter().any(|one| one.en == "mixed_precision is unknown: assuming off"));
}
