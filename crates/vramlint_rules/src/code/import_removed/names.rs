//! Which names are gone, and since when.

use vramlint_catalog::classes;

/// A name that a release no longer has.
#[derive(Debug)]
pub(super) struct Gone<'a> {
    /// The name.
    pub name: &'a str,
    /// The package.
    pub library: &'static str,
    /// First release seen without it.
    pub until: &'static str,
    /// What to use instead; empty where there is nothing.
    pub instead: &'static str,
}

/// Names of the top package of TRL, with the first release seen without them and what replaces them.
const TRL: &[(&str, &str, &str)] = &[
    ("PPOConfig", "0.29.0", ""),
    ("PPOTrainer", "0.29.0", ""),
    ("PPOv2Config", "0.13.0", ""),
    ("PPOv2Trainer", "0.13.0", ""),
    ("ORPOConfig", "0.29.0", "trl.experimental.orpo"),
    ("ORPOTrainer", "0.29.0", "trl.experimental.orpo"),
    ("CPOConfig", "0.29.0", "trl.experimental.cpo"),
    ("CPOTrainer", "0.29.0", "trl.experimental.cpo"),
    ("OnlineDPOConfig", "0.29.0", "trl.experimental.online_dpo"),
    ("OnlineDPOTrainer", "0.29.0", "trl.experimental.online_dpo"),
    ("GKDConfig", "0.29.0", "trl.experimental.gkd"),
    ("GKDTrainer", "0.29.0", "trl.experimental.gkd"),
    ("BCOConfig", "0.29.0", ""),
    ("BCOTrainer", "0.29.0", ""),
    ("NashMDConfig", "0.29.0", ""),
    ("NashMDTrainer", "0.29.0", ""),
    ("XPOConfig", "0.29.0", ""),
    ("XPOTrainer", "0.29.0", ""),
    ("PRMConfig", "0.29.0", ""),
    ("PRMTrainer", "0.29.0", ""),
    ("AutoModelForCausalLMWithValueHead", "0.29.0", ""),
    ("AutoModelForSeq2SeqLMWithValueHead", "0.29.0", ""),
    ("PreTrainedModelWrapper", "0.29.0", ""),
    ("FDivergenceConstants", "0.29.0", ""),
    ("FDivergenceType", "0.29.0", ""),
    ("BaseJudge", "0.29.0", ""),
    ("BasePairwiseJudge", "0.29.0", ""),
    ("HfPairwiseJudge", "0.29.0", ""),
    ("OpenAIPairwiseJudge", "0.29.0", ""),
    ("PairRMJudge", "0.29.0", ""),
    ("WinRateCallback", "0.29.0", ""),
    ("BestOfNSampler", "0.25.0", ""),
    ("AlignPropConfig", "0.24.0", ""),
    ("AlignPropTrainer", "0.24.0", ""),
    ("DDPOConfig", "0.24.0", ""),
    ("DDPOTrainer", "0.24.0", ""),
    ("DefaultDDPOStableDiffusionPipeline", "0.24.0", ""),
    ("IterativeSFTConfig", "0.24.0", ""),
    ("IterativeSFTTrainer", "0.24.0", ""),
    ("DataCollatorForCompletionOnlyLM", "0.20.0", "completion_only_loss or assistant_only_loss of SFTConfig"),
    ("TextEnvironment", "0.21.0", ""),
    ("TextHistory", "0.21.0", ""),
    ("MergeModelCallback", "0.27.0", ""),
    ("SFTScriptArguments", "0.13.0", "trl.ScriptArguments"),
    ("DPOScriptArguments", "0.13.0", "trl.ScriptArguments"),
    ("setup_chat_format", "0.26.0", "trl.clone_chat_template"),
    ("pack_examples", "0.20.0", "trl.pack_dataset"),
    ("truncate_dataset", "1.0.0", "max_length of the configuration"),
    ("get_kbit_device_map", "1.8.0", "device_map={\"\": local rank}"),
    ("set_seed", "0.14.0", "transformers.set_seed"),
    ("is_peft_available", "0.11.0", "transformers.utils.is_peft_available"),
];

