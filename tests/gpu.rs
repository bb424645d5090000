//! `gpu`, `--gpu auto` and `init`, with a stand-in for the driver's library that is compiled here and loaded by its path.
#![cfg(unix)]

#[path = "cli/run.rs"]
#[allow(dead_code)] // each test binary uses its part
mod run;

use run::{Folder, vramlint};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The library in two forms; `None` where there is no C compiler.
fn stubs() -> Option<&'static [PathBuf; 2]> {
    static BUILT: OnceLock<Option<(TempDir, [PathBuf; 2])>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let build = |name: &str, extra: &[&str]| {
            let to = folder.path().join(name);
            let source = run::root().join("tests/nvml/stub.c");
            let status = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&to).arg(source).args(extra).status().ok()?;
            assert!(status.success(), "the stub compiles");
            Some(to)
        };
        let libraries = [build("libnvidia-ml.so.1", &[])?, build("libold.so.1", &["-DNO_V2"])?];
        Some((folder, libraries))
    });
    if built.is_none() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "cc is missing, and CI must run these tests");
        println!("skipped: there is no C compiler (cc)");
    }
    built.as_ref().map(|(_, libraries)| libraries)
}

/// Runs in a folder with the stub; `index` 1 is the old driver.
fn stubbed(folder: &Folder, words: &str, index: usize, variables: &[(&str, &str)]) -> Option<run::Ran> {
    let library = stubs()?[index].to_str().expect("a plain path");
    let mut all = vec![("VRAMLINT_NVML", library)];
    all.extend_from_slice(variables);
    Some(folder.run_with(words, &all))
}

fn run_stubbed(words: &str, variables: &[(&str, &str)]) -> Option<run::Ran> {
    stubbed(&Folder::new(&[]), words, 0, variables)
}

fn json(variables: &[(&str, &str)]) -> Option<Value> {
    let out = run_stubbed("gpu --output-format json", variables)?.out(0);
    Some(serde_json::from_str(&out).expect("JSON"))
}

fn kinds(card: &Value) -> Vec<&str> {
    card["advice"].as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect()
}

const TWO: &[(&str, &str)] = &[
    ("STUB_COUNT", "2"),
    ("STUB_USED_0", "30000"),
    ("STUB_RESERVED_0", "500"),
    ("STUB_BUSY_0", "0"),
    ("STUB_COMPUTE_0", "4242:20000 99999991:9000"),
];

#[test]
fn two_cards_with_what_they_hold() {
    let Some(ran) = run_stubbed("gpu", TWO) else { return };
    assert_eq!(
        ran.out(0),
        "\
NVIDIA driver 570.86.15, CUDA up to 12.8

GPU 0  NVIDIA A100-SXM4-40GB  compute capability 8.0  GPU-0-0000
  memory                 ███████████████░░░░░ 29.3 GiB of 40.0 GiB used (73 %), 10.2 GiB free, 500 MiB reserved by the driver
  utilization            0 %, memory bus 7 %
  temperature and power  41 °C, 61 / 400 W
  ECC                    off
  MIG                    off
  process 4242           stranger  19.5 GiB  compute
  process 99999991       ?         8.8 GiB  compute
  → a run started now can use 10.2 GiB of 40.0 GiB: 29.3 GiB (73 %) are already in use
  → stranger (process 4242) uses 19.5 GiB
  → ? (process 99999991) uses 8.8 GiB
  → 1000 MiB are used outside the visible processes: by the driver, another container or another account
  → GPU utilization is 0 %, but 29.3 GiB (73 %) are in use: a process is waiting, or did not exit

GPU 1  NVIDIA A100-SXM4-40GB  compute capability 8.0  GPU-1-0000
  memory                 ░░░░░░░░░░░░░░░░░░░░ 0 MiB of 40.0 GiB used (0 %), 40.0 GiB free, 0 MiB reserved by the driver
  utilization            50 %, memory bus 7 %
  temperature and power  41 °C, 61 / 400 W
  ECC                    off
  MIG                    off
"
    );
    let Some(zh) = run_stubbed("gpu --lang zh", TWO) else { return };
    assert!(zh.out(0).contains("→ 现在启动的训练任务最多可用 10.2 GiB（共 40.0 GiB）：已有 29.3 GiB（73%）被占用"));
}

