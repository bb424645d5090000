//! # visible-devices-ignored
//!
//! The deepspeed launcher ignores `CUDA_VISIBLE_DEVICES` because a flag selects the GPUs.
//!
//! ## Why it matters
//! With `--num_gpus`, `--num_nodes`, `--include` or `--exclude` the launcher prints one line, deletes the variable and counts GPUs from 0:
//! `CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2` trains on GPUs 0 and 1, which another job may be using.
//!
//! ## Example
//! ```bash file=launch.sh
//! CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2 train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! CUDA_VISIBLE_DEVICES=2,3 deepspeed train.py
//! ```
//!
//! ## Fix
//! None: use `--include localhost:2,3`, or remove the flag.
//!
//! ## Severity
//! Info if the flag selects the same GPUs as the variable.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `launcher/runner.py:448`, read.
//!
//! # 中文
//!
//! deepspeed 启动器因参数已选择 GPU 而忽略 `CUDA_VISIBLE_DEVICES`。
//!
//! ## 为什么重要
//! 给出 `--num_gpus`、`--num_nodes`、`--include` 或 `--exclude` 时，启动器只打印一行，就删除该变量并从 0 开始数 GPU：
//! `CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_gpus 2` 会在 GPU 0 和 1 上训练，而它们可能正被其他任务使用。
//!
//! ## 修复
//! 无：改用 `--include localhost:2,3`，或去掉该参数。
//!
//! ## 严重程度
//! 参数选择的 GPU 与变量相同：仅作提示。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `launcher/runner.py:448`，阅读源码。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{FileRange, Severity, message};
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::environment::visible_devices;
use vramlint_resolve::launch::{Launch, LaunchFlag};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::IdleGpus],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL161", "visible-devices-ignored", Severity::Warning, page!("visible_devices_ignored.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for launch in cx.project.launches.iter().filter(|launch| launch.launcher == Launcher::DeepSpeed && !launch.has_unknown_flags)
    {
        // With a hostfile the machines decide, and the variable is kept.
        let Some(set) = launch.variable("CUDA_VISIBLE_DEVICES").filter(|_| launch.flag("-H").is_none()) else { continue };
        let Some(shown) = set.value.text().filter(|value| !value.is_empty()) else { continue };
        let Some((flag, chosen)) = chooses(launch) else { continue };
        let place = FileRange::new(launch.file, set.range);
        if !out.mark_reported(place) {
            continue;
        }
        let same = chosen.is_some_and(|chosen| {
            let ids = visible_devices::parse(shown).ids;
            let whole = ids.iter().enumerate().all(|(index, id)| *id == index.to_string());
            chosen == ids || whole && chosen.iter().all(|id| ids.contains(id))
        });
        let name = flag.word.slice(&cx.project.file(launch.file).text);
        let name = name.split('=').next().unwrap_or(name);
        let finding = RULE
            .finding(
                place,
                message!(
                    "`deepspeed` ignores `CUDA_VISIBLE_DEVICES={shown}` because `{name}` is set",
                    "设置了 `{name}`，`deepspeed` 会忽略 `CUDA_VISIBLE_DEVICES={shown}`"
                ),
            )
            .with_severity(if same { Severity::Info } else { Severity::Warning })
            .with_related(
                FileRange::new(launch.file, flag.word),
                message!("the GPUs are selected here, counted from 0", "GPU 在此选择，从 0 开始数"),
            )
            .with_help(message!(
                "use `--include localhost:{shown}`, or remove `{name}`",
                "请用 `--include localhost:{shown}`，或去掉 `{name}`"
            ));
        out.push(finding);
    }
}

/// The flag that makes the launcher drop the variable, and the GPUs that it selects, if known.
fn chooses(launch: &Launch) -> Option<(&LaunchFlag, Option<Vec<String>>)> {
    let number = |flag: &LaunchFlag| flag.values.first()?.text()?.parse::<i64>().ok();
    if let Some(flag) = launch.flag("-i").or_else(|| launch.flag("-e")) {
        let text = flag.values.first().and_then(|word| word.text());
        let ids = text.and_then(|text| text.strip_prefix("localhost:"));
        let ids = ids.filter(|_| flag.name == "-i").map(|ids| ids.split(',').map(str::to_owned).collect());
        return Some((flag, ids));
    }
    if let Some(flag) = launch.flag("--num_gpus").filter(|flag| number(flag).is_none_or(|n| n > 0)) {
        return Some((flag, number(flag).map(|n| (0..n).map(|id| id.to_string()).collect())));
    }
    let nodes = launch.flag("--num_nodes")?;
    (number(nodes)? > 1).then_some((nodes, None))
}
