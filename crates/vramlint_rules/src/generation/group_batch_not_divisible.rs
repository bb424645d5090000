//! # group-batch-not-divisible
//!
//! The GRPO or RLOO batch does not divide into whole groups of completions.
//!
//! ## Why it matters
//! TRL counts completions: one generation round makes micro-batch × processes × `steps_per_generation` (by default the
//! accumulation) of them, and that number must be a multiple of `num_generations`. A `generation_batch_size` must also be a
//! multiple of micro-batch × processes, and for evaluation `per_device_eval_batch_size` × processes must be a multiple of the group
//! size. The configuration raises an error otherwise, so the number of processes decides whether a script starts: 4 completions per
//! process fill groups of 8 on 2 GPUs, but not on 3. Lowering the micro-batch to save memory works only if you raise the
//! accumulation with it.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", per_device_train_batch_size=4, num_generations=8)
//! ```
//!
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 3 train.py
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", per_device_train_batch_size=4, num_generations=8)
//! ```
//!
//! ```bash file=launch.sh
//! torchrun --nproc_per_node 2 train.py
//! ```
//!
//! ## Fix
//! Unsafe: the next accumulation that makes whole groups.
//!
//! ## Severity
//! If nothing in the project shows how a script is started (no command, no accelerate file, no mention of a launcher), the rule
//! assumes `python train.py`, one process, and reports a warning. If something hints at a launcher with an unknown number of
//! processes, the finding is info when one process would raise. Silent when a number is unknown, and for a file that imports
//! unsloth, which raises the micro-batch to `num_generations` instead.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_config.py:1096` to `:1135`, run on 1, 2 and 3 processes; `rloo_config.py:659` is the same. Older
//! versions apply the same rule; `num_generations` defaults to 8 in GRPO and 2 in RLOO. unsloth 2026.10.9 `models/rl.py:3598`, read.
//!
//! # 中文
//!
//! GRPO 或 RLOO 的批无法分成完整的补全组。
//!
//! ## 为什么重要
//! TRL 以补全计数：一轮生成产生 微批大小 × 进程数 × `steps_per_generation`（默认等于梯度累积步数）个补全，该数必须是
//! `num_generations` 的整数倍。`generation_batch_size` 还必须是 微批大小 × 进程数 的整数倍；评估时 `per_device_eval_batch_size` × 进程数 也必须是组大小的
//! 整数倍。其余情况配置都会报错，因此进程数决定脚本能否启动：每进程 4 个补全在 2 个 GPU 上可凑成 8 个一组，在 3 个上则不行。为节省显存而减小微批大小时，必须同时增大梯度累积步数。
//!
//! ## 修复
//! 不安全：改为能整除的下一个累积步数。
//!
//! ## 严重程度
//! 若项目中看不出脚本如何启动（没有命令、没有 accelerate 文件、也没有提到启动器），则按 `python train.py`（单进程）处理，并报告 warning。若有启动器的迹象但进程数未知，而单进程会报错，则为 info；任何数字未知时不报；
//! 导入 unsloth 的文件也不报，因为 unsloth 会把微批大小提高到 `num_generations`。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_config.py:1096` 至 `:1135`，在 1、2、3 个进程上实际运行；`rloo_config.py:659` 相同。旧版本的规则相同；
//! `num_generations` 的默认值在 GRPO 中为 8，在 RLOO 中为 2。unsloth 2026.10.9 `models/rl.py:3598`，阅读源码。

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::frameworks::{self, refusals};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Finding, Fix, Message, Severity, count_noun, message};
use vramlint_catalog::Concept;
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_resolve::FileKind;
use vramlint_resolve::arguments::{ArgumentReader, ArgumentSet, PassedBy};
use vramlint_resolve::versions::{RangeMatch, VersionRange};
use vramlint_semantic::arguments::{GROUPS, run, sets_of, strategy};
use vramlint_semantic::class_fields;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL901", "group-batch-not-divisible", Severity::Error, page!("group_batch_not_divisible.rs"), check)
};

/// The numbers of one training.
struct Numbers {
    micro: i64,
    group: i64,
    steps: i64,
    /// Data-parallel processes; `None` if unknown.
    world: Option<i64>,
    /// The severity of a batch that trl rejects: lower if nothing in the project shows how the script is started.
    severity: Severity,
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, GROUPS) {
        let Some(numbers) = numbers(cx, set) else { continue };
        let found = if set.get("generation_batch_size").is_some_and(|given| given.value != Some(vramlint_base::Value::Null)) {
            by_batch(cx, set, &numbers)
        } else {
            by_steps(cx, set, &numbers)
        };
        let evaluation = evaluation(cx, set, &numbers);
        for found in found.into_iter().chain(evaluation) {
            if reported.insert(found.place, &found.message.en) {
                out.push(found);
            }
        }
    }
    frameworks::run(cx, &RULE, &[(Dialect::Axolotl, refusals::axolotl::groups)], out);
}

