//! What `vramlint estimate` reads from scripts: the setup that a small project of each kind amounts to.

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{DECODER, Folder, estimate, setup, tensors};
use serde_json::Value as Json;

/// A loop of its own over a model; `config` adapts it, `body` is the loop.
fn own_loop(load: &str, config: &str, body: &str) -> String {
    format!(
        "import torch\nfrom data import rows, tokenizer\nfrom torch.utils.data import DataLoader\n{load}\nmodel = model.cuda()\n{config}\n\
         rows = rows.map(lambda row: tokenizer(row, truncation=True, max_length=128))\n\
         optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\nfor batch in DataLoader(rows, batch_size=32):\n{body}"
    )
}

const BLOCKS: &str = "\
from data import raw
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained('MODEL')
tokenizer = AutoTokenizer.from_pretrained('MODEL')
block_size = SIZE


def group(rows):
    total = (len(rows['input_ids']) // block_size) * block_size
    return {key: [row[i : i + block_size] for i in range(0, total, block_size)] for key, row in rows.items()}


MAPPED
args = TrainingArguments('out', per_device_train_batch_size=4)
Trainer(model=model, args=args, train_dataset=data).train()
";

const MAPPED: &str = "data = raw.map(group, batched=True)";

fn blocks(model: &str, size: &str, mapped: &str) -> String {
    BLOCKS.replace("MODEL", model).replace("SIZE", size).replace("MAPPED", mapped)
}

#[test]
fn rows_that_are_cut_into_blocks_are_never_padded() {
    let found = estimate(&blocks("decoder", "256", MAPPED));
    assert_eq!((&found["setup"]["sequence_length"], &found["setup"]["padding_mask"]), (&256.into(), &false.into()));
    let open = found["open"].as_array().expect("a list");
    assert!(open.iter().all(|one| one["setting"] != "sequence_length"), "every row has this length: {open:?}");
}

#[test]
fn blocks_that_nobody_certainly_uses_leave_the_padding_open() {
    let unknown =
        blocks("decoder", "256", "import random\ndata = raw\nif random.random() > 0.5:\n    data = raw.map(group, batched=True)");
    assert_eq!(setup(&unknown)["padding_mask"], true);
}

#[test]
fn the_size_of_a_block_is_the_length_whatever_it_is_called() {
    let script = blocks("decoder", "192", MAPPED).replace("block_size", "piece");
    assert_eq!((&setup(&script)["sequence_length"], &setup(&script)["padding_mask"]), (&192.into(), &false.into()));
}

#[test]
fn a_block_of_unknown_length_has_the_learned_positions() {
    assert_eq!(setup(&blocks("gpt2", "min(tokenizer.model_max_length, 1 << 20)", MAPPED))["sequence_length"], 512);
}

const PAIRS: &str = "\
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained('bert')
rows = load_dataset('nyu-mll/glue', 'TASK')
rows = rows.map(lambda row: tokenizer(row['a'], row['b'], truncation=True, max_length=None))
loader = DataLoader(rows['train'], batch_size=16, collate_fn=lambda row: tokenizer.pad(row, padding='longest'))
model = AutoModelForSequenceClassification.from_pretrained('bert').cuda()
optimizer = AdamW(model.parameters(), lr=2e-5)
for batch in loader:
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

#[test]
fn the_rows_of_a_public_data_set_are_as_long_as_they_are() {
    let found = estimate(&PAIRS.replace("TASK", "mrpc"));
    assert_eq!(found["setup"]["sequence_length"], 103);
    let open = |found: &Json| {
        let settings = found["open"].as_array().into_iter().flatten();
        settings.filter(|one| one["setting"] == "sequence_length").map(|one| one["lightest"].clone()).next()
    };
    assert_eq!(open(&found), None, "every epoch has the longest row, which the same tokenizer counted");
    let other = estimate(&PAIRS.replace("TASK", "mrpc").replace("'bert'", "'gpt2'"));
    assert_eq!(open(&other), Some(75.into()), "another tokenizer counts otherwise");
    let of_tpu = "width = 128 if accelerator.distributed_type == DistributedType.XLA else None";
    let imports = format!("from accelerate import Accelerator, DistributedType\naccelerator = Accelerator()\n{of_tpu}\n");
    let padded = PAIRS.replace("TASK", "mrpc").replace("padding='longest'", "padding='longest', max_length=width");
    assert_eq!(setup(&format!("{imports}{padded}"))["sequence_length"], 103, "the width is that of a TPU");
    assert_eq!(setup(&PAIRS.replace("TASK", "unheard"))["sequence_length"], 512, "the positions of the model");
}

#[test]
fn the_length_in_the_call_of_a_tokenizer_is_followed_to_its_constant() {
    let script = "\
import argparse

from data import rows
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

LENGTHS = dict(text=384)
parser = argparse.ArgumentParser()
parser.add_argument('--max_length', type=int, default=320)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained('decoder')


def collate(batch):
    return tokenizer(batch, padding=True, truncation=True, max_length=LENGTH)


model = AutoModelForCausalLM.from_pretrained('decoder').cuda()
optimizer = AdamW(model.parameters(), lr=1e-5)
for batch in DataLoader(rows, batch_size=4, collate_fn=collate):
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    assert_eq!(setup(&script.replace("LENGTH)", "LENGTHS['text'])"))["sequence_length"], 384);
    assert_eq!(setup(&script.replace("LENGTH)", "args.max_length)"))["sequence_length"], 320);
}

const LOAD: &str = "from transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained('decoder')";
const STEP: &str = "    loss = model(**batch).loss\n    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n";

#[test]
fn methods_of_peft_have_an_estimate() {
    let adapted = |config: &str| {
        let code = format!("from peft import *\nmodel = get_peft_model(model, {config})");
        estimate(&own_loop(LOAD, &code, STEP))
    };
    let states = |estimate: &Json| estimate["gpu"]["parts"]["optimizer"].as_u64().unwrap_or_else(|| panic!("{estimate}"));
    let full = states(&estimate(&own_loop(LOAD, "", STEP)));
    for config in
        ["IA3Config(task_type='CAUSAL_LM')", "AdaLoraConfig(init_r=12, target_r=8)", "PromptTuningConfig(num_virtual_tokens=8)"]
    {
        let found = adapted(config);
        assert!(states(&found) < full / 10, "{config}");
    }
    assert_eq!(adapted("PromptTuningConfig(num_virtual_tokens=8)")["setup"]["sequence_length"], 136);
    assert_eq!(adapted("AdaLoraConfig(init_r=12, target_r=8)")["setup"]["lora_r"], 12);
    assert_eq!(adapted("HRAConfig()")["unknown"], "estimates do not support method hra");
}

#[test]
fn modules_that_are_saved_beside_adapters_are_trained_in_full() {
    let adapted = |saved: &str| {
        let code = format!("from peft import LoraConfig, get_peft_model\nmodel = get_peft_model(model, LoraConfig(r=8{saved}))");
        estimate(&own_loop(LOAD, &code, STEP))
    };
    let (plain, saving) = (adapted(""), adapted(", modules_to_save=['embed_tokens', 'lm_head']"));
    let copies = 2 * 32000 * 256;
    let trainable = |estimate: &Json| estimate["setup"]["trainable"].as_u64().expect("a number");
    assert_eq!(trainable(&saving) - trainable(&plain), copies);
    // A copy and two states each, in the type of the checkpoint.
    assert!(tensors(&saving) > tensors(&plain) + copies * 2 * 3);
}

#[test]
fn a_model_without_a_head_has_no_logits_of_a_vocabulary() {
    let load = "from transformers import AutoModel\nmodel = AutoModel.from_pretrained('bert')";
    let body = "    loss = rank(model(**batch))\n    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n";
    assert_eq!(setup(&own_loop(load, "from data import rank", body))["task"], "seq-cls");
}

#[test]
fn a_choice_has_four_rows_per_sample() {
    let load = "from transformers import AutoModelForMultipleChoice\nmodel = AutoModelForMultipleChoice.from_pretrained('bert')";
    let one = load.replace("MultipleChoice", "SequenceClassification");
    let (choices, classes) = (estimate(&own_loop(load, "", STEP)), estimate(&own_loop(&one, "", STEP)));
    assert_eq!(choices["setup"]["task"], "multiple-choice");
    let activations = |estimate: &Json| estimate["gpu"]["parts"]["activations"].as_u64().expect("bytes");
    assert!(activations(&choices) > 3 * activations(&classes), "{} {}", activations(&choices), activations(&classes));
}

#[test]
fn logits_with_a_name_live_until_the_next_forward_returns() {
    let named = "    logits = model(**batch).logits\n    loss = logits.mean()\n    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n";
    let unnamed =
        named.replace("logits = model(**batch).logits\n    loss = logits.mean()", "loss = model(**batch).logits.mean()");
    let (named, unnamed) = (estimate(&own_loop(LOAD, "", named)), estimate(&own_loop(LOAD, "", &unnamed)));
    assert!(tensors(&named) >= tensors(&unnamed) + 32 * 128 * 32000 * 2, "{} {}", tensors(&named), tensors(&unnamed));
    assert_eq!(setup(&own_loop(LOAD, "", STEP))["kept_outputs"], "none");
}

#[test]
fn gradients_that_are_freed_after_the_forward_lie_beside_it() {
    let late = "    loss = model(**batch).loss\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n";
    let (early, late) = (estimate(&own_loop(LOAD, "", STEP)), estimate(&own_loop(LOAD, "", late)));
    assert!(tensors(&late) > tensors(&early), "{} {}", tensors(&late), tensors(&early));
}

#[test]
fn a_model_that_gets_no_mask_sees_every_token() {
    let bare = "    loss = model(input_ids=batch['ids'], labels=batch['ids']).loss\n    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n";
    assert_eq!(setup(&own_loop(LOAD, "", bare))["padding_mask"], false);
    assert_eq!(setup(&own_loop(LOAD, "", STEP))["padding_mask"], true);
}

#[test]
fn the_implementation_of_the_optimizer_is_the_one_that_is_asked_for() {
    let asked = |words: &str| own_loop(LOAD, "", STEP).replace("lr=1e-4", &format!("lr=1e-4{words}"));
    assert_eq!(setup(&asked(""))["optimizer"], "adamw_torch");
    assert_eq!(setup(&asked(", fused=True"))["optimizer"], "adamw_torch_fused");
}

#[test]
fn a_divergence_that_is_not_understood_widens_the_upper_bound() {
    let teacher = "from data import weigh\nteacher = AutoModelForCausalLM.from_pretrained('gpt2').cuda()";
    let body = "    with torch.no_grad():\n        aim = teacher(**batch).logits\n    out = model(**batch)\n    loss = LOSS\n    loss.backward()\n    \
                optimizer.step()\n    optimizer.zero_grad()\n";
    let of = |loss: &str| estimate(&own_loop(LOAD, teacher, &body.replace("LOSS", loss)));
    let high = |estimate: &Json| estimate["high"].as_u64().unwrap_or_else(|| panic!("{estimate}"));
    let (plain, compared) = (of("out.loss"), of("torch.nn.functional.kl_div(weigh(out.logits), aim)"));
    assert!(high(&compared) >= high(&plain) + 4 * 32 * 128 * 32000 * 4, "{} {}", high(&plain), high(&compared));
}

#[test]
fn loops_of_their_own_give_embeddings_eight_bit_states() {
    let eight = |script: String| {
        script
            .replace("torch.optim.AdamW(", "bitsandbytes.optim.AdamW8bit(")
            .replace("import torch\n", "import bitsandbytes\nimport torch\n")
    };
    let own = estimate(&eight(own_loop(LOAD, "", STEP)));
    let states = own["gpu"]["parts"]["optimizer"].as_u64().expect("bytes");
    let parameters = own["setup"]["parameters"].as_u64().expect("a number");
    assert!(states < parameters * 9 / 4, "two states of a byte and their scales: {states} for {parameters}");
}

/// `FastLanguageModel` of Unsloth has a head, although classes of transformers whose names end so have none.
#[test]
fn a_model_of_another_library_has_a_head() {
    let script = "\
from data import rows
from transformers import Trainer, TrainingArguments
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained('decoder', max_seq_length=256)
model = FastLanguageModel.get_peft_model(model, r=16)
Trainer(model, TrainingArguments('out', per_device_train_batch_size=2, bf16=True), train_dataset=rows).train()
";
    assert_eq!(setup(script)["task"], "causal-lm");
}

const STEPS: &str = r#"
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("decoder").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
def step(batch):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        outputs = model(**batch)
    outputs.loss.backward()
    return outputs.loss.item()
for batch in DataLoader(rows, batch_size=2):
    step(batch)
    optimizer.step()
    optimizer.zero_grad()
"#;

/// A function that takes one step names the outputs until it returns; without accelerate they stay in the type of autocast.
#[test]
fn outputs_that_a_function_names_live_through_its_backward() {
    let setup = setup(STEPS);
    assert_eq!((&setup["kept_outputs"], &setup["outputs_to_fp32"]), (&Json::from("backward"), &Json::from(false)), "{setup}");
    let loss = STEPS.replace("outputs = model(**batch)", "loss = model(**batch).loss").replace("outputs.loss", "loss");
    assert_eq!(self::setup(&loss)["kept_outputs"], "none");
}

const ENCODED_PAIRS: &str = r#"
import torch
from torch.utils.data import DataLoader
from transformers import AutoModel
encoder = AutoModel.from_pretrained("bert").cuda()
optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-5)
def embed(texts):
    return encoder(**texts).last_hidden_state[:, 0]
