//! Scripts that train encoder-decoders: their estimates and what the scripts took when real steps were traced (torch 2.15, transformers 5.23,
//! peft 0.21, accelerate 1.15).

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{estimate, tensors};

/// Fails unless the tensors are those of the trace, but for 2 of 1000 parts.
fn holds(script: &str, traced: u64) {
    let estimated = tensors(&estimate(script));
    assert!(estimated.abs_diff(traced) <= traced / 500, "{estimated} instead of {traced}");
}

const ROWS: &str = "\
from datasets import load_dataset
from peft import LoraConfig, TaskType, get_peft_model
from transformers import (AutoModelForSeq2SeqLM, AutoTokenizer, BartForConditionalGeneration, DataCollatorForSeq2Seq, Seq2SeqTrainer,
                          Seq2SeqTrainingArguments)

tokenizer = AutoTokenizer.from_pretrained('MODEL')
model = CLASS.from_pretrained('MODEL')
ADAPTERS

def preprocess(rows):
    inputs = tokenizer(rows['source'], max_length=SOURCE, padding='max_length', truncation=True)
    inputs['labels'] = tokenizer(text_target=rows['target'], max_length=TARGET, padding='max_length', truncation=True)['input_ids']
    return inputs

data = load_dataset('acme/pairs').map(preprocess, batched=True)
args = Seq2SeqTrainingArguments('out', per_device_train_batch_size=8, save_strategy='no', OPTIONS)
trainer = Seq2SeqTrainer(model=model, args=args, train_dataset=data['train'], eval_dataset=data['validation'],
                         data_collator=DataCollatorForSeq2Seq(tokenizer, model=model))
trainer.train()
";

#[test]
fn adapters_of_nllb_translate() {
    let script = ROWS
        .replace("MODEL", "facebook/nllb-200-distilled-600M")
        .replace("CLASS", "AutoModelForSeq2SeqLM")
        .replace(
            "ADAPTERS",
            "model = get_peft_model(model, LoraConfig(task_type=TaskType.SEQ_2_SEQ_LM, r=16, lora_alpha=32, lora_dropout=0.1, \
             target_modules=['q_proj', 'v_proj']))",
        )
        .replace("SOURCE", "128")
        .replace("TARGET", "128")
        .replace("OPTIONS", "learning_rate=1e-3, bf16=True");
    holds(&script, 7_925_758_976);
}

#[test]
fn bart_summarizes_with_checkpoints_and_generates_in_evaluation() {
    let script = ROWS
        .replace("MODEL", "facebook/bart-base")
        .replace("CLASS", "BartForConditionalGeneration")
        .replace("ADAPTERS", "")
        .replace("SOURCE", "512")
        .replace("TARGET", "64")
        .replace(
            "OPTIONS",
            "per_device_eval_batch_size=8, eval_strategy='epoch', predict_with_generate=True, generation_max_length=64, \
             gradient_checkpointing=True",
        );
    holds(&script, 2_546_551_296);
}

const LOOP: &str = "\
from accelerate import Accelerator
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DataCollatorForSeq2Seq, MarianMTModel

tokenizer = AutoTokenizer.from_pretrained('Helsinki-NLP/opus-mt-en-fr')
model = MarianMTModel.from_pretrained('Helsinki-NLP/opus-mt-en-fr')

def preprocess(rows):
    return tokenizer(rows['en'], text_target=rows['fr'], max_length=128, truncation=True)

data = load_dataset('acme/books')['train'].map(preprocess, batched=True, remove_columns=['en', 'fr'])
collator = DataCollatorForSeq2Seq(tokenizer, model=model)
loader = DataLoader(data, shuffle=True, collate_fn=collator, batch_size=16)
optimizer = AdamW(model.parameters(), lr=2e-5)
accelerator = Accelerator(mixed_precision='fp16')
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(1):
    model.train()
    for batch in loader:
        outputs = model(**batch)
        loss = outputs.loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
";

#[test]
fn a_loop_trains_marian() {
    holds(LOOP, 3_664_432_640);
}
