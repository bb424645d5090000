//! Caches and model folders in the layout of the libraries, built in temporary folders.

use super::*;
use crate::backend::Backend;
use crate::report::check_with;
use crate::testing::Folder;
use crate::{Report, Request};
use vramlint_memory::setup::{Dtype, Quantization};

/// A small model; `hidden` distinguishes models.
fn config(hidden: u32) -> String {
    format!(
        "{{\"model_type\": \"llama\", \"hidden_size\": {hidden}, \"num_hidden_layers\": 2, \"vocab_size\": 100, \"torch_dtype\": \"bfloat16\"}}"
    )
}

fn report(folder: &Folder, caches: &[&str]) -> Report {
    let hub_caches = caches.iter().map(|cache| folder.path().join(cache)).collect();
    let request = Request { hub_caches, ..folder.request(&[]) };
    check_with(&Backend::standard(), &request, &|_, _| {}).expect("no error")
}

/// A run that names a model.
fn launch(model: &str) -> String {
    format!("torchrun --nproc_per_node 2 train.py --model_name_or_path {model}\n")
}

const TRAIN: &str = "from transformers import AutoModelForCausalLM, HfArgumentParser, TrainingArguments, Trainer\n\
import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--model_name_or_path')\nargs = parser.parse_args()\n\
model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)\nTrainer(model=model).train()\n";

fn source(report: &Report, name: &str) -> Option<Source> {
    report.models.find(name).map(|model| model.source)
}

/// A safetensors file: the length of the header, the header, and no weights.
fn safetensors(header: &str) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes
}

fn write_bytes(folder: &Folder, path: &str, bytes: &[u8]) {
    folder.write(path, "");
    std::fs::write(folder.path().join(path), bytes).expect("written");
}

#[test]
fn a_folder_of_the_project_is_read_from_where_it_may_be_meant() {
    let folder = Folder::new(&[
        ("launch.sh", &launch("models/acme")),
        ("train.py", TRAIN),
        ("models/acme/config.json", &format!("\u{feff}{}", config(64).replace(", ", ",\r\n"))),
        ("sub/run.sh", "torchrun ../train.py --model_name_or_path ./own\n"),
        ("sub/own/config.json", &config(128)),
    ]);
    let report = report(&folder, &[]);
    let found = report.models.find("models/acme").expect("in the project");
    assert_eq!((found.source, found.dtype), (Source::Project("models/acme/config.json".into()), Some(Dtype::Bf16)));
    assert_eq!(source(&report, "./own"), Some(Source::Project("sub/own/config.json".into())));
    assert_eq!(report.models.find("models/other"), None);
}

#[test]
fn an_absolute_path_is_read() {
    let elsewhere = Folder::new(&[("m/config.json", &config(64))]);
    let path = elsewhere.path().join("m");
    let name = path.to_str().expect("UTF-8");
    let folder = Folder::new(&[("launch.sh", &launch(name)), ("train.py", TRAIN)]);
    assert!(matches!(source(&report(&folder, &[]), name), Some(Source::Project(_))));
}

#[test]
fn unsaved_texts_count() {
    let folder = Folder::new(&[("launch.sh", &launch("m")), ("train.py", TRAIN), ("m/config.json", "{")]);
    let overlay = [(PathBuf::from("m/config.json"), config(64).into_bytes())].into();
    let request = Request { overlay, ..folder.request(&[]) };
    let report = check_with(&Backend::standard(), &request, &|_, _| {}).expect("no error");
    assert!(report.models.find("m").is_some());
}

#[test]
fn a_broken_config_leaves_the_model_unknown() {
    let folder = Folder::new(&[
        ("launch.sh", &launch("Qwen/Qwen3-4B")),
        ("train.py", TRAIN),
        ("Qwen/Qwen3-4B/config.json", "{\"hidden_size\": "),
    ]);
    let report = report(&folder, &[]);
    assert!(report.models.is_available("Qwen/Qwen3-4B") && report.models.find("Qwen/Qwen3-4B").is_none());
}

#[test]
fn a_folder_without_a_config_is_at_hand_and_the_catalogue_still_answers() {
    let folder = Folder::new(&[("launch.sh", &launch("gpt2")), ("train.py", TRAIN), ("gpt2/readme.md", "x")]);
    let report = report(&folder, &[]);
    assert!(report.models.is_available("gpt2") && matches!(source(&report, "gpt2"), Some(Source::Catalogue(_))));
}

#[test]
fn adapters_stand_for_their_base() {
    let folder = Folder::new(&[
        ("launch.sh", &launch("out/adapter")),
        ("train.py", TRAIN),
        ("out/adapter/adapter_config.json", "{\"base_model_name_or_path\": \"acme/base\"}"),
        ("hub/models--acme--base/refs/main", "abc"),
        ("hub/models--acme--base/snapshots/abc/config.json", &config(64)),
    ]);
    let report = report(&folder, &["hub"]);
    assert_eq!(source(&report, "out/adapter"), Some(Source::Project("out/adapter/adapter_config.json".into())));
}