for left, right in DataLoader(rows, batch_size=8):
    loss = (embed(left) @ embed(right).T).diagonal().sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

/// Both calls keep activations until the backward that follows them.
#[test]
fn every_forward_before_a_backward_counts() {
    assert_eq!(setup(ENCODED_PAIRS)["forward_calls"], 2);
    let parted = ENCODED_PAIRS
        .replace("    loss = (embed(left) @ embed(right).T)", "    embed(left).sum().backward()\n    loss = embed(right)");
    assert_eq!(setup(&parted)["forward_calls"], 1, "a backward between the calls frees what the first one kept");
    let frozen = ENCODED_PAIRS
        .replace("    loss = (embed(left)", "    with torch.no_grad():\n        fixed = embed(left)\n    loss = (fixed");
    assert_eq!(setup(&frozen)["forward_calls"], 1, "a call without gradients keeps nothing");
}

#[test]
fn experts_of_axolotl_may_be_in_four_bits() {
    const EXPERTS: &str = r#"{"model_type": "qwen3_moe", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 32000, "num_experts": 32,
 "num_experts_per_tok": 4, "moe_intermediate_size": 256, "torch_dtype": "bfloat16"}"#;
    let estimate = |keys: &str| {
        let config = format!(
            "base_model: experts\ndatasets:\n  - path: data.jsonl\n    type: alpaca\nadapter: qlora\nlora_r: 8\n\
             lora_target_modules: [q_proj, v_proj]\nsequence_len: 128\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n\
             gradient_checkpointing: true\nbf16: true\n{keys}"
        );
        let folder =
            Folder::new(&[("experts/config.json", EXPERTS), ("lora.yaml", &config), ("run.sh", "axolotl train lora.yaml\n")]);
        serde_json::from_str::<Json>(&folder.run("estimate run.sh --output-format json").out(0)).expect("JSON")
    };
    let plain = estimate("load_in_4bit: true\n");
    let packed = estimate("load_in_4bit: true\nquantize_moe_experts: true\n");
    assert_eq!(
        (&plain["setup"]["quantized_experts"], &packed["setup"]["quantized_experts"]),
        (&Json::Null, &Json::from("together"))
    );
    assert!(tensors(&packed) < tensors(&plain) * 2 / 3, "{} {}", tensors(&packed), tensors(&plain));
    let linear = estimate("load_in_4bit: true\nllama4_linearized_experts: true\n");
    assert_eq!(linear["setup"]["quantized_experts"], "one-by-one");
    let wide = estimate("load_in_8bit: true\nquantize_moe_experts: true\n");
    assert_eq!(wide[0]["unknown"], "estimates do not support experts in 8 bits");
}

