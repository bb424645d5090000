//! What `vramlint estimate` reads from training loops that people write by hand.

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{estimate, estimate_of, setup, tensors};

const PREFERENCES: &str = r#"
import torch
import torch.nn.functional as F
from data import pairs
from transformers import AutoModelForCausalLM
policy = AutoModelForCausalLM.from_pretrained("decoder", dtype=torch.bfloat16).cuda()
fixed_ref = AutoModelForCausalLM.from_pretrained("decoder", dtype=torch.bfloat16).cuda()
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-6)
def score(model, ids):
    logits = model(input_ids=ids).logits
    return F.log_softmax(logits[:, :-1].float(), dim=-1).gather(-1, ids[:, 1:, None]).squeeze(-1).sum(-1)
for good, bad in torch.utils.data.DataLoader(pairs, batch_size=4):
    better, worse = score(policy, good), score(policy, bad)
    with torch.no_grad():
        base = score(fixed_ref, good) - score(fixed_ref, bad)
    loss = -F.logsigmoid(better - worse - base).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

/// Each call has the rows of its own text; what the frozen model answers is gone.
#[test]
fn a_loss_over_several_calls_is_played_call_by_call() {
    let found = estimate(PREFERENCES);
    let calls = found["assumptions"].as_array().expect("a list").iter().any(|one| one.as_str().unwrap_or("").contains("times"));
    assert_eq!(
        (&found["setup"]["forward_calls"], &found["setup"]["teacher_model"], calls),
        (&1.into(), &"decoder".into(), false)
    );
    let once = PREFERENCES.replace(", score(policy, bad)", ", 0");
    assert!(tensors(&found) > tensors(&estimate(&once)), "both answers keep what backward needs");
}

const RANKED: &str = r#"
import torch
from data import rows, tokenizer
from transformers import AutoModelForSequenceClassification
def collate(batch):
    texts = [row["good"] for row in batch] + [row["bad"] for row in batch]
    return tokenizer(texts, padding=True, truncation=True, max_length=128, return_tensors="pt")
model = AutoModelForSequenceClassification.from_pretrained("bert", num_labels=1).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for batch in torch.utils.data.DataLoader(rows, batch_size=4, collate_fn=collate):
    good, bad = model(**batch).logits.chunk(2)
    (bad - good).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

#[test]
fn a_collator_that_lists_two_texts_makes_two_rows_of_a_sample() {
    assert_eq!(setup(RANKED)["micro_batch"], 8);
    let one = RANKED.replace(" + [row[\"bad\"] for row in batch]", "");
    assert_eq!(setup(&one)["micro_batch"], 4);
    let appended = RANKED.replace(
        "    texts = [row[\"good\"] for row in batch] + [row[\"bad\"] for row in batch]\n",
        "    texts = []\n    for row in batch:\n        texts.append(row['good'])\n        texts.append(row['bad'])\n",
    );
    assert_eq!(setup(&appended)["micro_batch"], 8);
    let added = RANKED.replace(" + [row[\"bad\"]", "\n    texts += [row[\"bad\"]");
    assert_eq!(setup(&added)["micro_batch"], 8);
    let unknown = added.replace("+= [row[\"bad\"] for row in batch]", "+= HEAD");
    assert_eq!(setup(&unknown)["micro_batch"], 4, "what is added is not known");
    let words = RANKED.replace("[row[\"good\"] for row in batch] + [row[\"bad\"] for row in batch]", "HEAD + TAIL");
    assert_eq!(setup(&words)["micro_batch"], 4, "a sum of what is not known is no sum of lists");
}

const SLICED: &str = r#"
import torch
from data import prompts, tokenizer, reward
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("decoder").cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
B = 6
for start in range(0, len(prompts), B):
    batch = tokenizer(prompts[start : start + B], truncation=True, max_length=32, padding=True, return_tensors="pt").to("cuda")
    with torch.no_grad():
        ids = model.generate(**batch, max_new_tokens=48)
    loss = model(ids, labels=ids).loss * reward(ids)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

