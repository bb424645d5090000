//! Runs as people see them.

use super::*;
use crate::runs::sample::report;
use crate::testing::Fixture;

#[test]
fn a_run_as_a_table() {
    insta::assert_snapshot!(text(&report(), Lang::En, false, false), @r#"
    launch.sh#1  launch.sh:1
      files: launch.sh, 配置.yaml
      not found: train.py (named at launch.sh:2)

      num_processes                8 processes  flag --num_processes at launch.sh:1
                                                  assuming $N is 8
                                                  overrides 4 from 配置.yaml:1 num_processes
                                                  order: --num_processes > the file
      micro_batch                  2 rows       配置.yaml:2 批量
                                                  may be 1: 配置.yaml:2 批量 (if low_memory)
      gradient_accumulation_steps  unknown      what wins is not decided in these files
                                                  may be 1: 配置.yaml:2 批量 (if a)
                                                  may be 2: 配置.yaml:2 批量 (if not a)
      effective_batch              unknown      world_size is not known; derived: a x b
      learning_rate                '2e-5'       default of accelerate 1.15.0 launch.py
    "#);
}

#[test]
fn a_run_in_chinese() {
    insta::assert_snapshot!(text(&report(), Lang::Zh, false, true), @r#"
    launch.sh#1  launch.sh:1
      文件：launch.sh, 配置.yaml
      未找到：train.py（见 launch.sh:2）

      num_processes                8 个进程  参数 --num_processes，位于 launch.sh:1
                                               假定 $N 为 8
                                               覆盖了 配置.yaml:1 num_processes 给出的 4
                                               优先顺序：--num_processes > the file
                                               依据：accelerate 1.15.0 launch.py
      micro_batch                  2 条      配置.yaml:2 批量
                                               可能是 1：配置.yaml:2 批量（当 low_memory）
      gradient_accumulation_steps  未知      由谁决定在这些文件中看不出来
                                               可能是 1：配置.yaml:2 批量（当 a）
                                               可能是 2：配置.yaml:2 批量（当 not a）
      effective_batch              未知      world_size 未知；推导：a x b
      learning_rate                '2e-5'    accelerate 1.15.0 launch.py 的默认值
    "#);
}

#[test]
fn no_runs_are_said_to_be_none() {
    assert_eq!(text(&Fixture::new(&[("a", "")]).report(), Lang::En, true, false), "No training runs in 1 file\n");
}

#[test]
fn text_that_looks_like_something_else_is_quoted() {
    for (value, shown) in
        [("bf16", "bf16"), ("2e-5", "'2e-5'"), ("no", "no"), ("True", "'True'"), ("", "''"), (" a", "' a'"), ("a\nb", "a b")]
    {
        assert_eq!(plain(&Value::Text(value.to_owned())), shown);
    }
    assert_eq!(plain(&Value::Bool(true)), "True");
}

#[test]
fn units_agree_with_their_number() {
    let all = |n, lang| Concept::ALL.iter().map(|concept| unit(concept.unit(), n, lang)).collect::<Vec<_>>();
    assert!(all(1, Lang::En).contains(&"process") && !all(1, Lang::En).contains(&"processe"));
    assert!(all(1, Lang::En).iter().all(|unit| *unit == "process" || !unit.ends_with('s')));
    assert!(all(2, Lang::Zh).iter().all(|unit| !unit.is_ascii() || unit.is_empty()));
}

#[test]
fn long_values_are_cut_by_columns() {
    let cut = cut(&"显".repeat(200));
    assert!(cut.width() <= LONGEST && cut.ends_with('…'), "{}", cut.width());
}
