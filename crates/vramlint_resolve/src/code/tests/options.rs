//! Command lines.

use super::*;

#[test]
fn argparse() {
    let text = "import argparse\nfrom torch.utils.data import DataLoader\np = argparse.ArgumentParser()\ng = p.add_argument_group('data')\ng.add_argument('--batch-size', '-b', type=int, default=8)\ng.add_argument('--workers', type=int, default='2')\np.add_argument('--size', type=int)\np.add_argument('--quiet', action='store_false')\np.add_argument('path')\np.set_defaults(batch_size=16)\na, rest = p.parse_known_args()\nDataLoader(d, batch_size=a.batch_size, num_workers=a.workers)\nDataLoader(d, batch_size=a.size)\nDataLoader(d, batch_size=a.batch_size // 2)\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 16 --batch_size a.py:10 call option=batch_size");
    has(&shown, "micro_batch ? size a.py:7 call option=size");
    // Half of an option is not known: a launch may give another.
    has(&shown, "micro_batch ? DataLoader(batch_size) a.py:14 call");
    has(&shown, "dataloader_num_workers 2 --workers a.py:6 call option=workers");
    has(&shown, "option --workers Some(Int(2)) switch=false");
    has(&shown, "option --quiet Some(Bool(true)) switch=true");
    has(&shown, "option path None switch=false");
}

#[test]
fn an_option_that_reaches_nothing_still_speaks_by_its_name() {
    let text = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--batch_size', type=int, default=4)\np.add_argument('--eval_batch_size', type=int, default=40)\nargs = p.parse_args()\n";
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 4 --batch_size a.py:3 unread option=batch_size"]);
}

#[test]
fn click() {
    let text = "import click\nfrom torch.utils.data import DataLoader\n\n@click.command()\n@click.option('--batch-size', '-b', default=9)\n@click.option('--half/--no-half', default=False)\ndef main(batch_size, half):\n    DataLoader(d, batch_size=batch_size)\n\nif __name__ == '__main__':\n    main()\n";
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 9 --batch_size a.py:5 call option=batch_size"]);
    has(&shown, "option --batch-size/-b Some(Int(9)) switch=false");
    has(&shown, "option --half/--no-half Some(Bool(false)) switch=true");
}

#[test]
fn typer() {
    let text = "import typer\nfrom torch.utils.data import DataLoader\napp = typer.Typer()\n\n@app.command()\ndef main(batch_size: int = typer.Option(11, '--bs'), lr: float = 1e-4):\n    DataLoader(d, batch_size=batch_size)\n\napp()\n";
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 11 --batch_size a.py:6 call option=batch_size"]);
    has(&shown, "option --batch_size/--batch-size/--bs Some(Int(11)) switch=false");
    has(&shown, "learning_rate 0.0001 --lr a.py:6 unread option=lr");
}

#[test]
fn fire_classes_and_functions() {
    let text = "import fire\nfrom torch.utils.data import DataLoader\n\nclass Job:\n    def __init__(self, size=5):\n        self.size = size\n    def train(self, workers=3):\n        DataLoader(d, batch_size=self.size, num_workers=workers)\n\nfire.Fire(Job)\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 5 --size a.py:5 call option=size");
    has(&shown, "dataloader_num_workers 3 workers a.py:7 call");
}

#[test]
fn dataclass_parsers() {
    let fields = "from dataclasses import dataclass, field\nimport transformers\n\n@dataclass\nclass Model:\n    model_name_or_path: str = field(default='acme/tiny')\n\n@dataclass\nclass Args(transformers.TrainingArguments):\n    optim: str = field(default='adamw_torch')\n    model_max_length: int = field(default=512)\n\n";
    let train = "def train():\n    parser = transformers.HfArgumentParser((Model, Args))\n    m, t = parser.parse_args_into_dataclasses()\n    model = transformers.AutoModelForCausalLM.from_pretrained(m.model_name_or_path)\n    print(t.model_max_length)\n    transformers.Trainer(model=model, args=t).train()\n\nif __name__ == '__main__':\n    train()\n";
    let text = format!("{fields}{train}");
    let shown = show(&[("a.py", &text)], "a.py");
    has(&shown, "model 'acme/tiny' --model_name_or_path a.py:6 call option=model_name_or_path");
    only(&shown, "optimizer", &["optimizer 'adamw_torch' --optim a.py:10 call option=optim"]);
    has(&shown, "option --model_max_length/--model-max-length Some(Int(512)) switch=false");
    let facts = facts_of(&[("a.py", &text)], "a.py");
    assert_eq!(facts.dialect, Some(Dialect::HfTrainer));
    assert_eq!(facts.argument_classes.len(), 1);
    assert_eq!(facts.argument_classes[0].name, "transformers.TrainingArguments");
    assert_eq!(facts.models[0].trained, Some(true));
}