#[test]
fn json_is_in_bytes() {
    let Some(value) = json(TWO) else { return };
    assert_eq!((&value["version"], &value["cuda"]), (&Value::from(1), &Value::from("12.8")));
    let card = &value["gpus"][0];
    assert_eq!(card["memory"]["total"], 40_u64 << 30);
    assert_eq!(card["memory"]["free"], 10_460_u64 << 20);
    assert_eq!(card["processes"][0]["memory"], 20_000_u64 << 20);
    assert_eq!((&card["processes"][0]["name"], &card["processes"][0]["own"]), (&Value::from("stranger"), &Value::Null));
    assert_eq!(kinds(card), ["room", "holder", "holder", "holders-hidden", "idle-and-full"]);
    assert_eq!(kinds(&value["gpus"][1]), [""; 0]);
}

#[test]
fn a_card_that_is_cut_up_shows_its_instances() {
    let Some(value) = json(&[("STUB_MIG_0", "20096 9856")]) else { return };
    let card = &value["gpus"][0];
    assert_eq!(card["mig"]["instances"][1]["memory"]["total"], 9856_u64 << 20);
    assert_eq!(card["mig"]["instances"][1]["uuid"], "MIG-01-0000");
    assert_eq!((kinds(card), &card["utilization"]), (vec!["mig"], &Value::Null));
}

#[test]
fn what_an_old_driver_does_not_tell_is_said_and_the_rest_shown() {
    let Some(ran) = stubbed(&Folder::new(&[]), "gpu", 1, &[]) else { return };
    let out = ran.out(0);
    assert!(out.contains("→ the driver 570.86.15 does not report the memory of this GPU"), "{out}");
    assert!(out.contains("41 °C") && !out.contains("  memory "), "{out}");
}

#[test]
fn ecc_displays_and_silent_processes() {
    let variables = [
        ("STUB_NAME_0", "NVIDIA A10"),
        ("STUB_TOTAL_0", "21000"),
        ("STUB_USED_0", "4000"),
        ("STUB_ECC_0", "1"),
        ("STUB_DISPLAY_0", "1"),
        ("STUB_COMPUTE_0", "7:-1 8:1000"),
        ("STUB_GRAPHICS_0", "8:1000"),
    ];
    let Some(value) = json(&variables) else { return };
    let card = &value["gpus"][0];
    assert_eq!(kinds(card), ["room", "holder", "holders-silent", "display", "below-usual"]);
    let processes = card["processes"].as_array().expect("a list");
    assert_eq!(processes.len(), 2, "one that computes and draws is one");
    assert_eq!((&processes[0]["kind"], &processes[1]["memory"]), (&Value::from("both"), &Value::Null));
}

#[test]
fn a_lost_card_leaves_the_others() {
    let Some(value) = json(&[("STUB_COUNT", "2"), ("STUB_LOST_0", "1")]) else { return };
    assert_eq!(kinds(&value["gpus"][0]), ["failure"]);
    assert_eq!(value["gpus"][1]["memory"]["total"], 40_u64 << 30);
}

#[test]
fn without_a_driver_only_this_fails() {
    let folder = Folder::new(&[("train.yaml", "batch_size: 4\n")]);
    let nowhere = [("VRAMLINT_NVML", "/nowhere/libnvidia-ml.so.1")];
    for words in ["gpu", "gpu --output-format json", "gpu --watch", "check --gpu auto", "runs --gpu auto"] {
        let said = folder.run_with(words, &nowhere).fault();
        assert!(said.starts_with("error: cannot load the library in VRAMLINT_NVML: /nowhere/"), "{words}: {said}");
    }
    let said = folder.run_with("gpu --lang zh", &nowhere).fault();
    assert!(said.starts_with("错误：无法加载 VRAMLINT_NVML 指定的库"), "{said}");
    assert_eq!(folder.run_with("check", &nowhere).status, Some(0));
    assert!(folder.run("gpu --interval 3").fault().contains("--watch"));
    assert!(folder.run("gpu --watch --interval 0").fault().contains("--interval"));
}