/// Axolotl keeps the activations of adapted models on the host instead of checkpointing them.
#[test]
fn axolotls_word_for_checkpoints_on_the_host_is_followed() {
    let estimate = |word: &str| {
        let config = format!(
            "base_model: decoder\ndatasets:\n  - path: data.jsonl\n    type: alpaca\nadapter: lora\nlora_r: 8\n\
             lora_target_linear: true\nsequence_len: 2048\nmicro_batch_size: 4\nbf16: true\ngradient_checkpointing: {word}\n"
        );
        let folder =
            Folder::new(&[("decoder/config.json", DECODER), ("lora.yaml", &config), ("run.sh", "axolotl train lora.yaml\n")]);
        serde_json::from_str::<Json>(&folder.run("estimate run.sh --output-format json").out(0)).expect("JSON")
    };
    let (offloads, kept) = (estimate("offload"), estimate("false"));
    assert_eq!(offloads["setup"]["checkpoints_offloaded"], true, "{}", offloads["setup"]);
    assert!(tensors(&offloads) < tensors(&kept), "{} {}", tensors(&offloads), tensors(&kept));
}

/// Layers of BERT that share a name are told apart by what stands before it.
#[test]
fn the_end_of_a_path_names_one_of_several_layers() {
    let load = "from transformers import AutoModelForSequenceClassification\nmodel = AutoModelForSequenceClassification.from_pretrained('bert')";
    let trainable = |targets: &str| {
        let code = format!(
            "from peft import *\nmodel = get_peft_model(model, LoraConfig(task_type='SEQ_CLS', r=8, target_modules=[{targets}]))"
        );
        let found = estimate(&own_loop(load, &code, STEP));
        found["setup"]["trainable"].as_u64().unwrap_or_else(|| panic!("{found}"))
    };
    let (intermediate, pooler) = (4 * 8 * (256 + 512), 8 * (256 + 256));
    assert_eq!(trainable("'dense'"), trainable("'output.dense'") + intermediate + pooler);
}

