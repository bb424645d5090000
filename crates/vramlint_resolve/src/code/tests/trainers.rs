//! Calls of the training libraries.

use super::*;

#[test]
fn transformers_trainer() {
    let text = source(
        r"
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
ROWS = 3
model = AutoModelForCausalLM.from_pretrained('acme/tiny', attn_implementation='sdpa')
args = TrainingArguments('out', per_device_train_batch_size=ROWS, per_device_eval_batch_size=30, gradient_accumulation_steps=2 * 2, bf16=True, deepspeed='ds.json')
Trainer(model=model, args=args).train()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 3 ROWS a.py:2 call"]);
    has(&shown, "gradient_accumulation_steps 4 TrainingArguments(gradient_accumulation_steps) a.py:4 call");
    has(&shown, "mixed_precision 'bf16' TrainingArguments(bf16) a.py:4 call");
    has(&shown, "attention 'sdpa' from_pretrained(attn_implementation) a.py:3 call");
    has(&shown, "load Some(\"ds.json\") option=None None DeepSpeed argument=None");
    let facts = facts_of(&[("a.py", text)], "a.py");
    let micro = facts.candidates.iter().find(|(concept, _)| *concept == Concept::MicroBatch).map(|(_, candidate)| candidate);
    let micro = micro.expect("a micro-batch is given");
    assert_eq!(micro.call.as_deref(), Some("transformers.TrainingArguments"));
    assert_eq!(micro.key.as_deref(), Some("per_device_train_batch_size"));
    assert_eq!(micro.candidate.raw, "3");
}

#[test]
fn keywords_through_dicts_and_functions() {
    let text = source(
        r"
import transformers as tf

def make(**extra):
    base = dict(per_device_train_batch_size=2, learning_rate=1e-5)
    base.update(extra)
    if fast():
        base['gradient_accumulation_steps'] = 3
    return tf.TrainingArguments('o', **base)

make(per_device_train_batch_size=5)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 5 per_device_train_batch_size a.py:10 call"]);
    only(
        &shown,
        "gradient_accumulation_steps",
        &["gradient_accumulation_steps 3 gradient_accumulation_steps a.py:7 call if[fast()]"],
    );
    has(&shown, "learning_rate 1e-5 learning_rate a.py:4 call");
}

#[test]
fn trl() {
    let text = source(
        r"
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig(per_device_train_batch_size=8, num_generations=4, max_completion_length=256, model_init_kwargs={'dtype': 'bfloat16'})
trainer = GRPOTrainer(model='acme/tiny', args=args, reward_funcs=[f], peft_config=LoraConfig(r=8, target_modules=['q_proj']))
trainer.train()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 8 GRPOConfig(per_device_train_batch_size) a.py:3 call stage=grpo");
    has(&shown, "num_generations 4 GRPOConfig(num_generations) a.py:3 call stage=grpo");
    has(&shown, "weights_dtype 'bf16' dtype a.py:3 call stage=grpo");
    has(&shown, "model 'acme/tiny' GRPOTrainer(model) a.py:4 call");
    has(&shown, "method 'lora' GRPOTrainer a.py:4 call");
    has(&shown, "lora_targets ['q_proj'] LoraConfig(target_modules) a.py:4 call");
    assert!(shown.contains("dialect=Some(Trl) task=Some(\"grpo\") accumulates=None"), "{shown}");
}

#[test]
fn unsloth() {
    let text = source(
        r"
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer
max_seq_length = 4096
model, tok = FastLanguageModel.from_pretrained(model_name='acme/tiny', max_seq_length=max_seq_length, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=32, lora_alpha=64)
SFTTrainer(model=model, args=SFTConfig('o', per_device_train_batch_size=2)).train()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "model 'acme/tiny' from_pretrained(model_name) a.py:4 call");
    has(&shown, "sequence_length 4096 max_seq_length a.py:3 call");
    has(&shown, "quantization 'nf4-double' from_pretrained(load_in_4bit) a.py:4 call");
    has(&shown, "lora_r 32 get_peft_model(r) a.py:5 call");
    assert!(shown.contains("dialect=Some(Trl) task=Some(\"sft\")"), "{shown}");
    assert!(shown.contains("trained=Some(true)"), "{shown}");
}

#[test]
fn lightning() {
    let text = source(
        r"
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

class Net(pl.LightningModule):
    def __init__(self, rows=8):
        super().__init__()
        self.rows = rows
    def train_dataloader(self):
        return DataLoader(self.data, batch_size=self.rows, num_workers=2)
    def val_dataloader(self):
        return DataLoader(self.data, batch_size=77)

pl.Trainer(accumulate_grad_batches=4, devices=2, precision='bf16-mixed').fit(Net(rows=12))
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 12 rows a.py:14 call"]);
    has(&shown, "gradient_accumulation_steps 4 Trainer(accumulate_grad_batches) a.py:14 call");
    has(&shown, "mixed_precision 'bf16' Trainer(precision) a.py:14 call");
    assert!(shown.contains("dialect=Some(Lightning)"), "{shown}");
}

#[test]
fn deepspeed_with_a_dict() {
    let text = source(
        r"
import deepspeed
ds = {'train_micro_batch_size_per_gpu': 4, 'zero_optimization': {'stage': 2, 'offload_optimizer': {'device': 'cpu'}}}
engine, optimizer, _, _ = deepspeed.initialize(model=net, config=ds)
for batch in data:
    loss = engine(batch)
    engine.backward(loss)
    engine.step()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 4 train_micro_batch_size_per_gpu a.py:2 call");
    has(&shown, "zero_stage 2 stage a.py:2 call");
    has(&shown, "offload_optimizer 'cpu' device a.py:2 call");
    assert!(shown.contains("dialect=Some(DeepSpeed) task=None accumulates=None"), "{shown}");
}

#[test]
fn a_counter_accumulates() {
    let text = source(
        r"
import torch

class Config:
    BATCH_SIZE = 6
    SFT_BATCH_SIZE = 12
    every = 5

class Job:
    def __init__(self, config):
        self.config = config
    def train(self):
        for step, batch in enumerate(read(self.config.BATCH_SIZE)):
            loss = f(batch)
            loss.backward()
            if (step + 1) % self.config.every == 0 or step == 99:
                self.optimizer.step()
            if step % 50 == 0:
                print(step)

Job(Config()).train()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 6 Config.BATCH_SIZE a.py:4"]);
    only(&shown, "gradient_accumulation_steps", &["gradient_accumulation_steps 5 Config.every a.py:6 call"]);
    assert!(shown.contains("accumulates=Some(true)"), "{shown}");
}

#[test]
fn variables_of_the_environment() {
    let text = source(
        r"
import os
from torch.utils.data import DataLoader
os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'
os.environ.setdefault('OMP_NUM_THREADS', '4')
DataLoader(d, batch_size=int(os.environ.get('BATCH', 4)))
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "env CUDA_VISIBLE_DEVICES=Some(Text(\"0,1\"))");
    has(&shown, "env OMP_NUM_THREADS=Some(Text(\"4\"))");
    only(
        &shown,
        "micro_batch",
        &["micro_batch ? BATCH a.py:5 call env=BATCH", "micro_batch 4 BATCH a.py:5 call fallback env=BATCH"],
    );
}
