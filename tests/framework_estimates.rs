//! What `vramlint estimate` makes of runs of frameworks, and of what a script leaves to its reader.

#[allow(dead_code)] // the helpers of another test, of which this one needs a part
#[path = "cli/run.rs"]
mod run;

use run::Folder;
use serde_json::Value as Json;

/// The estimate of the only run that begins in this file.
fn estimate(file: &str, files: &[(&str, &str)]) -> Json {
    let folder = Folder::new(files);
    let text = folder.run(&format!("estimate {file} --output-format json")).out(0);
    let found: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match found.as_array().map(Vec::as_slice) {
        Some([one]) => one.clone(),
        Some(_) => panic!("one run: {text}"),
        None => found,
    }
}

fn says(estimate: &Json, words: &str) -> bool {
    estimate["assumptions"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one.as_str().is_some_and(|one| one.contains(words))))
}

const TRAINER: &str = "\
from dataclasses import dataclass, field
from typing import Optional

from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

from data import rows


@dataclass
class ModelArguments:
    model_name_or_path: Optional[str] = field(default='facebook/opt-125m')


parser = HfArgumentParser((ModelArguments, TrainingArguments))
model_args, training_args = parser.parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
Trainer(model=model, args=training_args, train_dataset=rows).train()
";

#[test]
fn comments_offer_the_values_of_a_variable_that_nothing_sets() {
    let script = |comments: &str| {
        format!(
            "{comments}python train.py --model_name_or_path ./models/$BASE --output_dir out --per_device_train_batch_size 2\n"
        )
    };
    let offered = script("# Uncomment one:\n# BASE=\"Llama-2-7b-hf\"\n# BASE=\"Llama-2-13b-hf\"\n");
    let found = estimate("run.sh", &[("run.sh", &offered), ("train.py", TRAINER)]);
    assert_eq!(found["setup"]["model"], "./models/Llama-2-13b-hf");
    assert!(says(&found, "its comments offer Llama-2-13b-hf, Llama-2-7b-hf") && says(&found, "one of 2"));
    for other in ["", "# BASE=\"secret\"\n", "# BASE=Llama-2-7b-hf\nBASE=$(pick)\n"] {
        let found = estimate("run.sh", &[("run.sh", &script(other)), ("train.py", TRAINER)]);
        assert!(found["setup"].is_null(), "{other}: {found}");
    }
}

const JOINT: &str = "\
import torch
from transformers import AutoModelForCausalLM, CLIPVisionModel, Trainer, TrainingArguments

from data import rows


class Seer(torch.nn.Module):
    def __init__(self, eyes, language):
        super().__init__()
        self.eyes = eyes
        self.language = language


eyes = CLIPVisionModel.from_pretrained('./InternViT-300M-448px')
language = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B')
model = Seer(eyes, language)
Trainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=1), train_dataset=rows).train()
";

#[test]
fn a_model_that_sees_and_one_that_reads_are_one_model() {
    let found = estimate("run.sh", &[("run.sh", "python train.py\n"), ("train.py", JOINT)]);
    assert_eq!(found["setup"]["parameters"], 494_032_768 + 300_000_000);
    assert_eq!(found["setup"]["trainable"], found["setup"]["parameters"]);
    assert!(says(&found, "are trained as one model"), "{found}");
    let two = JOINT.replace("CLIPVisionModel", "AutoModelForSeq2SeqLM");
    let found = estimate("run.sh", &[("run.sh", "python train.py\n"), ("train.py", &two)]);
    assert!(found["setup"].is_null());
}

#[test]
fn micro_batches_filled_by_tokens_are_one_row() {
    let command = |more: &str| {
        format!(
            "python3 -m openrlhf.cli.train_ppo_ray --actor.num_nodes 1 --actor.num_gpus_per_node 8 --train.batch_size 128 \
             --actor.model_name_or_path Qwen/Qwen3-4B --ds.zero_stage 3 --ds.packing_samples --train.dynamic_batch_enable {more}\n"
        )
    };
    let of = |more: &str| estimate("run.sh", &[("run.sh", &command(more))])["setup"].clone();
    let setup = of("--train.max_tokens_per_gpu 8192 --data.max_len 2048");
    assert_eq!((&setup["micro_batch"], &setup["sequence_length"]), (&Json::from(1), &Json::from(8192)));
    // A longer row is not cut.
    assert_eq!(of("--train.max_tokens_per_gpu 8192 --data.max_len 20000")["sequence_length"], 20_000);
    assert_eq!(of("--data.max_len 2048")["sequence_length"], 16_192);
}

