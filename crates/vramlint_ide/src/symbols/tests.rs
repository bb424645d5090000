use crate::fixture::Fixture;
use crate::{Symbol, symbols};
use vramlint_base::Lang;

fn shown(text: &str, lang: Lang) -> Vec<String> {
    fn add(out: &mut Vec<String>, text: &str, symbol: &Symbol, depth: usize) {
        assert!(symbol.range.contains(symbol.selection), "{symbol:?}");
        assert!(text.get(symbol.range.as_usize()).is_some() && text.get(symbol.selection.as_usize()).is_some());
        let detail = if symbol.detail.is_empty() { String::new() } else { format!(": {}", symbol.detail) };
        out.push(format!("{:depth$}{}{detail}", "", symbol.name));
        for child in &symbol.children {
            assert!(symbol.range.contains(child.range), "{symbol:?}");
            add(out, text, child, depth + 1);
        }
    }
    let fixture = Fixture::new(text);
    let mut out = Vec::new();
    for symbol in symbols(&fixture.report, fixture.file, lang) {
        add(&mut out, fixture.text(), &symbol, 0);
    }
    out
}

#[test]
fn keys_are_nested() {
    let yaml = "//- a.yaml\r\n说明: 值$0\r\nfsdp_config:\r\n  fsdp_version: 2\r\nlist:\r\n- a: 1\r\n- b\r\nempty:\r\n";
    assert_eq!(shown(yaml, Lang::En), ["说明: 值", "fsdp_config", " fsdp_version: 2", "list", " [0]", "  a: 1", "empty"]);
    let json = "//- ds.json\n{\"zero_optimization\": {\"stage\": 3}, \"a\": [1, 2]$0}\n";
    assert_eq!(shown(json, Lang::En), ["zero_optimization", " stage: 3", "a: [1, 2]"]);
}

#[test]
fn python_shows_what_is_set() {
    let python = "//- t.py\nfrom transformers import TrainingArguments, AutoModelForCausalLM\nBATCH = 4\nname = 'x'\nclass C:\n    rows = 2\n    def f(self): pass\nmodel = AutoModelForCausalLM.from_pretrained('a/b', torch_dtype='auto')\nprint(1, end='')\nargs = TrainingArguments(output_dir='o', per_device_train_batch_size=BATCH)$0\n";
    assert_eq!(
        shown(python, Lang::En),
        [
            "BATCH: 4",
            "C",
            " rows: 2",
            "AutoModelForCausalLM.from_pretrained: 'a/b'",
            " torch_dtype: 'auto'",
            "TrainingArguments",
            " output_dir: 'o'",
            " per_device_train_batch_size: BATCH"
        ]
    );
}

#[test]
fn launches_show_their_flags_in_both_languages() {
    let script = "//- run.sh\n# 启动\naccelerate launch --multi_gpu --num_processes 2 train.py --per_device_train_batch_size=4 --gradient_accumulation_steps 2$0\n//- train.py\nfrom transformers import HfArgumentParser, TrainingArguments, Trainer\n(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\nTrainer(args=args).train()\n";
    let flags = [" --multi_gpu", " --num_processes: 2", " --per_device_train_batch_size: 4", " --gradient_accumulation_steps: 2"];
    let with = |head: &'static str| [head].into_iter().chain(flags).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(shown(script, Lang::En), with("train.py: 2 processes, effective batch 16"));
    assert_eq!(shown(script, Lang::Zh), with("train.py: 2 个进程，有效批大小 16"));
}

#[test]
fn blocks_of_a_document_count() {
    let readme = "//- README.md\n# 训练\n> ```yaml\n> num_processes: 2\n> ```\n\n```bash\ntorchrun train.py\n```\n$0";
    assert_eq!(shown(readme, Lang::En), ["num_processes: 2", "train.py"]);
}
