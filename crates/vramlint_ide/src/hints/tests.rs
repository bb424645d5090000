use super::*;
use crate::fixture::Fixture;

const PROJECT: &str = "\
//- train.yaml
model_name: Qwen/Qwen2.5-7B
batch_size: 4
gradient_accumulation_steps: 8
max_length: 1024
//- vramlint.toml
[target]
memory = \"80GiB\"
//- launch.sh
# 训练
accelerate launch --multi_gpu --num_processes 4 \\
  train.py --config train.yaml
//- train.py
import argparse, yaml, torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument(\"--config\")
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
accelerator = Accelerator(gradient_accumulation_steps=cfg[\"gradient_accumulation_steps\"])
model = AutoModelForCausalLM.from_pretrained(cfg[\"model_name\"], torch_dtype=torch.bfloat16)
loader = torch.utils.data.DataLoader([], batch_size=cfg[\"batch_size\"])
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
";

/// Every hint of a file: its line up to the hint, and its label.
fn shown(text: &str, path: &str, lang: Lang) -> Vec<(HintKind, String)> {
    let fixture = Fixture::new(text);
    let file = fixture.report.project.files.iter().find(|file| file.path == path && file.host.is_none()).expect("the file");
    let all = TextRange::new(0, file.text.len() as u32);
    let found = hints(&fixture.report, file.id, all, lang);
    let line = |hint: &Hint| {
        let before = &file.text[..hint.offset as usize];
        format!("{}|{}", before.rsplit('\n').next().unwrap_or_default(), hint.label)
    };
    found.iter().map(|hint| (hint.kind, line(hint))).collect()
}

#[test]
fn the_effective_batch_stands_behind_the_micro_batch() {
    let found = shown(PROJECT, "train.yaml", Lang::En);
    assert_eq!(found, [(HintKind::EffectiveBatch, "batch_size: 4| × 8 × 4 = 128".to_owned())]);
    let unknown = PROJECT.replace("--num_processes 4", "--num_processes $N");
    assert_eq!(shown(&unknown, "train.yaml", Lang::En), [], "the processes are not known");
}

#[test]
fn memory_stands_behind_the_first_line_of_the_launch() {
    let found = shown(PROJECT, "launch.sh", Lang::En);
    let [(HintKind::Memory, text)] = found.as_slice() else { panic!("{found:?}") };
    assert!(text.starts_with("accelerate launch --multi_gpu --num_processes 4 \\| ≈ ") && text.ends_with(" of 80 GiB"), "{text}");
    let zh = shown(PROJECT, "launch.sh", Lang::Zh);
    assert!(zh.iter().any(|(_, text)| text.ends_with(" / 80 GiB")), "{zh:?}");
    let unknown = PROJECT.replace("Qwen/Qwen2.5-7B", "nobody/no-such-model");
    assert_eq!(shown(&unknown, "launch.sh", Lang::En), [], "nothing is known of the model");
}

#[test]
fn a_text_that_becomes_a_number_shows_it() {
    let of = |kind: &str| format!("//- a.yaml\n# vramlint: kind={kind}\nlearning_rate: 2e-5\nrun_name: 1e5\n");
    let found = shown(&of("llamafactory"), "a.yaml", Lang::En);
    assert!(found.contains(&(HintKind::Number, "learning_rate: 2e-5| = 0.00002".to_owned())), "{found:?}");
    assert!(found.iter().all(|(_, text)| !text.contains("run_name")), "{found:?}");
    assert!(shown(&of("training"), "a.yaml", Lang::En).iter().all(|(kind, _)| *kind != HintKind::Number), "it stays text");
}

#[test]
fn only_the_range_is_looked_at() {
    let fixture = Fixture::new(PROJECT);
    assert_eq!(hints(&fixture.report, fixture.file, TextRange::new(0, 10), Lang::En), []);
    assert_eq!(hints(&fixture.report, FileId(10_000), TextRange::new(0, 10), Lang::En), []);
}