/// As in `InternVL`: a word of the command is not known, and a function of the project puts a kernel in the place of attention.
const WITH_HIDDEN_WORD: &str = "\
import sys
from dataclasses import dataclass
from data import rows
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class Own:
    freeze: bool = False
    kernel: bool = False


def replace_qwen2_attn_with_flash_attn(model):
    for layer in model.model.layers:
        layer.self_attn.forward = kernel


parser = HfArgumentParser((Own, TrainingArguments))
if len(sys.argv) == 2 and sys.argv[1].endswith('.json'):
    own, args = parser.parse_json_file(json_file=sys.argv[1])
else:
    own, args = parser.parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained('decoder')
if own.freeze:
    for param in model.model.parameters():
        param.requires_grad = False
if own.kernel:
    replace_qwen2_attn_with_flash_attn(model)
Trainer(model=model, args=args, train_dataset=rows).train()
";

#[test]
fn a_hidden_word_leaves_the_least_number_of_words() {
    let found = |words: &str| {
        let launch = format!("python train.py --output_dir out {words} --max_steps $STEPS\n");
        let folder = Folder::new(&[("decoder/config.json", DECODER), ("run.sh", &launch), ("train.py", WITH_HIDDEN_WORD)]);
        let text = folder.run("estimate run.sh --output-format json").out(0);
        let found: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        found["setup"].clone()
    };
    let setup = found("--freeze False --kernel True");
    assert!(setup["trained"].is_null() && setup["lora"].is_null(), "{setup}");
    assert_eq!(setup["attention"], "flash");
    assert_eq!(found("--freeze False --kernel False")["attention"], "sdpa");
}

