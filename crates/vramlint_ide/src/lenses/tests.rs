use super::*;
use crate::fixture::Fixture;

const PROJECT: &str = "\
//- launch.sh
# 训练
torchrun --nproc_per_node 2 train.py
torchrun --nproc_per_node $N train.py
//- train.py
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(\"Qwen/Qwen2.5-7B\")
args = TrainingArguments(output_dir=\"o\", per_device_train_batch_size=4, gradient_accumulation_steps=8, bf16=True)
Trainer(model=model, args=args).train()
";

fn of(text: &str, path: &str, lang: Lang) -> Vec<(String, String, LensCommand)> {
    let fixture = Fixture::new(text);
    let file = fixture.report.project.files.iter().find(|file| file.path == path && file.host.is_none()).expect("the file");
    let found = lenses(&fixture.report, file.id, lang);
    found.into_iter().map(|lens| (lens.range.slice(&file.text).to_owned(), lens.title, lens.command)).collect()
}

#[test]
fn a_launch_has_its_summary_and_its_timeline() {
    let found = of(PROJECT, "launch.sh", Lang::En);
    let (text, title, command) = &found[0];
    assert_eq!(text, "torchrun --nproc_per_node 2 train.py");
    assert!(title.starts_with("2 processes · effective batch 64"), "{title}");
    assert_eq!(*command, LensCommand::ShowRun("launch.sh#1".into()));
    let timeline = LensCommand::ShowTimeline("launch.sh#1".into());
    assert!(found.iter().any(|(_, title, command)| *command == timeline && title == "show memory timeline"), "{found:?}");
}

#[test]
fn what_is_not_known_is_left_out() {
    let found = of(PROJECT, "launch.sh", Lang::En);
    let second: Vec<_> = found.iter().filter(|(.., command)| *command == LensCommand::ShowRun("launch.sh#2".into())).collect();
    assert_eq!(second.len(), 1);
    assert!(!second[0].1.contains("processes") && !second[0].1.contains("effective"), "{second:?}");
}

#[test]
fn a_run_without_a_command_shows_at_the_line_of_its_model() {
    let text = PROJECT.replacen("//- launch.sh", "//- notes.md", 1);
    let found = of(&text, "train.py", Lang::Zh);
    assert!(found.first().is_some_and(|(text, ..)| text.contains("Qwen/Qwen2.5-7B")), "{found:?}");
    assert!(found.iter().any(|(_, title, _)| title == "显示 GPU 显存时间线"), "{found:?}");
}
