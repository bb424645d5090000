//! Projects of the shapes that guides for small machines describe.

use super::*;

const CACHE: &str = r#"
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

_kept = {}


def fetch(name, where="auto", keep=False, **kwargs):
    if keep and name in _kept:
        return _kept[name]
    options = {"torch_dtype": torch.float16}
    if where == "auto":
        options["device_map"] = "auto"
    model = AutoModelForCausalLM.from_pretrained(name, **options)
    tokenizer = AutoTokenizer.from_pretrained(name)
    if keep:
        _kept[name] = (model, tokenizer)
    return model, tokenizer
"#;

const LOOP: &str = r"
import torch
from accelerate import Accelerator

batch_size = 6
max_new_tokens = 320
learning_rate = 2e-6


def fit(player, player_tokenizer, other, other_tokenizer):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(player.parameters(), lr=learning_rate)
    player, optimizer = accelerator.prepare(player, optimizer)
    for batch in episodes(player, other, batch_size, max_new_tokens):
        loss = player(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
";

const START: &str = r#"
import argparse

from loop import fit
from cache import fetch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="acme/tiny")
    parser.add_argument("--play", action="store_true")
    args = parser.parse_args()
    first = {"name": args.model}
    second = {"name": args.model}
    player, player_tokenizer = fetch(**first)
    other, other_tokenizer = fetch(**second, keep=True)
    if args.play:
        fit(player, player_tokenizer, other, other_tokenizer)


if __name__ == "__main__":
    main()
"#;

#[test]
fn a_model_flows_through_three_files_to_prepare() {
    let files = [("cache.py", CACHE), ("loop.py", LOOP), ("start.py", START)];
    let shown = show(&files, "start.py");
    only(&shown, "micro_batch", &["micro_batch 6 batch_size loop.py:5"]);
    has(&shown, "max_completion_length 320 max_new_tokens loop.py:6");
    has(&shown, "model 'acme/tiny' --model start.py:10 call option=model");
    has(&shown, "device_map 'auto' device_map cache.py:13 call");
    has(&shown, "weights_dtype 'fp16' torch_dtype cache.py:11 call");
    has(&shown, "learning_rate 2e-6 learning_rate loop.py:7 call guard[args.play]");
    has(&shown, "option --play Some(Bool(false)) switch=true");
    assert!(
        shown.contains("dialect=Some(Accelerate) task=None accumulates=Some(false) files=start.py,loop.py,cache.py"),
        "{shown}"
    );
    let facts = facts_of(&files, "start.py");
    let trained: Vec<Option<bool>> = facts.models.iter().map(|model| model.trained).collect();
    assert_eq!(trained, [Some(true), None]);
    assert!(facts.models.iter().all(|model| model.device_map.len() == 1 && !model.conditional && model.call_chain.len() == 2));
    let accelerator = facts.accelerator.expect("an Accelerator is made");
    assert!(!accelerator.sets_accumulation && !accelerator.accumulate_called);
}

#[test]
fn a_model_on_one_gpu_keeps_the_condition_of_its_map() {
    let cache = CACHE.replace(
        "        options[\"device_map\"] = \"auto\"",
        "        if torch.cuda.is_available():\n            options[\"device_map\"] = {\"\": 0}",
    );
    let facts = facts_of(&[("cache.py", &cache), ("loop.py", LOOP), ("start.py", START)], "start.py");
    let map = &facts.models[0].device_map[0].candidate;
    assert_eq!(map.condition.as_deref(), Some("torch.cuda.is_available()"));
    assert_eq!(map.known(), Some(&Value::Map(vec![(Value::Text(String::new()), Value::Int(0))])));
}

const CONSTANTS: &str = r#"NAME = "acme/seven"
SFT_BATCH_SIZE = 12
SFT_MAXLEN = 1024
GRPO_BATCH_SIZE = 3
K_ROLLOUTS = 5
MAX_NEW_TOKENS_TRAIN = 64
LORA_R = 24
LORA_ALPHA = 48
GRADIENT_ACCUMULATION_STEPS = 7
"#;

fn stages(body: &str) -> String {
    let head = source(
        r#"
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

import config


def build():
    model = AutoModelForCausalLM.from_pretrained(config.NAME, torch_dtype=torch.bfloat16, device_map={"": 0})
    adapter = LoraConfig(r=config.LORA_R, lora_alpha=config.LORA_ALPHA)
    return get_peft_model(model, adapter)


"#,
    );
    let train = format!("{head}{body}");
    show(&[("config.py", CONSTANTS), ("train.py", &train)], "train.py")
}

