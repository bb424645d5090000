//! # visible-devices-misread
//!
//! `CUDA_VISIBLE_DEVICES` is written in a way that hides GPUs.
//!
//! ## Why it matters
//! The driver expects numbers separated by commas. It reads only the `0` of `0-3` and `0;1`, stops at the first word that is not a number,
//! and hides every GPU if a number is repeated. None of this is reported: the run uses fewer GPUs than listed, or none.
//!
//! ## Example
//! ```bash file=launch.sh
//! export CUDA_VISIBLE_DEVICES=0-3
//! python train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! export CUDA_VISIBLE_DEVICES=0,1,2,3
//! python train.py
//! ```
//!
//! ## Fix
//! Safe if the list is unambiguous: a range expanded, commas instead of other separators, `cuda:`, brackets and quotes removed.
//!
//! ## When it stays silent
//! For values that hide every GPU on purpose: empty, `-1`, `none`, `NoDevFiles`. A `-1` after GPUs ends the list on purpose.
//!
//! ## Sources
//! torch 2.15.0 `torch.cuda._parse_visible_devices`, run; CUDA C++ Programming Guide, "CUDA Environment Variables".
//!
//! # 中文
//!
//! `CUDA_VISIBLE_DEVICES` 的写法会隐藏 GPU。
//!
//! ## 为什么重要
//! 驱动要求用逗号分隔的数字。`0-3` 与 `0;1` 只读出 `0`；遇到第一个不是数字的词就停止；同一数字出现两次会隐藏所有 GPU。整个过程没有任何提示：训练使用的 GPU 比
//! 写的少，甚至一张也没有。
//!
//! ## 修复
//! 列表明确时为安全修复：展开区间，用逗号代替其他符号，去掉 `cuda:`、括号和引号。
//!
//! ## 何时不报
//! 有意隐藏所有 GPU 的写法：空值、`-1`、`none`、`NoDevFiles`。列表末尾的 `-1` 是有意结束列表。
//!
//! ## 来源
//! torch 2.15.0 `torch.cuda._parse_visible_devices`，实际运行；CUDA C++ Programming Guide 的 “CUDA Environment Variables”。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Message, Severity, message};
use vramlint_edit as edit;
use vramlint_resolve::environment::VariableAssignment;
use vramlint_resolve::environment::visible_devices::{self, DeviceListProblem, VisibleDevices};

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::IdleGpus, Symptom::RefusedAtStart],
    ..Rule::new("VL804", "visible-devices-misread", Severity::Warning, page!("visible_devices_misread.rs"), check)
};

/// The variable of the CUDA driver.
pub(super) const VARIABLE: &str = "CUDA_VISIBLE_DEVICES";

fn check(cx: &Context<'_>, out: &mut Sink) {
    for set in cx.project.environment().iter().filter(|set| set.exported && set.name == VARIABLE) {
        let Some(value) = &set.value else { continue };
        let seen = visible_devices::parse(value);
        let Some(trouble) = &seen.problem else { continue };
        // Documents contain placeholders: `CUDA_VISIBLE_DEVICES=X`.
        let placeholder = cx.project.is_documentation_snippet(set.file) && matches!(trouble, DeviceListProblem::NotAnId(_));
        if !placeholder && out.mark_reported(set.place) {
            out.push(finding(set, value, &seen, trouble));
        }
    }
}

fn finding(set: &VariableAssignment, value: &str, seen: &VisibleDevices, trouble: &DeviceListProblem) -> vramlint_base::Finding {
    let (en, zh) = shown(&seen.ids);
    let help: Message = match trouble {
        DeviceListProblem::PartlyRead(word, id) => {
            message!("the driver reads only {id} of `{word}`", "驱动只从 `{word}` 中读出 {id}")
        }
        DeviceListProblem::NotAnId(word) if word.is_empty() => {
            message!("parsing stops at the empty entry between two commas", "解析在两个逗号之间的空项处停止")
        }
        DeviceListProblem::NotAnId(word) => {
            message!("parsing stops at `{word}`, which is not a GPU index", "解析在 `{word}` 处停止，它不是 GPU 编号")
        }
        DeviceListProblem::Duplicate(id) => {
            message!("a repeated GPU ({id}) hides all GPUs", "同一 GPU 写了两次（{id}）会隐藏所有 GPU")
        }
    };
    let finding = RULE
        .finding(set.place, message!("`CUDA_VISIBLE_DEVICES={value}` shows {en}", "`CUDA_VISIBLE_DEVICES={value}` {zh}"))
        .with_help(help);
    match meant(value).filter(|list| set.verbatim && visible_devices::parse(list).problem.is_none()) {
        Some(list) => finding.with_fix(Fix {
            title: message!("write {list}", "写作 {list}"),
            applicability: Applicability::Safe,
            edits: vec![edit::replace(set.place, list)],
        }),
        None => finding,
    }
}

fn shown(ids: &[String]) -> (String, String) {
    match ids {
        [] => ("no GPU".into(), "一张 GPU 也看不到".into()),
        [id] => (format!("GPU {id} only"), format!("只能看到 GPU {id}")),
        ids => (format!("only the GPUs {}", ids.join(", ")), format!("只能看到 GPU {}", ids.join("、"))),
    }
}

/// The list that is unambiguously meant.
fn meant(value: &str) -> Option<String> {
    let bare = value.trim().trim_matches(['"', '\'', '[', ']', '(', ')', '{', '}', ' ']);
    let mut ids: Vec<String> = Vec::new();
    for word in bare.split(|c: char| matches!(c, ',' | ';' | '|') || c.is_whitespace()).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        let number = ["cuda:", "gpu:", "gpu", "device:"].iter().find_map(|prefix| lower.strip_prefix(prefix)).unwrap_or(&lower);
        if let Some((from, to)) = ["..", "-"].iter().find_map(|mark| number.split_once(mark)) {
            let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
            if from >= to || to - from > 63 {
                return None;
            }
            ids.extend((from..=to).map(|id| id.to_string()));
        } else {
            number.parse::<u32>().ok()?;
            ids.push(number.to_owned());
        }
    }
    (!ids.is_empty()).then(|| ids.join(","))
}
