//! How long the rows of a script are: what tokenizers, modules and public data say.

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{estimate, setup};
use serde_json::Value as Json;

const SILENT_CALLER: &str = "\
import torch
from data import texts
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer, GPT2LMHeadModel

MAX_SEQ_LEN = 160
tokenizer = AutoTokenizer.from_pretrained('gpt2')
model = GPT2LMHeadModel.from_pretrained('gpt2').cuda()


class Texts(Dataset):
    def __getitem__(self, index):
        row = tokenizer(texts[index], truncation=True, max_length=MAX_SEQ_LEN, padding='max_length', return_tensors='pt')
        return row['input_ids'].squeeze(0), row['attention_mask'].squeeze(0)


optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
model.train()
for ids, mask in DataLoader(Texts(), batch_size=8):
    loss = model(ids.cuda(), attention_mask=mask.cuda(), labels=ids.cuda())[0]
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

#[test]
fn a_data_set_without_a_visible_caller_cuts_its_rows() {
    assert_eq!(setup(SILENT_CALLER)["sequence_length"], 160);
    let given = SILENT_CALLER.replace("index):", "index, MAX_SEQ_LEN=None):");
    assert_eq!(setup(&given)["sequence_length"], 512, "a parameter is not the constant of the same name");
}

const CLASSIFIER: &str = "\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained('bert')
rows = load_dataset('nyu-mll/glue', 'sst2')
rows = rows.map(lambda batch: tokenizer(batch['sentence'], truncation=True, max_length=128), batched=True)
model = AutoModelForSequenceClassification.from_pretrained('bert')
args = TrainingArguments('out', per_device_train_batch_size=32)
Trainer(model=model, args=args, train_dataset=rows['train'], processing_class=tokenizer).train()
";

fn lengths(script: &str) -> (Json, Json) {
    let found = estimate(script);
    let open = found["open"].as_array().expect("a list").iter().find(|one| one["setting"] == "sequence_length").cloned();
    (found["setup"]["sequence_length"].clone(), open.map_or(Json::Null, |one| one["lightest"].clone()))
}

#[test]
fn public_texts_that_end_before_the_cutoff_are_as_long_as_they_are() {
    assert_eq!(lengths(CLASSIFIER), (66.into(), Json::Null), "counted with the tokenizer of the model");
    let part = CLASSIFIER.replace("rows['train']", "rows['train'].select(range(1000))");
    assert_eq!(lengths(&part), (66.into(), 48.into()), "a part may lack the longest row");
    assert_eq!(lengths(&CLASSIFIER.replace("max_length=128", "max_length=48")).0, 48, "cut earlier");
}

#[test]
fn texts_that_are_padded_to_the_cutoff_have_its_length() {
    for padding in ["padding='max_length'", "padding=unknown()"] {
        let padded = CLASSIFIER.replace("max_length=128", &format!("max_length=128, {padding}"));
        assert_eq!(lengths(&padded).0, 128, "{padding}");
    }
    let longest = CLASSIFIER.replace("max_length=128", "max_length=128, padding=True");
    assert_eq!(lengths(&longest).0, 66, "the longest of a batch");
}

const CHOICES: &str = "\
from data import rows
from transformers import AutoModelForMultipleChoice, AutoTokenizer, DataCollatorForMultipleChoice, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained('bert')


def tokenize(batch):
    first, second = sum([[text] * 4 for text in batch['start']], []), sum(batch['ends'], [])
    tokens = tokenizer(first, second, truncation=True, max_length=96)
    return {key: [row[i : i + 4] for i in range(0, len(row), 4)] for key, row in tokens.items()}


model = AutoModelForMultipleChoice.from_pretrained('bert')
args = TrainingArguments('out', per_device_train_batch_size=8)
data = rows.map(tokenize, batched=True)
Trainer(model=model, args=args, train_dataset=data, data_collator=DataCollatorForMultipleChoice(tokenizer)).train()
";

#[test]
fn the_choices_of_a_sample_are_no_block_of_tokens() {
    let found = setup(CHOICES);
    assert_eq!((&found["sequence_length"], &found["padding_mask"]), (&96.into(), &true.into()));
}

const MODULES: &str = "\
from datasets import load_dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments, losses, models

transformer = models.Transformer('bert', max_seq_length=96)
pooling = models.Pooling(transformer.get_word_embedding_dimension())
model = SentenceTransformer(modules=[transformer, pooling])
rows = load_dataset('json', data_files='pairs.jsonl', split='train').select_columns(['anchor', 'positive'])
args = SentenceTransformerTrainingArguments(output_dir='out', per_device_train_batch_size=16)
SentenceTransformerTrainer(model=model, args=args, train_dataset=rows, loss=losses.MultipleNegativesRankingLoss(model)).train()
";

#[test]
fn a_sentence_transformer_made_of_modules_has_their_model_and_length() {
    let found = setup(MODULES);
    assert_eq!((&found["model"], &found["sequence_length"]), (&"bert".into(), &96.into()));
    let public = MODULES.replace("'json', data_files='pairs.jsonl'", "'sentence-transformers/stsb'");
    assert_eq!(setup(&public)["sequence_length"], 70, "the longest text ends before");
}

#[test]
fn a_sentence_transformer_gets_its_length_afterwards() {
    let module = "transformer = models.Transformer('bert', max_seq_length=96)\npooling = models.Pooling(transformer.get_word_embedding_dimension())\n";
    let loaded = MODULES.replace(module, "").replace("modules=[transformer, pooling]", "'bert'");
    let loaded = loaded.replace("rows =", "model.max_seq_length = 80\nrows =");
    assert_eq!(setup(&loaded)["sequence_length"], 80);
    assert_eq!(setup(&loaded.replace("model.max", "model[0].max"))["sequence_length"], 80);
    let found = estimate(&loaded.replace("batch_size=16", "batch_size=512"));
    let said = found["assumptions"].to_string().contains("the texts of a sample differ in length");
    let (low, tensors) = (found["low"].as_u64().expect("a bound"), found["gpu"]["tensors"].as_u64().expect("a figure"));
    assert!(said && low < tensors, "{found}");
    let later = MODULES.replace("rows =", "model.max_seq_length = 80\nrows =");
    assert_eq!(setup(&later)["sequence_length"], 80, "the last value counts");
}