#[test]
fn constants_that_are_read_count_and_others_do_not() {
    let shown = stages(source(
        r"
def grpo(model, sample, score, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    for step in range(steps):
        batch = sample(config.GRPO_BATCH_SIZE, config.K_ROLLOUTS, config.MAX_NEW_TOKENS_TRAIN)
        loss = score(model, batch)
        loss.backward()
        optimizer.step()
",
    ));
    only(&shown, "micro_batch", &["micro_batch 3 GRPO_BATCH_SIZE config.py:4 stage=grpo"]);
    only(&shown, "gradient_accumulation_steps", &[]);
    only(&shown, "sequence_length", &[]);
    has(&shown, "num_generations 5 K_ROLLOUTS config.py:5");
    has(&shown, "lora_r 24 LORA_R config.py:7 call");
    has(&shown, "lora_alpha 48 LORA_ALPHA config.py:8 call");
    has(&shown, "method 'lora' get_peft_model train.py:11 call");
    has(&shown, "model 'acme/seven' NAME config.py:1 call");
    has(&shown, "weights_dtype 'bf16' from_pretrained(torch_dtype) train.py:9 call");
    assert!(shown.contains("dialect=Some(Plain) task=Some(\"grpo\") accumulates=Some(false)"), "{shown}");
    assert!(shown.contains("trained=Some(true)"), "{shown}");
}

#[test]
fn an_inner_loop_accumulates() {
    let shown = stages(source(
        r"
def grpo(model, sample, score, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    for step in range(steps):
        for micro in range(config.GRADIENT_ACCUMULATION_STEPS):
            loss = score(model, sample(config.GRPO_BATCH_SIZE)) / config.GRADIENT_ACCUMULATION_STEPS
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
",
    ));
    has(&shown, "gradient_accumulation_steps 7 GRADIENT_ACCUMULATION_STEPS config.py:9 call");
    assert!(shown.contains("accumulates=Some(true)"), "{shown}");
}

const FIELDS: &str = r#"from dataclasses import dataclass


@dataclass
class Plan:
    epochs: int = 8
    batch_size_per_gpu: int = 20
    rate: float = 0.0002
    precision: str = "bf16"
    gradient_accumulation_steps: int = 6
"#;

const ADAPTIVE: &str = r"
import psutil
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def choose(plan, gpus):
    free = psutil.virtual_memory().available
    if free < 13:
        if gpus >= 3:
            steps = plan.gradient_accumulation_steps
        else:
            steps = 9
    else:
        steps = plan.gradient_accumulation_steps

    if free < 8:
        size = plan.batch_size_per_gpu // 2
    elif free < 15:
        size = plan.batch_size_per_gpu
    else:
        size = plan.batch_size_per_gpu
    return steps, size, free >= 15


def train(plan, model, data):
    steps, size, _ = choose(plan, torch.cuda.device_count())
    accelerator = Accelerator(mixed_precision=plan.precision, gradient_accumulation_steps=steps)
    loader = DataLoader(data, batch_size=size, num_workers=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
";

#[test]
fn the_dataclass_that_branches_start_from_is_the_nominal_value() {
    let entry = source(
        r#"
import fire

from plan import Plan
from parts.adaptive import train as run


def train(resume=False):
    run(Plan(), *load(resume))


def load(resume):
    raise NotImplementedError


if __name__ == "__main__":
    fire.Fire({"train": train})
"#,
    );
    let files = [("parts/adaptive.py", ADAPTIVE), ("plan.py", FIELDS), ("start.py", entry)];
    let shown = show(&files, "start.py");
    only(
        &shown,
        "micro_batch",
        &["micro_batch 20 Plan.batch_size_per_gpu plan.py:7 call", "micro_batch 10 size parts/adaptive.py:19 call if[free < 8]"],
    );
    only(
        &shown,
        "gradient_accumulation_steps",
        &[
            "gradient_accumulation_steps 6 Plan.gradient_accumulation_steps plan.py:10 call",
            "gradient_accumulation_steps 9 steps parts/adaptive.py:14 call if[free < 13 and not (gpus >= 3)]",
        ],
    );
    has(&shown, "mixed_precision 'bf16' Plan.precision plan.py:9 call");
    has(&shown, "learning_rate 0.0002 Plan.rate plan.py:8 call");
    has(&shown, "dataloader_num_workers 0 DataLoader(num_workers) parts/adaptive.py:30 call");
    has(&shown, "option --resume Some(Bool(false)) switch=false");
    assert!(shown.contains("accumulates=None"), "{shown}");
    assert!(facts_of(&files, "start.py").accelerator.is_some_and(|known| known.sets_accumulation && known.accumulate_called));
}

#[test]
fn a_class_that_only_holds_a_model_says_nothing_about_training() {
    let text = source(
        r#"
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig


class Mix(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.inner = self._load(name)

    def _load(self, name):
        options = {"trust_remote_code": False}
        options.update({
            "device_map": "auto",
            "max_memory": {0: "8GB"},
        })
        options["quantization_config"] = BitsAndBytesConfig(load_in_8bit=True)
        return AutoModelForCausalLM.from_pretrained(name, **options)
"#,
    );
    let shown = show(&[("src/mix.py", text)], "src/mix.py");
    has(&shown, "device_map 'auto' device_map src/mix.py:13 call");
    has(&shown, "quantization 'int8' BitsAndBytesConfig(load_in_8bit) src/mix.py:16 call");
    assert!(shown.contains("trained=None conditional=false"), "{shown}");
    let facts = facts_of(&[("src/mix.py", text)], "src/mix.py");
    assert!(facts.models[0].arguments.iter().any(|(key, value, _)| key == "max_memory" && value.is_some()));
}

/// Code with a bit of everything.
pub(super) fn text() -> String {
    format!("{CACHE}{LOOP}{START}{FIELDS}{ADAPTIVE}")
}
