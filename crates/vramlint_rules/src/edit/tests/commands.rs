//! Launch commands and assignments.

use super::super::{flags, variables};
use super::{file, with, with_all};
use vramlint_base::TextRange;
use vramlint_resolve::SourceFile;
use vramlint_resolve::launch::{Launch, from_script};

fn launch(source: &SourceFile) -> Launch {
    let script = source.script().expect("a script");
    from_script(source.id, &source.text, script).pop().expect("a launch")
}

fn of(source: &SourceFile, needle: &str) -> TextRange {
    let start = source.text.find(needle).expect("in the text");
    TextRange::of(start..start + needle.len())
}

#[test]
fn values_of_flags_change() {
    for (before, after) in [
        ("accelerate launch --num_processes 4 train.py\n", Some("accelerate launch --num_processes 8 train.py\n")),
        ("accelerate launch --num_processes=4 train.py\n", Some("accelerate launch --num_processes=8 train.py\n")),
        (
            "accelerate launch --num_processes \"4\" \\\r\n  train.py # 注\r\n",
            Some("accelerate launch --num_processes \"8\" \\\r\n  train.py # 注\r\n"),
        ),
        ("N=4\naccelerate launch --num_processes $N train.py\n", None),
        ("accelerate launch --num_processes $N train.py\n", None),
        ("A=(--num_processes 4)\naccelerate launch \"${A[@]}\" train.py\n", None),
    ] {
        let source = file("a.sh", before);
        let launch = launch(&source);
        let flag = launch.flag("--num_processes").expect("there");
        assert_eq!(with(&source, flags::set(&source, flag, "8")).as_deref(), after, "{before}");
    }
}

#[test]
fn flags_go_with_their_line() {
    for (before, after) in [
        ("accelerate launch --a --num_processes 4 train.py\n", "accelerate launch --a train.py\n"),
        ("accelerate launch --num_processes=4 train.py\n", "accelerate launch train.py\n"),
        ("accelerate launch \\\n  --num_processes 4 \\\n  train.py\n", "accelerate launch \\\n  train.py\n"),
        (
            "accelerate launch \\\r\n  --a --num_processes 4 \\\r\n  train.py\r\n",
            "accelerate launch \\\r\n  --a \\\r\n  train.py\r\n",
        ),
    ] {
        let source = file("a.sh", before);
        let launch = launch(&source);
        let flag = launch.flag("--num_processes").expect("there");
        assert_eq!(with(&source, flags::remove(&source, &launch, flag)).as_deref(), Some(after), "{before}");
    }
    let before = "accelerate launch train.py \\\n  --x 1 \\\n  --y 2\necho done\n";
    let source = file("a.sh", before);
    let removal = flags::remove_words(&source, &launch(&source), of(&source, "--y 2"));
    assert_eq!(with(&source, removal).as_deref(), Some("accelerate launch train.py \\\n  --x 1\necho done\n"));
}

#[test]
fn flags_are_added_before_the_script() {
    for (before, after) in [
        ("accelerate launch train.py --x 1\n", "accelerate launch --multi_gpu train.py --x 1\n"),
        ("accelerate launch \\\n  --a \\\n  train.py\n", "accelerate launch \\\n  --a \\\n  --multi_gpu train.py\n"),
        ("accelerate launch -m pkg.train --x 1\n", "accelerate launch --multi_gpu -m pkg.train --x 1\n"),
    ] {
        let source = file("a.sh", before);
        let edit = flags::insert(&source, &launch(&source), "--multi_gpu");
        assert_eq!(with(&source, edit).as_deref(), Some(after));
    }
    let source = file("a.sh", "torchrun train.py \\\n  --x 1 # 注\n");
    let edit = flags::append(&source, &launch(&source), "--bf16");
    assert_eq!(with(&source, edit).as_deref(), Some("torchrun train.py \\\n  --x 1 --bf16 # 注\n"));
}

#[test]
fn flags_move_before_the_script_and_change_names() {
    let source = file("a.sh", "accelerate launch train.py --num_processes 4 --lr 1\n");
    let edits = flags::before_script(&source, &launch(&source), of(&source, "--num_processes 4"));
    assert_eq!(with_all(&source, edits).as_deref(), Some("accelerate launch --num_processes 4 train.py --lr 1\n"));
    let source = file("a.sh", "accelerate launch \\\n  train.py \\\n  --num_processes 4 \\\n  --lr 1\n");
    let edits = flags::before_script(&source, &launch(&source), of(&source, "--num_processes 4"));
    assert_eq!(with_all(&source, edits).as_deref(), Some("accelerate launch \\\n  --num_processes 4 train.py \\\n  --lr 1\n"));
    let source = file("a.sh", "torchrun --nproc=4 train.py\n");
    let launch = launch(&source);
    let edit = flags::rename(&source, &launch.flags[0], "--nproc_per_node");
    assert_eq!(with(&source, edit).as_deref(), Some("torchrun --nproc_per_node=4 train.py\n"));
}

#[test]
fn variables_change_and_go() {
    for (before, set, removed) in [
        ("export A=1 # 注\necho\n", "export A=2 # 注\necho\n", Some("echo\n")),
        ("export A=\"1\"\r\necho\r\n", "export A=\"2\"\r\necho\r\n", Some("echo\r\n")),
        ("A=1 python train.py\n", "A=2 python train.py\n", Some("python train.py\n")),
        ("export A=1 B=2\n", "export A=2 B=2\n", None),
    ] {
        let source = file("a.sh", before);
        let assignment = &source.script().expect("a script").assignments[0];
        assert_eq!(with(&source, variables::set(&source, assignment, "2")).as_deref(), Some(set));
        assert_eq!(with(&source, variables::remove(&source, assignment)).as_deref(), removed);
    }
    let source = file("a.sh", "export A=1\n");
    let assignment = &source.script().expect("a script").assignments[0];
    assert_eq!(with(&source, variables::set(&source, assignment, "a b")).as_deref(), Some("export A=\"a b\"\n"));
}
