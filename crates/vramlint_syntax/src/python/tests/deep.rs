//! Code that nests deeper than any stack.

use crate::python::*;

const N: usize = 200_000;

/// Deep statements of many shapes, one line each unless broken across lines.
fn shapes() -> Vec<String> {
    let r = |part: &str, n: usize| part.repeat(n);
    vec![
        format!("x = {}1{}", r("(", N), r(")", N)),
        format!("x = {}1{}", r("[", N), r("]", N)),
        format!("x = {}1{}", r("f(", N), r(")", N)),
        format!("x = {}1{}", r("{1: ", N), r("}", N)),
        r("(", N),
        r("[{(", N),
        r("f(\n", N),
        format!("x = {}1", r("-", N)),
        format!("x = {}1", r("not ", N)),
        format!("x = {}1", r("1 + ", N)),
        format!("x = {}1", r("1 ** ", N)),
        format!("x = {}1", r("a and ", N)),
        format!("x = {}1", r("a or not ", N)),
        format!("x = {}1", r("a < ", N)),
        format!("x = a{}", r(".b", N)),
        format!("x = a{}", r("()", N)),
        format!("x = a{}", r("[0]", N)),
        format!("x = a{}", r(".b(1)", N)),
        format!("x = {}1", r("lambda: ", N)),
        format!("x = {}1", r("lambda a, b: ", N)),
        format!("x = {}1", r("1 if a else ", N)),
        format!("x = {}1", r("await ", N)),
        format!("x = {}1", r("yield ", N)),
        format!("x = {}1", r("yield a, ", N)),
        format!("{}x = 1", r("async ", N)),
        format!("{}x", r("a = ", N)),
        format!("x = {}", r("f\"{", N)),
        format!("x = f\"{}1{}\"", r("{a:", N), r("}", N)),
        format!("x = {}", r("*", N)),
        format!("x = {}1", r("(a := ", N)),
        format!("x = (\n{}1)", r("1 +\n", N)),
        format!("x = {}1", r("1 + \\\n", N)),
        r("@a\n", N),
        r("if a: ", N),
        r("else: ", N),
        r("try: ", N),
        r("class A(", N),
        r("def f(a=", N),
        r("(def ", N),
        r("(a = ", N),
        r("a = (1 +\n", N),
        format!("match a:\n case {}1{}: b", r("(", N), r(")", N)),
        format!("match a:\n case {}1: b", r("1 | ", N)),
    ]
}

#[test]
fn deep_code_neither_overflows_nor_takes_the_rest_along() {
    for shape in shapes() {
        let text = format!("before = 1\n{shape}\nafter = 2\n");
        let module = parse(&text);
        let StmtKind::Assign { targets, .. } = &module.body[0].kind else { panic!("{shape:.40}") };
        assert_eq!(targets[0].as_name(), Some("before"), "{shape:.40}");
        for error in &module.errors {
            assert!(error.range.end as usize <= text.len());
        }
        assert!(module.clone().statements().count() > 0);
        let _ = module.calls().count();
    }
}

#[test]
fn what_python_refuses_is_an_error_and_the_rest_is_read() {
    let text = format!("before = 1\nif a:\n    批 = {}1{}\nafter = 2\n", "(".repeat(N), ")".repeat(N));
    let module = parse(&text);
    assert_eq!(module.errors.len(), 1, "{:?}", module.errors);
    assert!(module.errors[0].range.slice(&text).starts_with("批 = (("));
    assert!(module.errors[0].message.en.contains("200 brackets"));
    assert_eq!(module.body.len(), 3);
}

#[test]
fn long_chains_are_read_up_to_a_bound() {
    let sum = format!("x = {}1\ny = 2\n", "1 + ".repeat(1000));
    let module = parse(&sum);
    assert!(module.errors.is_empty());
    let StmtKind::Assign { value: Some(value), .. } = &module.body[0].kind else { panic!("no assignment") };
    assert_eq!(value.range.slice(&sum).len(), 4001);
    assert!(value.walk().count() <= 2 * MAX_EXPRESSION_DEPTH as usize + 1);
    let flat = format!("x = [{}]\n", "1 + 2, ".repeat(50_000));
    assert_eq!(parse(&flat).errors, []);
}

#[test]
fn deep_blocks() {
    let nested = |levels: usize| -> String {
        (0..levels)
            .map(|level| format!("{}if a:\n", " ".repeat(level)))
            .chain([format!("{}b = 1\nc = 2\n", " ".repeat(levels))])
            .collect()
    };
    let fine = parse(&nested(90));
    assert_eq!(fine.errors, []);
    assert_eq!(fine.statements().count(), 92);
    for levels in [150, 900, 1500] {
        let module = parse(&nested(levels));
        assert_eq!(module.errors.len(), 1, "{levels}");
        assert!(module.statements().count() <= 102);
    }
    let both = nested(900).replace("b = 1", &format!("b = {}1", "-".repeat(1900)));
    assert_eq!(parse(&both).errors.len(), 1);
    let chain = format!("if a: b\n{}", "elif c: d\n".repeat(20_000));
    assert_eq!(parse(&chain).statements().count(), 20_002);
}

#[test]
fn small_stacks_are_enough() {
    // The smallest stack that a consumer may have, with deep but legal code.
    let text = format!("x = {}1{}\ny = {}1\nz = {}1\n", "f(".repeat(190), ")".repeat(190), "-".repeat(1900), "1 + ".repeat(1900));
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(move || {
        let module = parse(&text);
        (module.errors.len(), module.calls().count(), module.clone().body.len())
    });
    assert_eq!(thread.expect("a thread").join().expect("no overflow"), (0, 190, 3));
}
