//! Walks, imports, equality, access.

use super::{FIXTURES, expression, read_clean};
use crate::python::*;

fn place(context: &Context<'_>) -> String {
    format!(
        "{}|{}{}{}",
        context.path(),
        "L".repeat(context.loops as usize),
        "C".repeat(context.conditions as usize),
        if context.main_guard { "M" } else { "" }
    )
}

#[test]
fn statements_know_where_they_stand() {
    let text = "\
a0
if a:
    a1
    def f():
        a2
        for i in a:
            a3
            def g(): a4
        else: a5
elif b: a6
class K:
    def m(self):
        while a:
            if b: a7
            else: a8
try: a9
except E: b0
else: b1
finally: b2
with a: b3
match a:
    case 1: b4
if __name__ == '__main__':
    b5
    if a: b6
else: b7
";
    let module = read_clean(text);
    let seen: Vec<String> = module
        .statements()
        .filter_map(|located| match &located.stmt.kind {
            StmtKind::Expr(expr) => Some(format!("{} {}", expr.range.slice(text), place(&located.context))),
            _ => None,
        })
        .collect();
    assert_eq!(
        seen,
        [
            "a0 |",
            "a1 |C",
            "a2 f|C",
            "a3 f|LC",
            "a4 f.g|C",
            "a5 f|CC",
            "a6 |C",
            "a7 K.m|LC",
            "a8 K.m|LC",
            "a9 |",
            "b0 |C",
            "b1 |C",
            "b2 |",
            "b3 |",
            "b4 |C",
            "b5 |M",
            "b6 |CM",
            "b7 |C"
        ]
    );
    let last = module.statements().find(|l| l.stmt.range.slice(text) == "a7").expect("there");
    assert_eq!(last.context.function().map(|f| f.name.as_str()), Some("m"));
    assert_eq!(last.context.class().map(|c| c.name.as_str()), Some("K"));
    assert_eq!(module.functions().count(), 3);
    assert_eq!(module.classes().count(), 1);
}

#[test]
fn calls_are_found_everywhere() {
    let text = "\
@d(1)
class K(b(2), m=b(3)):
    x: t(4) = f(5, k=g(6))
def h(p: t(7) = q(8)):
    return r(9) if s(10) else u(11)
y = v(12) and w(13)
z = [c(14) for c in e(15)]
with o(16) as n:
    assert a(17), a(0)
f'{i(18)}'
for j in range(19): print(20)
";
    let module = read_clean(text);
    let seen: Vec<String> = module
        .calls()
        .map(|site| {
            let flag = |set: bool, name: &str| if set { name.to_owned() } else { String::new() };
            let number = site.call.args[0].range.slice(text);
            format!("{number}{}{}{}", flag(site.conditional, "?"), flag(site.hidden, "h"), flag(!site.context.is_straight(), "L"))
        })
        .collect();
    assert_eq!(
        seen,
        ["1", "2", "3", "4", "5", "6", "7", "8", "9?", "10", "11?", "12", "13?", "14h", "15h", "16", "17", "18", "19", "20L"]
    );
}

#[test]
fn calls_of_a_script() {
    let module = read_clean(FIXTURES[0]);
    let site = module.calls().find(|site| site.call.name() == Some("TrainingArguments")).expect("there");
    assert_eq!(site.assigned_to().as_deref(), Some("training_args"));
    assert_eq!(site.context.path(), "main");
    assert!(site.is_straight());
    assert_eq!(site.literal("deepspeed").and_then(|v| v.as_str()), Some("ds_zero3.json"));
    let flags = module.calls().filter(|site| site.call.name() == Some("add_argument")).count();
    assert_eq!(flags, 4);
    let main = module.calls().find(|site| site.context.main_guard).expect("there");
    assert_eq!(main.call.name(), Some("main"));
}

#[test]
fn arguments_by_name_or_position() {
    let call = expression("f(1, *a, 2, k=3, **b)");
    let call = call.as_call().expect("a call");
    assert!(call.positional(0).is_some() && call.positional(1).is_none());
    assert!(call.has_unpacking());
    assert!(call.argument("k", 9).is_some() && call.argument("x", 0).is_some() && call.argument("x", 2).is_none());
}

#[test]
fn fields_of_a_class() {
    let module = read_clean("class C:\n  a: int = 1\n  b = 2\n  c: str\n  d, e = 1, 2\n  def f(self): pass\n");
    let (class, _) = module.classes().next().expect("there");
    let names: Vec<(&str, bool, bool)> = class.fields().map(|f| (f.name, f.annotation.is_some(), f.value.is_some())).collect();
    assert_eq!(names, [("a", true, true), ("b", false, true), ("c", true, false)]);
}

