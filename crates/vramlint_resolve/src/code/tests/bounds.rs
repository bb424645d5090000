//! Source texts that would hang or overflow a careless interpreter, and malformed ones.

use super::*;

#[test]
fn recursion_and_cycles_end() {
    let a = source(
        r"
import b

def f(n):
    return g(n - 1) + f(n - 2)

def g(n):
    return f(n)

f(30)
",
    );
    let b = source(
        r"
import a
from a import f

class A(A):
    pass

x = x
d = {}
d['d'] = d
use(**d)
batch_size = 2
",
    );
    let facts = facts_of(&[("a.py", a), ("b.py", b)], "a.py");
    assert_eq!(facts.files.len(), 2);
}

#[test]
fn many_calls_of_calls_end() {
    let mut text = String::new();
    for i in 0..60 {
        let _ = writeln!(text, "def f{i}(x):\n    f{n}(x)\n    f{n}(x)\n    return f{n}(x)\n", n = i + 1);
    }
    text.push_str("f0(1)\n");
    assert!(facts_of(&[("a.py", &text)], "a.py").candidates.is_empty());
}

#[test]
fn deep_nesting_ends() {
    let deep = format!("x = {}1{}\n", "(".repeat(90), ")".repeat(90));
    let sum = format!("y = {}1\n", "a + ".repeat(3_000));
    let mut blocks = String::new();
    for i in 0..80 {
        let _ = writeln!(blocks, "{}if q{i}:", " ".repeat(i));
    }
    let _ = writeln!(blocks, "{}batch_size = 4", " ".repeat(80));
    let chain = format!("z = a{}\n", ".f(1)".repeat(500));
    let text = format!("{deep}{sum}{blocks}{chain}");
    facts_of(&[("a.py", &text)], "a.py");
}

#[test]
fn a_huge_file_is_read_to_its_end_or_its_bound() {
    let mut text = String::from(source(
        r"
from torch.utils.data import DataLoader
DataLoader(d, batch_size=3)
",
    ));
    for i in 0..60_000 {
        let _ = writeln!(text, "name_{i} = [{i}, {{'k': {i}}}]");
    }
    only(&show(&[("a.py", &text)], "a.py"), "micro_batch", &["micro_batch 3 DataLoader(batch_size) a.py:2 call"]);
}

#[test]
fn places_hold_behind_chinese_and_windows_line_ends() {
    let text = "# 训练脚本：批大小\r\nfrom torch.utils.data import DataLoader\r\n批大小 = 12\r\nprint('开始训练')\r\nDataLoader(数据, batch_size=批大小)\r\n";
    let facts = facts_of(&[("训练.py", text)], "训练.py");
    let (_, candidate) = &facts.candidates[0];
    let place = candidate.candidate.origin.place().expect("it is in the file");
    assert_eq!(place.range.slice(text), "12");
    assert_eq!(candidate.candidate.raw, "12");
}

#[test]
fn broken_text_is_no_reason_to_stop() {
    let text = source(
        r"
from torch.utils.data import DataLoader
def broken(:
    x = (1,

DataLoader(d, batch_size=5)
",
    );
    facts_of(&[("a.py", text)], "a.py");
    let whole = seeds::text();
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)).step_by(7) {
        let cut = &whole[..end];
        let files = project(&[("a.py", cut)]);
        for (_, candidate) in facts(&files, FileId(0)).candidates {
            let place = candidate.candidate.origin.place().expect("it is in the file");
            assert!(cut.get(place.range.as_usize()).is_some(), "{place:?} in {end} bytes");
        }
    }
}

#[test]
fn an_entry_that_is_no_python_has_no_facts() {
    let mut files = project(&[("a.py", "x = 1\n")]);
    files[0].tree = Syntax::Text.into();
    let facts = facts(&files, FileId(0));
    assert!(facts.files.is_empty() && facts.candidates.is_empty());
    assert!(super::super::facts(&files, FileId(7)).candidates.is_empty());
}
