//! What the blocks around a name say about it.

use super::phrases::{Around, Phrase};
use super::{Concept, stage};
use crate::dialect::words::{known_words, words};

/// What the blocks around a name say.
#[allow(clippy::struct_excessive_bools)] // each is a question of its own
pub(super) struct Surroundings {
    /// The stage that a block is named after.
    pub(super) stage: Option<&'static str>,
    /// A block speaks of something that is not training.
    pub(super) elsewhere: bool,
    /// All blocks speak of training, or there are none.
    training: bool,
    adapters: bool,
    optimizer: bool,
    model: bool,
    tokenizer: bool,
    rollouts: bool,
}

impl Surroundings {
    /// What `parents`, the outermost first, say.
    pub(super) fn of(parents: &[&str]) -> Self {
        let mut around = Self {
            stage: None,
            elsewhere: false,
            training: true,
            adapters: false,
            optimizer: false,
            model: false,
            tokenizer: false,
            rollouts: false,
        };
        for parent in parents {
            let found = known_words(parent);
            let has = |names: &[&str]| names.iter().any(|name| found.contains(name));
            around.elsewhere |= has(&["eval"]) || speaks_of_other_things(parent);
            around.training &= speaks_of_training(parent, &found);
            around.adapters |= has(&["lora", "qlora", "peft", "adapter"]);
            around.rollouts |= has(&["grpo", "rloo", "rollout", "rollouts"]);
            around.tokenizer |= has(&["tokenizer"]);
            around.stage = found.iter().find_map(|word| stage(word)).or(around.stage);
            // The innermost block decides these, and the loop ends with it.
            around.optimizer = matches!(words(parent).as_deref(), Some(["optimizer"] | ["optimizer", "config" | "param"]));
            around.model = matches!(
                words(parent).as_deref(),
                Some(["model" | "llm" | "pretrained"] | ["base", "model"] | ["model" | "llm", "config" | "param"])
            );
        }
        around
    }

    /// Whether a phrase may be meant here; `stage` is what the name itself says.
    pub(super) fn suit(&self, phrase: &Phrase, stage: Option<&'static str>) -> bool {
        if self.tokenizer && phrase.concept != Concept::SequenceLength {
            return false;
        }
        match phrase.around {
            Around::Any => true,
            Around::Training => self.training,
            Around::Adapters => self.adapters,
            Around::Optimizer => self.optimizer,
            Around::Model => self.model,
            Around::Rollouts => self.rollouts || matches!(stage.or(self.stage), Some("grpo" | "rloo")),
        }
    }
}

/// One of these words, and a block holds settings of training.
const TRAINING: &str = "train tuning sft grpo dpo ppo kto rloo orpo rm pretrain dataloader loader optimizer lora qlora peft learning \
                        deepspeed precision tokenizer";

/// So does a block of nothing but these and known words.
const TRAINING_IN_COMPANY: &str = "data dataset model llm adapter batch config param task base global reward";

/// And a block of this name.
const TRAINING_BLOCKS: &str = "args arguments hparams hyperparameters hyper_parameters hp settings options experiment exp run default \
                               defaults common shared hardware compute system distributed resources finetune fine_tune fine_tuning \
                               optimization parameters memory setup policy actor main";

/// Blocks with one of these words hold other batch sizes, lengths and names.
const OTHER_THINGS: &str = "preprocessing preprocess preprocessor preparation embedding embeddings embedder encoder encoding retriever \
                            retrieval rerank reranker index indexing milvus faiss redis database db sql kafka queue cache server \
                            serving serve deploy deployment vllm sglang api client openai http logging logger log wandb tracking \
                            mlflow scheduler sched callbacks callback saving export metrics benchmark bench profiler discriminator \
                            critic teacher draft augmentation crawler scraper writer upload demo ui app web override overrides \
                            search sweep grid";

fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

fn speaks_of_training(block: &str, found: &[&'static str]) -> bool {
    let by_word = found.iter().any(|word| listed(TRAINING, word));
    let in_company = || found.iter().any(|word| listed(TRAINING_IN_COMPANY, word)) && words(block).is_some();
    by_word || in_company() || listed(TRAINING_BLOCKS, &block.to_ascii_lowercase())
}

fn speaks_of_other_things(block: &str) -> bool {
    block.to_ascii_lowercase().split(['_', '-', '.', ' ']).any(|word| listed(OTHER_THINGS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_training_can_be_met() {
        for word in TRAINING.split_ascii_whitespace().chain(TRAINING_IN_COMPANY.split_ascii_whitespace()) {
            let met = known_words(word).contains(&word) || matches!(word, "param" | "tuning");
            assert!(met, "{word}");
        }
    }

    #[test]
    fn blocks_are_told_apart() {
        for (parents, training, elsewhere) in [
            (&[][..], true, false),
            (&["training"], true, false),
            (&["data", "loading"], true, false),
            (&["train_config"], true, false),
            (&["model_config"], true, false),
            (&["action_head_cfg"], false, false),
            (&["zoo"], false, false),
            (&["training", "validation"], false, true),
            (&["lr_scheduler"], true, true),
            (&["dataset", "preprocessing"], false, true),
        ] {
            let around = Surroundings::of(parents);
            assert_eq!(around.elsewhere, elsewhere, "{parents:?}");
            assert!(elsewhere || around.training == training, "{parents:?}");
        }
    }
}