#[test]
fn a_cross_encoder_cuts_its_pairs() {
    let script = "\
from data import pairs
from sentence_transformers import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

model = CrossEncoder('bert', num_labels=1, max_length=112)
args = CrossEncoderTrainingArguments(output_dir='out', per_device_train_batch_size=16)
CrossEncoderTrainer(model=model, args=args, train_dataset=pairs, loss=BinaryCrossEntropyLoss(model)).train()
";
    assert_eq!(setup(script)["sequence_length"], 112);
}

#[test]
fn a_loss_in_parts_has_the_rows_of_one_part() {
    let script = MODULES
        .replace("batch_size=16", "batch_size=512")
        .replace("MultipleNegativesRankingLoss(model)", "CachedMultipleNegativesRankingLoss(model, mini_batch_size=24)");
    let found = setup(&script);
    assert_eq!((&found["task"], &found["micro_batch"]), (&"embedding-pairs".into(), &12.into()));
}

#[test]
fn the_configuration_of_a_data_set_tells_its_columns() {
    let rows = |name: &str| MODULES.replace("'json', data_files='pairs.jsonl'", &format!("'sentence-transformers/x', '{name}'"));
    assert_eq!(setup(&rows("triplet"))["task"], "embedding-triplets");
    assert_eq!(setup(&rows("pair"))["task"], "embedding-pairs");
}

const HEAD: &str = "\
import torch
import torch.nn as nn
from data import rows
from torch.utils.data import DataLoader
from transformers import AutoModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained('bert')
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(256, 3)

    def forward(self, ids, mask):
        return self.out(self.drop(self.encoder(ids, attention_mask=mask).pooler_output))


model = Classifier().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
criterion = nn.CrossEntropyLoss()
for ids, mask, label in DataLoader(rows, batch_size=16):
    loss = criterion(model(ids, mask), label)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

#[test]
fn a_small_head_leaves_less_doubt_than_other_modules() {
    let width = |script: &str| {
        let found = estimate(script);
        found["high"].as_u64().expect("a bound") - found["low"].as_u64().expect("a bound")
    };
    let recurrent = HEAD.replace("nn.Dropout(0.1)", "nn.LSTM(256, 256)");
    assert!(width(HEAD) < width(&recurrent));
}

const SUMMARIES: &str = "\
import torch
from data import texts, targets
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

PARAMETERS = {'BATCH': 4, 'LENGTH': 224}


class Rows(Dataset):
    def __init__(self, texts, tokenizer, length):
        self.texts, self.tokenizer, self.source_len = texts, tokenizer, length

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        row = self.tokenizer([self.texts[index]], max_length=self.source_len, padding='max_length', truncation=True)
        return torch.tensor(row['input_ids'])


def main():
    tokenizer = AutoTokenizer.from_pretrained('decoder')
    model = AutoModelForCausalLM.from_pretrained('decoder').cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for ids in DataLoader(Rows(texts, tokenizer, PARAMETERS['LENGTH']), batch_size=PARAMETERS['BATCH']):
        loss = model(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
";

#[test]
fn a_data_set_is_asked_for_rows_by_its_loader() {
    assert_eq!(setup(SUMMARIES)["sequence_length"], 224);
}

const TWICE: &str = "\
import torch
from data import texts
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained('bert')
model = AutoModel.from_pretrained('bert').cuda()


def collate(batch):
    batch = batch + batch
    return tokenizer(batch, padding=True, truncation=True, max_length=32, return_tensors='pt')


optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
model.train()
for inputs in DataLoader(texts, batch_size=24, collate_fn=collate):
    first, second = model(**inputs.to('cuda')).last_hidden_state[:, 0].chunk(2)
    loss = torch.nn.functional.cross_entropy(first @ second.T, torch.arange(24, device='cuda'))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
";

#[test]
fn a_batch_of_every_text_twice_has_twice_the_rows() {
    assert_eq!(setup(TWICE)["micro_batch"], 48);
}

#[test]
fn numbered_blocks_have_their_length() {
    let script = "\
from data import rows, tokenizer
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

LENGTH = 176


def pack(batch):
    ids = sum(tokenizer(batch['text'])['input_ids'], [])
    return {'input_ids': [ids[i * LENGTH : (i + 1) * LENGTH] for i in range(len(ids) // LENGTH)]}


model = AutoModelForCausalLM.from_pretrained('decoder')
args = TrainingArguments('out', per_device_train_batch_size=4)
Trainer(model=model, args=args, train_dataset=rows.map(pack, batched=True)).train()
";
    let found = setup(script);
    assert_eq!((&found["sequence_length"], &found["padding_mask"]), (&176.into(), &false.into()));
}

#[test]
fn a_classifier_gets_both_texts_of_a_public_row() {
    let script = "\
from datasets import load_dataset
from sentence_transformers import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

model = CrossEncoder('bert', num_labels=1, max_length=256)
rows = load_dataset('sentence-transformers/stsb', split='train')
args = CrossEncoderTrainingArguments(output_dir='out', per_device_train_batch_size=16)
CrossEncoderTrainer(model=model, args=args, train_dataset=rows, loss=BinaryCrossEntropyLoss(model)).train()
";
    assert_eq!(setup(script)["sequence_length"], 125);
}
