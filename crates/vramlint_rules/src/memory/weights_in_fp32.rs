//! # weights-in-fp32
//!
//! The library loads the weights in fp32 by default, although the checkpoint is stored in 16 bits.
//!
//! ## Why it matters
//! TRL loads a model given by name in fp32, whatever its checkpoint contains; `torch_dtype` in `model_init_kwargs` does not change
//! that, only `dtype` does. Every weight then takes 4 bytes, and under full fine-tuning so do its gradient and both moments. fp32
//! master weights can make sense when everything is trained. With adapters, the frozen base gains nothing from them.
//!
//! ## Example
//! ```python file=train.py
//! from datasets import load_dataset
//! from peft import LoraConfig
//! from trl import SFTConfig, SFTTrainer
//!
//! trainer = SFTTrainer(
//!     "meta-llama/Llama-2-7b-hf",
//!     args=SFTConfig("out", per_device_train_batch_size=1, max_length=512),
//!     train_dataset=load_dataset("trl-lib/Capybara", split="train"),
//!     peft_config=LoraConfig(r=16, lora_dropout=0.0, target_modules=["q_proj", "v_proj"]),
//! )
//! trainer.train()
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from datasets import load_dataset
//! from peft import LoraConfig
//! from trl import SFTConfig, SFTTrainer
//!
//! trainer = SFTTrainer(
//!     "meta-llama/Llama-2-7b-hf",
//!     args=SFTConfig("out", per_device_train_batch_size=1, max_length=512, model_init_kwargs={"dtype": "bfloat16"}),
//!     train_dataset=load_dataset("trl-lib/Capybara", split="train"),
//!     peft_config=LoraConfig(r=16, lora_dropout=0.0, target_modules=["q_proj", "v_proj"]),
//! )
//! trainer.train()
//! ```
//!
//! ## Severity
//! Warning if the base is frozen under adapters, otherwise info.
//!
//! ## When it stays silent
//! When a file of the run mentions `dtype` in any way; when the code loads the model itself, which keeps the checkpoint's type;
//! under DeepSpeed, whose engine casts the model.
//!
//! ## Sources
//! trl 1.16.0 `trainer/utils.py:1331` (`dtype=float32` unless given), run; versions up to 0.24 had no default, with transformers 4
//! loading fp32.
//!
//! # 中文
//!
//! 检查点以 16 位保存，库却默认按 fp32 加载权重。
//!
//! ## 为什么重要
//! 以名称给出模型时，无论检查点是什么类型，TRL 都按 fp32 加载；在 `model_init_kwargs` 中写 `torch_dtype` 不起作用，只有 `dtype` 有效。
//! 这样每个权重占 4 字节，全参数微调时其梯度和两个动量也是如此。全参数训练时可能确实需要 fp32 主权重；而使用适配器时，冻结的基座模型从中得不到任何好处。
//!
//! ## 严重程度
//! 使用适配器、基座模型被冻结时为 warning，否则为 info。
//!
//! ## 何时不报
//! 任务的文件以任何方式提到 `dtype`；由代码自行加载模型（保持检查点的类型）；使用 DeepSpeed（其引擎会转换模型）。
//!
//! ## 来源
//! trl 1.16.0 `trainer/utils.py:1331`（未给出时 `dtype=float32`），实际运行；0.24 及更早版本没有默认值，而 transformers 4 按 fp32 加载。

use crate::memory::{format, locations};
use crate::{Context, Rule, Sink, Symptom, needs};
use std::collections::BTreeSet;
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_memory::setup::{Dtype, Quantization, Scheme, Setup};
use vramlint_resolve::{Feature, Origin, Project, Run};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::OutOfMemory, Symptom::Slow],
    ..Rule::new("VL307", "weights-in-fp32", Severity::Info, page!("weights_in_fp32.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = BTreeSet::new();
    for (run, model, setup) in cx.estimates.setups(cx.project, cx.models) {
        let Some(stored) = model.dtype.filter(|dtype| *dtype != Dtype::Fp32) else { continue };
        if !by_default(run) || !stays_fp32(setup) || mentions_dtypes(cx.project, run) {
            continue;
        }
        let parameters = model.arch.parameters();
        let (id, name) = (&model.id, stored.name());
        let own = format::gib(parameters.saturating_mul(Dtype::Fp32.bytes()));
        let half = format::gib(parameters.saturating_mul(stored.bytes()));
        let message = message!(
            "TRL loads {id} in fp32 by default: the weights take {own} instead of {half} in the checkpoint's {name}",
            "TRL 默认按 fp32 加载 {id}：权重占 {own}，而检查点的 {name} 只占 {half}"
        );
        let place = locations::written(run, Concept::Model).unwrap_or(run.place);
        if reported.insert((place, message.en.clone())) {
            let frozen = setup.lora.is_some();
            let help = message!(
                "set `dtype` in `model_init_kwargs`, or pass it on the command line",
                "在 `model_init_kwargs` 中设置 `dtype`，或在命令行中给出"
            );
            let severity = if frozen { Severity::Warning } else { Severity::Info };
            out.push(RULE.finding(place, message).with_severity(severity).with_help(help).with_run(&run.id));
        }
    }
}

/// Whether the type comes from the library's default alone.
fn by_default(run: &Run) -> bool {
    run.settings.get(&Concept::WeightsDtype).and_then(|setting| setting.winning()).is_some_and(|winner| {
        matches!(winner.origin, Origin::Default { .. }) && winner.known().and_then(|value| value.as_str()) == Some("fp32")
    })
}

/// Whether a file of the run mentions types at all: the code may then choose one in a way that is not resolved.
fn mentions_dtypes(project: &Project, run: &Run) -> bool {
    let code = run.code.iter().flat_map(|code| &code.files);
    run.files.iter().chain(code).any(|file| project.features(*file).has(Feature::Dtype))
}

fn stays_fp32(setup: &Setup) -> bool {
    let engine = matches!(setup.parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3);
    let sharded = matches!(setup.parallel.scheme, Scheme::Fsdp1 | Scheme::Fsdp2);
    setup.weights == Dtype::Fp32 && setup.quantization == Quantization::None && !engine && !sharded
}