#[test]
fn settings_of_a_model_of_images_are_no_text_model() {
    let config = "DATA:\n  BATCH_SIZE: 16\nMODEL:\n  DROP_PATH_RATE: 0.1\n  VIT:\n    PATCH_SIZE: 14\nTRAIN:\n  EPOCHS: 10\n  BASE_LR: 0.1\n";
    let folder = Folder::new(&[("configs/vit.yaml", config)]);
    let text = folder.run("runs --output-format json").out(0);
    assert!(text.contains("the settings are those of a model of images") || !text.contains("estimate_unknown"), "{text}");
}

fn llama_factory(keys: &str) -> Json {
    let config = format!(
        "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\ndo_train: true\ndataset: identity\ntemplate: qwen\ncutoff_len: 512\n\
         per_device_train_batch_size: 1\nbf16: true\n{keys}"
    );
    estimate("train.yaml", &[("train.yaml", &config)])
}

#[test]
fn rotations_count_as_adapters_of_about_as_many_parameters() {
    let found = llama_factory("finetuning_type: oft\noft_block_size: 32\n");
    assert_eq!(found["setup"]["lora_r"], 8);
    assert!(says(&found, "OFT in blocks of 32"), "{found}");
    assert!(llama_factory("finetuning_type: oft\noft_rank: 4\n")["setup"].is_null());
}

#[test]
fn badam_holds_the_states_of_one_block() {
    let trainable = |keys: &str| llama_factory(keys)["setup"]["trainable"].as_u64();
    let (all, block) = (trainable("finetuning_type: full\n"), trainable("finetuning_type: full\nuse_badam: true\n"));
    assert!(block.zip(all).is_some_and(|(block, all)| block < all / 20), "{block:?} of {all:?}");
    assert_eq!(trainable("finetuning_type: full\nuse_badam: true\nbadam_mode: ratio\n"), None);
}

/// The setup of a script that loads a model with unsloth, by the release in use.
fn by_unsloth(model: &str, releases: &str) -> Json {
    let script = format!(
        "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\nfrom unsloth import FastLanguageModel\n\n\
         model, tokenizer = FastLanguageModel.from_pretrained('{model}', max_seq_length=1024, load_in_4bit=True)\n\
         model = FastLanguageModel.get_peft_model(model, r=8)\nrows = load_dataset('x/y', split='train')\n\
         SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2), train_dataset=rows).train()\n"
    );
    let files = [("run.sh", "python train.py\n"), ("train.py", &script), ("requirements.txt", releases)];
    estimate("run.sh", &files)["setup"].clone()
}

#[test]
fn the_loss_of_unsloth_is_that_of_the_release_in_use() {
    let head = |releases: &str| by_unsloth("Qwen/Qwen2.5-0.5B", releases)["head"].clone();
    assert_eq!(head("unsloth\n"), "unsloth");
    assert_eq!(head("unsloth==2025.3.19\n"), "liger");
    assert_eq!(head("unsloth==2024.8\n"), "full_logits");
}

#[test]
fn kernels_of_unsloth_are_those_of_the_release_in_use() {
    let attention = |releases: &str| by_unsloth("openai/gpt-oss-20b", releases)["attention"].clone();
    assert_eq!(attention("unsloth\n"), "flash");
    assert_eq!(attention("unsloth==2025.8.4\n"), "sdpa");
    let experts = |releases: &str| by_unsloth("google/gemma-4-26B-A4B-it", releases)["quantized_experts"].clone();
    assert_eq!(experts("unsloth\n"), "together");
    assert_eq!(experts("unsloth==2026.4.4\n"), Json::Null);
}

#[test]
fn what_sees_may_be_trained_beside_adapters_of_the_language_model() {
    let trainable = |tuner: &str| {
        let script = format!(
            "swift sft --model Qwen/Qwen2.5-VL-7B-Instruct --tuner_type {tuner} --lora_rank 8 --max_length 2048 --dataset x\n"
        );
        estimate("run.sh", &[("run.sh", &script)])["setup"]["trainable"].as_u64().expect("an estimate")
    };
    // The tower and what joins it to the text: 8,292,166,656 parameters less those of the language model.
    assert_eq!(trainable("lora_llm") - trainable("lora"), 8_292_166_656 - 7_615_616_512);
}

#[test]
fn rows_of_public_data_end_before_the_cutoff() {
    let of = |more: &str| {
        let script = format!("swift sft --model Qwen/Qwen2.5-0.5B --tuner_type lora --dataset {more}\n");
        estimate("run.sh", &[("run.sh", &script)])
    };
    let named = "AI-ModelScope/alpaca-gpt4-data-zh#500 AI-ModelScope/alpaca-gpt4-data-en#500";
    let found = of(&format!("{named} --max_length 2048"));
    assert_eq!(found["setup"]["sequence_length"], 607);
    assert!(says(&found, "the longest of 500 rows of alpaca-gpt4-data-en has about 607 tokens"), "{found}");
    let few = of("AI-ModelScope/alpaca-cleaned#480 --max_length 2048");
    assert!(says(&few, "the longest of 480 rows of alpaca-cleaned has about 507 tokens"), "{few}");
    let cut = of("own.jsonl --max_length 2048");
    assert_eq!((&found["high"], &cut["setup"]["sequence_length"]), (&cut["high"], &2048.into()));
    for other in ["own.jsonl --max_length 2048", "--max_length 2048 --packing true", "--max_length 256"] {
        let other = format!("{named} {other}");
        assert!(of(&other)["setup"]["sequence_length"] != 607, "{other}");
    }
}