#[test]
fn a_driver_that_does_not_start_says_why() {
    for (status, part) in [("9", "not loaded"), ("18", "restart the machine"), ("999", "does not respond")] {
        let Some(ran) = run_stubbed("gpu", &[("STUB_INIT", status)]) else { return };
        let said = ran.fault();
        assert!(said.contains(part) && said.lines().count() == 1, "{status}: {said}");
    }
    let Some(ran) = run_stubbed("gpu", &[("STUB_COUNT", "0")]) else { return };
    assert_eq!(ran.fault(), "error: the NVIDIA driver sees no GPU\n");
}

#[test]
fn watching_gives_a_block_per_interval() {
    let Some(libraries) = stubs() else { return };
    let folder = Folder::new(&[]);
    let mut child = vramlint(folder.path())
        .args(["gpu", "--watch", "--interval", "1", "--output-format", "json"])
        .env("VRAMLINT_NVML", &libraries[0])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().take(2);
    let seen: Vec<Value> = lines.map(|line| serde_json::from_str(&line.expect("UTF-8")).expect("JSON")).collect();
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
    assert_eq!(seen.len(), 2);
}

/// What the runs of a tiny project say of the machine.
fn world(words: &str, variables: &[(&str, &str)]) -> Option<Result<Value, String>> {
    let folder = Folder::new(&[("go.sh", "torchrun --nproc_per_node gpu train.py\n"), ("train.py", "import torch\n")]);
    let ran = stubbed(&folder, &format!("runs --output-format json {words}"), 0, variables)?;
    if ran.status != Some(0) {
        return Some(Err(ran.fault()));
    }
    let value: Value = serde_json::from_str(&ran.out(0)).expect("JSON");
    Some(Ok(value["runs"][0]["world_size"].clone()))
}

#[test]
fn auto_takes_the_cards_at_hand() {
    let Some(both) = world("--gpu auto", TWO) else { return };
    assert_eq!(both, Ok(Value::from(2)));
    let with = |words: &str, more: &[(&str, &str)]| world(words, &[TWO, more].concat()).expect("cc is there");
    assert_eq!(with("--gpu auto", &[("CUDA_VISIBLE_DEVICES", "1")]), Ok(Value::from(1)));
    assert_eq!(with("--gpu auto --gpus 4", &[]), Ok(Value::from(4)), "what is said goes before what is seen");
    assert!(with("--gpu auto", &[("CUDA_VISIBLE_DEVICES", "")]).expect_err("hidden").contains("hides every GPU"));
    let mixed = with("--gpu auto", &[("STUB_NAME_1", "NVIDIA T4")]).expect_err("mixed");
    assert!(mixed.contains("GPU 0: NVIDIA A100-SXM4-40GB; GPU 1: NVIDIA T4"), "{mixed}");
}

#[test]
fn auto_is_nothing_for_a_file() {
    let folder = Folder::new(&[("vramlint.toml", "[target]\ngpu = \"auto\"\n"), ("a.yaml", "a: 1\n")]);
    let said = folder.run("check").fault();
    assert!(said.starts_with("error: vramlint.toml:2:7: `target.gpu` cannot be `auto`"), "{said}");
}

#[test]
fn a_first_configuration_loads_and_is_not_written_twice() {
    if stubs().is_none() {
        return;
    }
    for (lang, variables) in [("en", TWO), ("zh", TWO), ("en", &[("STUB_COUNT", "0")]), ("zh", &[("STUB_NAME_0", "GRID \"X\"")])]
    {
        let folder = Folder::project();
        let _ = std::fs::remove_file(folder.path().join("vramlint.toml"));
        let _ = std::fs::remove_file(folder.path().join("pyproject.toml"));
        let ran = stubbed(&folder, &format!("init --lang {lang}"), 0, variables).expect("cc is there");
        let (out, text) = (ran.out(0), folder.read("vramlint.toml"));
        assert!(out.ends_with(&text), "it prints what it wrote: {out}");
        let checked = folder.run("check --exit-zero");
        assert_eq!((checked.status, checked.err.as_str()), (Some(0), ""), "{text}");
        assert!(text.contains(&format!("\nlang = \"{lang}\"\n")), "{text}");
        assert_eq!(text.contains("\ngpu = "), variables != [("STUB_COUNT", "0")], "{text}");
        let again = stubbed(&folder, "init", 0, variables).expect("cc is there").fault();
        assert!(again.starts_with("error: vramlint.toml already configures vramlint"), "{again}");
        assert_eq!(folder.read("vramlint.toml"), text);
    }
}

