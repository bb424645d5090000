//! Which floating-point types `vramlint estimate` reads from scripts, where an option, the GPU or a word decides.

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{estimate_of, setup};

/// Words for types in an option of bits mean no quantization.
#[test]
fn bits_may_be_words() {
    let script = "\
import argparse
import torch
from data import rows
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument('--bits', default='fp32')
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained('decoder', load_in_4bit=args.bits == 'nf4').cuda()
model = get_peft_model(model, LoraConfig(r=8))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in torch.utils.data.DataLoader(rows, batch_size=4):
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    let of = |bits: &str| estimate_of(&format!("python train.py --bits {bits}\n"), script)["setup"]["quantization"].clone();
    assert_eq!((of("bf16"), of("fp32")), ("none".into(), "none".into()));
}

/// Both types are in the code; the GPU decides, and recent ones compute in bf16.
#[test]
fn code_that_asks_the_gpu_gets_bf16() {
    let script = "\
import torch
from data import rows
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
half = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
model = AutoModelForCausalLM.from_pretrained('decoder', dtype=half)
args = TrainingArguments('out', per_device_train_batch_size=2, bf16=torch.cuda.is_bf16_supported(), fp16=not torch.cuda.is_bf16_supported())
Trainer(model, args, train_dataset=rows).train()
";
    let of = |script: &str| {
        let setup = setup(script);
        (setup["weights_dtype"].clone(), setup["mixed_precision"].clone())
    };
    assert_eq!(of(script), ("bf16".into(), "bf16".into()));
    let unknown = script
        .replace("torch.cuda.is_bf16_supported()", "ask()")
        .replace("import torch\n", "import torch\nfrom data import ask\n");
    assert_eq!(of(&unknown), ("fp16".into(), "no".into()), "who is asked is not known");
}

/// The code has a block for each precision, and an option takes one.
#[test]
fn an_option_names_one_of_several_precisions() {
    let script = "\
import argparse
import torch
from data import rows
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument('--amp', default='fp16')
args = parser.parse_args()
amp = {'fp16': torch.autocast('cuda', torch.float16), 'bf16': torch.autocast('cuda', torch.bfloat16)}[args.amp]
model = AutoModelForCausalLM.from_pretrained('decoder', dtype=torch.float32).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in torch.utils.data.DataLoader(rows, batch_size=4):
    with amp:
        loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    let of = |command: &str| estimate_of(command, script)["setup"]["mixed_precision"].clone();
    assert_eq!((of("python train.py --amp bf16\n"), of("python train.py --amp $AMP\n")), ("bf16".into(), "no".into()));
}

/// Types of torch know whether they are of floating-point numbers.
#[test]
fn a_type_for_storage_may_be_no_type_of_weights() {
    let script = "\
import argparse
import torch
from data import rows
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument('--storage', default='uint8')
storage = getattr(torch, parser.parse_args().storage)
half = storage if storage and storage.is_floating_point else torch.float32
model = AutoModelForCausalLM.from_pretrained('decoder', dtype=half).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in torch.utils.data.DataLoader(rows, batch_size=4):
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    let of = |command: &str| estimate_of(command, script)["setup"]["weights_dtype"].clone();
    assert_eq!((of("python train.py\n"), of("python train.py --storage bfloat16\n")), ("fp32".into(), "bf16".into()));
}

/// The loop of qlora.py: adapters in bf16, norms in fp32, embeddings and the head back in bf16.
#[test]
fn a_loop_over_the_modules_casts_them() {
    let script = "\
import argparse
import torch
from data import rows
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from peft.tuners.lora import LoraLayer
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument('--bf16', action='store_true')
options = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained('decoder', dtype=torch.bfloat16, quantization_config=BitsAndBytesConfig(load_in_4bit=True))
model = prepare_model_for_kbit_training(model)
model = get_peft_model(model, LoraConfig(r=8))
for name, module in model.named_modules():
    if isinstance(module, LoraLayer):
        if options.bf16:
            module = module.to(torch.bfloat16)
    if 'norm' in name:
        module = module.to(torch.float32)
    if 'lm_head' in name or 'embed_tokens' in name:
        if hasattr(module, 'weight'):
            if options.bf16 and module.weight.dtype == torch.float32:
                module = module.to(torch.bfloat16)
args = TrainingArguments('out', per_device_train_batch_size=2, bf16=options.bf16)
Trainer(model, args, train_dataset=rows).train()
";
    let of = |options: &str, script: &str| {
        let setup = estimate_of(&format!("python train.py {options}\n"), script)["setup"].clone();
        (setup["adapters_dtype"].clone(), setup["kbit_restored"].clone())
    };
    assert_eq!(of("--bf16", script), ("bf16".into(), true.into()));
    assert_eq!(of("", script), ("fp32".into(), false.into()));
    let others = script.replace("'lm_head' in name or 'embed_tokens' in name", "'lm_head' not in name");
    let others = others.replace("isinstance(module, LoraLayer)", "not isinstance(module, LoraLayer)");
    assert_eq!(of("--bf16", &others), ("fp32".into(), false.into()), "what a test leaves out is not what it names");
    let half = "            module = module.to(torch.bfloat16)\n    if 'norm'";
    let or_else = "            module = module.to(torch.bfloat16)\n        else:\n            module = module.to(torch.float32)\n    if 'norm'";
    assert!(script.contains(half));
    assert_eq!(of("--bf16", &script.replace(half, or_else)).0, "bf16", "the other branch is not taken");
}
