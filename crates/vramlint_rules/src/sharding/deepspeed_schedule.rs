//! # deepspeed-schedule
//!
//! DeepSpeed cannot create the schedule in its file, or the schedule never finishes its warm-up.
//!
//! ## Why it matters
//! `scheduler.type` must be the exact name of one of DeepSpeed's schedules. torch's names are possible, too, but torch schedules do
//! not accept the wrapped optimizer of ZeRO, fp16 and bf16. The parameters are keyword arguments: a missing, unknown or wrong one
//! makes `deepspeed.initialize` raise an error. If the schedule has fewer steps in total than in its warm-up, the learning rate
//! never reaches its peak.
//!
//! ## Example
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "scheduler": {"type": "cosine", "params": {}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Use instead
//! ```json file=ds_config.json
//! {
//!   "train_micro_batch_size_per_gpu": 4,
//!   "scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 1000, "warmup_num_steps": 100}},
//!   "zero_optimization": {"stage": 2}
//! }
//! ```
//!
//! ## Fix
//! Unsafe: the nearest known name, for an unknown type.
//!
//! ## Severity
//! Warning if the code may create its own. Warning for a warm-up longer than the whole schedule. Info for a `warmup_num_steps` that
//! only 0.19.6 and later reject, if the version is unknown.
//!
//! ## When it stays silent
//! When the code passes its own to `deepspeed.initialize`: the file's setting is then not used.
//!
//! ## Sources
//! DeepSpeed 0.19.8 `runtime/engine.py:1929`, `:1935`, `runtime/lr_schedules.py:734`, `:823`, torch 2.15
//! `optim/lr_scheduler.py:126`, each run.
//!
//! # 中文
//!
//! DeepSpeed 文件中的学习率调度无法创建，或永远走不出预热。
//!
//! ## 为什么重要
//! `scheduler.type` 须是 DeepSpeed 自带调度的准确名字；也可以是 torch 的，但后者不接受 ZeRO、fp16、bf16 包装过的优化器。
//! 其参数作为关键字传入：缺少、未知或写错都会使 `deepspeed.initialize` 报错。总步数少于预热步数时，学习率永远到不了峰值。
//!
//! ## 修复
//! 不安全：类型不认识时，改为最接近的已知名字。
//!
//! ## 严重程度
//! 看不出代码是否自行创建时，只报警告。预热长于整个调度时只报警告。只有 0.19.6 及以后才拒绝的 `warmup_num_steps`，版本未
//! 知时仅作提示。
//!
//! ## 何时不报
//! 代码自行向 `deepspeed.initialize` 传入时不报：此时文件中的设置不会被使用。
//!
//! ## 来源
//! DeepSpeed 0.19.8 `runtime/engine.py:1929`、`:1935`，`runtime/lr_schedules.py:734`、`:823`，torch 2.15
//! `optim/lr_scheduler.py:126`，逐项实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Fix, Message, Severity, Value, count_noun, is_templated, message};
use vramlint_edit as edit;
use vramlint_semantic::deepspeed::config::{self, ConfigEntry, DeepSpeedConfig};
use vramlint_semantic::deepspeed::initialize;
use vramlint_semantic::deepspeed::optimizers::{self, Schedule};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::RefusedAtStart],
    ..Rule::new("VL548", "deepspeed-schedule", Severity::Error, page!("deepspeed_schedule.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for config in cx.deepspeed_configs() {
        let Some(item) = config.entry("scheduler.type") else { continue };
        let Some(Value::Text(name)) = config.value("scheduler.type") else { continue };
        let severity = match initialize::file_decides(config, "lr_scheduler", initialize::SCHEDULE) {
            Some(true) => Severity::Error,
            None => Severity::Warning,
            Some(false) => continue,
        };
        let found = Found { cx, config, item, name: &name, severity };
        match optimizers::schedule(&name) {
            Schedule::Unknown => out.push(found.unknown()),
            Schedule::Torch => out.findings.extend(found.torch()),
            Schedule::Own(own, takes) => out.findings.extend(found.check_own_schedule(own, takes)),
        }
    }
}

struct Found<'a, 'b> {
    cx: &'b Context<'a>,
    config: &'b DeepSpeedConfig<'a>,
    item: ConfigEntry<'a>,
    name: &'b str,
    severity: Severity,
}