#[test]
fn tyro_makes_options_of_fields() {
    let text = "import tyro\nfrom dataclasses import dataclass\nfrom torch.utils.data import DataLoader\n\n@dataclass\nclass Plan:\n    batch_size: int = 13\n\nplan = tyro.cli(Plan)\nDataLoader(d, batch_size=plan.batch_size)\n";
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "micro_batch", &["micro_batch 13 --batch_size a.py:7 call option=batch_size"]);
}

#[test]
fn options_as_keywords() {
    let text = "import argparse\nfrom dataclasses import dataclass\nfrom torch.utils.data import DataLoader\n\n@dataclass\nclass Plan:\n    batch_size: int = 1\n\np = argparse.ArgumentParser()\np.add_argument('--batch_size', type=int, default=3)\nplan = Plan(**vars(p.parse_args()))\nDataLoader(d, batch_size=plan.batch_size)\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 3 --batch_size a.py:10 call option=batch_size");
}

#[test]
fn globals_that_a_configurator_overrides() {
    let text = "import torch\nbatch_size = 12\ngradient_accumulation_steps = 5 * 8\nlearning_rate = 6e-4\nexec(open('configurator.py').read())\nscaler = torch.cuda.amp.GradScaler()\nwhile True:\n    for micro_step in range(gradient_accumulation_steps):\n        logits, loss = model(*get(batch_size))\n        loss = loss / gradient_accumulation_steps\n        scaler.scale(loss).backward()\n    scaler.step(optimizer)\n    scaler.update()\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "micro_batch 12 --batch_size a.py:2 option=batch_size");
    has(&shown, "gradient_accumulation_steps 40 --gradient_accumulation_steps a.py:3 call option=gradient_accumulation_steps");
    assert!(shown.contains("dialect=Some(Plain) task=None accumulates=Some(true)"), "{shown}");
}

#[test]
fn several_dataclasses_in_one_namespace() {
    let text = "import argparse, os, torch, transformers\nfrom dataclasses import dataclass, field\nfrom peft import LoraConfig, get_peft_model\n\n@dataclass\nclass M:\n    name: str = field(default='acme/tiny')\n\n@dataclass\nclass T(transformers.Seq2SeqTrainingArguments):\n    lora_r: int = field(default=64)\n    full: bool = field(default=False)\n    per_device_train_batch_size: int = field(default=1)\n\ndef load(args):\n    device_map = 'auto'\n    if os.environ.get('LOCAL_RANK') is not None:\n        device_map = {'': int(os.environ.get('LOCAL_RANK', '0'))}\n    model = transformers.AutoModelForCausalLM.from_pretrained(args.name, device_map=device_map)\n    if not args.full:\n        model = get_peft_model(model, LoraConfig(r=args.lora_r))\n    return model\n\ndef train():\n    parser = transformers.HfArgumentParser((M, T))\n    m, t, extra = parser.parse_args_into_dataclasses(return_remaining_strings=True)\n    args = argparse.Namespace(**vars(m), **vars(t))\n    model = load(args)\n    transformers.Seq2SeqTrainer(model=model, args=t).train()\n\nif __name__ == '__main__':\n    train()\n";
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "model 'acme/tiny' --name a.py:7 call option=name");
    has(&shown, "micro_batch 1 --per_device_train_batch_size a.py:13 call option=per_device_train_batch_size");
    has(&shown, "lora_r 64 --lora_r a.py:11 call option=lora_r guard[not args.full]");
    has(&shown, "device_map 'auto' device_map a.py:16 call");
    assert!(shown.contains("device_map ? device_map a.py:18 call if[os.environ.get('LOCAL_RANK') is not None]"), "{shown}");
    assert!(shown.contains("trained=Some(true)"), "{shown}");
}

#[test]
fn a_launch_decides_branches() {
    let text = "import argparse\nfrom trl import DPOConfig, SFTConfig\np = argparse.ArgumentParser()\np.add_argument('--stage', default='sft')\np.add_argument('--rows', type=int, default=2)\na = p.parse_args()\nif a.stage == 'sft':\n    SFTConfig('o', per_device_train_batch_size=a.rows)\nelse:\n    DPOConfig('o', per_device_train_batch_size=7)\n";
    let both = show(&[("a.py", text)], "a.py");
    has(&both, "micro_batch 2 --rows a.py:5 call option=rows stage=sft guard[a.stage == 'sft']");
    has(&both, "micro_batch 7 DPOConfig(per_device_train_batch_size) a.py:10 call stage=dpo guard[not (a.stage == 'sft')]");
    let files = project(&[("a.py", text)]);
    let given = [("stage".to_string(), Value::Text("sft".to_string())), ("rows".to_string(), Value::Text("5".to_string()))];
    let facts = facts_given(&files, FileId(0), &given);
    let found: Vec<&CodeCandidate> =
        facts.candidates.iter().filter(|(concept, _)| *concept == Concept::MicroBatch).map(|(_, candidate)| candidate).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].candidate.known(), Some(&Value::Int(5)));
    assert_eq!((found[0].option.as_deref(), found[0].guard.as_deref()), (Some("rows"), None));
    assert_eq!(facts.task.as_deref(), Some("sft"));
}
