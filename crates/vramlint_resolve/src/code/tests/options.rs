//! Command lines.

use super::*;

#[test]
fn argparse() {
    let text = source(
        r"
import argparse
from torch.utils.data import DataLoader
p = argparse.ArgumentParser()
g = p.add_argument_group('data')
g.add_argument('--batch-size', '-b', type=int, default=8)
g.add_argument('--workers', type=int, default='2')
p.add_argument('--size', type=int)
p.add_argument('--quiet', action='store_false')
p.add_argument('path')
p.set_defaults(batch_size=16)
a, rest = p.parse_known_args()
DataLoader(d, batch_size=a.batch_size, num_workers=a.workers)
DataLoader(d, batch_size=a.size)
DataLoader(d, batch_size=a.batch_size // 2)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 16 --batch_size a.py:10 call option=batch_size");
    has(&shown, "micro_batch ? size a.py:7 call option=size");
    // Half of an option is unknown: a launch may set another value.
    has(&shown, "micro_batch ? DataLoader(batch_size) a.py:14 call");
    has(&shown, "dataloader_num_workers 2 --workers a.py:6 call option=workers");
    has(&shown, "option --workers Some(Int(2)) switch=false");
    has(&shown, "option --quiet Some(Bool(true)) switch=true");
    has(&shown, "option path None switch=false");
}

#[test]
fn an_option_that_reaches_nothing_still_speaks_by_its_name() {
    let text = source(
        r"
import argparse
p = argparse.ArgumentParser()
p.add_argument('--batch_size', type=int, default=4)
p.add_argument('--eval_batch_size', type=int, default=40)
args = p.parse_args()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 4 --batch_size a.py:3 unread option=batch_size"]);
}

#[test]
fn click() {
    let text = source(
        r"
import click
from torch.utils.data import DataLoader

@click.command()
@click.option('--batch-size', '-b', default=9)
@click.option('--half/--no-half', default=False)
def main(batch_size, half):
    DataLoader(d, batch_size=batch_size)

if __name__ == '__main__':
    main()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 9 --batch_size a.py:5 call option=batch_size"]);
    has(&shown, "option --batch-size/-b Some(Int(9)) switch=false");
    has(&shown, "option --half/--no-half Some(Bool(false)) switch=true");
}

#[test]
fn typer() {
    let text = source(
        r"
import typer
from torch.utils.data import DataLoader
app = typer.Typer()

@app.command()
def main(batch_size: int = typer.Option(11, '--bs'), lr: float = 1e-4):
    DataLoader(d, batch_size=batch_size)

app()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 11 --batch_size a.py:6 call option=batch_size"]);
    has(&shown, "option --batch_size/--batch-size/--bs Some(Int(11)) switch=false");
    has(&shown, "learning_rate 0.0001 --lr a.py:6 unread option=lr");
}

#[test]
fn fire_classes_and_functions() {
    let text = source(
        r"
import fire
from torch.utils.data import DataLoader

class Job:
    def __init__(self, size=5):
        self.size = size
    def train(self, workers=3):
        DataLoader(d, batch_size=self.size, num_workers=workers)

fire.Fire(Job)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 5 --size a.py:5 call option=size");
    has(&shown, "dataloader_num_workers 3 workers a.py:7 call");
}

#[test]
fn dataclass_parsers() {
    let fields = source(
        r"
from dataclasses import dataclass, field
import transformers

@dataclass
class Model:
    model_name_or_path: str = field(default='acme/tiny')

@dataclass
class Args(transformers.TrainingArguments):
    optim: str = field(default='adamw_torch')
    model_max_length: int = field(default=512)

",
    );
    let train = source(
        r"
def train():
    parser = transformers.HfArgumentParser((Model, Args))
    m, t = parser.parse_args_into_dataclasses()
    model = transformers.AutoModelForCausalLM.from_pretrained(m.model_name_or_path)
    print(t.model_max_length)
    transformers.Trainer(model=model, args=t).train()

if __name__ == '__main__':
    train()
",
    );
    let text = format!("{fields}{train}");
    let shown = show(&[("a.py", &text)], "a.py");
    has(&shown, "model 'acme/tiny' --model_name_or_path a.py:6 call option=model_name_or_path");
    only(&shown, "optimizer", &["optimizer 'adamw_torch' --optim a.py:10 call option=optim"]);
    has(&shown, "option --model_max_length/--model-max-length Some(Int(512)) switch=false");
    let facts = facts_of(&[("a.py", &text)], "a.py");
    assert_eq!(facts.dialect, Some(Dialect::HfTrainer));
    assert_eq!(facts.argument_classes.len(), 1);
    assert_eq!(facts.argument_classes[0].name, "transformers.TrainingArguments");
    assert_eq!(facts.models[0].trained, Some(true));
}

#[test]
fn tyro_makes_options_of_fields() {
    let text = source(
        r"
import tyro
from dataclasses import dataclass
from torch.utils.data import DataLoader

@dataclass
class Plan:
    batch_size: int = 13

plan = tyro.cli(Plan)
DataLoader(d, batch_size=plan.batch_size)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 13 --batch_size a.py:7 call option=batch_size"]);
}

#[test]
fn options_as_keywords() {
    let text = source(
        r"
import argparse
from dataclasses import dataclass
from torch.utils.data import DataLoader

@dataclass
class Plan:
    batch_size: int = 1

p = argparse.ArgumentParser()
p.add_argument('--batch_size', type=int, default=3)
plan = Plan(**vars(p.parse_args()))
DataLoader(d, batch_size=plan.batch_size)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 3 --batch_size a.py:10 call option=batch_size");
}

#[test]
fn globals_that_a_configurator_overrides() {
    let text = source(
        r"
import torch
batch_size = 12
gradient_accumulation_steps = 5 * 8
learning_rate = 6e-4
exec(open('configurator.py').read())
scaler = torch.cuda.amp.GradScaler()
while True:
    for micro_step in range(gradient_accumulation_steps):
        logits, loss = model(*get(batch_size))
        loss = loss / gradient_accumulation_steps
        scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 12 --batch_size a.py:2 option=batch_size");
    has(&shown, "gradient_accumulation_steps 40 --gradient_accumulation_steps a.py:3 call option=gradient_accumulation_steps");
    assert!(shown.contains("dialect=Some(Plain) task=None accumulates=Some(true)"), "{shown}");
}

#[test]
fn several_dataclasses_in_one_namespace() {
    let text = source(
        r"
import argparse, os, torch, transformers
from dataclasses import dataclass, field
from peft import LoraConfig, get_peft_model

@dataclass
class M:
    name: str = field(default='acme/tiny')

@dataclass
class T(transformers.Seq2SeqTrainingArguments):
    lora_r: int = field(default=64)
    full: bool = field(default=False)
    per_device_train_batch_size: int = field(default=1)

def load(args):
    device_map = 'auto'
    if os.environ.get('LOCAL_RANK') is not None:
        device_map = {'': int(os.environ.get('LOCAL_RANK', '0'))}
    model = transformers.AutoModelForCausalLM.from_pretrained(args.name, device_map=device_map)
    if not args.full:
        model = get_peft_model(model, LoraConfig(r=args.lora_r))
    return model

def train():
    parser = transformers.HfArgumentParser((M, T))
    m, t, extra = parser.parse_args_into_dataclasses(return_remaining_strings=True)
    args = argparse.Namespace(**vars(m), **vars(t))
    model = load(args)
    transformers.Seq2SeqTrainer(model=model, args=t).train()

if __name__ == '__main__':
    train()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "model 'acme/tiny' --name a.py:7 call option=name");
    has(&shown, "micro_batch 1 --per_device_train_batch_size a.py:13 call option=per_device_train_batch_size");
    has(&shown, "lora_r 64 --lora_r a.py:11 call option=lora_r guard[not args.full]");
    has(&shown, "device_map 'auto' device_map a.py:16 call");
    assert!(shown.contains("device_map ? device_map a.py:18 call if[os.environ.get('LOCAL_RANK') is not None]"), "{shown}");
    assert!(shown.contains("trained=Some(true)"), "{shown}");
}

#[test]
fn a_launch_decides_branches() {
    let text = source(
        r"
import argparse
from trl import DPOConfig, SFTConfig
p = argparse.ArgumentParser()
p.add_argument('--stage', default='sft')
p.add_argument('--rows', type=int, default=2)
a = p.parse_args()
if a.stage == 'sft':
    SFTConfig('o', per_device_train_batch_size=a.rows)
else:
    DPOConfig('o', per_device_train_batch_size=7)
",
    );
    let both = show(&[("a.py", text)], "a.py");
    has(&both, "micro_batch 2 --rows a.py:5 call option=rows stage=sft guard[a.stage == 'sft']");
    has(&both, "micro_batch 7 DPOConfig(per_device_train_batch_size) a.py:10 call stage=dpo guard[not (a.stage == 'sft')]");
    let files = project(&[("a.py", text)]);
    let option = |name: &str, word: &str| GivenOption { name: name.into(), words: vec![Some(word.into())], assigned: false };
    let given = ScriptArguments { options: vec![option("stage", "sft"), option("rows", "5")], ..ScriptArguments::default() };
    let facts = facts_given(&files, FileId(0), &given);
    let found: Vec<&CodeCandidate> =
        facts.candidates.iter().filter(|(concept, _)| *concept == Concept::MicroBatch).map(|(_, candidate)| candidate).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].candidate.known(), Some(&Value::Int(5)));
    assert_eq!((found[0].option.as_deref(), found[0].guard.as_deref()), (Some("rows"), None));
    assert_eq!(facts.task.as_deref(), Some("sft"));
}
