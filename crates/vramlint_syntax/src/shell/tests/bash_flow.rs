//! Branches, loops, functions, lists, environments of bash scripts.

use super::{commands, same};
use crate::shell::parse_bash;

#[track_caller]
fn check(text: &str, expected: &str) {
    same(&commands(&parse_bash(text)), expected);
}

#[test]
fn branches_that_differ_leave_nothing_known() {
    check("A=1\nif x; then A=2; fi\ncmd $A", "x\ncmd ?");
    check("if x; then A=1; B=3; else A=2; B=3; fi\ncmd $A $B", "x\ncmd ? 3");
    check("A=1\nif x; then A=2; exit 1; fi\ncmd $A", "x\n[maybe] exit 1\ncmd 1");
    check("case $X in a) A=1;; *) A=1;; esac\ncmd $A", "cmd 1");
    check("case $X in a) A=1;; b) A=1;; esac\ncmd $A", "cmd ?");
}

#[test]
fn what_the_caller_may_change_is_assumed() {
    check("N=4\nif [ $# -gt 0 ]; then N=$1; fi\ncmd $N", "cmd 4{N=4}");
    check("if [ $# -gt 0 ]; then N=$1; else N=4; fi\ncmd $N", "cmd 4{N=4}");
    check("read -p 'how many?' N\ncmd $N ${N:-3}", "read -p 'how many?' N\ncmd ? 3{N=3}");
    check("case $1 in small) M=1;; large) M=8;; *) M=4;; esac\ncmd $M", "cmd 4{M=4}");
}

#[test]
fn empty_tests_are_defaults() {
    check("if [ -z \"$N\" ]; then N=8; fi\ncmd $N", "cmd 8{N=8}");
    check("[ -z \"$N\" ] && N=8\n[[ -n $M ]] || M=2\ncmd $N $M", "cmd 8{N=8} 2{M=2}");
    check("N=4\nif [ -z \"$N\" ]; then N=8; fi\ncmd $N", "cmd 4");
}

#[test]
fn loops() {
    check("for n in 1 2; do a $n; done\nfor n in 7; do b $n; done", "[loop] a ?\n[loop] b 7");
    check("A=1\nB=2\nfor n in 1 2; do a $A $B; A=3; done\nb $A $B", "[loop] a ? 2\nb ? 2");
    check("A=1\nwhile x; do A=2; a $A; done", "[loop] x\n[loop] a 2");
    check("for ((i=0;i<3;i++)); do a $i; done\nb $i", "[loop] a ?\nb ?");
}

#[test]
fn lists_and_pipelines() {
    check(
        "cd x && a 1\n[ -f y ] && b\nc || d\n! e\nf | g | h &\n(cd z; i)\nj `k`",
        "cd x
         a 1
         [maybe] b
         c
         [maybe] d
         e
         f
         g
         h
         cd z
         i
         j ?
         [maybe] k",
    );
    check("A=1\n(A=2; a $A)\nb $A\necho x | read A\nc $A", "a 2\nb 1\necho x\nread A\nc 1");
}

#[test]
fn environments() {
    check(
        "export A=1 B\nC=2\nD=3 a\nexport C\nb\nunset A\nc\ndeclare -x E=5\nset -a\nF=6\nset +a\nG=7\nd",
        "D=3; A=1; a
         A=1; C=2; b
         C=2; c
         C=2; E=5; set -a
         C=2; E=5; F=6; set +a
         C=2; E=5; F=6; d",
    );
    check("export \"A=x y\"\nA=2 a\nif z; then export A=3; fi\nb", "A=2; a\nA='x y'; z\nA=?; b");
}

#[test]
fn functions() {
    check(
        "run() { local n=$1; a $n ${2:-3} \"$@\"; }\nn=0\nrun x\nb $n",
        "[fn run] a x 3 x
         run x
         b 0",
    );
    check("f() { a $1; }\nf 1\nf 2", "[fn f, loop] a ?\nf 1\nf 2");
    check("f() { a; }\ng() { f; }\nb", "[fn f, maybe] a\n[fn g, maybe] f\nb");
    check("A=1\nf() { a $A; A=3; }\nA=2\nf\nb $A", "[fn f] a 2\nf\nb 3");
    check("function f { f; a; }\nf", "[fn f, loop] f\n[fn f, loop] a\nf");
}

#[test]
fn here_documents() {
    check("cat > x.json << EOF\n{ \"a\": \"python train.py\" }\nEOF\na", "cat\na");
    check("cat << 'E' | python - && b\nimport x\nE\na", "cat\npython -\nb\na");
    check("read -r -d '' C <<EOF\ntrain.py \\\n  --bs $B --lr 1\nEOF\na $C", "read -r -d '' C\na train.py --bs ? --lr 1");
    check("C=$(cat <<'EOF'\na --n 1\nEOF\n)\n$C --m 2", "[maybe] cat\na --n 1 --m 2");
}