#[test]
fn a_loop_that_slices_its_batches_and_generates_its_rows() {
    let setup = setup(SLICED);
    assert_eq!(
        (&setup["micro_batch"], &setup["sequence_length"], &setup["optimizer"]),
        (&6.into(), &80.into(), &"sgd_momentum".into())
    );
    assert_eq!(setup["padding_mask"], false);
    let plain = SLICED.replace("        ids = model.generate(**batch, max_new_tokens=48)", "        ids = batch['input_ids']");
    assert_eq!(self::setup(&plain)["sequence_length"], 32);
}

/// Blocks of a stream with one more token, that follows the last.
#[test]
fn rows_that_are_cut_with_the_token_that_follows() {
    let script = r#"
import torch
from data import stream
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("decoder").cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
T = 192
blocks = torch.tensor([stream[i : i + T + 1] for i in range(0, len(stream) - T - 1, T)])
for block in torch.utils.data.DataLoader(blocks, batch_size=4):
    model(block[:, :-1], labels=block[:, 1:]).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;
    let setup = setup(script);
    assert_eq!(
        (&setup["sequence_length"], &setup["padding_mask"], &setup["optimizer"]),
        (&192.into(), &false.into(), &"sgd".into())
    );
}

/// An option that no framework has is what the code does with it.
#[test]
fn an_option_of_the_command_is_the_size_of_a_block() {
    let script = r#"
import argparse
import torch
from data import raw, tokenizer
from transformers import AutoModelForCausalLM
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--piece", type=int, default=64)
    args = parser.parse_args()
    def cut(batch):
        ids = tokenizer(batch["text"])["input_ids"]
        return {"input_ids": [ids[i : i + args.piece] for i in range(0, len(ids), args.piece)]}
    model = AutoModelForCausalLM.from_pretrained("decoder").cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in torch.utils.data.DataLoader(raw.map(cut, batched=True), batch_size=4):
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
main()
"#;
    let of = |command: &str| estimate_of(command, script)["setup"]["sequence_length"].clone();
    assert_eq!((of("python train.py\n"), of("python train.py --piece 192\n")), (64.into(), 192.into()));
}

const TWO_ENCODERS: &str = r#"
import torch
from data import rows
from transformers import AutoTokenizer, BertModel
tokenizer = AutoTokenizer.from_pretrained("bert")
class BiEncoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query = BertModel.from_pretrained("bert")
        self.passage = BertModel.from_pretrained("bert")
    def forward(self, query, passage):
        return self.query(**query).last_hidden_state[:, 0], self.passage(**passage).last_hidden_state[:, 0]
def collate(batch):
    query = tokenizer([row[0] for row in batch], padding=True, truncation=True, max_length=32, return_tensors="pt")
    passage = tokenizer([row[1] for row in batch], padding=True, truncation=True, max_length=128, return_tensors="pt")
    return query, passage
model = BiEncoder().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
for query, passage in torch.utils.data.DataLoader(rows, batch_size=4, collate_fn=collate):
    left, right = model(query, passage)
    (left @ right.T).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

/// Two encoders of the same kind, each with texts of its own length.
#[test]
fn both_encoders_of_a_pair_are_trained() {
    let two = setup(TWO_ENCODERS);
    assert_eq!(
        (&two["sequence_length"], &two["forward_calls"], &two["residents"]),
        (&80.into(), &2.into(), &serde_json::json!(["bert"]))
    );
    let one = setup(&TWO_ENCODERS.replace("self.passage = BertModel.from_pretrained(\"bert\")", "self.passage = self.query"));
    assert_eq!(
        (&one["sequence_length"], &one["forward_calls"], &one["residents"]),
        (&80.into(), &2.into(), &serde_json::json!([]))
    );
    assert_eq!(two["trainable"].as_u64(), one["trainable"].as_u64().map(|count| 2 * count), "{two} {one}");
}

