//! # model-loaded-twice
//!
//! One process loads the same model twice and keeps both copies.
//!
//! ## Why it matters
//! The second copy takes as much memory as the first. If one of the two only generates or scores, one copy can serve both: a
//! trained model with its adapters disabled is the untrained one, and two agents can share one set of weights.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! agent = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
//! user = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
//! optimizer = torch.optim.AdamW(agent.parameters(), lr=1e-6)
//! for batch in episodes(agent, user):
//!     agent(**batch).loss.backward()
//!     optimizer.step()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! agent = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
//! optimizer = torch.optim.AdamW(agent.parameters(), lr=1e-6)
//! for batch in episodes(agent, agent):
//!     agent(**batch).loss.backward()
//!     optimizer.step()
//! ```
//!
//! ## When it stays silent
//! For a reference, teacher or target model, which a method needs in addition to the trained one; when the first copy is no longer
//! used, is deleted or reassigned; for loads in branches and loops; for unknown model names; for two classes, or two folders of a
//! checkpoint (`subfolder`); if the function that loads does not return the model.
//!
//! ## Sources
//! transformers 5.23.0 `modeling_utils.py` `from_pretrained`: every call makes new parameters.
//!
//! # 中文
//!
//! 同一进程把同一个模型加载两次，并同时持有两份。
//!
//! ## 为什么重要
//! 第二份占用的显存与第一份相同。若其中一份只用于生成或打分，一份即可兼顾：关闭适配器后，被训练的模型就是未训练的模型；
//! 两个智能体也可以共用一份权重。
//!
//! ## 何时不报
//! 方法本身需要的参考模型、教师模型或目标模型；第一份之后不再使用、被删除或被重新赋值；分支和循环中的加载；名称未知的模型；
//! 两个不同的类，或同一检查点的两个子目录（`subfolder`）；加载模型的函数没有返回该模型。
//!
//! ## 来源
//! transformers 5.23.0 `modeling_utils.py` 的 `from_pretrained`：每次调用都会创建新的参数。

use crate::memory::format::gib;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Message, Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_estimate::Model;
use vramlint_memory::setup::Dtype;
use vramlint_resolve::Run;
use vramlint_resolve::code::{CodeFacts, ModelLoad};
use vramlint_semantic::model_lifetime::{Pair, pair};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory, Symptom::Killed],
    ..Rule::new("VL305", "model-loaded-twice", Severity::Info, page!("model_loaded_twice.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        let Some(code) = &run.code else { continue };
        let loads: Vec<(&ModelLoad, &str)> =
            code.models.iter().filter_map(|load| Some((load, plain_load(run, code, load)?))).collect();
        for (index, (first, id)) in loads.iter().enumerate() {
            for (second, other) in &loads[index + 1..] {
                if id == other
                    && same_part(first, second)
                    && let Some(pair) = pair(cx.project, first, second).filter(|pair| !pair.is_needed())
                    && out.mark_reported(pair.second)
                {
                    let size = cx.models.find(id).and_then(|model| size(&model, second));
                    out.push(
                        RULE.finding(pair.second, message_for(id, size))
                            .with_help(help(&pair))
                            .with_related(pair.first, message!("the first copy is loaded here", "第一份在此加载"))
                            .with_run(&run.id),
                    );
                }
            }
        }
    }
}

/// The name of a model that is loaded unconditionally and not for a role that a method needs.
fn plain_load<'a>(run: &Run, code: &CodeFacts, load: &'a ModelLoad) -> Option<&'a str> {
    let needed = [Concept::ReferenceModel, Concept::RewardModel];
    let part = code.candidates.iter().any(|(concept, found)| needed.contains(concept) && found.call_place == Some(load.place));
    let settled = !run.settings.contains_key(&Concept::ReferenceModel);
    (!load.conditional && !part && settled).then(|| load.model.as_ref()?.as_str()).flatten()
}

/// Whether both loads bring the same tensors: one class, and one folder of the checkpoint. A pipeline keeps its two text encoders
/// in two folders.
fn same_part(first: &ModelLoad, second: &ModelLoad) -> bool {
    let folder =
        |load: &ModelLoad| load.arguments.iter().find(|(name, ..)| name == "subfolder").map(|(_, value, _)| value.clone());
    let one = match (folder(first), folder(second)) {
        (None, None) => true,
        (Some(Some(first)), Some(Some(second))) => first == second,
        _ => false,
    };
    first.class == second.class && one
}

/// Bytes of one copy; `None` if its type is unknown.
fn size(model: &Model, load: &ModelLoad) -> Option<u64> {
    let quantized = load.arguments.iter().any(|(name, ..)| name.starts_with("load_in") || name == "quantization_config");
    let stated = load.arguments.iter().find(|(name, ..)| matches!(name.as_str(), "dtype" | "torch_dtype"));
    let dtype = match stated {
        Some((_, value, _)) => match value.as_ref().and_then(Value::as_str)?.trim_start_matches("torch.") {
            "bfloat16" => Dtype::Bf16,
            "float16" | "half" => Dtype::Fp16,
            "float32" | "float" => Dtype::Fp32,
            _ => return None,
        },
        None => model.dtype.filter(|_| !load.open)?,
    };
    (!quantized && model.prequantized.is_none()).then(|| model.arch.parameters().saturating_mul(dtype.bytes()))
}

fn message_for(id: &str, size: Option<u64>) -> Message {
    match size {
        Some(bytes) => {
            let (one, both) = (gib(bytes), gib(bytes.saturating_mul(2)));
            message!("{id} is loaded twice: two copies of {one} take {both}", "{id} 被加载了两次：每份 {one}，共占 {both}")
        }
        None => message!("{id} is loaded twice, and both copies stay in memory", "{id} 被加载了两次，两份都留在显存中"),
    }
}

fn help(pair: &Pair) -> Message {
    let [first, second] = &pair.names;
    message!(
        "share the weights of `{first}` with `{second}`; if it only generates, load it in 4-bit or on another GPU",
        "让 `{second}` 与 `{first}` 共用权重；若它只用于生成，可按 4-bit 加载或放到另一个 GPU 上"
    )
}
