//! Scripts that train encoders and classify images: their estimates and what the scripts took when real steps were traced (torch 2.15,
//! transformers 5.23, peft 0.21, accelerate 1.15; convolutions without the workspaces of their kernels).

#[allow(dead_code)] // another test uses the rest
#[path = "common/scripts.rs"]
mod scripts;

use scripts::{estimate, estimate_of, tensors};
use serde_json::Value as Json;

/// Fails unless the tensors are those of the trace, but for 2 of 1000 parts.
fn holds(found: &Json, traced: u64) {
    let estimated = tensors(found);
    assert!(estimated.abs_diff(traced) <= traced / 500, "{estimated} instead of {traced}");
}

const TEXTS: &str = "\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained('MODEL')
data = load_dataset('imdb').map(lambda row: tokenizer(row['text'], truncation=True, padding='max_length', max_length=LENGTH))
model = AutoModelForSequenceClassification.from_pretrained('MODEL', num_labels=4)
args = TrainingArguments('out', num_train_epochs=1, save_strategy='no', OPTIONS)
Trainer(model=model, args=args, train_dataset=data['train']).train()
";

fn texts(model: &str, length: &str, options: &str) -> Json {
    estimate(&TEXTS.replace("MODEL", model).replace("LENGTH", length).replace("OPTIONS", options))
}

#[test]
fn texts_are_classified_by_albert() {
    holds(&texts("albert/albert-base-v2", "128", "per_device_train_batch_size=32, fp16=True"), 3_647_177_216);
}

#[test]
fn texts_are_classified_by_mpnet() {
    let options = "per_device_train_batch_size=16, gradient_accumulation_steps=2";
    holds(&texts("microsoft/mpnet-base", "256", options), 5_785_574_400);
}

#[test]
fn texts_are_classified_by_the_first_version_of_deberta() {
    let options = "per_device_train_batch_size=8, gradient_accumulation_steps=2";
    holds(&texts("microsoft/deberta-base", "256", options), 6_271_813_632);
}

const IMAGES: &str = "\
import torch
from datasets import load_dataset
from transformers import AutoImageProcessor, AutoModelForImageClassification, Trainer, TrainingArguments
IMPORTS
processor = AutoImageProcessor.from_pretrained('google/vit-base-patch16-224-in21k')
data = load_dataset('AI-Lab-Makerere/beans', split='train').with_transform(lambda rows: processor(rows['image']))
model = AutoModelForImageClassification.from_pretrained('google/vit-base-patch16-224-in21k', num_labels=3)
ADAPTERS
args = TrainingArguments('out', remove_unused_columns=False, gradient_accumulation_steps=4, OPTIONS)
Trainer(model=model, args=args, train_dataset=data).train()
";

#[test]
fn a_trainer_holds_the_images_of_all_micro_batches() {
    let script = IMAGES.replace("IMPORTS", "").replace("ADAPTERS", "").replace("OPTIONS", "per_device_train_batch_size=16");
    let found = estimate(&script);
    let setup = &found["setup"];
    assert_eq!((&setup["task"], &setup["sequence_length"]), (&"image-classification".into(), &197.into()));
    assert_eq!((&setup["held_batches"], &setup["padding_mask"]), (&4.into(), &false.into()));
    holds(&found, 3_357_158_400);
}

#[test]
fn adapters_of_vision_transformers_have_the_names_of_either_release() {
    let of = |targets: &str| {
        let adapters = format!(
            "model = get_peft_model(model, LoraConfig(r=16, target_modules={targets}, lora_dropout=0.1, modules_to_save=['classifier']))"
        );
        let script = IMAGES.replace("IMPORTS", "from peft import LoraConfig, get_peft_model").replace("ADAPTERS", &adapters);
        estimate(&script.replace("OPTIONS", "per_device_train_batch_size=128, fp16=True"))
    };
    let found = of("['q_proj', 'v_proj']");
    holds(&found, 8_140_207_616);
    assert_eq!(tensors(&of("['query', 'value']")), tensors(&found));
}

const LOOP: &str = "\
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoImageProcessor, Dinov2ForImageClassification

processor = AutoImageProcessor.from_pretrained('facebook/dinov2-base')
model = Dinov2ForImageClassification.from_pretrained('facebook/dinov2-base', num_labels=10)
for param in model.dinov2.parameters():
    param.requires_grad = False
model.to('cuda')
loader = DataLoader(load_dataset('cifar10', split='train'), batch_size=64, collate_fn=lambda rows: processor(rows))
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
for batch in loader:
    batch = {k: v.to('cuda') for k, v in batch.items()}
    optimizer.zero_grad()
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
";

#[test]
fn a_classifier_over_a_frozen_model_of_images() {
    let found = estimate_of("python train.py\n", LOOP);
    assert_eq!(found["setup"]["sequence_length"], 257);
    holds(&found, 992_183_808);
}

#[test]
fn a_model_of_images_predicts_no_tokens() {
    let script = TEXTS
        .replace("MODEL", "google/vit-base-patch16-224")
        .replace("LENGTH", "128")
        .replace("OPTIONS", "per_device_train_batch_size=8");
    let found = estimate(&script);
    assert_eq!(found["unknown"], "estimates do not describe task seq-cls of vit");
}

const FIT: &str = "\
from datasets import load_dataset
from sentence_transformers import InputExample, SentenceTransformer, losses
from torch.utils.data import DataLoader

model = SentenceTransformer('sentence-transformers/all-mpnet-base-v2')
model.max_seq_length = 128
rows = load_dataset('nyu-mll/glue', 'stsb', split='train')
train = [InputExample(texts=[row['sentence1'], row['sentence2']], label=row['label'] / 5.0) for row in rows]
loader = DataLoader(train, shuffle=True, batch_size=16)
model.fit(train_objectives=[(loader, losses.CosineSimilarityLoss(model))], epochs=1)
";

#[test]
fn a_sentence_transformer_that_fits_itself_embeds_one_sentence_a_row() {
    let found = estimate(FIT);
    assert_eq!(found["setup"]["task"], "embedding-pairs", "{found}");
    // The longest sentence, not the longest pair.
    assert_eq!(found["setup"]["sequence_length"], 70);
}

const SCRATCH: &str = "\
import torch
from data import train
from torch.utils.data import DataLoader
from transformers import ViTConfig, ViTForImageClassification

config = ViTConfig(image_size=32, patch_size=4, hidden_size=384, num_hidden_layers=8, num_attention_heads=6, intermediate_size=1536,
                   num_labels=10)
model = ViTForImageClassification(config).cuda()
loader = DataLoader(train, batch_size=256, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for epoch in range(10):
    model.train()
    for images, labels in loader:
        optimizer.zero_grad()
        out = model(pixel_values=images.cuda(), labels=labels.cuda())
        out.loss.backward()
        optimizer.step()
";

#[test]
fn a_model_of_small_images_that_the_code_makes() {
    let found = estimate(SCRATCH);
    assert_eq!(found["setup"]["sequence_length"], 65);
    holds(&found, 3_642_974_720);
}