/// The scripts behind the commands of TRL, started as modules.
#[test]
fn a_module_of_trl_is_its_command() {
    let of = |program: &str| {
        let words = "--model_name_or_path decoder --dataset_name acme/chats --max_length 256 --dtype bfloat16 --output_dir out\n";
        let folder = Folder::new(&[("decoder/config.json", DECODER), ("run.sh", &format!("{program} {words}"))]);
        let text = folder.run("estimate run.sh --output-format json").out(0);
        let found: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        found["setup"].clone()
    };
    let module = of("python -m trl.scripts.sft");
    assert_eq!(
        (&module["head"], &module["gradient_checkpointing"], &module["micro_batch"]),
        (&"trl_fused".into(), &true.into(), &8.into())
    );
    assert_eq!(of("accelerate launch -m trl.scripts.dpo")["task"], "dpo");
    assert_eq!(of("trl sft"), module);
    assert_eq!(of("python ../trl/trl/scripts/sft.py"), module, "a checkout that the project does not hold");
    assert!(of("python scripts/sft.py").is_null(), "a script that nobody knows");
}

const MADE: &str = "\
from data import rows
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained('openai-community/gpt2')
config = LlamaConfig(vocab_size=len(tokenizer), hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4)
model = LlamaForCausalLM(config)
Trainer(model=model, args=TrainingArguments('out', per_device_train_batch_size=4), train_dataset=rows).train()
";