impl<'a> Found<'a, '_> {
    fn finding_at(&self, item: ConfigEntry<'a>, message: Message, help: Message) -> Finding {
        RULE.finding(self.config.place(item), message).with_severity(self.severity).with_help(help)
    }

    fn unknown(&self) -> Finding {
        let (name, meant) = (self.name, optimizers::meant_schedule(self.name));
        let message =
            message!("unknown schedule `{name}`; DeepSpeed raises an error", "未知的学习率调度 `{name}`；DeepSpeed 会报错");
        let help = message!(
            "use one of: WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle, LRRangeTest",
            "请使用以下之一：WarmupLR、WarmupDecayLR、WarmupCosineLR、OneCycle、LRRangeTest"
        );
        let finding = self.finding_at(self.item, message, help);
        let source = self.item.value.range().slice(&self.config.file.text);
        if !source.contains(name) {
            return finding;
        }
        // The corrected schedule may need parameters that are missing.
        let same = name.eq_ignore_ascii_case(meant);
        finding.with_fix(Fix {
            title: message!("replace it with `{meant}`", "改为 `{meant}`"),
            applicability: if same { Applicability::Unsafe } else { Applicability::Display },
            edits: vec![edit::replace(self.config.value_place(self.item), source.replace(name, meant))],
        })
    }

    /// torch's schedules require an `Optimizer`, which DeepSpeed's wrappers are not.
    fn torch(&self) -> Option<Finding> {
        let on = |path: &str| self.config.flag(path, false) == Some(true);
        let wrapped = self.config.stage().is_some_and(|stage| stage > 0) || on("fp16.enabled") || on("bf16.enabled");
        let name = self.name;
        wrapped.then(|| {
            let message = message!(
                "torch's {name} rejects the optimizer that DeepSpeed wraps for ZeRO, fp16 or bf16",
                "torch 的 {name} 拒绝 DeepSpeed 为 ZeRO、fp16、bf16 包装的优化器"
            );
            let help = message!(
                "use one of DeepSpeed's schedules, or create this one in code and pass it to deepspeed.initialize",
                "改用 DeepSpeed 自带的调度，或在代码中创建后传给 deepspeed.initialize"
            );
            self.finding_at(self.item, message, help)
        })
    }

    fn check_own_schedule(&self, own: &str, takes: &[&str]) -> Vec<Finding> {
        let Some(params) = self.config.entry("scheduler.params") else {
            let message =
                message!("{own} has no `params`; DeepSpeed cannot create it", "{own} 没有 `params`；DeepSpeed 无法创建");
            return vec![self.finding_at(
                self.item,
                message,
                message!("add \"params\": {{}} with its values", "加入 \"params\": {{}} 并写上其取值"),
            )];
        };
        if !params.value.is_mapping() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (key, value) in params.value.entries() {
            let Some(text) = key.text().filter(|text| !takes.contains(text) && !is_templated(text)) else { continue };
            let message = message!(
                "{own} has no parameter `{text}`: the engine raises a TypeError at startup",
                "{own} 不接受参数 `{text}`：引擎启动时会引发 TypeError"
            );
            found.push(self.finding_at(ConfigEntry { key, value }, message, message!("delete it", "删除它")));
        }
        for name in optimizers::required(own) {
            if params.value.get(name).is_none() {
                let message = message!("{own} requires `{name}`, which is not set", "{own} 需要 `{name}`，但未设置");
                let help = message!(
                    "add it to `params`; with transformers' Trainer \"auto\" is enough",
                    "在 `params` 中加入；使用 transformers 的 Trainer 时可写 \"auto\""
                );
                found.push(self.finding_at(params, message, help));
            }
        }
        found.extend(self.warmup(own));
        found
    }

    fn warmup(&self, own: &str) -> Option<Finding> {
        let path = |key: &str| format!("scheduler.params.{key}");
        let item = self.config.entry(&path("warmup_num_steps")).filter(|_| own.starts_with("Warmup"))?;
        let steps = self.config.value(&path("warmup_num_steps"))?;
        match steps {
            Value::Int(steps) if steps > 0 => {
                let total = self.config.value(&path("total_num_steps"))?.as_int().filter(|total| *total < steps)?;
                let whole = count_noun(total, "step");
                let message = message!(
                    "{own} has {whole} in total, fewer than the {steps} of its warm-up: the learning rate never reaches its peak",
                    "{own} 总共 {total} 步，少于预热的 {steps} 步：学习率无法达到峰值"
                );
                let help = message!(
                    "raise `total_num_steps`, or lower `warmup_num_steps`",
                    "调大 `total_num_steps`，或调小 `warmup_num_steps`"
                );
                let at = self.config.entry(&path("total_num_steps"))?;
                let finding = self.finding_at(at, message, help).with_severity(Severity::Warning);
                Some(finding.with_related(self.config.place(item), message!("the warm-up", "预热")))
            }
            // Booleans are integers to Python.
            Value::Bool(true) => None,
            _ => {
                let severity = config::recent(self.cx.project, self.config.file.id, "0.19.6")?;
                let written = item.value.range().slice(&self.config.file.text);
                let message = message!(
                    "warmup_num_steps {written} is not an integer above 0; DeepSpeed raises an error since 0.19.6",
                    "warmup_num_steps {written} 不是正整数；DeepSpeed 自 0.19.6 起会报错"
                );
                Some(
                    self.finding_at(item, message, message!("set it to 1 or more", "设为 1 或更大的整数"))
                        .with_severity(severity.min(self.severity)),
                )
            }
        }
    }
}
