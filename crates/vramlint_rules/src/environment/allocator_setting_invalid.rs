//! # allocator-setting-invalid
//!
//! `PYTORCH_CUDA_ALLOC_CONF` has a value that torch rejects.
//!
//! ## Why it matters
//! torch reads the variable when the first tensor reaches the GPU and raises there: the run ends after the model was loaded on the CPU.
//! Booleans are `True` and `False` with a capital letter, a colon separates name and value, a comma separates settings, and quotes inside
//! the value become part of the name.
//!
//! ## Example
//! ```bash file=launch.sh
//! export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:true
//! python train.py
//! ```
//!
//! ## Use instead
//! ```bash file=launch.sh
//! export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! python train.py
//! ```
//!
//! ## Fix
//! Safe if the repair is unambiguous: capital letter, colon, comma, quotes removed, a percentage as a fraction, the plural of a name.
//! Unsafe for another similar name. A number that is too small is left to you.
//!
//! ## When it stays silent
//! If the value comes from elsewhere (`$1`, `${{ vars.X }}`), or if the variable is set but not exported.
//!
//! ## Sources
//! torch 2.15.0 `c10/core/AllocatorConfig.cpp`, `c10/cuda/CUDAAllocatorConfig.cpp`, every case run with
//! `torch._C._accelerator_setAllocatorSettings`.
//!
//! # 中文
//!
//! `PYTORCH_CUDA_ALLOC_CONF` 中有 torch 会拒绝的值。
//!
//! ## 为什么重要
//! 第一个张量到达 GPU 时 torch 才读取该变量，并在那时报错：模型已在 CPU 上加载完，训练却到此终止。布尔值必须是首字母大写的 `True` 与 `False`，名称与值之间用
//! 冒号，各项之间用逗号；值里面的引号会成为名称的一部分。
//!
//! ## 修复
//! 改法明确时为安全修复：大写、冒号、逗号、去掉引号、百分数改为小数、补上名称的复数。换成其他相近的名称为不安全修复。过小的数值由你决定。
//!
//! ## 何时不报
//! 值来自别处（`$1`、`${{ vars.X }}`），或变量只赋值而未导出。
//!
//! ## 来源
//! torch 2.15.0 `c10/core/AllocatorConfig.cpp`、`c10/cuda/CUDAAllocatorConfig.cpp`，每种情况都用
//! `torch._C._accelerator_setAllocatorSettings` 实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Message, Severity, TextRange, message};
use vramlint_edit as edit;
use vramlint_resolve::environment::VariableAssignment;
use vramlint_semantic::alloc_conf::{AllocConfError, ErrorKind, SettingType, VARIABLES, errors};

pub(crate) static RULE: Rule = Rule {
    needs: needs::ENVIRONMENT,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL801", "allocator-setting-invalid", Severity::Error, page!("allocator_setting_invalid.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for set in cx.project.environment().iter().filter(|set| set.exported && VARIABLES.contains(&set.name.as_str())) {
        let Some(value) = &set.value else { continue };
        for problem in errors(value) {
            let place = place(set, &problem);
            if out.mark_reported(place) {
                out.push(finding(set, place, &problem));
            }
        }
    }
}

/// The range of the rejected part, if the text is written literally.
fn place(set: &VariableAssignment, problem: &AllocConfError) -> FileRange {
    if !set.verbatim {
        return set.place;
    }
    let start = set.place.range.start;
    let range = TextRange::new(start + problem.range.start as u32, start + problem.range.end as u32);
    FileRange::new(set.file, range)
}

fn finding(set: &VariableAssignment, place: FileRange, problem: &AllocConfError) -> vramlint_base::Finding {
    let (what, help) = error_messages(&set.name, &problem.what);
    let finding = RULE.finding(place, what).with_help(help);
    let Some(instead) = problem.instead.clone().filter(|_| set.verbatim) else { return finding };
    let title = if instead.trim().is_empty() {
        message!("remove it", "去掉它")
    } else {
        message!("write `{instead}`", "写作 `{instead}`")
    };
    finding.with_fix(Fix {
        title,
        applicability: applicability(&problem.what, &instead),
        edits: vec![edit::replace(place, instead)],
    })
}

/// Whether the repair is unambiguous.
fn applicability(what: &ErrorKind, instead: &str) -> Applicability {
    let bare = |name: &str| name.to_lowercase().replace(['_', '-'], "").trim_end_matches('s').to_owned();
    match what {
        ErrorKind::Unknown(written, _) if bare(written) != bare(instead) => Applicability::Unsafe,
        _ => Applicability::Safe,
    }
}

fn error_messages(variable: &str, what: &ErrorKind) -> (Message, Message) {
    let raises = || message!("torch raises a ValueError when it reads `{variable}`", "torch 读取 `{variable}` 时会报 ValueError");
    match what {
        ErrorKind::Quotes => (
            message!("the quotes are part of the value of `{variable}`", "引号成了 `{variable}` 的值的一部分"),
            message!("torch parses the quote as the start of a name and raises an error", "torch 把引号当作名称的开头并报错"),
        ),
        ErrorKind::Unknown(name, Some(near)) => (
            message!(
                "`{name}` is not a setting of torch's allocator; did you mean `{near}`?",
                "`{name}` 不是 torch 分配器的设置；是否想写 `{near}`？"
            ),
            raises(),
        ),
        ErrorKind::Unknown(name, None) => {
            (message!("`{name}` is not a setting of torch's allocator", "`{name}` 不是 torch 分配器的设置"), raises())
        }
        ErrorKind::Equals(name) => {
            (message!("`{name}` is set with `=`; torch expects a colon", "`{name}` 用了 `=`；torch 要求冒号"), raises())
        }
        ErrorKind::Separator(mark) => (
            message!("`{mark}` does not separate settings; torch expects a comma", "`{mark}` 不能分隔设置；torch 要求逗号"),
            raises(),
        ),
        ErrorKind::Comma => (message!("a comma without a setting before it", "逗号前面没有设置"), raises()),
        ErrorKind::NoValue(name) => (message!("`{name}` has no value", "`{name}` 没有值"), raises()),
        ErrorKind::Value(name, value, takes) => {
            let (en, zh) = taken(*takes);
            (message!("`{name}` is `{value}`; torch expects {en}", "`{name}` 为 `{value}`；torch 要求{zh}"), raises())
        }
    }
}

fn taken(takes: SettingType) -> (String, String) {
    match takes {
        SettingType::Truth => ("True or False".into(), " True 或 False".into()),
        SettingType::AtLeast(least) => (format!("an integer of at least {least}"), format!("不小于 {least} 的整数")),
        SettingType::Power(most) => (format!("a power of two up to {most}"), format!("不超过 {most} 的 2 的幂")),
        SettingType::Inside => ("a number between 0 and 1, exclusive".into(), " 0 与 1 之间（不含两端）的数".into()),
        SettingType::Fraction => ("a number from 0 to 1".into(), " 0 到 1 的数".into()),
        SettingType::Word(words) => (format!("one of {}", words.join(", ")), format!(" {}", words.join("、"))),
        SettingType::Divisions | SettingType::Anything => {
            ("a power of two, or a list of intervals".into(), " 2 的幂或区间列表".into())
        }
    }
}
