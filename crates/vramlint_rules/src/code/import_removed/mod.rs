//! # import-removed
//!
//! The code imports a name that the installed version of transformers, TRL or PEFT no longer provides.
//!
//! ## Why it matters
//! The import raises an error before anything else runs. Most affected scripts were written for TRL before 0.29, which moved
//! PPO, ORPO, CPO, online DPO, GKD and others out of its top-level package, or for transformers before 5.0, which removed
//! everything for TensorFlow and Flax. Some names still exist in `trl.experimental`, but not PPO: TRL's online trainers are
//! GRPO and RLOO.
//!
//! ## Example
//! ```python file=train.py
//! from trl import PPOConfig, PPOTrainer
//! ```
//!
//! ```text file=requirements.txt
//! trl==1.16.0
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import PPOConfig, PPOTrainer
//! ```
//!
//! ```text file=requirements.txt
//! trl==0.24.0
//! ```
//!
//! ## Fix
//! Pin the older version, or port the code to the newer one. There is no automatic fix.
//!
//! ## Severity
//! An info finding if the version is not known. Silent for imports under `try`, under `if` and in functions, and for names that
//! the tables do not list.
//!
//! ## Sources
//! The top-level packages of 43 releases of TRL from 0.4.7 to 1.16.0 (`trl/__init__.py`), compared with each other;
//! transformers 4.45.2, 4.47.1, 4.49.0, 4.50.3, 4.57.1, 5.0.0 and 5.23.0 (`transformers/__init__.py`); PEFT 0.5.0, 0.9.0,
//! 0.12.0 and 0.21.2. With 5.23.0 and 1.16.0 the imports were run. A release between two of these may already lack a name: the
//! rule uses the later one.
//!
//! # 中文
//!
//! 代码导入了所安装的 transformers、TRL 或 PEFT 版本不再提供的名称。
//!
//! ## 为什么重要
//! 导入会先于其他一切报错。受影响的脚本大多为 TRL 0.29 之前的版本编写（0.29 把 PPO、ORPO、CPO、在线 DPO、GKD 等移出了顶层包），
//! 或为 transformers 5.0 之前的版本编写（5.0 删除了 TensorFlow 和 Flax 的全部内容）。一部分名称仍在 `trl.experimental` 中，但
//! PPO 不在：TRL 的在线训练器是 GRPO 和 RLOO。
//!
//! ## 修复
//! 固定旧版本，或把代码移植到新版本。没有自动修复。
//!
//! ## 严重程度
//! 版本未知时仅作提示。`try`、`if` 和函数中的导入以及表中没有的名称不报。
//!
//! ## 来源
//! 比较了 TRL 0.4.7 至 1.16.0 共 43 个版本的顶层包（`trl/__init__.py`）；transformers 4.45.2、4.47.1、4.49.0、4.50.3、4.57.1、5.0.0 和 5.23.0
//! （`transformers/__init__.py`）；PEFT 0.5.0、0.9.0、0.12.0 和 0.21.2。对 5.23.0 与 1.16.0 实际运行了导入。两个版本之间的某个版本可能已没有该名称：
//! 此处以较晚的为界。

mod names;

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use names::{Gone, gone};
use vramlint_base::{FileRange, Finding, Severity, message};
use vramlint_resolve::versions::VersionRange;
use vramlint_resolve::{Feature, SourceFile};
use vramlint_semantic::version_gate;
use vramlint_syntax::python::{Import, ImportedName, Imports, StmtKind};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    tag: Some(DiagnosticTag::Deprecated),
    ..Rule::new("VL611", "import-removed", Severity::Error, page!("mod.rs"), check)
};

const LIBRARIES: &[&str] = &["transformers", "trl", "peft"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for file in &cx.project.files {
        let of_library = |import: &Import| import.level == 0 && LIBRARIES.iter().any(|name| import.module.starts_with(name));
        let may_import = file.features().has(Feature::HuggingFaceImport) && file.imports().iter().any(of_library);
        let Some(module) = file.python_if(may_import) else { continue };
        for stmt in &module.body {
            let StmtKind::FromImport { module, level: 0, names } = &stmt.kind else { continue };
            let place = |name: &ImportedName| FileRange::new(file.id, name.range);
            let mut missing: Vec<(&ImportedName, Gone<'_>, Finding)> = names
                .iter()
                .filter_map(|name| {
                    let gone = gone(module, &name.name)?;
                    let found = finding(cx, file, place(name), &gone)?;
                    Some((name, gone, found))
                })
                .collect();
            // The statement fails at once: the name that is gone for longest speaks for the others.
            missing.sort_by_key(|(_, gone, found)| (std::cmp::Reverse(found.severity), parts(gone.until)));
            let mut missing = missing.into_iter();
            let Some((.., mut found)) = missing.next() else { continue };
            for (name, gone, _) in missing {
                let (library, until) = (gone.library, gone.until);
                let what = message!("not in {library} {until} and later either", "{library} {until} 及之后的版本同样没有");
                found = found.with_related(place(name), what);
            }
            out.push(found);
        }
    }
    attributes(cx, out);
}

/// The numbers of a release, to order releases.
fn parts(release: &str) -> Vec<u32> {
    release.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// `trl.PPOConfig(…)`: an attribute of the package that is gone.
fn attributes(cx: &Context<'_>, out: &mut Sink) {
    for at in vramlint_semantic::calls::uncaught_calls(cx.project) {
        let call = at.call();
        let Some((module, name)) = call.path.rsplit_once('.').filter(|(module, _)| LIBRARIES.contains(module)) else { continue };
        let file = cx.project.file(call.file);
        let written = call.callee.range.slice(&file.text);
        // Bound to the package itself: a name that is imported from it is reported at its import.
        let whole = written.split_once('.').is_some_and(|(first, rest)| {
            rest == name && file.python().is_some_and(|tree| Imports::of(tree).full(first).as_deref() == Some(module))
        });
        if !whole || call.condition.is_some() || !out.mark_reported(call.callee) {
            continue;
        }
        if let Some(found) = gone(module, name).and_then(|gone| finding(cx, file, call.callee, &gone)) {
            out.push(found);
        }
    }
}

fn finding(cx: &Context<'_>, file: &SourceFile, place: FileRange, gone: &Gone<'_>) -> Option<Finding> {
    let gate = version_gate::evaluate(cx.project, file.id, &VersionRange::since(gone.library, gone.until), RULE.severity)?;
    let (library, until, name) = (gone.library, gone.until, gone.name);
    let message = message!(
        "{library} {until} and later do not provide `{name}` here: the import fails",
        "{library} {until} 及之后的版本此处没有 `{name}`：导入会失败"
    );
    let severity =
        if cx.project.is_documentation_snippet(file.id) { gate.severity.min(Severity::Warning) } else { gate.severity };
    let mut found = RULE.finding(place, message).with_severity(severity);
    found = found.with_help(match (gone.instead, gone.library) {
        ("", "trl") => message!(
            "pin trl below {until}, or use `GRPOTrainer` or `RLOOTrainer`",
            "把 trl 固定在 {until} 以下，或改用 `GRPOTrainer` 或 `RLOOTrainer`"
        ),
        ("", _) => {
            message!("pin {library} below {until}, or remove the import", "把 {library} 固定在 {until} 以下，或删除该导入")
        }
        (instead, _) => {
            message!("use {instead}, or pin {library} below {until}", "改用 {instead}，或把 {library} 固定在 {until} 以下")
        }
    });
    if let Some((pin, what)) = gate.pin {
        found = found.with_related(pin, what);
    }
    Some(found)
}
