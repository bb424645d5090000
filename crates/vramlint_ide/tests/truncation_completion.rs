//! Every feature on files that are cut at every character, with the cursor there: nothing panics and ranges are inside the file, on
//! character boundaries.

#[path = "../src/fixture.rs"]
#[allow(dead_code)] // each test uses its part
mod fixture;

use fixture::{file_at, parse, report};
use vramlint_base::{FileId, FileRange, Lang, TextRange};
use vramlint_ide::{actions, completions, configuration_completions, definition, links, references, symbols};
use vramlint_project::Report;

const TEXTS: &[&str] = &[
    "//- accelerate_config.yaml\n\u{feff}# 配置\r\ndistributed_type: NO\r\nfsdp_config:\r\n  fsdp_version: '2'\r\nnum_processes: 2\r\n",
    "//- ds_config.json\n{\"说明\": \"中\", \"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}}, \"x\": [1, \"a.py\"]}\n",
    "//- train.py\nfrom transformers import TrainingArguments\nB = 4 # 有效 batch = 64\na = TrainingArguments(output_dir='输出', bf16=True, per_device_train_batch_size=B)\n",
    "//- run.sh\n# effective batch = 64\nN=2\naccelerate launch --config_file \"accelerate_config.yaml\" \\\n  --num_processes $N train.py --bf16=真\n",
    "//- README.md\n> ```bash\n> torchrun --nproc_per_node 2 训练.py\n> ```\n```yaml\nnum_processes: 2\n```\n",
];

/// The other files, so that there are runs.
const OTHER_FILES: &str = "//- train.py\nfrom transformers import HfArgumentParser, TrainingArguments, Trainer\n(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\nTrainer(args=args).train()\n//- accelerate_config.yaml\ncompute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 4\n";

#[test]
fn cut_at_every_byte_with_the_cursor_there() {
    for text in TEXTS {
        let (path, whole) = parse(text).remove(0);
        for end in (0..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let mut files = vec![(path.clone(), whole[..end].to_owned())];
            files.extend(parse(OTHER_FILES).into_iter().filter(|(other, _)| *other != path));
            let report = report(&files);
            let file = file_at(&report.project, &path).expect("read");
            ask(&report, file, end as u32);
            // On a word, not after it.
            ask(&report, file, end.saturating_sub(3) as u32);
        }
    }
}

#[test]
fn single_bytes_removed_with_the_cursor_there() {
    for text in TEXTS {
        let (path, whole) = parse(text).remove(0);
        // Every third is enough: neighbours break the same syntax.
        for (at_byte, c) in whole.char_indices().step_by(3) {
            let mut changed = whole.clone();
            changed.replace_range(at_byte..at_byte + c.len_utf8(), "");
            let mut files = vec![(path.clone(), changed)];
            files.extend(parse(OTHER_FILES).into_iter().filter(|(other, _)| *other != path));
            let report = report(&files);
            let file = file_at(&report.project, &path).expect("read");
            ask(&report, file, at_byte as u32);
        }
    }
}

#[test]
fn a_cursor_at_every_byte_of_a_whole_text() {
    for text in TEXTS {
        let (path, whole) = parse(text).remove(0);
        let mut files = vec![(path.clone(), whole.clone())];
        files.extend(parse(OTHER_FILES).into_iter().filter(|(other, _)| *other != path));
        let report = report(&files);
        let file = file_at(&report.project, &path).expect("read");
        for offset in 0..=whole.len() + 2 {
            ask(&report, file, offset as u32);
        }
    }
}

#[test]
fn a_configuration_cut_at_every_byte() {
    let text = "\u{feff}# 目标\n[target]\ngpu = \"H200\"\n[lint]\nignore = [\"VL101\", 'x']\nlang = \"zh\"\n[lint.severity]\na = \"off\"\n";
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        for name in ["vramlint.toml", "pyproject.toml", "other.toml"] {
            for one in configuration_completions(name, &text[..end], end as u32, Lang::Zh) {
                assert!(text[..end].get(one.replace.as_usize()).is_some(), "{one:?}");
            }
        }
    }
}

fn ask(report: &Report, file: FileId, offset: u32) {
    let project = &report.project;
    let holds = |place: FileRange| project.file(place.file).text.get(place.range.as_usize()).is_some();
    let inside = |range: TextRange| holds(FileRange::new(file, range));
    for lang in [Lang::En, Lang::Zh] {
        for one in completions(report, file, offset, lang) {
            assert!(inside(one.replace) && one.replace.start <= offset && offset <= one.replace.end, "{offset}: {one:?}");
        }
        for action in actions(report, file, TextRange::at(offset), lang) {
            assert!(action.edits.iter().all(|edit| holds(edit.place)), "{action:?}");
            assert!(!action.title.is_empty());
        }
    }
    for symbol in symbols(report, file, Lang::En) {
        assert!(inside(symbol.range) && inside(symbol.selection), "{symbol:?}");
    }
    assert!(definition(report, file, offset).into_iter().chain(references(report, file, offset)).all(holds));
    assert!(links(report, file).iter().all(|link| inside(link.range)));
}