fn numbers(cx: &Context<'_>, set: &ArgumentSet) -> Option<Numbers> {
    // Before 0.24 RLOO had other keys and counted differently.
    let rloo = set.has_class("trl.RLOOConfig");
    if rloo
        && cx.project.version_matches(set.file(), &VersionRange::since("trl", "0.24")) != RangeMatch::Always
        && set.get("num_generations").is_none()
    {
        return None;
    }
    let group = set.int("num_generations", if rloo { 2 } else { 8 })?;
    let micro = set.int("per_device_train_batch_size", 8)?;
    let accumulation = set.int("gradient_accumulation_steps", 1)?;
    let steps = match set.get("steps_per_generation") {
        Some(given) if given.value == Some(vramlint_base::Value::Null) => accumulation,
        Some(given) => given.value.as_ref()?.as_int()?,
        None => accumulation,
    };
    let world = run(cx.project, set).and_then(|run| {
        let shared = [Concept::TensorParallelSize, Concept::ContextParallelSize];
        let alone = shared.iter().all(|concept| run.settings.get(concept).is_none_or(|_| run.int(*concept) == Some(1)));
        run.int(Concept::WorldSize).filter(|world| alone && *world > 0)
    });
    let severity = if world.is_some() { Severity::Error } else { Severity::Warning };
    let world = world.or_else(|| started_by_itself(cx, set).then_some(1));
    (group > 1 && micro > 0 && steps > 0).then_some(Numbers { micro, group, steps, world, severity })
}

/// Whether nothing in the project shows how its code is started: the script then runs as `python train.py`.
fn started_by_itself(cx: &Context<'_>, set: &ArgumentSet) -> bool {
    const LAUNCHERS: &[&str] = &["torchrun", "accelerate", "deepspeed", "LOCAL_RANK", "WORLD_SIZE", "srun", "mpirun", "ray"];
    let project = cx.project;
    let code = set.reader == ArgumentReader::Call && project.file(set.file()).host.is_none();
    let launched =
        run(cx.project, set).is_some_and(|run| run.launch.is_some()) || project.runs.iter().any(|run| run.launch.is_some());
    let machine = project.policy(set.file()).target.count.is_some_and(|count| count > 1);
    let other = project.files.iter().any(|file| {
        let shell = file.is_script();
        shell || matches!(project.kind(file.id), FileKind::Accelerate | FileKind::DeepSpeed)
    });
    let words = |file: &vramlint_resolve::SourceFile| {
        let own = file.is_python() || file.host.is_some();
        own && LAUNCHERS.iter().any(|word| file.text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == *word))
    };
    code && !launched && !machine && !other && project.documented_launches().is_empty() && !project.files.iter().any(words)
}

/// unsloth puts classes of its own in the place of TRL's: they raise the micro-batch to the group where neither of these is set
/// (2026.10.9 models/rl.py:3598, read).
fn raised_by_unsloth(cx: &Context<'_>, set: &ArgumentSet) -> bool {
    class_fields::imports_unsloth(cx.project, set.file())
        && set.lacks("steps_per_generation")
        && set.lacks("generation_batch_size")
}

/// The place of the finding: the first of these keys that is set, else the call.
fn place(set: &ArgumentSet, keys: &[&str]) -> FileRange {
    keys.iter().find_map(|key| set.get(key)).map_or(set.place, |given| given.place)
}

fn build(cx: &Context<'_>, set: &ArgumentSet, severity: Severity, at: FileRange, message: Message, keys: &[&str]) -> Finding {
    let mut found = finding_of(cx, set, &RULE, severity, at, message);
    for given in keys.iter().filter_map(|key| set.get(key)).filter(|given| given.place != at) {
        found = found.with_related(given.place, message!("used in the calculation", "参与计算"));
    }
    if let Some(run) = run(cx.project, set).filter(|run| severity == Severity::Error && run.launch.is_some()) {
        found = found.with_related(run.place, message!("the processes start here", "进程在此启动"));
    }
    found
}

