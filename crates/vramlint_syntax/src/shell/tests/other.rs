//! Comments, schedulers, syntax errors, PowerShell, batch files.

use super::{commands, same};
use crate::shell::{Script, parse_bash, parse_batch, parse_powershell};

fn comments(text: &str, script: &Script) -> Vec<(String, bool)> {
    script
        .comments
        .iter()
        .inspect(|c| assert!(c.range.slice(text).contains(&c.text)))
        .map(|c| (c.text.clone(), c.trailing))
        .collect()
}

#[test]
fn comments_and_directives() {
    let text = include_str!("data/slurm.sh");
    let script = parse_bash(text);
    let found = comments(text, &script);
    assert_eq!(found[0], ("SBATCH --job-name=训练".to_owned(), false));
    assert_eq!(found[4], ("中文注释：主节点".to_owned(), false));
    assert_eq!(found.len(), 5);
    let words: Vec<Vec<&str>> =
        script.directives.iter().map(|d| d.words.iter().map(|w| w.text().unwrap_or("?")).collect()).collect();
    assert_eq!(words, [vec!["--job-name=训练"], vec!["--nodes=2", "--gres=gpu:4"], vec!["--output=logs/%x %j.out"]]);
    assert_eq!(script.directives[1].words[1].range.slice(text), "--gres=gpu:4");
    assert_eq!(script.directives[1].mark, "SBATCH");
}

#[test]
fn trailing_comments() {
    let text = "A=1 # one\necho a#b '# no' # two\n  # three\n";
    let found = comments(text, &parse_bash(text));
    assert_eq!(found, [("one".to_owned(), true), ("two".to_owned(), true), ("three".to_owned(), false)]);
}

#[track_caller]
fn check_errors(text: &str, expected: &[&str]) {
    let script = parse_bash(text);
    let found: Vec<&str> = script.errors.iter().map(|error| error.range.slice(text)).collect();
    assert_eq!(found, expected);
}

#[test]
fn only_what_surely_stays_open_is_an_error() {
    check_errors("a\nif b; then\n  c\n", &["if b; then"]);
    check_errors("for x in 1 2; do\n a\n", &["for x in 1 2; do"]);
    check_errors("while a; do b\n", &["while a; do b"]);
    check_errors("case $a in\n b) c;;\n", &["case $a in"]);
    check_errors("f() {\n a\n", &["{"]);
    check_errors("a 'b\nc\n", &["'b"]);
    check_errors("a \"b\nc\n", &["\"b"]);
    // Legal, or no certain error.
    check_errors("cat << EOF\nit's\nEOF\n", &[]);
    check_errors("cat << EOF\nif x; then\n", &[]);
    check_errors("# it's\necho if then for\n", &[]);
    check_errors("case $1 in (a) b;; c|d) e;; esac\n", &[]);
    check_errors("a {{ x }} <y> --z\n", &[]);
}

#[test]
fn powershell_script() {
    let text = include_str!("data/train.ps1");
    let script = parse_powershell(text);
    same(
        &commands(&script),
        "[loop] CUDA_VISIBLE_DEVICES=0,1; python train.py --seed ?
         [fn Start-Eval, maybe] CUDA_VISIBLE_DEVICES=0,1; python eval.py --name ?
         CUDA_VISIBLE_DEVICES=0,1; accelerate launch --num_processes 8{Gpus=8} train.py --lr 1e-4 --out out/x/y{Model=x/y} --bf16 --bs ?
         CUDA_VISIBLE_DEVICES=0,1; Tee-Object -FilePath log.txt
         CUDA_VISIBLE_DEVICES=0,1; python z.py --x ? --raw $x
         CUDA_VISIBLE_DEVICES=0,1; Get-Date",
    );
    assert_eq!(comments(text, &script), [("训练".to_owned(), false), ("rate".to_owned(), true)]);
    assert_eq!(script.assignments[0].name_range.slice(text), "CUDA_VISIBLE_DEVICES");
    assert!(script.assignments[0].exported);
    let rate = &script.commands[2].words[6];
    assert_eq!((rate.range.slice(text), rate.sources[0].slice(text)), ("@common", "\"1e-4\""));
}

#[test]
fn powershell_values() {
    same(
        &commands(&parse_powershell(
            "$A = 4\n$b = 'x y'\n$c = \"$b/$A\"\n$l = '-m', $c\n$l += 'z'\ncmd $a $B \"$c\" $l @L $d \"$(x)\" --n=$a `\"q `$a 1e-4\n$a = 1e-4\ncmd $a",
        )),
        "cmd 4 'x y' 'x y/4' -m 'x y/4' z -m 'x y/4' z ? ? ? \"q $a 1e-4
         x
         cmd ?",
    );
    same(&commands(&parse_powershell("if ($x) { $a = 1 } else { $a = 1 }\ncmd $a")), "cmd 1");
    same(&commands(&parse_powershell("$a = 1\nforeach ($i in 1..3) { cmd $a $i; $a = 2 }")), "[loop] cmd ? ?");
    same(&commands(&parse_powershell("$env:A = 1\nRemove-Item Env:A\ncmd")), "A=1; Remove-Item Env:A\ncmd");
}

/// `cmd` takes a no-break space and a form feed for parts of the name.
#[test]
fn other_blanks_before_set_in_batch() {
    for blank in ["\u{a0}", "\u{3000}", "\u{c}"] {
        let text = format!("set A=1\n{blank}set A=2\npython %A%\n");
        let found = commands(&parse_batch(&text));
        assert!(found.trim_end().ends_with("A=1; python 1"), "{blank:?}: {found}");
    }
}

#[test]
fn batch_file() {
    let text = include_str!("data/train.bat");
    let script = parse_batch(text);
    same(
        &commands(&script),
        "echo off
         [maybe] N=4; M='a b'; LR=?; mkdir out
         N=4; M='a b'; LR=?; call conda activate x
         N=4; M='a b'; LR=?; python train.py --n 4 --m 'a b' --lr ?
         [loop, maybe] N=4; M='a b'; LR=?; python t.py --s ?",
    );
    assert_eq!(comments(text, &script), [("训练".to_owned(), false), ("other".to_owned(), false)]);
}