/// Names of the top package of transformers.
const TRANSFORMERS: &[(&str, &str, &str)] = &[
    ("AdamW", "4.50.3", "torch.optim.AdamW"),
    ("is_torch_tpu_available", "4.57.1", "transformers.is_torch_xla_available"),
    ("AutoModelWithLMHead", "4.57.1", "AutoModelForCausalLM"),
    ("AutoModelForVision2Seq", "5.23.0", "AutoModelForImageTextToText"),
    ("LineByLineTextDataset", "5.0.0", "the datasets library"),
    ("LineByLineWithRefDataset", "5.0.0", "the datasets library"),
    ("LineByLineWithSOPTextDataset", "5.0.0", "the datasets library"),
    ("TextDataset", "5.0.0", "the datasets library"),
    ("TextDatasetForNextSentencePrediction", "5.0.0", "the datasets library"),
    ("SquadDataset", "5.23.0", "the datasets library"),
    ("GlueDataset", "5.23.0", "the datasets library"),
    ("is_tf_available", "5.0.0", ""),
    ("is_flax_available", "5.0.0", ""),
    ("SummarizationPipeline", "5.0.0", ""),
    ("TranslationPipeline", "5.0.0", ""),
    ("Text2TextGenerationPipeline", "5.0.0", ""),
    ("top_k_top_p_filtering", "4.45.2", ""),
    ("Conversation", "4.45.2", ""),
    ("ConversationalPipeline", "4.45.2", ""),
];

/// Names of the top package of PEFT.
const PEFT: &[(&str, &str, &str)] = &[("prepare_model_for_int8_training", "0.12.0", "prepare_model_for_kbit_training")];

/// Modules that are gone with everything in them.
const MODULES: &[(&str, &str, &str, &str)] =
    &[("transformers.deepspeed", "transformers", "4.47.1", "transformers.integrations"), ("trl.core", "trl", "1.16.0", "")];

/// Names of inner modules.
const INNER: &[(&str, &str, &str, &str, &str)] = &[
    ("transformers.optimization", "AdamW", "transformers", "4.50.3", "torch.optim.AdamW"),
    ("trl.trainer", "ConstantLengthDataset", "trl", "1.16.0", "packing of SFTConfig"),
    ("trl.trainer.utils", "ConstantLengthDataset", "trl", "1.16.0", "packing of SFTConfig"),
    ("trl.trainer", "PPOTrainer", "trl", "0.29.0", ""),
    ("trl.trainer", "PPOConfig", "trl", "0.29.0", ""),
    ("trl.extras", "BestOfNSampler", "trl", "1.16.0", ""),
];

/// What is known about a name that is imported from a module.
pub(super) fn gone<'a>(module: &str, name: &'a str) -> Option<Gone<'a>> {
    if let Some((_, library, until, instead)) = MODULES.iter().find(|(gone, ..)| *gone == module) {
        return Some(Gone { name, library, until, instead });
    }
    if let Some((_, _, library, until, instead)) = INNER.iter().find(|(inner, known, ..)| *inner == module && *known == name) {
        return Some(Gone { name, library, until, instead });
    }
    let (library, table): (&'static str, _) = match module {
        "trl" => ("trl", TRL),
        "transformers" => ("transformers", TRANSFORMERS),
        "peft" => ("peft", PEFT),
        _ => return None,
    };
    if let Some((_, until, instead)) = table.iter().find(|(known, ..)| *known == name) {
        return Some(Gone { name, library, until, instead });
    }
    // Models, trainers and helpers for TensorFlow and Flax all have such names.
    let other = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    if library == "transformers" && (other("TF") || other("Flax")) {
        return Some(Gone { name, library, until: "5.0.0", instead: "the class for PyTorch" });
    }
    let class = classes::find(&format!("{module}.{name}"))?;
    let until = class.until.as_deref()?;
    Some(Gone { name, library, until, instead: class.moved_to.as_deref().unwrap_or("") })
}