/// Micro-batch × processes × steps against the group size.
fn by_steps(cx: &Context<'_>, set: &ArgumentSet, n: &Numbers) -> Option<Finding> {
    const KEYS: &[&str] =
        &["per_device_train_batch_size", "num_generations", "gradient_accumulation_steps", "steps_per_generation"];
    let world = n.world.unwrap_or(1);
    let total = n.micro.checked_mul(world)?.checked_mul(n.steps)?;
    if total % n.group == 0 || raised_by_unsloth(cx, set) {
        return None;
    }
    let (micro, steps, group) = (n.micro, n.steps, n.group);
    let at = place(set, KEYS);
    let (processes, accumulated) = (count_noun(world, "process"), count_noun(steps, "step"));
    let (severity, message) = if n.world.is_some() {
        (
            n.severity,
            message!(
                "{micro} × {processes} × {accumulated} = {total} completions are not a multiple of num_generations {group}; trl raises an error",
                "{micro} × {world} 个进程 × {steps} 步 = {total} 个补全，不是 num_generations {group} 的整数倍；trl 会报错"
            ),
        )
    } else {
        (
            Severity::Info,
            message!(
                "with one process {micro} × {steps} = {total} completions are not a multiple of num_generations {group}; trl raises an error",
                "单进程时 {micro} × {steps} = {total} 个补全，不是 num_generations {group} 的整数倍；trl 会报错"
            ),
        )
    };
    let mut found = build(cx, set, severity, at, message, KEYS);
    let each = n.micro.checked_mul(world)?;
    let next =
        (n.steps + 1..=n.steps + n.group).find(|steps| each.checked_mul(*steps).is_some_and(|total| total % n.group == 0))?;
    let key = if set.get("steps_per_generation").is_some() { "steps_per_generation" } else { "gradient_accumulation_steps" };
    found = found.with_help(message!("set `{key}` to {next} to get whole groups", "把 `{key}` 设为 {next} 即可凑成整组"));
    if let Some(given) =
        set.get(key).filter(|given| n.world.is_some() && matches!(given.by, PassedBy::Keyword | PassedBy::File | PassedBy::Flag))
    {
        found = found.with_fix(Fix {
            title: message!("set `{key}` to {next}", "把 `{key}` 设为 {next}"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(given.value_place, next.to_string())],
        });
    }
    Some(found)
}

/// The generation batch against the group size, and against micro-batch × processes.
fn by_batch(cx: &Context<'_>, set: &ArgumentSet, n: &Numbers) -> Option<Finding> {
    const KEYS: &[&str] = &["generation_batch_size", "per_device_train_batch_size", "num_generations"];
    // Both settings together are another mistake.
    if !set.lacks("steps_per_generation") {
        return None;
    }
    let given = set.get("generation_batch_size")?;
    let batch = given.value.as_ref()?.as_int().filter(|batch| *batch > 0)?;
    let group = n.group;
    if batch % group != 0 {
        let message = message!(
            "generation_batch_size {batch} is not a multiple of num_generations {group}; trl raises an error",
            "generation_batch_size {batch} 不是 num_generations {group} 的整数倍；trl 会报错"
        );
        return Some(build(cx, set, Severity::Error, given.place, message, KEYS));
    }
    let world = n.world?;
    let each = n.micro.checked_mul(world)?;
    if batch % each == 0 {
        return None;
    }
    let (micro, processes) = (n.micro, count_noun(world, "process"));
    let message = message!(
        "generation_batch_size {batch} is not a multiple of {micro} × {processes} = {each}; trl raises an error",
        "generation_batch_size {batch} 不是 {micro} × {world} 个进程 = {each} 的整数倍；trl 会报错"
    );
    Some(build(cx, set, n.severity, given.place, message, KEYS))
}

/// The evaluation batch against its group size.
fn evaluation(cx: &Context<'_>, set: &ArgumentSet, n: &Numbers) -> Option<Finding> {
    const KEYS: &[&str] = &["per_device_eval_batch_size", "num_generations_eval", "num_generations", "eval_strategy"];
    if !matches!(strategy(set, &["eval_strategy", "evaluation_strategy"], "no")?, "steps" | "epoch") {
        return None;
    }
    let group = match set.get("num_generations_eval").map(|given| given.value.as_ref()) {
        Some(None) => return None,
        Some(Some(value)) if *value != vramlint_base::Value::Null => value.as_int().filter(|group| *group > 0)?,
        _ => n.group,
    };
    let (rows, world) = (set.int("per_device_eval_batch_size", 8).filter(|rows| *rows > 0)?, n.world?);
    let total = rows.checked_mul(world)?;
    if total % group == 0 {
        return None;
    }
    let at = place(set, KEYS);
    let processes = count_noun(world, "process");
    let message = message!(
        "evaluation: {rows} × {processes} = {total} completions are not a multiple of {group} generations; trl raises an error",
        "评估：{rows} × {world} 个进程 = {total} 个补全，不是 {group} 个生成的整数倍；trl 会报错"
    );
    Some(build(cx, set, n.severity, at, message, KEYS).with_help(message!(
        "make `per_device_eval_batch_size` × processes a multiple of the group size",
        "使 `per_device_eval_batch_size` × 进程数 为组大小的整数倍"
    )))
}