#[test]
fn one_call_with_texts_of_two_lengths_gets_the_longer_ones_at_most() {
    let single = TWO_ENCODERS.replace(", self.passage(**passage).last_hidden_state[:, 0]", ", passage");
    let found = estimate(&single);
    assert_eq!(found["setup"]["sequence_length"], 128);
    let open = found["open"].as_array().expect("a list").iter().find(|one| one["setting"] == "sequence_length");
    assert_eq!(open.map(|one| &one["lightest"]), Some(&32.into()), "{found}");
}

/// Options that are parsed and never handed to the load of the model.
#[test]
fn options_of_quantization_that_nobody_reads_change_nothing() {
    let script = "\
from data import rows
from transformers import AutoModelForCausalLM
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser, get_peft_config, get_quantization_config
training, options = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()
model = AutoModelForCausalLM.from_pretrained(options.model_name_or_pathOPTIONS)
SFTTrainer(model, training, train_dataset=rows, peft_config=get_peft_config(options)).train()
";
    let read = |options: &str| {
        let command = "python train.py --output_dir out --use_peft --load_in_4bit --model_name_or_path decoder --max_length 64\n";
        let found = estimate_of(command, &script.replace("OPTIONS", options));
        assert!(found["setup"].is_object(), "{found}");
        found["setup"]["quantization"].clone()
    };
    assert_eq!(read(""), "none");
    assert_eq!(read(", quantization_config=get_quantization_config(options)"), "nf4");
}

const CACHED: &str = r#"
import torch
from data import rows
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in torch.utils.data.DataLoader(rows, batch_size=4):
    out = model(**batch)
    out.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

#[test]
fn a_loop_may_tell_the_model_to_keep_no_cache() {
    assert_eq!(setup(CACHED)["use_cache"], true);
    assert_eq!(setup(&CACHED.replace("**batch", "**batch, use_cache=False"))["use_cache"], false);
}

/// What a module of the project is called with is not what its model gets.
#[test]
fn a_batch_for_a_module_of_the_project_may_hold_a_mask() {
    let plain = CACHED.replace("model(**batch)", "model(batch)");
    assert_eq!(setup(&plain)["padding_mask"], false);
    let wrapped = plain.replace("optimizer =", "class Head(torch.nn.Module):\n    pass\noptimizer =");
    assert_eq!(setup(&wrapped)["padding_mask"], true);
}

/// What is not seen through makes the bounds wider, and says so.
#[test]
fn code_that_is_not_followed_widens_the_bounds() {
    let width = |script: &str| {
        let found = estimate(script);
        let bound = |name: &str| found[name].as_u64().unwrap_or_else(|| panic!("{found}"));
        let doubts = found["assumptions"].as_array().expect("a list").iter();
        (bound("high") - bound("low"), doubts.filter(|one| one.as_str().unwrap_or("").contains("bounds are wider")).count())
    };
    let wrapped = CACHED.replace("optimizer =", "class Head(torch.nn.Module):\n    pass\noptimizer =");
    let own = CACHED.replace("out.loss.backward()", "torch.nn.functional.mse_loss(weigh(out), 0).backward()");
    let (plain, wrapped, own) = (width(CACHED), width(&wrapped), width(&own));
    assert_eq!((plain.1, wrapped.1, own.1), (0, 1, 1));
    assert!(wrapped.0 > plain.0 && own.0 > plain.0, "{plain:?} {wrapped:?} {own:?}");
}

/// The gradients of the last step live while a loop frees them after the forward, whatever the model is called.
#[test]
fn a_student_is_a_model() {
    let script = CACHED.replace("model", "student").replace("Autostudent", "AutoModel").replace(
        "    out = student(**batch)\n    out.loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n",
        "    loss = student(**batch).loss\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n",
    );
    let early = script
        .replace("    optimizer.zero_grad()\n    loss.backward()", "    loss.backward()")
        .replace("    optimizer.step()\n", "    optimizer.step()\n    optimizer.zero_grad()\n");
    assert!(tensors(&estimate(&script)) > tensors(&estimate(&early)));
}

/// The forward may be in a function: what backward is called for is computed before the gradients are freed.
#[test]
fn gradients_are_freed_after_a_forward_in_a_function() {
    let late = ENCODED.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()");
    let early = ENCODED.replace("    loss = ", "    optimizer.zero_grad()\n    loss = ");
    assert!(tensors(&estimate(&late)) > tensors(&estimate(&early)));
}

