use crate::fixture::Fixture;
use crate::{definition, references};

fn definitions(text: &str) -> Vec<String> {
    let fixture = Fixture::new(text);
    fixture.display(&definition(&fixture.report, fixture.file, fixture.offset))
}

fn all(text: &str) -> Vec<String> {
    let fixture = Fixture::new(text);
    fixture.display(&references(&fixture.report, fixture.file, fixture.offset))
}

const TRAIN: &str = "//- train.py\nfrom transformers import HfArgumentParser, TrainingArguments, Trainer\n(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\nTrainer(args=args).train()\n";
const ACC: &str = "//- acc.yaml\r\ncompute_environment: LOCAL_MACHINE\r\ndistributed_type: MULTI_GPU\r\n# 进程数\r\nnum_processes: 4\r\nmixed_precision: bf16\r\n";

#[test]
fn from_what_loses_to_the_winner_and_back() {
    let launch = "//- run.sh\n# 启动\naccelerate launch --config_file acc.yaml --num_processes 2 train.py\n";
    let in_yaml = ACC.replace("num_processes: 4", "num_processes: $04");
    assert_eq!(definitions(&format!("{in_yaml}{launch}{TRAIN}")), ["run.sh:2 2"]);
    let in_script = launch.replace("num_processes 2", "num_processes 2$0");
    assert_eq!(definitions(&format!("{in_script}{ACC}{TRAIN}")), ["acc.yaml:4 4"]);
    // The key works like the value.
    let on_key = ACC.replace("num_processes: 4", "num_$0processes: 4");
    assert_eq!(definitions(&format!("{on_key}{launch}{TRAIN}")), ["run.sh:2 2"]);
    assert_eq!(all(&format!("{in_yaml}{launch}{TRAIN}")), ["run.sh:2 2"]);
}

#[test]
fn from_a_path_to_the_file_and_to_those_who_name_it() {
    let launch = "//- run.sh\naccelerate launch --config_file acc$0.yaml train.py\n";
    let other = "//- other.sh\naccelerate launch --config_file acc.yaml train.py\n";
    let text = format!("{launch}{other}{ACC}{TRAIN}");
    assert_eq!(definitions(&text), ["acc.yaml:1 "]);
    assert_eq!(all(&text), ["other.sh:1 acc.yaml"]);
}

#[test]
fn from_a_variable_to_its_assignment() {
    let launch = "//- run.sh\nGPUS=2\ntorchrun --nproc_per_node $GP$0US train.py\n";
    assert_eq!(definitions(&format!("{launch}{TRAIN}")), ["run.sh:1 2"]);
}

#[test]
fn from_a_claim_to_the_numbers_that_make_it() {
    let launch = "//- run.sh\n# effective batch = 64$0\ntorchrun --nproc_per_node 2 train.py --per_device_train_batch_size 8 --gradient_accumulation_steps 2\n";
    let found = definitions(&format!("{launch}{TRAIN}"));
    assert_eq!(found, ["run.sh:2 2", "run.sh:2 8", "run.sh:2 2"]);
    let back = launch.replace("$0", "").replace("batch_size 8", "batch_size 8$0");
    assert_eq!(all(&format!("{back}{TRAIN}")), ["run.sh:1 effective batch = 64"]);
}

#[test]
fn from_an_argument_to_the_key_that_gives_it() {
    let python = "//- train.py\nimport yaml\nfrom transformers import Trainer, TrainingArguments\nwith open('cfg.yaml') as f:\n    cfg = yaml.safe_load(f)\nargs = TrainingArguments(output_dir='o', per_device_train_batch_size=cfg['ba$0tch'])\nTrainer(args=args).train()\n//- cfg.yaml\n# 训练\nbatch: 4\n";
    assert_eq!(definitions(python), ["cfg.yaml:2 4"]);
    let constant = "//- train.py\nfrom transformers import Trainer, TrainingArguments\nBATCH = 4\nargs = TrainingArguments(output_dir='o', per_device_train_batch_size=BAT$0CH)\nTrainer(args=args).train()\n";
    assert_eq!(definitions(constant), ["train.py:2 4"]);
}

#[test]
fn places_in_a_document_are_those_of_the_document() {
    let readme = "//- README.md\n说明\n> ```bash\n> accelerate launch --config_file acc$0.yaml train.py\n> ```\n";
    assert_eq!(definitions(&format!("{readme}{ACC}{TRAIN}")), ["acc.yaml:1 "]);
}

#[test]
fn nothing_outside_of_the_file() {
    let fixture = Fixture::new("//- a.yaml\n批: 1$0\n");
    for offset in [1, 2, 99, u32::MAX] {
        assert!(definition(&fixture.report, fixture.file, offset).is_empty());
        assert!(references(&fixture.report, fixture.file, offset).is_empty());
    }
    assert!(definition(&fixture.report, vramlint_base::FileId(9), 0).is_empty());
}
