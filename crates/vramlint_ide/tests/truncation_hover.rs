//! Hovers, hints, lenses and diagnostics of files that are cut at every character, and of files without one character: nothing
//! panics.

#[path = "../src/fixture.rs"]
#[allow(dead_code)] // each test uses its part
mod fixture;

use fixture::{parse, report};
use vramlint_base::{Lang, TextRange};
use vramlint_ide::{diagnostics, hints, hover, lenses};

/// Every language in a few lines.
const PROJECT: &str = "\
//- a.sh
CUDA_VISIBLE_DEVICES=0,1 accelerate launch --config_file a.yaml t.py --config c.yaml
//- a.yaml
distributed_type: MULTI_GPU
num_processes: 2
gpu_ids: '0,1'
//- c.yaml
model_name: &m gpt2
批: {batch_size: 4, lr: 2e-5, a: *m}
//- d.json
{\"zero_optimization\": {\"stage\": 2}, \"train_batch_size\": 8}
//- t.py
import yaml
from transformers import TrainingArguments
cfg = yaml.safe_load(open('c.yaml'))
TrainingArguments(per_device_train_batch_size=4, optim='adamw_torch')
//- r.md
中文
```bash
PYTORCH_CUDA_ALLOC_CONF=backend:native python t.py --bf16
```
";

/// Asks for every feature at some offsets of every file.
fn ask(files: &[(String, String)]) {
    let report = report(files);
    for file in report.project.files.iter().filter(|file| file.host.is_none()) {
        let length = file.text.len() as u32;
        let holds = |range: TextRange| assert!(file.text.get(range.as_usize()).is_some(), "{range:?} of {:?}", file.text);
        // The sweep covers every offset; here the files are many.
        for offset in (0..=length + 1).step_by(5).chain([length]) {
            if let Some(found) = hover(&report, file.id, offset, Lang::Zh) {
                holds(found.range);
            }
        }
        for hint in hints(&report, file.id, TextRange::new(0, length), Lang::En) {
            assert!(file.text.is_char_boundary(hint.offset as usize));
        }
        for lens in lenses(&report, file.id, Lang::En) {
            holds(lens.range);
        }
        for one in diagnostics(&report, file.id, Lang::En) {
            holds(one.range);
        }
    }
}

/// Every variant of one file that `change` makes, for each of its characters.
fn each(change: impl Fn(&str, usize, usize) -> String) {
    let originals = parse(PROJECT);
    for number in 0..originals.len() {
        let text = originals[number].1.clone();
        for (at, c) in text.char_indices() {
            let mut changed = originals.clone();
            changed[number].1 = change(&text, at, at + c.len_utf8());
            ask(&changed);
        }
    }
}

#[test]
fn texts_that_end_anywhere() {
    each(|text, at, _| text[..at].to_owned());
}

#[test]
fn texts_without_one_character() {
    each(|text, at, end| format!("{}{}", &text[..at], &text[end..]));
}