const ENCODED: &str = r#"
import torch
from data import pairs
from transformers import AutoModel
encoder = AutoModel.from_pretrained("bert").cuda()
optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-4)
def embed(batch):
    return encoder(**batch).last_hidden_state[:, 0]
for left, right in torch.utils.data.DataLoader(pairs, batch_size=4):
    loss = (embed(left) @ embed(right).T).mean()
    loss.backward()
    optimizer.step()
"#;

const LENGTH_GIVEN: &str = r#"
import torch
from data import pairs
from transformers import AutoModel, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("bert")
encoder = AutoModel.from_pretrained("bert").cuda()
optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-4)
def embed(texts, length):
    batch = tokenizer(texts, padding=True, truncation=True, max_length=length, return_tensors="pt")
    return encoder(**batch).last_hidden_state[:, 0]
for left, right in torch.utils.data.DataLoader(pairs, batch_size=4):
    (embed(left, 32) @ embed(right, 96).T).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

#[test]
fn a_length_that_a_function_gets_is_that_of_each_of_its_calls() {
    let setup = setup(LENGTH_GIVEN);
    assert_eq!((&setup["sequence_length"], &setup["forward_calls"]), (&64.into(), &2.into()));
}

#[test]
fn a_loop_that_takes_one_sample_at_a_time_may_repeat_it() {
    let script = SLICED
        .replace("for start in range(0, len(prompts), B):", "for prompt in prompts:")
        .replace("prompts[start : start + B]", "[prompt] * B");
    assert_eq!(setup(&script)["micro_batch"], 6);
    let one = script.replace("[prompt] * B", "prompt");
    assert_eq!(setup(&one)["micro_batch"], 1);
}

/// A loaded model is in evaluation mode until something says otherwise; a made one is not.
#[test]
fn nothing_is_dropped_or_checkpointed_in_evaluation_mode() {
    let script = CACHED.replace("optimizer =", "model.gradient_checkpointing_enable()\noptimizer =");
    let trains = script.replace("optimizer =", "model.train()\noptimizer =");
    assert_eq!(
        (&setup(&script)["gradient_checkpointing"], &setup(&trains)["gradient_checkpointing"]),
        (&false.into(), &true.into())
    );
    let (evaluates, trains) = (CACHED.to_owned(), CACHED.replace("optimizer =", "model.train()\noptimizer ="));
    assert!(tensors(&estimate(&evaluates)) < tensors(&estimate(&trains)), "GPT-2 has dropout");
}

const SLICED_IDS: &str = r#"
import torch
from data import rows, tokenizer, collate
from transformers import AutoModelForCausalLM
MAX_LEN = 192
class Rows(torch.utils.data.Dataset):
    def __getitem__(self, index):
        prompt, answer = rows[index]
        ids = (tokenizer(prompt).input_ids + tokenizer(answer).input_ids)[:MAX_LEN]
        return {"input_ids": ids, "labels": ids}
model = AutoModelForCausalLM.from_pretrained("decoder").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in torch.utils.data.DataLoader(Rows(), batch_size=4, collate_fn=collate):
    model(**batch).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"#;

#[test]
fn a_slice_of_token_ids_cuts_a_row() {
    assert_eq!(setup(SLICED_IDS)["sequence_length"], 192);
    assert_eq!(setup(&SLICED_IDS.replace("[:MAX_LEN]", "[:FIRST]"))["sequence_length"], 1024, "an unknown number says nothing");
}

#[test]
fn rows_that_nothing_cuts_may_keep_memory_for_every_length() {
    let script = CACHED
        .replace("from data import rows", "from datasets import load_dataset\nrows = load_dataset('glue', 'mrpc')['train']");
    let found = estimate(&script);
    let said =
        found["assumptions"].as_array().expect("a list").iter().any(|one| one.as_str().unwrap_or("").contains("nothing cuts"));
    assert!(said, "{found}");
}

