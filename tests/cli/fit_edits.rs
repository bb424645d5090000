//! The edits of `fit`'s plans, by framework and form. Edits are offered only if the edited project gives the promised estimate, so a
//! plan with edits proves them.

use crate::run::Folder;
use serde_json::Value as Json;

/// The text of the edits of the first plan whose title holds `title`.
fn edits(folder: &Folder, words: &str, title: &str) -> Vec<String> {
    let found = folder.run(&format!("fit {words} --output-format json"));
    let json: Json = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{}", found.err));
    let plans = json["plans"].as_array().unwrap_or_else(|| panic!("{json}"));
    let titles: Vec<&str> = plans.iter().filter_map(|plan| plan["title"].as_str()).collect();
    let plan = plans.iter().find(|plan| plan["title"].as_str().is_some_and(|own| own.contains(title)));
    let plan = plan.unwrap_or_else(|| panic!("no plan holds {title}: {titles:?}"));
    plan["edits"].as_array().expect("a list").iter().map(|edit| edit["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ms_swift_shards_by_the_name_of_a_stage() {
    let command = "NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-4B --train_type full --torch_dtype bfloat16 \
        --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --max_length 1024 --dataset x.jsonl\n";
    let folder = Folder::new(&[("run.sh", command)]);
    let found = edits(&folder, "--gpu-memory 40GiB --keep seq,method,quant,optimizer", "ZeRO");
    assert!(found.iter().any(|text| text.contains("--deepspeed zero")), "{found:?}");
}

#[test]
fn llama_factory_quantizes_the_base_by_a_key() {
    let yaml = "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_rank: 8\nlora_target: all\n\
        dataset: x\ntemplate: qwen3\ncutoff_len: 512\noutput_dir: out\nper_device_train_batch_size: 1  # 每卡一条\n\
        gradient_accumulation_steps: 8\nlearning_rate: 1.0e-4\nnum_train_epochs: 3.0\nbf16: true\n";
    let folder = Folder::new(&[("sft.yaml", yaml), ("run.sh", "CUDA_VISIBLE_DEVICES=0 llamafactory-cli train sft.yaml\n")]);
    let found = edits(&folder, "--gpu-memory 12GiB --keep seq,rank", "4-bit");
    assert!(found.iter().any(|text| text.contains("quantization_bit: 4")), "{found:?}");
}

#[test]
fn an_optimizer_that_is_a_default_becomes_an_argument() {
    let train = "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n\
        model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B', dtype='float32')\n\
        args = TrainingArguments('out', per_device_train_batch_size=1, gradient_checkpointing=True, use_liger_kernel=True)\n\
        Trainer(model, args).train()\n";
    let folder = Folder::new(&[("train.py", train), ("run.sh", "python train.py\n")]);
    let found = edits(&folder, "--set sequence_length=512 --gpus 1 --gpu-memory 8GiB --keep seq,method,quant", "8-bit AdamW");
    assert!(found.iter().any(|text| text.contains("optim=\"")), "{found:?}");
}

#[test]
fn a_command_in_a_document_gets_its_variable_there() {
    let readme = "# 训练\n\n```bash\nswift sft --model Qwen/Qwen3-4B --train_type lora --torch_dtype bfloat16 \\\n    --per_device_train_batch_size 4 \
        --gradient_accumulation_steps 4 --max_length 4096 --dataset x.jsonl\n```\n";
    let folder = Folder::new(&[("README.md", readme)]);
    let found = folder.run("fit --gpu-memory 80GiB --gpus 1 --output-format json").out;
    let json: Json = serde_json::from_str(&found).expect("JSON");
    let peak = json["now"]["peak"].as_u64().expect("a number");
    let limit = format!("{}MiB", peak / 1_048_576);
    let found = edits(&folder, &format!("--gpu-memory {limit} --gpus 1"), "expandable_segments");
    assert!(found.iter().any(|text| text == "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"), "{found:?}");
}

#[test]
fn an_accumulation_that_code_computes_follows_the_micro_batch() {
    let train = "import argparse\nfrom transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n\
        parser = argparse.ArgumentParser()\nparser.add_argument('--batch_size', type=int, default=32)\n\
        parser.add_argument('--micro_batch_size', type=int, default=8)\nargs = parser.parse_args()\n\
        steps = args.batch_size // args.micro_batch_size\nmodel = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')\n\
        Trainer(model, TrainingArguments('out', per_device_train_batch_size=args.micro_batch_size, \
        gradient_accumulation_steps=steps, gradient_checkpointing=True)).train()\n";
    let folder = Folder::new(&[("train.py", train), ("run.sh", "python train.py\n")]);
    let found = edits(&folder, "--set sequence_length=512 --gpus 1 --gpu-memory 10GiB --keep seq,method,loss", "micro_batch");
    assert!(found.len() == 1 && found[0].parse::<u32>().is_ok_and(|rows| rows < 8), "{found:?}");
}

#[test]
fn a_script_gets_no_flag_that_it_does_not_take() {
    let train = "import argparse\nfrom transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n\
        parser = argparse.ArgumentParser()\nparser.add_argument('--rows', type=int, default=8)\nargs = parser.parse_args()\n\
        model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')\n\
        Trainer(model, TrainingArguments('out', per_device_train_batch_size=args.rows)).train()\n";
    let folder = Folder::new(&[("train.py", train), ("run.sh", "python train.py --rows 4\n")]);
    let found = folder.run("fit --set sequence_length=512 --gpus 1 --gpu-memory 10GiB --output-format json").out;
    let json: Json = serde_json::from_str(&found).expect("JSON");
    let inserted = json.to_string().matches("\"text\":\" --").count();
    assert_eq!(inserted, 0, "argparse rejects what it does not know: {json}");
}

#[test]
fn a_script_is_fitted_where_its_values_stand() {
    let yaml = "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_rank: 8\nlora_target: all\n\
        dataset: x\ntemplate: qwen3\ncutoff_len: 512\noutput_dir: out\nper_device_train_batch_size: 1\n\
        gradient_accumulation_steps: 8\nlearning_rate: 1.0e-4\nnum_train_epochs: 3.0\nbf16: true\n";
    let folder = Folder::new(&[("sft.yaml", yaml), ("run.sh", "CUDA_VISIBLE_DEVICES=0 llamafactory-cli train sft.yaml\n")]);
    let found = folder.run("fit run.sh --gpu-memory 12GiB --keep seq,rank --apply");
    assert_eq!(found.status, Some(0), "{}", found.err);
    assert!(folder.read("sft.yaml").contains("\nquantization_bit: 4\n"), "{}", folder.read("sft.yaml"));
}

#[test]
fn a_change_that_no_edit_makes_is_for_the_hand() {
    let train = "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n\
        model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B', dtype='bfloat16')\n\
        args = TrainingArguments('out', per_device_train_batch_size=1, gradient_checkpointing=True, optim='adamw_bnb_8bit')\n\
        Trainer(model, args).train()\n";
    let folder = Folder::new(&[("train.py", train), ("run.sh", "python train.py\n")]);
    let words = "fit --set sequence_length=512 --gpus 1 --gpu-memory 16GiB";
    let found = folder.run(words).out;
    assert!(found.contains("- by hand: train LoRA adapters of rank 16 instead of the full model\n"), "{found}");
    let chinese = folder.run(&format!("{words} --lang zh")).out;
    assert!(chinese.contains("- 需手动："), "{chinese}");
}

#[test]
fn adapters_are_written_by_the_keys_of_a_framework() {
    let of_llama_factory = "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\ndo_train: true\nfinetuning_type: full\ndataset: x\n\
        template: qwen3\ncutoff_len: 512\noutput_dir: out\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\n\
        learning_rate: 1.0e-5\nnum_train_epochs: 3.0\nbf16: true\n";
    let folder =
        Folder::new(&[("sft.yaml", of_llama_factory), ("run.sh", "CUDA_VISIBLE_DEVICES=0 llamafactory-cli train sft.yaml\n")]);
    let found = edits(&folder, "--gpu-memory 24GiB --keep seq", "LoRA adapters");
    for text in ["lora", "lora_rank: 16", "lora_target: all"] {
        assert!(found.iter().any(|edit| edit.contains(text)), "{text}: {found:?}");
    }
    let command = "CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen3-8B --train_type full --torch_dtype bfloat16 \
        --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --max_length 512 --dataset x.jsonl\n";
    let found = edits(&Folder::new(&[("run.sh", command)]), "--gpu-memory 24GiB --keep seq", "LoRA adapters");
    assert!(found.iter().any(|edit| edit == "lora") && found.iter().any(|edit| edit.contains(" --lora_rank 16")), "{found:?}");
}

#[test]
fn a_file_of_accelerate_offloads_by_its_device() {
    let config = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  offload_optimizer_device: none\n  \
        offload_param_device: none\n  zero_stage: 3\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 2\n";
    let train = "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n\
        args = SFTConfig('out', per_device_train_batch_size=1, gradient_checkpointing=True, bf16=True, max_length=512,\n\
        \x20               model_init_kwargs={'dtype': 'bfloat16'})\n\
        SFTTrainer('Qwen/Qwen3-4B', args=args, train_dataset=load_dataset('x', split='train')).train()\n";
    let folder = Folder::new(&[
        ("zero3.yaml", config),
        ("train.py", train),
        ("run.sh", "accelerate launch --config_file zero3.yaml train.py\n"),
    ]);
    let found = edits(&folder, "run.sh --gpu-memory 24GiB --keep optimizer,method,quant", "offload optimizer");
    assert!(found.iter().any(|edit| edit == "cpu"), "{found:?}");
}

#[test]
fn axolotl_quantizes_the_base_of_its_own_adapter() {
    let yaml = "base_model: Qwen/Qwen3-8B\ndatasets:\n  - path: tatsu-lab/alpaca\n    type: alpaca\nsequence_len: 1024\nsample_packing: true\n\
        adapter: \"lora\"\nlora_r: 16\nlora_alpha: 32\nlora_target_linear: true\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n\
        num_epochs: 1\noptimizer: adamw_torch_fused\nlearning_rate: 0.0002\nbf16: true\ngradient_checkpointing: true\noutput_dir: out\n";
    let folder = Folder::new(&[("a.yml", yaml), ("run.sh", "axolotl train a.yml\n")]);
    let found = folder.run("fit run.sh --gpus 1 --gpu-memory 12GiB --keep seq,rank --apply");
    assert_eq!(found.status, Some(0), "{}", found.err);
    let edited = folder.read("a.yml");
    assert!(edited.contains("adapter: \"qlora\"\n") && edited.contains("\nload_in_4bit: true\n"), "{edited}");
    let ignored = Folder::new(&[("a.yml", &format!("{yaml}load_in_4bit: true\n")), ("run.sh", "axolotl train a.yml\n")]);
    let estimate = ignored.run("estimate run.sh --gpus 1 --output-format json").out;
    let estimate: Json = serde_json::from_str(&estimate).expect("JSON");
    assert_eq!(estimate["setup"]["quantization"], "none", "{}", estimate["setup"]);
}
