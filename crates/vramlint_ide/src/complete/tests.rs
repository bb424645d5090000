use crate::fixture::Fixture;
use crate::{Completion, CompletionKind, completions, configuration_completions};
use vramlint_base::Lang;

fn all(text: &str) -> (Fixture, Vec<Completion>) {
    let fixture = Fixture::new(text);
    let found = completions(&fixture.report, fixture.file, fixture.offset, Lang::En);
    assert!(found.iter().zip(0..).all(|(one, rank)| one.rank == rank));
    (fixture, found)
}

fn labels(text: &str) -> Vec<String> {
    all(text).1.into_iter().map(|one| one.label).collect()
}

fn has(text: &str, label: &str) -> bool {
    labels(text).iter().any(|other| other == label)
}

/// The file with the cursor after a completion is accepted.
fn taken(text: &str, label: &str) -> String {
    let (fixture, found) = all(text);
    let one = found.iter().find(|one| one.label == label).unwrap_or_else(|| panic!("no {label}"));
    let mut out = fixture.text().to_owned();
    out.replace_range(one.replace.as_usize(), &one.text);
    out
}

fn detail(text: &str, label: &str) -> String {
    all(text).1.into_iter().find(|one| one.label == label).unwrap_or_else(|| panic!("no {label}")).detail
}

const HEAD: &str = "//- accelerate_config.yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n";

#[test]
fn keys_of_accelerate_that_are_not_set_yet() {
    let text = format!("{HEAD}num_pro$0\nmixed_precision: bf16\n");
    assert_eq!(labels(&text)[0], "num_processes");
    assert_eq!(
        taken(&text, "num_processes"),
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: \nmixed_precision: bf16\n"
    );
    let empty = format!("{HEAD}$0\nmixed_precision: bf16\n");
    let found = labels(&empty);
    for set in ["compute_environment", "distributed_type", "mixed_precision"] {
        assert!(!found.iter().any(|label| label == set), "{set}");
    }
    assert!(found.iter().any(|label| label == "fsdp_config") && !found.iter().any(|label| label == "fsdp_version"));
    // An existing colon is kept.
    assert!(taken(&format!("{HEAD}num_pro$0: 4\n"), "num_processes").ends_with("num_processes: 4\n"));
}

#[test]
fn keys_of_a_block_by_its_indentation() {
    let block = format!("{HEAD}fsdp_config:\r\n  fsdp_version: 2\r\n  # 分片\r\n  fsdp_$0\r\nnum_processes: 2\r\n");
    let found = labels(&block);
    assert!(found.iter().any(|label| label == "fsdp_offload_params"), "{found:?}");
    assert!(!found.iter().any(|label| label == "fsdp_version" || label == "num_machines"));
    assert!(taken(&block, "fsdp_offload_params").contains("\r\n  fsdp_offload_params: \r\n"));
}

#[test]
fn values_are_quoted_where_yaml_would_read_another() {
    assert!(
        taken("//- accelerate_config.yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: $0\nnum_processes: 1\n", "NO")
            .contains("distributed_type: 'NO'\n")
    );
    assert!(
        taken(
            "//- accelerate_config.yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: 'N$0'\nnum_processes: 1\n",
            "NO"
        )
        .contains("distributed_type: 'NO'\n")
    );
    assert!(
        taken(
            "//- accelerate_config.yaml\ncompute_environment: LOCAL_MACHINE\nnum_processes: 1\ndistributed_type: MUL$0\n",
            "MULTI_GPU"
        )
        .contains("distributed_type: MULTI_GPU\n")
    );
    assert_eq!(labels(&format!("{HEAD}use_cpu: $0\n")), ["false", "true"]);
}

#[test]
fn nothing_in_comments_texts_and_prose() {
    for text in [
        "# num_pro$0\n",
        "num_processes: 2 # num$0\n",
        "main_training_function: |\n  num$0\n",
        "some words num$0\n",
        "num_processes: 2 $0\n",
        "num_processes: '2'$0\n",
    ] {
        assert_eq!(labels(&format!("{HEAD}{text}")), [""; 0], "{text}");
    }
    assert_eq!(labels("//- README.md\nnum_pro$0\n"), [""; 0]);
    assert_eq!(labels("//- other.yaml\nname: x\nver$0\n"), [""; 0]);
}