#[test]
fn a_learnt_prefix_widens_the_bounds() {
    let adapted = |config: &str| {
        let code = format!(
            "from peft import *\nmodel = get_peft_model(model, {config}(task_type='CAUSAL_LM', num_virtual_tokens=8))\noptimizer ="
        );
        estimate(&CACHED.replace("optimizer =", &code))
    };
    let said = |found: &serde_json::Value| {
        found["assumptions"].as_array().expect("a list").iter().any(|one| one.as_str().unwrap_or("").contains("learnt prefix"))
    };
    let (prefix, prompt) = (adapted("PrefixTuningConfig"), adapted("PromptTuningConfig"));
    assert!(said(&prefix) && !said(&prompt), "{prefix}");
}

/// What counts samples, or belongs to a demonstration, says nothing of the rows.
#[test]
fn what_only_looks_like_rows_says_nothing() {
    let samples = SLICED_IDS
        .replace("[:MAX_LEN]", "")
        .replace("class Rows", "MAX_SHOWN = 100\ndef show(labels):\n    labels = labels[:MAX_SHOWN]\nclass Rows");
    assert_eq!(setup(&samples)["sequence_length"], 1024, "a number of samples is no length");

    let demonstration =
        format!("{CACHED}\nshown = tokenizer(['hello'] * 4, return_tensors='pt')\nprint(model.generate(**shown))\n");
    assert_eq!(setup(&demonstration)["micro_batch"], setup(CACHED)["micro_batch"]);

    let of_loader = "\
import torch
from data import rows, tokenizer, make_loader
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('decoder').cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for batch in make_loader():
    inputs = tokenizer(batch['text'], truncation=True, max_length=64, padding=True, return_tensors='pt')
    model(**inputs, labels=inputs['input_ids']).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";
    assert_eq!(estimate(of_loader)["unknown"], "micro_batch is unknown");
    let rows = of_loader.replace("batch in make_loader()", "row in rows").replace("batch['text']", "row['text']");
    assert_eq!(setup(&rows)["micro_batch"], 1);
}