#[test]
fn the_reference_of_asft_stays() {
    let found = llama_factory("finetuning_type: full\nuse_asft_loss: true\n");
    assert_eq!(found["setup"]["residents"], serde_json::json!(["Qwen/Qwen2.5-0.5B"]));
    let (peak, high) = (found["gpu"]["peak"].as_u64(), found["high"].as_u64());
    assert!(peak < high);
}

#[test]
fn offloaded_activations_are_those_of_one_block() {
    let of = |keys: &str| {
        let config = format!(
            "base_model: Qwen/Qwen2.5-0.5B\ndatasets:\n  - path: x/y\n    type: alpaca\nadapter: lora\nlora_r: 8\nlora_target_linear: true\n\
             sequence_len: 8192\nmicro_batch_size: 4\nbf16: true\ngradient_checkpointing: {keys}\n"
        );
        estimate("train.yaml", &[("train.yaml", &config)])
    };
    let peak = |found: &Json| found["gpu"]["peak"].as_u64().expect("an estimate");
    let (kept, computed_again) = (of("false"), of("true"));
    let offloaded = of("true\nactivation_offloading: true");
    assert!(peak(&offloaded) <= peak(&computed_again) && peak(&computed_again) < peak(&kept));
    assert!(says(&offloaded, "activations are kept on the host"));
}

const MIXTRAL: &str = "\
base_model: mistralai/Mixtral-8x7B-v0.1
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_target_linear: true
datasets:
  - path: rows.jsonl
    type: alpaca
sequence_len: 1024
micro_batch_size: 1
optimizer: adamw_torch
bf16: true
";

/// Axolotl passes the names of linear layers to PEFT, which finds the experts only where it looks for layers itself.
#[test]
fn frameworks_that_list_linear_layers_adapt_no_packed_experts() {
    let layers = 32 * 32 * 2 * (2 * 4096 + 4096 + 1024);
    assert_eq!(estimate("mixtral.yml", &[("mixtral.yml", MIXTRAL)])["setup"]["trainable"], layers);
    let own = "\
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

from data import rows

model = AutoModelForCausalLM.from_pretrained('mistralai/Mixtral-8x7B-v0.1', dtype='bfloat16')
peft = LoraConfig(r=32, target_modules='all-linear')
SFTTrainer(model, args=SFTConfig('out', max_length=1024), train_dataset=rows, peft_config=peft).train()
";
    let found = estimate("train.py", &[("train.py", own)]);
    assert!(found["setup"]["trainable"].as_u64() > Some(20 * layers), "{}", found["setup"]);
}

#[test]
fn a_switch_that_names_the_optimizer_is_no_unsupported_value() {
    let file = "\
model_name_or_path: Qwen/Qwen2.5-0.5B
stage: sft
do_train: true
finetuning_type: full
use_apollo: true
dataset: rows
cutoff_len: 512
per_device_train_batch_size: 1
pure_bf16: true
";
    let found = estimate("train.yaml", &[("train.yaml", file)]);
    assert_eq!(found["setup"]["optimizer"], "apollo");
    assert!(!says(&found, "assuming AdamW"), "{}", found["assumptions"]);
}

#[test]
fn a_program_that_is_not_there_may_train_less() {
    let command = "torchrun --nproc_per_node 1 tools/train.py --model_name_or_path Qwen/Qwen2.5-0.5B \\\n  \
                   --per_device_train_batch_size 2 --max_length 512 --bf16 True --optim adamw_torch --gradient_checkpointing True\n";
    let found = estimate("run.sh", &[("run.sh", command)]);
    assert!(says(&found, "tools/train.py is not in the project"), "{}", found["assumptions"]);
    let there = estimate("run.sh", &[("run.sh", command), ("tools/train.py", TRAINER)]);
    assert!(!says(&there, "is not in the project"), "{}", there["assumptions"]);
    let leaves_open =
        |estimate: &Json| estimate["open"].as_array().is_some_and(|all| all.iter().any(|one| one["setting"] == "method"));
    assert!(leaves_open(&found) && !leaves_open(&there), "{} {}", found["open"], there["open"]);
}