#[test]
fn items_of_a_list_are_values_of_its_key() {
    let text = "//- train.yaml\nmodel_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 1\nlearning_rate: 0.1\nreport_to:\n  - wan$0\noutput_dir: o\n";
    assert_eq!(labels(text), ["wandb"]);
    assert!(taken(text, "wandb").contains("  - wandb\n"));
}

#[test]
fn the_pinned_version_decides() {
    let text = format!("{HEAD}t$0\n");
    assert!(!has(&text, "tp_config"), "removed in 1.7");
    assert!(has(&format!("{text}//- requirements.txt\naccelerate==1.5.0\n"), "tp_config"));
    assert!(!has(&format!("{text}//- requirements.txt\naccelerate==1.15.0\n"), "tp_config"));
    let unsure = format!("{text}//- requirements.txt\naccelerate>=1.5,<1.9\n");
    let one = all(&unsure).1.into_iter().find(|one| one.label == "tp_config").expect("in some versions");
    assert!(one.deprecated);
    let young = format!("{HEAD}para$0\n");
    assert!(has(&young, "parallelism_config"));
    assert!(!has(&format!("{young}//- requirements.txt\naccelerate==1.0.0\n"), "parallelism_config"), "not there yet");
}

#[test]
fn the_default_is_that_of_the_pinned_version() {
    let text = "//- train.py\nfrom transformers import TrainingArguments\nargs = TrainingArguments(output_dir=\"out\", opti$0)\n";
    let detail = |text: &str| all(text).1.into_iter().find(|one| one.label == "optim").expect("a field").detail;
    assert_eq!(detail(text), "str, default adamw_torch_fused");
    assert_eq!(detail(&format!("{text}//- requirements.txt\ntransformers==4.40.0\n")), "str, default adamw_torch");
}