#[test]
fn imports_lead_to_full_paths() {
    let module = read_clean(
        "import torch.nn as nn, os.path, deepspeed\nfrom transformers import AutoModel, Trainer as T\nfrom . import local\n\
         from ..models.net import build\nfrom .data import *\nimport torch\n",
    );
    let imports = Imports::of(&module);
    let full = |name: &str| imports.full(name).unwrap_or_else(|| "?".to_owned());
    assert_eq!(full("AutoModel.from_pretrained"), "transformers.AutoModel.from_pretrained");
    assert_eq!(full("T"), "transformers.Trainer");
    assert_eq!(full("nn.Module"), "torch.nn.Module");
    assert_eq!(full("torch.optim.AdamW"), "torch.optim.AdamW");
    assert_eq!(full("os.path.join"), "os.path.join");
    assert_eq!(full("local.x"), ".local.x");
    assert_eq!(full("build"), "..models.net.build");
    assert_eq!(full("int"), "?");
    assert_eq!(imports.stars(), [".data"]);
    assert!(imports.uses("transformers") && imports.uses("torch") && !imports.uses("trans") && !imports.uses("trl"));
    assert_eq!(imports.full_of(&expression("nn.Linear")).as_deref(), Some("torch.nn.Linear"));
    assert_eq!(imports.full_of(&expression("nn.Linear()")), None);
}

#[test]
fn own_names_hide_imported_ones() {
    let module = read_clean(
        "from transformers import Trainer, Thing\ntry:\n    import deepspeed\nexcept ImportError:\n    deepspeed = None\n\
         class Trainer(Trainer): pass\nThing = wrap(Thing)\ndef f():\n    from trl import SFTTrainer as S\n    local = 1\n\
         try: import a1 as a\nexcept: import a2 as a\n",
    );
    let imports = Imports::of(&module);
    assert_eq!(imports.full("Trainer"), None);
    assert_eq!(imports.full("Thing"), None);
    assert_eq!(imports.full("deepspeed.zero").as_deref(), Some("deepspeed.zero"));
    assert_eq!(imports.full("S").as_deref(), Some("trl.SFTTrainer"));
    assert_eq!(imports.full("a").as_deref(), Some("a1"));
}

/// Whether both branches of the one `if` in the text do the same.
fn same(left: &str, right: &str) -> bool {
    let text = format!("if a:\n    {}\nelse:\n    {}\n", left.replace('\n', "\n    "), right.replace('\n', "\n    "));
    let module = read_clean(&text);
    let StmtKind::If(arms) = &module.body[0].kind else { panic!("no if") };
    equal_bodies(&text, &arms[0].body, &arms[1].body)
}

#[test]
fn equality_ignores_places_and_layout() {
    for (left, right) in [
        ("bs = 4  # small", "bs=4"),
        ("x = f(a, k = 'v')", "x = f(\n  a,\n  k=\"v\",\n)"),
        ("for i in a:\n  b += 1", "for i in a: b += 1"),
        ("def f(x: int = 1): return x", "def f(x: int=1):\n  return x"),
        ("with a as b: pass", "with (a as b):\n    pass"),
        ("try: a\nexcept E: b", "try:\n a\nexcept E:\n b"),
        ("x = {'a': 1, **b}", "x = { 'a' : 1 , **b }"),
        ("x = 1_000", "x = 1000"),
    ] {
        assert!(same(left, right), "{left} / {right}");
    }
}

#[test]
fn equality_sees_what_differs() {
    for (left, right) in [
        ("bs = 4", "bs = 8"),
        ("bs = 4", "bs = 4.0"),
        ("bs = 4", "bs = '4'"),
        ("bs = 4", "bs = 4\npass"),
        ("x = f(a)", "x = f(k=a)"),
        ("x = f(a)", "x = f(*a)"),
        ("x = (a, b)", "x = [a, b]"),
        ("x = [a], b", "x = [[a], b]"),
        ("x = {a}", "x = [a]"),
        ("x = f'{a}b'", "x = f'{a}c'"),
        ("x = [i for i in a]", "x = {i for i in a}"),
        ("x = a[1:]", "x = a[:1]"),
        ("x = a + b", "x = a - b"),
        ("x = a < b", "x = a <= b"),
        ("x: int = 1", "x = 1"),
        ("x += 1", "x = 1"),
        ("while a: break", "while a: continue"),
        ("raise a from b", "raise a from c"),
        ("match a:\n  case 1: b", "match a:\n  case 2: b"),
        ("def f(a): pass", "async def f(a): pass"),
        ("def f(a): pass", "def f(*a): pass"),
        ("import a", "import a as b"),
        ("from a import b", "from .a import b"),
        ("class A: pass", "class A(B): pass"),
        ("class A(m=B): pass", "class A(m=C): pass"),
        ("return_ = -x", "return_ = +x"),
    ] {
        assert!(!same(left, right), "{left} / {right}");
    }
}