const TEACHING_TRAINER: &str = r#"
import torch
import torch.nn.functional as F
from data import rows
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
class Teaching(Trainer):
    def __init__(self, *args, teacher=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher = teacher
        self._move_model_to_device(self.teacher, self.model.device)
        self.teacher.eval()
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        student = model(**inputs)
        with torch.no_grad():
            aim = self.teacher(**inputs).logits
        return student.loss + F.kl_div(F.log_softmax(student.logits, dim=-1), F.softmax(aim, dim=-1))
student = AutoModelForSequenceClassification.from_pretrained("bert")
teacher = AutoModelForSequenceClassification.from_pretrained("gpt2")
args = TrainingArguments("out", per_device_train_batch_size=4)
Teaching(student, args, teacher=teacher, train_dataset=rows).train()
"#;

/// A trainer puts a model on the device without training it. Its divergence is one over classes, not over a vocabulary.
#[test]
fn a_trainer_of_the_project_holds_its_teacher() {
    let found = estimate(TEACHING_TRAINER);
    assert_eq!(found["setup"]["residents"], serde_json::json!(["gpt2"]));
    let said = |words: &str| {
        found["assumptions"].as_array().expect("a list").iter().any(|one| one.as_str().unwrap_or("").contains(words))
    };
    assert!(said("calls further models") && !said("divergence"), "{found}");
    let given = TEACHING_TRAINER.replace("self._move_model_to_device(self.teacher, self.model.device)", "prepare(self.teacher)");
    let unknown = format!("from helpers import prepare\n{given}");
    assert_eq!(setup(&unknown)["residents"], serde_json::json!([]), "what is not seen may train it");
}

/// Rows that are cut at the limit of the tokenizer, which the code sets.
#[test]
fn the_limit_of_a_tokenizer_is_the_length_of_a_row() {
    let script = "\
from data import raw
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained('bert')
tokenizer.model_max_length = 192
rows = raw.map(lambda batch: tokenizer(batch['text'], padding='max_length', truncation=True), batched=True)
model = AutoModelForSequenceClassification.from_pretrained('bert')
Trainer(model, TrainingArguments('out', per_device_train_batch_size=4), train_dataset=rows).train()
";
    assert_eq!(setup(script)["sequence_length"], 192);
    let other = script.replace("truncation=True", "truncation=True, max_length=64");
    assert_eq!(setup(&other)["sequence_length"], 64);
    let open = script.replace(
        "tokenizer.model_max_length = 192",
        "if tokenizer.model_max_length > 400:\n    tokenizer.model_max_length = 192",
    );
    assert_eq!(setup(&open)["sequence_length"], 512, "a condition that is not decided");
}

/// A trainer calls the methods of its class that make the optimizer.
#[test]
fn a_trainer_of_the_project_makes_its_optimizer() {
    let script = "\
import torch
from data import rows
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
class Own(Trainer):
    def create_optimizer(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3, momentum=0.9)
        return self.optimizer
model = AutoModelForCausalLM.from_pretrained('decoder')
Own(model, TrainingArguments('out', per_device_train_batch_size=2), train_dataset=rows).train()
";
    assert_eq!(setup(script)["optimizer"], "sgd_momentum");
    assert_eq!(
        setup(&script.replace("create_optimizer", "make"))["optimizer"],
        "adamw_torch_fused",
        "a method that nobody calls"
    );
}

/// A trainer calls the object that collates its rows.
#[test]
fn an_object_that_collates_cuts_the_rows() {
    let script = "\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
tok = AutoTokenizer.from_pretrained('decoder')
class Collate:
    def __init__(self, cut):
        self.cut = cut
    def __call__(self, rows):
        return tok([row['text'] for row in rows], truncation=True, max_length=self.cut, padding=True, return_tensors='pt')
rows = load_dataset('glue', 'mrpc')
model = AutoModelForCausalLM.from_pretrained('decoder')
Trainer(model, TrainingArguments('out', per_device_train_batch_size=2), train_dataset=rows, data_collator=Collate(64)).train()
";
    assert_eq!(setup(script)["sequence_length"], 64);
    let unknown = script.replace("Collate(64)", "Collate(ask())").replace("from datasets", "from data import ask\nfrom datasets");
    assert_eq!(setup(&unknown)["sequence_length"], 1024, "they may be cut before the longest row of the data set");
}

/// What a loop generates after its backward is shown to people.
#[test]
fn samples_between_steps_are_no_rows() {
    let shown = SLICED.replace(
        "    with torch.no_grad():\n        ids = model.generate(**batch, max_new_tokens=48)\n",
        "    ids = batch['input_ids']\n",
    ) + "    print(model.generate(**batch, max_new_tokens=48))\n";
    assert_eq!(setup(&shown)["sequence_length"], 32);
}

const HEAD_ON_GLOBAL: &str = "\
import torch
from data import loader
from transformers import AutoModel

pretrained = AutoModel.from_pretrained('bert').cuda()
for param in pretrained.parameters():
    param.requires_grad_(False)


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(256, 2)

    def forward(self, **batch):
        with torch.no_grad():
            out = pretrained(**batch)
        return self.fc(out.last_hidden_state[:, 0])


model = Head().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
for batch, labels in torch.utils.data.DataLoader(loader, batch_size=16):
    loss = torch.nn.functional.cross_entropy(model(**batch), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

#[test]
fn a_head_may_call_a_frozen_model_outside_of_it() {
    let found = setup(HEAD_ON_GLOBAL);
    assert_eq!((&found["model"], &found["method"], &found["trainable"]), (&"bert".into(), &"freeze".into(), &0.into()));
    let frozen_by_context = HEAD_ON_GLOBAL.replace("    param.requires_grad_(False)", "    pass");
    assert_eq!(setup(&frozen_by_context)["method"], "freeze");
    let student = HEAD_ON_GLOBAL.replace(
        "        self.fc =",
        "        self.layers = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(256, 4), 12)\n        self.fc =",
    );
    assert!(estimate(&student)["gpu"].is_null(), "the model may be the teacher of what is trained");
}