#[test]
fn redirections_are_left_out() {
    check("a --x 1 > log.txt 2>&1 --y 2\nb < in >> out\nc &> log &\nd 2>/dev/null", "a --x 1 --y 2\nb\nc\nd");
    check("a <<< \"$X\" --y", "a --y");
}

#[test]
fn inner_scripts() {
    check(
        "export Q=7\nsrun -n 2 bash -lc 'cd x && CUDA_VISIBLE_DEVICES=0 torchrun --n $Q --p $P t.py'",
        "Q=7; srun -n 2 bash -lc 'cd x && CUDA_VISIBLE_DEVICES=0 torchrun --n $Q --p $P t.py'
         Q=7; cd x
         CUDA_VISIBLE_DEVICES=0; Q=7; torchrun --n 7 --p ? t.py",
    );
    check("C=\"a --n 1\"\neval \"$C --m $M --k 2\"", "a --n 1 --m ? --k 2");
    let text = "C=\"launch --n 1\"\nbash -c \"$C x\"";
    let script = parse_bash(text);
    let inner = &script.commands[1].words;
    assert_eq!(inner[2].range.slice(text), "$C");
    assert_eq!(inner[2].sources.iter().map(|s| s.slice(text)).collect::<Vec<_>>(), ["1"]);
    assert_eq!(inner[3].range.slice(text), "x");
}

/// Only the commands that start something.
#[track_caller]
fn check_launches(text: &str, expected: &str) {
    let all = commands(&parse_bash(text));
    let starts = |line: &&str| line.contains("train.py") || line.contains("eval.py");
    same(&all.lines().filter(starts).collect::<Vec<_>>().join("\n"), expected);
}

#[test]
fn options_before_a_launch() {
    check_launches(
        include_str!("data/options.sh"),
        "CUDA_VISIBLE_DEVICES=0,1; torchrun --nproc_per_node 8{NUM_GPUS=8} --master_port=29500{MASTER_PORT=29500} \
         train.py --model Qwen/Qwen2-7B{MODEL=Qwen/Qwen2-7B} --lr 1e-4{LR=1e-4} --bs 4{DEBUG=false}"
            .replace("\\\n         ", "")
            .as_str(),
    );
}

/// The last command, after the arguments `--model m --lr=2 --flag x`.
#[track_caller]
fn check_last(script: &str, expected: &str) {
    let all = commands(&parse_bash(&format!("set -- --model m --lr=2 --flag x\n{script}")));
    assert_eq!(all.lines().last(), Some(expected));
}

#[test]
fn known_arguments_are_read_round_by_round() {
    let body = "case $1 in --model) M=$2; shift 2;; --lr=*) L=${1#*=}; shift;; *) R=$1; shift;; esac; done\ncmd $M $L $R $#";
    for test in
        ["[ $# -gt 0 ]", "[[ $# -gt 0 ]]", "(( $# ))", "(( \"$#\" > 0 ))", "[[ \"$1\" != \"\" ]]", "[ -n \"$1\" ]", "[ \"$1\" ]"]
    {
        check_last(&format!("while {test}; do {body}"), "cmd m 2 x 0");
    }
    check_last(
        "while true; do case $1 in --model) M=$2; shift 2;; *) break;; esac; done\ncmd $M \"$@\"",
        "cmd m --lr=2 --flag x",
    );
    check_last("for a in \"$@\"; do case $a in --lr=*) L=${a##*=};; esac; done\ncmd $L", "cmd 2");
    check_last("for a; do L=$a; done\ncmd $L", "cmd x");
}

#[test]
fn getopts_takes_words_apart() {
    let body = "while getopts \"m:l:q\" f; do case $f in m) M=$OPTARG;; l) L=$OPTARG;; q) Q=1;; esac; done\ncmd $M $L $Q";
    let last = |arguments: &str| {
        let all = commands(&parse_bash(&format!("set -- {arguments}\n{body}")));
        all.lines().last().map(str::to_owned).unwrap_or_default()
    };
    assert_eq!(last("-m a -l2 -q rest"), "cmd a 2 1");
    assert_eq!(last("-qm a -- -l 3"), "cmd a ? 1");
}

#[test]
fn a_loop_that_cannot_be_followed_is_read_as_any_other() {
    // An option that is not known ends the script; a count that is not known ends nothing.
    check_last("while [ $# -gt 0 ]; do case $1 in --model) M=$2; shift 2;; *) exit 1;; esac; done\ncmd $M", "cmd ?");
    check_last("while [ $# -gt 0 ]; do M=$1; shift $N; done\ncmd $M", "cmd ?");
    check_last("M=1\nwhile [ $# -gt 0 ]; do M=2; done\ncmd $M", "cmd ?");
}