#[test]
fn json_of_deepspeed_however_broken() {
    let at = |text: &str| format!("//- ds_config.json\n{text}");
    let start = "{\"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": {\"stage\": 2, ";
    let found = labels(&at(&format!("{start}$0}}, \"bf16\": {{\"enabled\": true}}}}")));
    assert!(found.iter().any(|label| label == "overlap_comm") && !found.iter().any(|label| label == "stage"), "{found:?}");
    // A quote that is open, one that the editor closed, and no quote.
    for (typed, after) in
        [("\"over$0", "\"overlap_comm\": "), ("\"over$0\"", "\"overlap_comm\": "), ("over$0", "\"overlap_comm\": ")]
    {
        assert_eq!(taken(&at(&format!("{start}{typed}")), "overlap_comm"), format!("{start}{after}"), "{typed}");
    }
    assert_eq!(taken(&at(&format!("{start}\"over$0\": true}}}}")), "overlap_comm"), format!("{start}\"overlap_comm\": true}}}}"));
    let root = labels(&at("{\"train_micro_batch_size_per_gpu\": 4,\n  \"$0\n  \"zero_optimization\": {\"stage\": 2}\n}"));
    assert!(root.iter().any(|label| label == "gradient_clipping") && !root.iter().any(|label| label == "zero_optimization"));
    assert_eq!(labels(&at(&format!("{start}\"overlap_comm\": $0}}}}"))), ["true", "false"]);
    let auto = at("{\"zero_optimization\": {\"stage\": 2}, \"gradient_accumulation_steps\": $0}");
    assert!(taken(&auto, "auto").contains("\"gradient_accumulation_steps\": \"auto\""));
    let device = at("{\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"$0\"}}}");
    assert!(taken(&device, "cpu").contains("\"device\": \"cpu\""));
    assert_eq!(labels(&at(&format!("{start}\"overlap_comm\": true $0}}}}"))), [""; 0]);
}

const IMPORTS: &str = "//- train.py\nfrom transformers import TrainingArguments, AutoModelForCausalLM, BitsAndBytesConfig\nfrom peft import LoraConfig\n# 训练\n";

#[test]
fn keywords_of_calls_however_broken() {
    let text = format!("{IMPORTS}args = TrainingArguments(output_dir='o', per_dev$0, bf16=True)\n");
    assert!(has(&text, "per_device_train_batch_size"));
    assert!(taken(&text, "per_device_train_batch_size").contains("'o', per_device_train_batch_size=, bf16=True)"));
    let open = format!("{IMPORTS}args = TrainingArguments(\n    output_dir='o',\n    $0\n\ndef f():\n    pass\n");
    let found = labels(&open);
    assert!(found.iter().any(|label| label == "bf16") && !found.iter().any(|label| label == "output_dir"));
    assert!(!has(&text, "bf16"), "given behind the cursor");
    assert!(has(&format!("{IMPORTS}c = LoraConfig(lora_$0"), "lora_alpha"));
    assert!(has(
        &format!("{IMPORTS}class Mine(TrainingArguments):\n    pass\na = Mine(gradient_$0)\n"),
        "gradient_checkpointing"
    ));
    assert!(has("//- t.py\na = SFTConfig(pack$0)\n", "packing"), "not imported yet");
    for text in [
        "print(per$0)\n",
        "x = per$0\n",
        "args = TrainingArguments(x.per$0)\n",
        "a = TrainingArguments(y='per$0')\n",
        "f('TrainingArguments(per$0')\n",
        "# TrainingArguments(per$0\n",
    ] {
        assert_eq!(labels(&format!("{IMPORTS}{text}")), [""; 0], "{text}");
    }
}

#[test]
fn values_of_keywords() {
    assert_eq!(labels(&format!("{IMPORTS}a = TrainingArguments(bf16=$0)\n")), ["False", "True"].map(str::to_lowercase));
    assert!(taken(&format!("{IMPORTS}a = TrainingArguments(bf16=$0)\n"), "true").contains("bf16=True)"));
    assert!(
        taken(&format!("{IMPORTS}a = TrainingArguments(optim=paged$0)\n"), "paged_adamw_8bit")
            .contains("optim=\"paged_adamw_8bit\")")
    );
    assert!(
        taken(&format!("{IMPORTS}a = TrainingArguments(optim='paged$0')\n"), "paged_adamw_8bit")
            .contains("optim='paged_adamw_8bit')")
    );
    let quantized = format!("{IMPORTS}q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=$0)\n");
    assert_eq!(labels(&quantized)[0], "torch.bfloat16");
    assert!(taken(&quantized, "torch.bfloat16").contains("dtype=torch.bfloat16)"));
    assert!(has(&format!("{IMPORTS}q = BitsAndBytesConfig(load_in_4bit=$0)\n"), "true"));
    assert!(
        taken(&format!("{IMPORTS}m = AutoModelForCausalLM.from_pretrained('x', attn_implementation=$0)\n"), "sdpa")
            .contains("=\"sdpa\")")
    );
    let model = format!("{IMPORTS}m = AutoModelForCausalLM.from_pretrained('qwen3-4b$0')\n");
    assert_eq!(all(&model).1[0].kind, CompletionKind::Model);
    assert!(taken(&model, "Qwen/Qwen3-4B").contains("from_pretrained('Qwen/Qwen3-4B')"));
    let file = format!(
        "{IMPORTS}a = TrainingArguments(deepspeed='$0')\n//- configs/ds.json\n{{\"zero_optimization\": {{\"stage\": 2}}}}\n"
    );
    assert!(taken(&file, "configs/ds.json").contains("deepspeed='configs/ds.json'"));
}

#[test]
fn flags_of_launchers_and_of_scripts() {
    let at = |text: &str| format!("//- run.sh\n# 启动\n{text}\n");
    let script = "//- train.py\nfrom transformers import HfArgumentParser, TrainingArguments, Trainer\n(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\nTrainer(args=args).train()\n//- run2.sh\npython train.py\n//- acc.yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nnum_processes: 1\n";
    let flags = at("accelerate launch --multi_gpu \\\n  --num_$0 train.py");
    assert!(taken(&flags, "--num_processes").contains("  --num_processes  train.py"));
    assert!(!has(&at("accelerate launch --num_processes 2 --num_$0"), "--num_processes"));
    assert!(has(&at("CUDA_VISIBLE_DEVICES=0 nohup torchrun --$0"), "--nproc_per_node"));
    assert!(has(&at("deepspeed --$0"), "--num_gpus"));
    let values = labels(&at("accelerate launch --mixed_precision $0"));
    assert!(values.iter().any(|label| label == "bf16"), "{values:?}");
    assert!(has(&at("accelerate launch --mixed_precision=b$0"), "bf16"));
    let file = format!("{}{script}", at("accelerate launch --config_file $0"));
    assert_eq!(labels(&file), ["acc.yaml"]);
    let program = format!("{}{script}", at("accelerate launch tr$0"));
    assert_eq!(labels(&program), ["train.py"]);
    let own = format!("{}{script}", at("accelerate launch --num_processes 2 train.py --per_device_$0"));
    assert!(has(&own, "--per_device_train_batch_size"));
    let optim = format!("{}{script}", at("accelerate launch train.py --bf16 true --optim $0"));
    assert!(has(&optim, "adamw_torch_fused"));
    assert!(has(&at("trl sft --model_name_or_path $0"), "Qwen/Qwen3-4B"));
    assert!(has(&at("llamafactory-cli train --finetuning_$0"), "--finetuning_type"));

    assert!(has(&at("if true; then srun -N 2 python -m torch.distributed.run --nproc$0"), "--nproc_per_node"));
    for text in [
        "# accelerate launch --num_$0",
        "ls --$0",
        "pip install deepspeed --$0",
        "swift build --$0",
        "accelerate launch train.py; ls --$0",
    ] {
        assert_eq!(labels(&at(text)), [""; 0], "{text}");
    }
}

#[test]
fn frameworks_and_their_models() {
    let yaml = "//- train.yaml\nmodel_name_or_path: Qwen/Qwen3-4B\nstage: sft\ndo_train: true\nfinetuning_type: lora\ntemplate: qwen\ndataset: alpaca\n$0\n//- run.sh\nllamafactory-cli train train.yaml\n";
    let found = labels(yaml);
    assert!(found.iter().any(|label| label == "cutoff_len") && !found.iter().any(|label| label == "stage"));
    let model = "//- train.yaml\nmodel_name_or_path: Qwen/Qwen3-4B$0\nstage: sft\ndo_train: true\nfinetuning_type: lora\ntemplate: qwen\ndataset: alpaca\n";
    assert!(has(model, "Qwen/Qwen3-4B"));
    assert!(has(
        "//- axolotl.yaml\nbase_model: NousResearch/Llama-2-7b-hf\nmicro_batch_size: 2\nadapter: lora\ndatasets:\n  - path: x\n    type: alpaca\nsequence_$0\n",
        "sequence_len"
    ));
}

/// Completions in a configuration, from its text alone.
fn configured(text: &str) -> (String, u32, Vec<Completion>) {
    let offset = text.find("$0").expect("a cursor") as u32;
    let text = text.replacen("$0", "", 1);
    let found = configuration_completions("vramlint.toml", &text, offset, Lang::En);
    (text, offset, found)
}

#[test]
fn the_configuration_of_vramlint() {
    assert_eq!(all("//- vramlint.toml\n[target]\ngpu = \"H200$0\"\n//- a.py\n\n").1[0].kind, CompletionKind::Gpu);
    let keys = labels("//- vramlint.toml\n[target]\ncount = 1\n$0\n//- a.py\n\n");
    assert!(keys.iter().any(|label| label == "gpu") && !keys.iter().any(|label| label == "count"));
    let has = |text: &str, label: &str| configured(text).2.iter().any(|one| one.label == label);
    assert!(has("[lint]\nlang = $0\n", "zh"));
    assert!(has("[lint]\nignore = [\"yaml-bool$0\n", "yaml-boolean-trap"));
    assert!(has("# 目标\n[tar$0\n", "target"));
    assert!(has("[versions]\ntransf$0\n", "transformers"));
    assert!(configured("[target]\n# gp$0\n").2.is_empty());
    let (mut text, _, found) = configured("[target]\ngpu = $0\n");
    let card = found.iter().find(|one| one.label == "GeForce RTX 4090").expect("a card");
    text.replace_range(card.replace.as_usize(), &card.text);
    assert_eq!(text, "[target]\ngpu = \"GeForce RTX 4090\"\n");
}

#[test]
fn rules_in_suppressions() {
    let text = format!("{HEAD}num_processes: 1 # vramlint: ignore[duplicate-key, yaml-$0\n");
    assert!(has(&text, "yaml-boolean-trap"));
    assert!(taken(&text, "yaml-boolean-trap").contains("ignore[duplicate-key, yaml-boolean-trap\n"));
    assert!(has("//- t.py\n# vramlint: $0\n", "ignore"));
    assert!(has(&format!("{HEAD}# vramlint: kind=$0\n"), "accelerate"));
    assert_eq!(labels(&format!("{HEAD}# vramlint: ignore[duplicate-key] reas$0\n")), [""; 0]);
}

#[test]
fn embedded_texts_are_completed_in_their_host() {
    let readme = "//- README.md\n# 说明\n> ```bash\n> accelerate launch --num_$0\n> ```\n";
    assert!(taken(readme, "--num_processes").contains("> accelerate launch --num_processes \n> ```"));
    let yaml = "//- README.md\n> ```yaml title=\"accelerate_config.yaml\"\n> compute_environment: LOCAL_MACHINE\n> distributed_type: MULTI_GPU\n> num_pro$0\n> ```\n";
    assert!(taken(yaml, "num_processes").contains("> num_processes: \n"));
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    assert!(
        taken(
            "//- accelerate_config.yaml\n\u{feff}compute_env$0\ndistributed_type: MULTI_GPU\nnum_processes: 2\n",
            "compute_environment"
        )
        .starts_with("\u{feff}compute_environment: \n")
    );
}

#[test]
fn both_languages() {
    let text = format!("{HEAD}num_pro$0\n");
    let fixture = Fixture::new(&text);
    let zh = completions(&fixture.report, fixture.file, fixture.offset, Lang::Zh);
    assert_eq!(detail(&text, "num_processes"), "int, default -1");
    let one = zh.iter().find(|one| one.label == "num_processes").expect("availability");
    assert_eq!(one.detail, "int，默认 -1");
    assert!(one.documentation.contains("出处：accelerate"));
}

/// The accepted text parses, and its value is the intended one.
#[test]
fn what_is_taken_is_read_as_it_was_meant() {
    use vramlint_syntax::data::Loader;
    use vramlint_syntax::yaml;
    let head = "compute_environment: LOCAL_MACHINE\nnum_processes: 1\n";
    for key in ["distributed_type", "mixed_precision", "downcast_bf16", "use_cpu", "rdzv_backend", "dynamo_backend"] {
        let fixture = Fixture::new(&format!("//- accelerate_config.yaml\n{head}{key}: $0\n"));
        for one in completions(&fixture.report, fixture.file, fixture.offset, Lang::Zh) {
            let mut text = fixture.text().to_owned();
            text.replace_range(one.replace.as_usize(), &one.text);
            let data = yaml::parse(&text);
            assert!(data.errors.is_empty(), "{text}");
            let value = data.root().and_then(|root| root.get(key)).and_then(|value| value.value(Loader::PyYaml));
            let value = value.expect("a value");
            let read = value.as_str().map_or_else(|| value.to_string().to_lowercase(), str::to_owned);
            assert_eq!(read, one.label, "{text}");
        }
    }
    let fixture = Fixture::new(&format!("//- accelerate_config.yaml\n{head}$0\n"));
    let found = completions(&fixture.report, fixture.file, fixture.offset, Lang::En);
    assert!(found.len() > 20);
    for one in found {
        let mut text = fixture.text().to_owned();
        text.replace_range(one.replace.as_usize(), &one.text);
        assert!(yaml::parse(&text).errors.is_empty(), "{text}");
    }
}

#[test]
fn dicts_of_deepspeed_in_code() {
    let at = |text: &str| format!("//- train.py\nimport deepspeed\n# 配置\n{text}");
    let block = at("ds = {\n    'train_batch_size': 8,\n    'zero_optimization': {'stage': 2, 'over$0'},\n}\n");
    assert!(taken(&block, "overlap_comm").contains("'stage': 2, 'overlap_comm': },"));
    assert!(has(&at("a = TrainingArguments(output_dir='o', deepspeed={\"zero$0"), "zero_optimization"));
    let value = at("ds = {\"train_batch_size\": 8, \"bf16\": {\"enabled\": $0}}\n");
    assert!(taken(&value, "true").contains("{\"enabled\": True}}"));
    for text in ["d = {'a': 1, 'zero$0'}\n", "d = {'train_batch_size': 8}\ne = {'zero$0'}\n", "s = {zero$0}\n"] {
        assert_eq!(labels(&at(text)), [""; 0], "{text}");
    }
}

#[test]
fn the_table_of_pyproject() {
    let at = |text: &str| {
        let offset = text.find("$0").expect("a cursor") as u32;
        let found = configuration_completions("pyproject.toml", &text.replacen("$0", "", 1), offset, Lang::En);
        found.into_iter().map(|one| one.label).collect::<Vec<_>>()
    };
    assert!(at("[tool.vramlint.target]\ng$0\n").contains(&"gpu".to_owned()));
    assert!(at("[tool.vram$0\n").contains(&"tool.vramlint.lint".to_owned()));
    assert!(at("[project]\ng$0\n").is_empty());
}
