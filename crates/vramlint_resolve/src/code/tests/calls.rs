use super::*;
use std::fmt::Write as _;

/// The calls, one a line: path, arguments, and what else matters.
fn calls(pairs: &[(&str, &str)], entry: &str) -> String {
    let facts = facts_of(pairs, entry);
    let mut shown = String::new();
    for (i, call) in facts.calls.iter().enumerate() {
        let _ = write!(shown, "{i} {}", call.path);
        if let Some(receiver) = &call.receiver {
            let _ = write!(shown, " on {}", what(receiver));
        }
        for argument in &call.arguments {
            let name = argument.name.clone().unwrap_or_else(|| format!("#{}", argument.position.unwrap_or_default()));
            let _ = write!(shown, " {name}={}", values(&argument.values));
        }
        for argument in &call.assigned {
            let _ = write!(shown, " .{}={}", argument.name.as_deref().unwrap_or_default(), values(&argument.values));
        }
        for (word, holds) in [
            ("open", call.open),
            ("derived", call.is_subclass),
            ("conditional", call.conditional),
            ("caught", call.caught),
            ("loop", call.in_loop),
            ("uncalled", call.uncalled),
            ("no_grad", call.without_grad),
        ] {
            if holds {
                let _ = write!(shown, " [{word}]");
            }
        }
        shown.push('\n');
    }
    shown
}

fn values(values: &[PossibleValue]) -> String {
    let one = |value: &PossibleValue| {
        let mut text = what(&value.value);
        if value.may_be_overridden {
            text.push('~');
        }
        if let Some(condition) = &value.condition {
            let _ = write!(text, "?{condition}");
        }
        text
    };
    values.iter().map(one).collect::<Vec<_>>().join("|")
}

fn what(what: &ArgValue) -> String {
    match what {
        ArgValue::Known(value) => value.to_string(),
        ArgValue::Dict { entries, open } => {
            let entries: Vec<String> = entries.iter().map(|entry| format!("{}:{}", entry.key, values(&entry.values))).collect();
            format!("{{{}}}{}", entries.join(","), if *open { "…" } else { "" })
        }
        ArgValue::List(items) => format!("[{}]", values(items)),
        ArgValue::ResultOf(index) => format!("made{index}"),
        ArgValue::Model(index) => format!("model{index}"),
        ArgValue::Name(name) => name.clone(),
        ArgValue::Loaded(load, route) => format!("load{load}.{}", route.join(".")),
        ArgValue::Unknown => "_".to_string(),
    }
}

#[test]
fn values_are_linked() {
    let text = r#"
import torch
import transformers as hf
from transformers import BitsAndBytesConfig as BNB
from peft import LoraConfig, get_peft_model
bnb = BNB(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
model = hf.AutoModelForCausalLM.from_pretrained("a/b", quantization_config=bnb, max_memory={0: "10GB", "cpu": "30GB"})
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))
model.gradient_checkpointing_enable()
args = hf.TrainingArguments("out", **{"bf16": True})
args.fp16 = False
trainer = hf.Trainer(model, args=args, callbacks=[hf.EarlyStoppingCallback()])
trainer.train()
"#;
    let shown = calls(&[("a.py", text)], "a.py");
    let expected = "\
0 transformers.BitsAndBytesConfig load_in_4bit=True bnb_4bit_compute_dtype=torch.bfloat16
1 transformers.AutoModelForCausalLM.from_pretrained #0='a/b' quantization_config=made0 max_memory={0:'10GB','cpu':'30GB'}
2 peft.LoraConfig r=8 target_modules=['q_proj']
3 peft.get_peft_model #0=model0 #1=made2
4 transformers.AutoModelForCausalLM.gradient_checkpointing_enable on model0
5 transformers.TrainingArguments #0='out' bf16=True .fp16=False
6 transformers.EarlyStoppingCallback
7 transformers.Trainer #0=model0 args=made5 callbacks=[made6]
8 transformers.Trainer.train on made7
";
    assert_eq!(shown, expected);
}

#[test]
fn conditions_options_and_errors_are_kept() {
    let text = r#"
import argparse, os
from torch.utils.data import DataLoader
from accelerate import Accelerator
p = argparse.ArgumentParser()
p.add_argument("--workers", type=int, default=4)
o = p.parse_args()
size = 4
if os.environ.get("BIG"):
    size = 8
for i in range(3):
    loader = DataLoader([], size, num_workers=o.workers)
try:
    accelerator = Accelerator(mixed_precision="bf16")
except ValueError:
    accelerator = None
try:
    Accelerator(mixed_precision="fp8")
except ValueError:
    raise
"#;
    let shown = calls(&[("a.py", text)], "a.py");
    let expected = "\
0 torch.utils.data.DataLoader #0=[] #1=4|8?os.environ.get(\"BIG\") num_workers=4~ [loop]
1 accelerate.Accelerator mixed_precision='bf16' [caught]
2 accelerate.Accelerator mixed_precision='fp8'
";
    assert_eq!(shown, expected);
}

#[test]
fn code_without_callers_is_seen() {
    let text = r#"
import torch
from transformers import AutoModel, Trainer
class Mine(Trainer):
    def __init__(self, **kwargs):
        super().__init__(max_length=3, **kwargs)
class Bare(Trainer):
    pass
def train(model):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loss = model(1).sum()
    loss.backward(retain_graph=True)
    opt.step()
def other(name):
    with torch.no_grad():
        model = AutoModel.from_pretrained(name, dtype="bf16")
    return model.half()
Bare(model=None).train()
"#;
    let shown = calls(&[("a.py", text)], "a.py");
    let expected = "\
0 transformers.Trainer model=None [derived]
1 transformers.Trainer.train on made0 [derived]
2 transformers.Trainer max_length=3 [open] [derived] [uncalled]
3 torch.optim.AdamW #0=_ lr=0.001 [uncalled]
4 ?.backward retain_graph=True [uncalled]
5 torch.optim.AdamW.step on made3 [uncalled]
6 transformers.AutoModel.from_pretrained #0=_~ dtype='bf16' [uncalled] [no_grad]
7 transformers.AutoModel.half on model0 [uncalled]
";
    assert_eq!(shown, expected);
}