#[test]
fn the_cache_is_read_and_the_project_wins_over_it() {
    let files = [
        ("launch.sh", launch("acme/seven")),
        ("train.py", TRAIN.to_owned()),
        ("hub/models--acme--seven/refs/main", "0123abc\n".to_owned()),
        ("hub/models--acme--seven/snapshots/0123abc/config.json", config(64)),
        ("hub/models--acme--seven/snapshots/0/config.json", config(128)),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let folder = Folder::new(&files);
    let cached = Source::Cache("models--acme--seven/snapshots/0123abc/config.json".into());
    assert_eq!(source(&report(&folder, &["absent", "hub"]), "acme/seven"), Some(cached));
    assert_eq!(source(&report(&folder, &[]), "acme/seven"), None);
    folder.write("acme/seven/config.json", &config(256));
    assert_eq!(source(&report(&folder, &["hub"]), "acme/seven"), Some(Source::Project("acme/seven/config.json".into())));
    folder.write("vramlint.toml", "[[model]]\nid = \"acme/seven\"\nconfig = \"c.json\"\n");
    folder.write("c.json", &config(512));
    assert_eq!(source(&report(&folder, &["hub"]), "acme/seven"), Some(Source::Declared("c.json".into())));
}

#[test]
fn without_a_main_only_one_snapshot_is_taken() {
    let folder = Folder::new(&[("hub/models--a--b/snapshots/r1/config.json", &config(64))]);
    let caches = [folder.path().join("hub")];
    assert_eq!(hub_cache::find(&caches, "a/b").map(|found| found.shown), Some("models--a--b/snapshots/r1/config.json".into()));
    folder.write("hub/models--a--b/snapshots/r2/config.json", &config(64));
    assert_eq!(hub_cache::find(&caches, "a/b"), None);
    folder.write("hub/models--a--b/refs/main", "../../elsewhere");
    assert_eq!(hub_cache::find(&caches, "a/b"), None);
    folder.write("hub/models--a--b/refs/main", "r3");
    assert_eq!(hub_cache::find(&caches, "a/b"), None);
}

#[test]
fn what_is_no_name_of_the_hub_is_not_looked_for() {
    let folder = Folder::new(&[("hub/models--a/snapshots/r/config.json", &config(64))]);
    let caches = [folder.path().join("hub")];
    assert!(hub_cache::find(&caches, "a").is_some());
    for name in ["", ".", "..", "a/../a", "./a", "/a", "a/", "a--b", "a b", "a/b/c", "模型", &"a".repeat(200)] {
        assert_eq!(hub_cache::find(&caches, name), None, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_blobs_and_nowhere_else() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[
        ("hub/models--a--b/refs/main", "r"),
        ("hub/models--a--b/blobs/1234", &config(64)),
        ("hub/models--a--b/snapshots/r/tokenizer.json", "{}"),
        ("secret/config.json", &config(64)),
    ]);
    let link = folder.path().join("hub/models--a--b/snapshots/r/config.json");
    let caches = [folder.path().join("hub")];
    symlink("../../blobs/1234", &link).expect("a link");
    assert!(hub_cache::find(&caches, "a/b").is_some());
    std::fs::remove_file(&link).expect("removed");
    symlink(folder.path().join("secret/config.json"), &link).expect("a link");
    assert_eq!(hub_cache::find(&caches, "a/b"), None);
    std::fs::remove_file(&link).expect("removed");
    symlink("../../blobs/gone", &link).expect("a link");
    assert_eq!(hub_cache::find(&caches, "a/b"), None);
    // The cache folder may be a link.
    std::fs::remove_file(&link).expect("removed");
    symlink("../../blobs/1234", &link).expect("a link");
    symlink(folder.path().join("hub"), folder.path().join("other")).expect("a link");
    assert!(hub_cache::find(&[folder.path().join("other")], "a/b").is_some());
}

#[test]
fn parameters_are_counted_where_weights_lie() {
    let header = "{\"__metadata__\": {}, \"a\": {\"dtype\": \"BF16\", \"shape\": [10, 20], \"data_offsets\": [0, 400]}}";
    let folder = Folder::new(&[("m/config.json", &config(64)), ("n/config.json", &config(64))]);
    let count = |name: &str| find_model(name, folder.path(), &[]).expect("a model").exact_parameters;
    assert_eq!(count("m"), None);
    write_bytes(&folder, "m/model.safetensors", &safetensors(header));
    assert_eq!(count("m"), Some(200));
    for (what, bytes) in [
        ("no length", vec![1, 2]),
        ("a length beyond the file", u64::MAX.to_le_bytes().to_vec()),
        ("no JSON", safetensors("{")),
        ("no UTF-8", [1_u64.to_le_bytes().as_slice(), &[0xff]].concat()),
    ] {
        write_bytes(&folder, "m/model.safetensors", &bytes);
        assert_eq!(count("m"), None, "{what}");
    }
    folder.write("n/model.safetensors.index.json", "{\"metadata\": {\"total_size\": 400}, \"weight_map\": {}}");
    assert_eq!(count("n"), Some(200));
    let quantized = config(64).replace('}', ", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 4}}");
    folder.write("n/config.json", &quantized);
    let found = find_model("n/config.json", folder.path(), &[]).expect("a model");
    assert_eq!((found.exact_parameters, found.prequantized), (None, Some(Quantization::FourBit { double: false })));
}

#[test]
fn a_name_on_the_command_line() {
    let folder =
        Folder::new(&[("m/config.json", &config(64)), ("empty/x", ""), ("hub/models--a--b/snapshots/r/config.json", "[]")]);
    let find = |name: &str| find_model(name, folder.path(), &[folder.path().join("hub")]);
    assert!(matches!(find("Qwen/Qwen3-4B").expect("catalogue").source, Source::Catalogue(_)));
    assert!(find("m").is_ok() && find("m/config.json").is_ok());
    assert!(find("Qwen/Qwen3-1.8B").expect_err("unknown").en.contains("did you mean `Qwen/Qwen3-1.7B`"));
    assert!(find("acme/x").expect_err("unknown").en.starts_with("unknown model `acme/x`"));
    assert!(find("empty").expect_err("no config").en.contains("no such file"));
    assert!(find("a/b").expect_err("broken").en.contains(": config.json must be an object"));
    assert!(find("").is_err());
}

#[test]
fn a_declared_model_must_be_there_and_readable() {
    let error = |files: &[(&str, &str)]| {
        let folder = Folder::new(files);
        check_with(&Backend::standard(), &folder.request(&[]), &|_, _| {}).expect_err("a configuration error").message
    };
    let toml = "# 模型\n[[model]]\nid = \"a\"\nconfig = \"a.json\"\n[[model]]\nid = \"b\"\nconfig = \"b.json\"\n";
    let absent = error(&[("vramlint.toml", toml), ("a.json", "{}")]);
    assert_eq!(absent.en, "vramlint.toml:7:10: `config` of model `b`: b.json: no such file");
    assert_eq!(absent.zh, "vramlint.toml:7:10：模型 `b` 的 `config`：b.json：文件不存在");
    let broken = error(&[("vramlint.toml", toml), ("a.json", "{\"a\": }"), ("b.json", "{}")]);
    assert_eq!(broken.en, "vramlint.toml:4:10: `config` of model `a`: a.json: invalid JSON at line 1");
    let large = "x".repeat((4 << 20) + 1);
    let too_large = error(&[("vramlint.toml", toml), ("a.json", &large), ("b.json", "{}")]);
    assert!(too_large.en.ends_with("a.json: has 4 MiB, too large for a config.json"), "{too_large:?}");
}

#[test]
fn the_caches_of_an_environment() {
    let of = |pairs: &[(&str, &str)]| {
        let find = |name: &str| pairs.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).into());
        let caches = hub_cache::caches_of(find);
        caches.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect::<Vec<_>>()
    };
    let home = ("HOME", "/home/u");
    assert_eq!(of(&[home]), ["/home/u/.cache/huggingface/hub"]);
    assert_eq!(of(&[home, ("XDG_CACHE_HOME", "/x")]), ["/x/huggingface/hub"]);
    assert_eq!(of(&[home, ("HF_HOME", "/hf"), ("XDG_CACHE_HOME", "/x")]), ["/hf/hub"]);
    assert_eq!(of(&[home, ("HF_HUB_CACHE", "~/hub"), ("HF_HOME", "/hf")]), ["/home/u/hub"]);
    assert_eq!(of(&[home, ("HF_HUB_CACHE", ""), ("TRANSFORMERS_CACHE", "/old")]), ["/home/u/.cache/huggingface/hub", "/old"]);
    assert_eq!(of(&[]), [""; 0]);
    assert_eq!(of(&[("HF_HOME", "relative")]), [""; 0]);
}

#[test]
fn a_card_on_the_command_line_is_known_or_its_memory_is_given() {
    let folder = Folder::new(&[]);
    let check = |gpu: &str, memory| {
        let target = vramlint_resolve::Target { gpu: Some(gpu.into()), memory, ..vramlint_resolve::Target::default() };
        check_with(&Backend::standard(), &Request { target, ..folder.request(&[]) }, &|_, _| {})
    };
    assert!(check("4090", None).is_ok() && check("Acme X1", Some(1 << 34)).is_ok());
    let error = check("RTX 4900", None).expect_err("unknown").message;
    assert_eq!(error.en, "--gpu: unknown GPU `RTX 4900`; did you mean `GeForce RTX 4090`? For any other GPU, set `--gpu-memory`");
}
