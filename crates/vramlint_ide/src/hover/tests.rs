use super::*;
use crate::fixture::{Fixture, MARK, parse};

/// The hover at the mark: the text of its range, and its content.
fn said(text: &str, lang: Lang) -> Option<(String, String)> {
    let fixture = Fixture::new(text);
    let found = hover(&fixture.report, fixture.file, fixture.offset, lang)?;
    let about = fixture.text().get(found.range.as_usize()).expect("a range of the text").to_owned();
    Some((about, found.text))
}

fn en(text: &str) -> String {
    said(text, Lang::En).expect("something is said").1
}

/// A project that trains 7 B parameters on 4 processes and sets `num_processes` twice.
const PROJECT: &str = "\
//- vramlint.toml
[target]
gpu = \"A100-80GB\"
//- launch.sh
accelerate launch --config_file acc.yaml --num_processes 4 train.py --config train.yaml
//- acc.yaml
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_processes: 2
num_machines: 1
mixed_precision: bf16
//- train.yaml
model_name: Qwen/Qwen2.5-7B
batch_size: 4
max_length: 2048
gradient_accumulation_steps: 8
learning_rate: 2e-5
gradient_checkpointing: true
//- train.py
import argparse, os, yaml, torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM
parser = argparse.ArgumentParser()
parser.add_argument(\"--config\")
args = parser.parse_args()
os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = \"expandable_segments:True\"
cfg = yaml.safe_load(open(args.config))
accelerator = Accelerator(gradient_accumulation_steps=cfg[\"gradient_accumulation_steps\"])
model = AutoModelForCausalLM.from_pretrained(cfg[\"model_name\"], torch_dtype=torch.bfloat16)
model.gradient_checkpointing_enable()
loader = torch.utils.data.DataLoader([], batch_size=cfg[\"batch_size\"])
optimizer = torch.optim.AdamW(model.parameters(), lr=float(cfg[\"learning_rate\"]))
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
model.train()
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
";

/// The project with the mark at a position.
fn at(marked: &str) -> String {
    let plain = marked.replacen(MARK, "", 1);
    assert!(PROJECT.contains(&plain), "{plain}");
    PROJECT.replacen(&plain, marked, 1)
}

#[test]
fn a_setting_that_changes_memory_shows_a_table_and_its_steps() {
    let text = en(&at("batch_size: $04"));
    assert!(text.starts_with("**`batch_size`** = micro_batch (rows)"), "{text}");
    let table: Vec<&str> = text.split("```").nth(1).expect("a fenced block").lines().collect();
    let column = |line: &&&str| line.find(" GiB").map(|at| line[..at].chars().count());
    let columns: Vec<_> = table.iter().skip(1).take_while(|line| !line.is_empty()).filter_map(|line| column(&line)).collect();
    assert!(columns.len() > 5 && columns.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    assert!(text.contains("\npeak "), "{text}");
    assert!(text.contains("A100 80GB"), "{text}");
    assert!(text.contains("\nmicro_batch 4 -> 8: ") && text.contains("\nmicro_batch 4 -> 2: "), "{text}");
    assert!(text.contains(" vocabulary × "), "the arithmetic of the part: {text}");
    let lines = text.lines().count();
    assert!(lines < 30, "{lines} lines");
}

#[test]
fn the_table_lines_up_in_chinese_too() {
    let (_, text) = said(&at("batch_size: $04"), Lang::Zh).expect("something is said");
    let table: Vec<&str> = text.split("```").nth(1).expect("a fenced block").lines().collect();
    let width = |line: &str| unicode(line.split(" GiB").next().unwrap_or_default());
    let widths: Vec<usize> =
        table.iter().filter(|line| line.contains(" GiB") && !line.contains("->")).map(|line| width(line)).collect();
    assert!(widths.len() > 5 && widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    assert!(text.contains("峰值") && text.contains("单个进程一次前向的样本数"), "{text}");
}

/// Columns: CJK characters take two.
fn unicode(text: &str) -> usize {
    text.chars().map(|c| if ('\u{2e80}'..='\u{ffef}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn who_wins_is_told_at_both_ends() {
    let flag = en(&at("--num_processes $04"));
    assert!(flag.contains("- `4` here ← effective\n- `2` acc.yaml:3 num_processes\n- order: --num_processes >"), "{flag}");
    let file = en(&at("num$0_processes: 2"));
    assert!(file.contains("- `4` launch.sh:1 --num_processes ← effective\n- `2` here\n"), "{file}");
    assert!(file.contains("· `accelerate`") && file.contains("since accelerate 0.2.0"), "{file}");
}

#[test]
fn the_range_is_the_key_or_the_value_under_the_pointer() {
    assert_eq!(said(&at("num$0_processes: 2"), Lang::En).map(|(about, _)| about).as_deref(), Some("num_processes"));
    assert_eq!(said(&at("batch_size: $04"), Lang::En).map(|(about, _)| about).as_deref(), Some("4"));
}

#[test]
fn a_model_shows_its_size_and_who_says_so() {
    let text = en(&at("Qwen/Qwen2$0.5-7B"));
    assert!(text.contains("7.62 B parameters, `qwen2`, 28 layers"), "{text}");
    assert!(text.contains("14.2 GiB in bf16 or fp16, 28.4 GiB in fp32"), "{text}");
    assert!(text.contains("from vramlint's catalog"), "{text}");
    let alone = en("//- notes.md\nWe start from `Qwen/Qwen2.5-$07B`.\n");
    assert!(alone.starts_with("**`Qwen/Qwen2.5-7B`**"), "{alone}");
    assert_eq!(said("//- notes.md\nWe start from `nobody/no$0model`.\n", Lang::En), None);
}

#[test]
fn a_launch_is_summed_up() {
    for mark in ["acc$0elerate launch --config_file", "train$0.py --config"] {
        let text = en(&at(mark));
        assert!(text.starts_with("**`launch.sh#1`**"), "{text}");
        assert!(text.contains("4 processes · effective batch 128 · ≈ "), "{text}");
        assert!(text.contains(" of 80 GiB"), "{text}");
    }
}

#[test]
fn allocator_options_are_told_with_what_they_change_here() {
    let text = en(&at("\"expandable$0_segments:True\""));
    assert!(text.starts_with("**`expandable_segments`**"), "{text}");
    assert!(text.contains("\nallocator_conf expandable_segments on -> off: "), "{text}");
    let shell =
        en("//- a.sh\nexport PYTORCH_CUDA_ALLOC_CONF=max_split$0_size_mb:128,expandable_segments:True\npython train.py\n");
    assert!(shell.starts_with("**`max_split_size_mb`**") && shell.contains("At least 20"), "{shell}");
    let name = en("//- a.sh\nexport PYTORCH_CUDA$0_ALLOC_CONF=max_split_size_mb:128\npython train.py\n");
    assert!(name.starts_with("**`PYTORCH_CUDA_ALLOC_CONF`**") && name.contains("the first of PYTORCH_CUDA_ALLOC_CONF"), "{name}");
}

#[test]
fn visible_devices_are_counted_as_cuda_does() {
    let text = en("//- a.sh\nexport CUDA_VISIBLE_DEVICES=3,$01\npython train.py\n");
    assert!(text.contains("Here: 2 GPUs, `cuda:0` = 3, `cuda:1` = 1"), "{text}");
}

#[test]
fn a_device_map_is_told_unless_a_finding_does() {
    let of = |launch: &str| {
        format!(
            "//- a.sh\n{launch} train.py\n//- train.py\nfrom transformers import AutoModelForCausalLM, Trainer\n\
             model = AutoModelForCausalLM.from_pretrained(\"Qwen/Qwen3-4B\", device_map=\"cu$0da\")\nTrainer(model=model).train()\n"
        )
    };
    assert!(en(&of("python")).contains("Places the whole model on the GPU of its process."));
    let auto = of("torchrun --nproc_per_node 2").replace("cu$0da", "au$0to");
    let fixture = Fixture::new(&auto);
    assert!(fixture.report.findings.iter().any(|finding| finding.name.starts_with("device-map")), "it has a finding");
    assert!(!en(&auto).contains("spreads the layers"));
}

#[test]
fn keys_of_deepspeed_are_told_with_their_bounds_and_stage() {
    let json = "//- ds.json\n{\"zero_optimization\": {\"stage\": 2, \"reduce$0_bucket_size\": 500000000}, \"train_micro_batch_size_per_gpu\": 4}\n";
    let text = en(json);
    assert!(text.contains("`reduce_bucket_size`") && text.contains("default: `"), "{text}");
    let unknown =
        "//- ds.json\n{\"zero_optimization\": {\"stage\": 2, \"no$0_such_key\": 1}, \"train_micro_batch_size_per_gpu\": 4}\n";
    assert_eq!(said(unknown, Lang::En), None);
}

#[test]
fn keywords_in_code_are_those_of_their_class() {
    let text = en(
        "//- train.py\nfrom transformers import TrainingArguments\nargs = TrainingArguments(output_dir=\"o\", save_total$0_limit=2)\n",
    );
    assert!(text.starts_with("**`save_total_limit`** · `transformers.TrainingArguments`"), "{text}");
}

#[test]
fn blocks_of_documents_are_looked_into() {
    let text = "//- README.md\n# 训练\n\n```yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum$0_processes: 2\nmixed_precision: bf16\n```\n";
    let (about, text) = said(text, Lang::En).expect("something is said");
    assert_eq!(about, "num_processes");
    assert!(text.contains("on all machines"), "{text}");
}

#[test]
fn other_line_ends_a_mark_of_the_encoding_and_chinese_before_it_change_nothing() {
    let plain = en(&at("batch_size: $04"));
    let mut changed = parse(&at("batch_size: $04"));
    for (path, text) in &mut changed {
        *text = text.replace('\n', "\r\n");
        if path == "train.yaml" {
            *text = format!("\u{feff}# 批大小：每个进程\r\n{text}");
        }
    }
    let fixture = Fixture::from_files(changed);
    let found = hover(&fixture.report, fixture.file, fixture.offset, Lang::En).expect("something is said");
    assert_eq!(fixture.text().get(found.range.as_usize()), Some("4"));
    assert_eq!(found.text, plain);
}

#[test]
fn what_is_not_known_makes_no_figure() {
    let unknown = PROJECT.replace("Qwen/Qwen2.5-7B", "nobody/no-such-model").replace("batch_size: 4", "batch_size: $04");
    let text = en(&unknown);
    assert!(!text.contains("GiB") && text.contains("- `4` here ← effective"), "{text}");
    let open = PROJECT.replace("--num_processes 4", "--num_processes $NU$0M");
    let text = said(&open, Lang::En).map(|(_, text)| text).unwrap_or_default();
    assert!(!text.contains("num_processes 4 ->") && !text.contains("- `4`"), "{text}");
    assert_eq!(said("//- a.yaml\nhello: wor$0ld\n", Lang::En), None);
}

#[test]
fn what_a_finding_says_is_not_said_again() {
    let fixture = Fixture::new(&at("Qwen/Qwen2$0.5-7B"));
    for lang in [Lang::En, Lang::Zh] {
        let text = hover(&fixture.report, fixture.file, fixture.offset, lang).expect("something is said").text;
        assert!(fixture.report.findings.iter().any(|finding| finding.code.starts_with("VL3")));
        assert!(fixture.report.findings.iter().all(|finding| !text.contains(finding.message.get(lang))), "{text}");
        assert!(!text.contains("does not fit") && !text.contains("放不下"), "{text}");
    }
}

/// A Trainer with DeepSpeed and adapters.
const SHARDED: &str = "\
//- launch.sh
deepspeed --num_gpus 4 train.py
//- ds.json
{\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"none\"}}, \"bf16\": {\"enabled\": true},
 \"train_micro_batch_size_per_gpu\": \"auto\", \"gradient_accumulation_steps\": \"auto\"}
//- train.py
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(\"Qwen/Qwen2.5-7B\", torch_dtype=\"bfloat16\")
model = get_peft_model(model, LoraConfig(r=16, target_modules=\"all-linear\"))
args = TrainingArguments(output_dir=\"o\", deepspeed=\"ds.json\", bf16=True, per_device_train_batch_size=2, gradient_checkpointing=True)
Trainer(model=model, args=args).train()
";

#[test]
fn steps_of_stages_switches_and_ranks_are_simulated() {
    let of = |from: &str, to: &str| en(&SHARDED.replacen(from, to, 1));
    let stage = of("\"stage\": 2", "\"sta$0ge\": 2");
    assert!(stage.contains("\nzero_stage 2 -> 1: ") && stage.contains("\nzero_stage 2 -> 3: "), "{stage}");
    let rank = of("r=16", "r=$016");
    assert!(rank.contains("\nlora_r 16 -> 8: ") && rank.contains("\nlora_r 16 -> 32: "), "{rank}");
    let switch = of("gradient_checkpointing=True", "gradient_check$0pointing=True");
    assert!(switch.contains("\ngradient_checkpointing on -> off: "), "{switch}");
    let offload = of("\"device\": \"none\"", "\"device\": \"no$0ne\"");
    assert!(offload.contains("\noffload_optimizer none -> cpu: "), "{offload}");
}

#[test]
fn a_flag_says_what_its_value_sets() {
    let flag = en(&at("--num_pro$0cesses 4"));
    assert!(flag.contains("- `4` here ← effective"), "{flag}");
}