/// `max_length` of ms-swift is that of the prompt in GRPO.
#[test]
fn prompts_of_public_data_have_known_lengths() {
    let command = |dataset: &str, more: &str| {
        format!(
            "swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-0.5B-Instruct --dataset {dataset} --tuner_type full \\\n  \
             --torch_dtype bfloat16 --per_device_train_batch_size 8 --num_generations 8 --max_completion_length 512{more}\n"
        )
    };
    let of = |dataset: &str, more: &str| estimate("run.sh", &[("run.sh", &command(dataset, more))]);
    let known = of("modelscope/gsm8k#1000", "");
    assert_eq!(known["setup"]["prompt_length"], 241);
    assert!(says(&known, "prompts of gsm8k have about 89 tokens, and 241 at most: assuming 241"), "{}", known["assumptions"]);
    assert_eq!(of("modelscope/gsm8k", " --max_length 128")["setup"]["prompt_length"], 128);
    let cut = of("rows.jsonl", " --max_length 128");
    assert!(says(&cut, "prompts are cut to 128 tokens"), "{}", cut["assumptions"]);
    assert_eq!(of("rows.jsonl", "")["setup"]["prompt_length"], 256);
}

/// The bounds allow for the cutoff.
#[test]
fn public_data_that_a_script_loads_ends_before_the_cutoff() {
    let script = |path: &str| {
        format!(
            "from datasets import load_dataset\nfrom trl import SFTConfig, SFTTrainer\n\n\
             rows = load_dataset('{path}', split='train')\n\
             args = SFTConfig('out', max_length=2048, per_device_train_batch_size=2)\n\
             SFTTrainer('Qwen/Qwen2.5-0.5B', args=args, train_dataset=rows).train()\n"
        )
    };
    let of = |path: &str| estimate("train.py", &[("train.py", &script(path))]);
    let known = of("yahma/alpaca-cleaned");
    assert_eq!(known["setup"]["sequence_length"], 1028);
    assert!(says(&known, "the longest row of alpaca-cleaned has about 1028 tokens"), "{}", known["assumptions"]);
    let few = |old: &str, new: &str| estimate("train.py", &[("train.py", &script("yahma/alpaca-cleaned").replace(old, new))]);
    let stopped = few("max_length=2048", "max_length=2048, max_steps=60, gradient_accumulation_steps=4");
    assert_eq!(stopped["setup"]["sequence_length"], 507);
    assert!(says(&stopped, "the longest of 480 rows of alpaca-cleaned has about 507 tokens"), "{}", stopped["assumptions"]);
    assert!(
        stopped["high"].as_u64() >= few("'yahma/alpaca-cleaned'", "'acme/rows'")["gpu"]["peak"].as_u64(),
        "{}",
        stopped["high"]
    );
    assert_eq!(few("split='train'", "split='train[:480]'")["setup"]["sequence_length"], 507);
    assert_eq!(few("split='train'", "split='train[:5%]'")["setup"]["sequence_length"], 1028);
    assert_eq!(few("max_length=2048", "max_length=2048, max_steps=-1")["setup"]["sequence_length"], 1028);
    let open = of("acme/rows");
    assert_eq!(open["setup"]["sequence_length"], 2048);
    assert!(known["high"].as_u64() >= open["gpu"]["peak"].as_u64(), "{} {}", known["high"], open["gpu"]["peak"]);
}

#[test]
fn patterns_of_axolotl_may_leave_only_a_part_trained() {
    let config = |patterns: &str, model: &str| {
        format!(
            "base_model: {model}\ndatasets:\n  - path: mhenrichsen/alpaca_2k_test\n    type: alpaca\nsequence_len: 2048\n\
             micro_batch_size: 1\ngradient_accumulation_steps: 1\noptimizer: adamw_torch_fused\nlearning_rate: 0.0001\nbf16: true\n\
             gradient_checkpointing: true\nunfrozen_parameters:\n{patterns}"
        )
    };
    let listed = "  - ^lm_head.weight$\n  - model.layers.2[0-3]+.mlp\n";
    let found = estimate("listed.yaml", &[("listed.yaml", &config(listed, "Qwen/Qwen2.5-0.5B"))]);
    assert!(found["unknown"].as_str().is_some_and(|why| why.starts_with("a part of the model is frozen")), "{found}");
    let language = "  - model.language_model.*\n  - lm_head.*\n";
    let found = estimate("vision.yaml", &[("vision.yaml", &config(language, "Qwen/Qwen2.5-VL-3B-Instruct"))]);
    assert!(found["gpu"]["peak"].is_u64(), "{found}");
    let folder = Folder::new(&[("listed.yaml", &config(listed, "Qwen/Qwen2.5-0.5B"))]);
    let text = folder.run("estimate listed.yaml --set method=full --output-format json").out(0);
    assert!(text.contains("\"peak\""), "{text}");
}