#[test]
fn a_first_configuration_proposes_what_the_runs_agree_on() {
    let script = "accelerate launch --num_processes 2 train.py --per_device_train_batch_size 4 --gradient_accumulation_steps 8\n";
    let train = "from transformers import HfArgumentParser, TrainingArguments, Trainer\n\
                 args, = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\nTrainer(args=args).train()\n";
    let folder = Folder::new(&[("go.sh", script), ("train.py", train)]);
    let nowhere = [("VRAMLINT_NVML", "/nowhere.so")];
    let out = folder.run_with("init", &nowhere).out(0);
    assert!(out.contains("(1 run):\n# effective = 64\n"), "{out}");
    assert!(out.contains("# gpu = \"RTX 4090\"\n") && out.contains("# host-memory = "), "{out}");
    assert!(out.contains("\n# lang = \"en\"\n"), "{out}");
    let other = Folder::new(&[("pyproject.toml", "[tool.vramlint.target]\ncount = 1\n")]);
    assert!(other.run_with("init", &nowhere).fault().contains("pyproject.toml already configures vramlint"));
}

#[test]
fn a_recording_is_what_compare_reads() {
    let Some(stubs) = stubs() else { return };
    let folder = Folder::new(&[
        (
            "train.py",
            "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nmodel = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')\nTrainer(model, TrainingArguments('out')).train()\n",
        ),
        ("run.sh", "python train.py\n"),
    ]);
    let mut child = vramlint(folder.path())
        .args(["gpu", "--watch", "--interval", "1", "--output-format", "json", "--record", "gpu.jsonl"])
        .env("VRAMLINT_NVML", &stubs[0])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // What is printed was recorded before.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first: Value = serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let recorded = folder.read("gpu.jsonl");
    let line: Value = serde_json::from_str(recorded.lines().next().expect("a line")).expect("JSON");
    assert!(line["time"].as_f64().is_some_and(|time| time > 1e9) && line["gpus"] == first["gpus"], "{line}");
    let compared = folder.run("compare gpu.jsonl . --set sequence_length=512 --gpus 1 --output-format json");
    let compared: Value = serde_json::from_str(&compared.out).expect("JSON");
    assert_eq!(compared["source"], "recording", "{compared}");
    assert!(compared["measured"]["process"].as_u64().is_some(), "{compared}");
}

/// A command line on a terminal that util-linux's `script` provides. `None` where there is no such program: those of other systems take
/// other arguments.
fn on_a_terminal(folder: &Folder, words: &str, variables: &[(&str, &str)]) -> Option<Child> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let binary = env!("CARGO_BIN_EXE_vramlint");
    // The limit ends what a test waits for in vain.
    let line = format!("stty rows 30 cols 120; timeout --foreground 60 {binary} {words}");
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(folder.path());
    command.env("VRAMLINT_NVML", &stubs()?[0]).env("LANG", "C.UTF-8").env("TERM", "xterm").env("SHELL", "/bin/sh");
    let child = command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    if child.is_err() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "`script` is missing, and CI must run these tests");
        println!("skipped: there is no `script` (util-linux)");
    }
    child.ok()
}

/// What a terminal received, without the sequences that move and color, and without blanks: a screen is sent in pieces.
fn letters(received: &[u8]) -> String {
    let text = String::from_utf8_lossy(received);
    let mut parts = text.split("\x1b[");
    let start = parts.next().unwrap_or_default().to_owned();
    let rest =
        parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || "?;".contains(c)).get(1..).unwrap_or_default());
    (start + &rest.collect::<String>()).replace(' ', "")
}

