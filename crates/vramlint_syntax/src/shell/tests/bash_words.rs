//! Words of bash commands: quotes, variables, defaults, arrays.

use super::{commands, origins, same};
use crate::shell::parse_bash;

#[track_caller]
fn check(text: &str, expected: &str) {
    same(&commands(&parse_bash(text)), expected);
}

#[track_caller]
fn check_origins(text: &str, expected: &str) {
    same(&origins(text, &parse_bash(text)), expected);
}

#[test]
fn continuation_lines_join() {
    check(
        "accelerate launch \\\n  --num_processes 4 \\\n  --config_file a.yaml \\\n  train.py --lr 1e-4\necho done\n",
        "accelerate launch --num_processes 4 --config_file a.yaml train.py --lr 1e-4
         echo done",
    );
}

#[test]
fn a_comment_ends_a_continued_command() {
    check("torchrun train.py \\\n  --a 1 \\\n  # --b 2 \\\n  --c 3\n", "torchrun train.py --a 1\n--c 3");
}

#[test]
fn quotes_and_escapes() {
    check(r#"cmd 'a b' "c d" e\ f "g\"h" 'i'"j"k "" '{"a": 1}' "#, r#"cmd 'a b' 'c d' 'e f' g"h ijk '' '{"a": 1}'"#);
}

#[test]
fn variables_in_words() {
    check("A=4\nB=\"x/$A\"\ncmd $A --n=${A} \"$B/y\" '$A' $C --n=$C", "cmd 4 --n=4 x/4/y $A ? ?");
}

#[test]
fn unquoted_variables_split_and_empty_ones_vanish() {
    check("A='--lr 1e-4 --bs  4'\nE=\ncmd $A $E \"$E\" \"$A\"", "cmd --lr 1e-4 --bs 4 '' '--lr 1e-4 --bs  4'");
}

#[test]
fn defaults_are_assumed() {
    check(
        "N=${1:-8}\nM=${MODEL:-/m/x}\ncmd $N \"$M\" ${X-y} $2 ${3:-$N} ${N:-5}",
        "cmd 8{1=8} /m/x{MODEL=/m/x} y{X=y} ? 8{1=8}{3=8} 8{1=8}",
    );
}

#[test]
fn default_that_assigns() {
    let text = ": \"${NUM_GPUS:=8}\"\ncmd $NUM_GPUS";
    check(text, ": 8{NUM_GPUS=8}\ncmd 8{NUM_GPUS=8}");
    let script = parse_bash(text);
    assert_eq!(script.assignments.len(), 1);
    assert_eq!(script.assignments[0].range.slice(text), "NUM_GPUS:=8");
}

#[test]
fn other_expansions_are_unknown() {
    check(
        "A=(1 2)\nB=a/b\ncmd $(nvidia-smi -L | wc -l) `hostname` $# ${!B} \"$@\" $?",
        "cmd ? ? ? ? ? ?
         [maybe] nvidia-smi -L
         [maybe] wc -l
         [maybe] hostname",
    );
}

#[test]
fn arithmetic() {
    check(
        "A=4\nB=2\ncmd $((A * 2)) $(($A / B)) $((A*B+1)) $(( (A + 2) % 4 )) $((X * 2)) $((${N:-3} * 2))",
        "cmd 8 2 9 2 ? 6{N=3}",
    );
}

#[test]
fn expressions_of_expr() {
    check("N=2\ncmd $(expr 16 / $N / 4)", "cmd 2\n[maybe] expr 16 / 2 / 4");
    check("N=2\ncmd `expr $N \\* 3`", "cmd 6\n[maybe] expr 2 * 3");
    check("N=2\ncmd $(expr N + 1) $(expr $X + 1)", "cmd ? ?\n[maybe] expr N + 1\n[maybe] expr ? + 1");
}

#[test]
fn arrays() {
    check(
        "ARGS=(--a 1\n  # why\n  --b \"2 3\")\nARGS+=(--c $X)\ncmd \"${ARGS[@]}\" ${ARGS[*]} pre\"${ARGS[@]}\"",
        "cmd --a 1 --b '2 3' --c ? --a 1 --b 2 3 --c ? pre--a 1 --b '2 3' --c ?",
    );
    check("A=()\ncmd \"${A[@]}\" x", "cmd x");
}

#[test]
fn appended_strings() {
    check("O=\"--lr 1e-4\"\nO=\"$O --x 1\"\nO+=\" --y 2\"\ncmd $O", "cmd --lr 1e-4 --x 1 --y 2");
}

#[test]
fn origins_of_words() {
    check_origins(
        "A=4\nB=$A\nO=\"--lr 1e-4 --bs 8\"\nO=\"$O --x '1'\"\nR=(--a \"2\" $B)\ncmd $B $O \"${R[@]}\" --n=$A ${7:-9}",
        "cmd @ cmd
         4 @ $B <- $A <- 4
         --lr @ $O <- $O <- --lr
         1e-4 @ $O <- $O <- 1e-4
         --bs @ $O <- $O <- --bs
         8 @ $O <- $O <- 8
         --x @ $O <- --x
         '1' @ $O <- '1'
         --a @ \"${R[@]}\" <- --a
         2 @ \"${R[@]}\" <- \"2\"
         4 @ \"${R[@]}\" <- $B <- $A <- 4
         --n=4 @ --n=$A <- 4
         9{7=9} @ ${7:-9} <- 9",
    );
}

#[test]
fn placeholders_are_unknown() {
    check("cmd --a {{ n }} \"{{x}}\" --model <model_path> --bs 4 '<key>'", "cmd --a ? ? --model ? --bs 4 ?");
}