#[test]
fn a_new_model_has_the_vocabulary_of_the_only_tokenizer() {
    let found = estimate(MADE);
    let parameters = |found: &Json| found["setup"]["parameters"].as_u64().expect("a count");
    let said = |found: &Json| found["assumptions"].to_string().contains("assuming the vocabulary of openai-community/gpt2");
    assert!(said(&found), "{found}");
    let unknown = estimate(&MADE.replace("openai-community/gpt2", "acme/words"));
    assert!(!said(&unknown));
    assert_eq!(parameters(&found) - parameters(&unknown), (50257 - 32000) * 2 * 256);
}

#[test]
fn older_trainers_of_trl_have_their_losses() {
    let bco = "\
from data import rows
from transformers import AutoModelForCausalLM
from trl.experimental.bco import BCOConfig, BCOTrainer

model, ref_model = AutoModelForCausalLM.from_pretrained('decoder'), AutoModelForCausalLM.from_pretrained('decoder')
BCOTrainer(model, ref_model, args=BCOConfig('out', per_device_train_batch_size=4), train_dataset=rows).train()
";
    let found = setup(bco);
    assert_eq!((&found["task"], &found["reference_model"]), (&"bco".into(), &"same".into()));
    assert_eq!(found["sequence_length"], 1024);
    let prm = "\
from data import rows
from transformers import AutoModelForTokenClassification
from trl.experimental.prm import PRMConfig, PRMTrainer

model = AutoModelForTokenClassification.from_pretrained('decoder', num_labels=2)
PRMTrainer(model, args=PRMConfig('out', per_device_train_batch_size=4), train_dataset=rows).train()
";
    let found = setup(prm);
    assert_eq!((&found["task"], &found["sequence_length"]), (&"token-classification".into(), &1024.into()));
}