/// Types a key once a text is on the screen. Gives everything that the terminal received until the end.
fn type_after(mut child: Child, text: &str, key: &str) -> String {
    let (mut keyboard, mut screen) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (mut seen, mut chunk, mut typed) = (Vec::new(), [0; 4096], false);
    loop {
        let count = screen.read(&mut chunk).expect("readable");
        if count == 0 {
            break;
        }
        seen.extend_from_slice(&chunk[..count]);
        if !typed && letters(&seen).contains(&text.replace(' ', "")) {
            keyboard.write_all(key.as_bytes()).and_then(|()| keyboard.flush()).expect("the terminal reads");
            typed = true;
        }
    }
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert_eq!((typed, child.wait().expect("it ends").code()), (true, Some(0)), "{seen}");
    seen
}

/// A process that ends with the test, also if the test fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Enters and leaves the second screen of a terminal (xterm, DECSET 1049).
const SECOND_SCREEN: [&str; 2] = ["\x1b[?1049h", "\x1b[?1049l"];

#[test]
fn a_terminal_shows_the_run_of_a_process_and_is_restored() {
    let train = "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n\
                 model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-0.6B')\nTrainer(model, TrainingArguments('out')).train()\n";
    let settled = "[runs.\"run.sh#1\"]\nsequence_length = 512\n";
    let folder = Folder::new(&[("train.py", train), ("run.sh", "python train.py\n"), ("vramlint.toml", settled)]);
    // A process whose command line names the script, as that of the training would.
    let mut tail = Command::new("tail");
    tail.args(["-f", "train.py"]).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let training = Killed(tail.spawn().expect("tail is everywhere"));
    let processes = format!("{}:20000", training.0.id());
    let variables = [("STUB_USED_0", "30000"), ("STUB_COMPUTE_0", processes.as_str())];
    for (words, text, key) in [
        ("gpu --watch --record gpu.jsonl --lang en", "run.sh#1: predicted peak", "q"),
        ("gpu --watch --lang en", "run.sh#1: predicted peak", "\x03"),
        ("gpu --watch --lang zh", "run.sh#1：预测峰值", "\x1b"),
    ] {
        let Some(child) = on_a_terminal(&folder, words, &variables) else { return };
        let seen = type_after(child, text, key);
        let [enter, leave] = SECOND_SCREEN.map(|sequence| seen.find(sequence));
        assert!(enter.is_some() && enter < leave, "{words}: {seen}");
    }
    let recorded = folder.read("gpu.jsonl");
    let line: Value = serde_json::from_str(recorded.lines().next().expect("a line")).expect("JSON");
    assert!(line["time"].as_f64().is_some(), "{line}");
}

#[test]
fn a_failure_restores_the_terminal() {
    let folder = Folder::new(&[]);
    let words = "gpu --watch --interval 1 --record gpu.jsonl --lang en; echo ended with $?";
    let Some(mut child) = on_a_terminal(&folder, words, &[]) else { return };
    let path = folder.path().join("gpu.jsonl");
    while !path.is_file() && child.try_wait().expect("it was started").is_none() {
        std::thread::yield_now();
    }
    // Nothing can be appended to a folder.
    std::fs::remove_file(&path).and_then(|()| std::fs::create_dir(&path)).expect("writable");
    let keyboard = child.stdin.take();
    let mut seen = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut seen).expect("readable");
    drop(keyboard);
    child.wait().expect("it ends");
    let seen = String::from_utf8_lossy(&seen);
    let [left, failed] = [SECOND_SCREEN[1], "error: cannot write gpu.jsonl"].map(|part| seen.find(part));
    assert!(left.is_some() && left < failed && seen.contains("ended with 2"), "{seen}");
}

#[test]
fn a_dumb_terminal_gets_plain_text() {
    let folder = Folder::new(&[]);
    let Some(mut child) = on_a_terminal(&folder, "gpu --watch --lang en", &[("TERM", "dumb")]) else { return };
    let mut screen = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first = screen.next().expect("a line").expect("UTF-8");
    child.kill().and_then(|()| child.wait()).expect("it ran");
    assert!(first.starts_with("NVIDIA driver"), "{first:?}");
}
