//! Whole findings as people see them.

use super::*;
use crate::testing::{Fixture, finding, related, with_fix};
use vramlint_base::Lang;

fn shown(fixture: Fixture, lang: Lang) -> String {
    let report = fixture.report();
    render(&View { report: &report, lang, colour: false })
}

const CONFIG: &str = "compute_environment: LOCAL_MACHINE\r\n# 多卡\r\n分布式: MULTI_GPU # 显存\r\nnum_processes: 1\r\nx: 1\r\n";
const SCRIPT: &str = "set -e\naccelerate launch \\\n  --num_processes 1 train.py\n";

#[test]
fn marks_in_two_files_help_run_and_fix() {
    let make = with_fix(related(related(finding(0, "MULTI_GPU"), 0, "1"), 1, "--num_processes 1"), Applicability::Safe, "'NO'");
    let with_run = move |project: &vramlint_resolve::Project| Finding { run: Some("launch.sh#1".to_owned()), ..make(project) };
    let text = shown(Fixture::new(&[("accelerate.yaml", CONFIG), ("launch.sh", SCRIPT)]).finding(with_run), Lang::En);
    insta::assert_snapshot!(text, @r#"
    VL999 odd-value
      ⚠ warning: `MULTI_GPU` is odd
       ╭─[accelerate.yaml:3:6]
     2 │ # 多卡
     3 │ 分布式: MULTI_GPU # 显存
       ·         ─────────
     4 │ num_processes: 1
       ·                ┬
       ·                ╰── the other end
     5 │ x: 1
       ╰────
       ╭─[launch.sh:3:3]
     2 │ accelerate launch \
     3 │   --num_processes 1 train.py
       ·   ────────┬────────
       ·           ╰── the other end
       ╰────
      help: make it even
      run: launch.sh#1
      fix (safe): write 'NO'
        - 分布式: MULTI_GPU # 显存
        + 分布式: 'NO' # 显存
    "#);
}

#[test]
fn chinese_is_aligned_by_width_and_counted_by_characters() {
    let make = with_fix(related(finding(0, "MULTI_GPU"), 0, "显存"), Applicability::Unsafe, "'NO'");
    let text = shown(Fixture::new(&[("配置.yaml", CONFIG)]).finding(make), Lang::Zh);
    insta::assert_snapshot!(text, @r#"
    VL999 odd-value
      ⚠ 警告: `MULTI_GPU` 很奇怪
       ╭─[配置.yaml:3:6]
     2 │ # 多卡
     3 │ 分布式: MULTI_GPU # 显存
       ·         ─────────   ──┬─
       ·             │         ╰── 另一端
     4 │ num_processes: 1
       ╰────
      帮助：改成偶数
      修复（不安全）：写成 'NO'
        - 分布式: MULTI_GPU # 显存
        + 分布式: 'NO' # 显存
    "#);
}

#[test]
fn empty_files_and_ends_of_files_are_shown() {
    let at_end = |project: &vramlint_resolve::Project| Finding { help: None, ..finding(0, "")(project) };
    insta::assert_snapshot!(shown(Fixture::new(&[("empty.yaml", "")]).finding(at_end), Lang::En), @r#"
    VL999 odd-value
      ⚠ warning: `` is odd
       ╭─[empty.yaml:1:1]
     1 │ 
       · ▲
       ╰────
    "#);
}

#[test]
fn colour_is_only_there_when_wanted() {
    let fixture = || Fixture::new(&[("a.yaml", CONFIG)]).finding(with_fix(finding(0, "1"), Applicability::Safe, "2"));
    assert!(!shown(fixture(), Lang::En).contains('\u{1b}'));
    let report = fixture().report();
    let coloured = render(&View { report: &report, lang: Lang::En, colour: true });
    assert!(coloured.contains("\u{1b}[") && !coloured.contains("\u{1b}]"), "colour, but no links: {coloured:?}");
}

#[test]
fn no_place_breaks_the_renderer() {
    let texts = ["", "\n", "\r", "a\rb\r\nc\n\n", "\u{feff}批: 1\r\n\t\t- é\u{301}👩‍👩‍👧\r\n", "x\u{0}\u{1b}[2J\u{85}y"];
    for text in texts {
        let edges: Vec<u32> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).map(|at| at as u32).collect();
        for (start, end, other) in edges.iter().flat_map(|s| edges.iter().flat_map(move |e| [(*s, *e, *e), (*s, *e, *s)])) {
            let make = |project: &vramlint_resolve::Project| {
                let mut finding = related(finding(0, ""), 0, "")(project);
                finding.place.range = vramlint_base::TextRange::new(start, end);
                finding.related[0].place.range = vramlint_base::TextRange::at(other);
                finding
            };
            let shown = shown(Fixture::new(&[("a", text)]).finding(make), Lang::En);
            assert!(!shown.contains("Failed to read") && !shown.contains('\u{1b}'), "{text:?} {start}..{end}: {shown}");
        }
    }
}
