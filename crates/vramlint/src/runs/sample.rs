//! A run for the tests of both formats.

use crate::testing::{Fixture, candidate, place, run};
use vramlint_base::{FileId, Value, message};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::setting::Precedence;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Setting};

const CONFIG: &str = "num_processes: 4\n批量: 2\n";
const SCRIPT: &str = "accelerate launch --num_processes 8 \\\n  train.py\n";

/// A run with settings of every sort.
pub(super) fn report() -> Report {
    let fixture = Fixture::new(&[("launch.sh", SCRIPT), ("配置.yaml", CONFIG)]);
    let files = Fixture::new(&[("launch.sh", SCRIPT), ("配置.yaml", CONFIG)]).report();
    let at = |file, needle: &str| place(&files.project, file, needle);
    let file = |needle: &str, key: &str| Origin::File { place: at(1, needle), key: at(1, key), route: key.to_owned() };
    let precedence = Some(Precedence { order: "--num_processes > the file", source: "accelerate 1.15.0 launch.py" });
    let flag = Origin::Flag { place: at(0, "8"), flag: "--num_processes".to_owned() };
    let default = Origin::Default { tool: "accelerate", source: "accelerate 1.15.0 launch.py".to_owned() };
    let processes = Setting {
        candidates: vec![
            Candidate { assumptions: vec![message!("$N is 8", "$N 为 8")], ..candidate(Value::Int(8), flag) },
            candidate(Value::Int(4), file("4", "num_processes")),
            candidate(Value::Int(1), default.clone()),
        ],
        winner: Some(0),
        precedence,
    };
    let branch =
        |n, condition: &str| Candidate { condition: Some(condition.to_owned()), ..candidate(Value::Int(n), file("2", "批量")) };
    let batch = Setting {
        candidates: vec![candidate(Value::Int(2), file("2", "批量")), branch(1, "low_memory")],
        winner: Some(0),
        precedence: None,
    };
    let open = Setting { candidates: vec![branch(1, "a"), branch(2, "not a")], winner: None, precedence: None };
    let unknown = Candidate {
        value: Resolved::Unknown(message!("world_size is not known", "world_size 未知")),
        ..candidate(Value::Null, Origin::Derived { formula: "a x b".to_owned(), inputs: vec![Concept::WorldSize] })
    };
    let settings = [
        (Concept::NumProcesses, processes),
        (Concept::MicroBatch, batch),
        (Concept::GradientAccumulationSteps, open),
        (Concept::EffectiveBatch, Setting { candidates: vec![unknown], winner: Some(0), precedence: None }),
        (
            Concept::LearningRate,
            Setting { candidates: vec![candidate(Value::Text("2e-5".into()), default)], winner: Some(0), precedence: None },
        ),
    ];
    let with_absent = |project: &Project| {
        let mut run = run("launch.sh#1", 0, &settings)(project);
        run.files.push(FileId(1));
        run.absent.push(("train.py".to_owned(), place(project, 0, "train.py")));
        run
    };
    fixture.run(with_absent).report()
}
