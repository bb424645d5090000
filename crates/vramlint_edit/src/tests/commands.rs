//! Launch commands.

use crate::flags;
use crate::tests::{file, with};
use vramlint_base::TextRange;
use vramlint_resolve::launch::from_script;
use vramlint_resolve::path_resolver::PathResolver;

#[test]
fn words_go_with_their_line() {
    for (before, words, after) in [
        ("accelerate launch --a --num_processes 4 train.py\n", "--num_processes 4", "accelerate launch --a train.py\n"),
        ("accelerate launch --num_processes=4 train.py\n", "--num_processes=4", "accelerate launch train.py\n"),
        ("accelerate launch \\\n  --n 4 \\\n  train.py\n", "--n 4", "accelerate launch \\\n  train.py\n"),
        (
            "accelerate launch \\\r\n  --a --n 4 \\\r\n  train.py # 注\r\n",
            "--n 4",
            "accelerate launch \\\r\n  --a \\\r\n  train.py # 注\r\n",
        ),
        (
            "accelerate launch train.py \\\n  --x 1 \\\n  --y 2\necho done\n",
            "--y 2",
            "accelerate launch train.py \\\n  --x 1\necho done\n",
        ),
    ] {
        let source = file("a.sh", before);
        let launch = from_script(&source, source.script().expect("a script"), &PathResolver::default()).pop().expect("a launch");
        let start = before.find(words).expect("in the text");
        let removal = flags::remove_words(&source, &launch, TextRange::of(start..start + words.len()));
        assert_eq!(with(&source, removal).as_deref(), Some(after), "{before}");
    }
}
