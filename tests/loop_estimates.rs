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
