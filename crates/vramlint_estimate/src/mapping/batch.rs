//! Batch size, lengths, accumulation, generation.

use super::Mapping;
use super::setting_range::{ValueRange, integer};
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::Task;

/// Tokens of a sequence if its length is unknown and the model has positions for as many.
const ROW: u64 = 1024;
/// Tokens of the longest sequence that the bounds allow for if its length is unknown and the model has positions for as many.
const LONG: u64 = 4096;
/// Tokens of the longest prompt of a micro-batch if nothing truncates it: TRL 1.16 has no limit. A micro-batch has few prompts, since
/// each has several completions, and those of instruction data are rarely longer.
pub(super) const PROMPT: u64 = 256;
/// Tokens of the longest prompt that the bounds allow for.
pub(super) const LONG_PROMPT: u64 = 1024;
/// Tokens of a completion by default: trl 1.16.0 trainer/grpo_config.py.
const COMPLETION: u64 = 512;
/// The lower bound of a sequence length that is not stated, in tokens.
pub(super) const SHORT: u64 = 16;

impl Mapping<'_> {
    /// Sets batch size and lengths. Returns the completions per prompt, for GRPO.
    pub(super) fn batch(&mut self, model: &Model) -> Result<Option<u64>, Message> {
        let grpo = self.upper.task == Task::Grpo;
        let rows = self.rows(grpo)?;
        self.upper.micro_batch = rows.upper;
        self.lower.micro_batch = if rows.stated { rows.lower } else { 1 };
        if let Some(steps) = self.count(Concept::GradientAccumulationSteps).ok().flatten() {
            self.upper.accumulation = steps.upper.max(1);
            self.lower.accumulation = if steps.stated { steps.lower.max(1) } else { 1 };
        } else {
            self.assume(message!("no gradient accumulation found: assuming 1", "没有找到梯度累积：按 1 计"));
        }
        self.evaluation();
        if self.sample_documents && !self.is_on(Concept::Packing) {
            self.documents();
        }
        if self.upper.task == Task::OnlineDpo {
            self.own_completions(model);
            return Ok(None);
        }
        let completes = grpo || self.upper.task == Task::Distillation;
        if !completes {
            self.row_length(model);
            if self.upper.task == Task::Gkd {
                self.generated_rows();
            }
            self.add_virtual_tokens();
            self.generated_by_loop();
            self.loss_in_parts();
            if self.upper.task == Task::Seq2Seq {
                self.target_length();
            }
            return Ok(None);
        }
        let generations = self.count(Concept::NumGenerations).ok().flatten().map(|choice| choice.upper);
        self.completions();
        Ok(generations)
    }

    /// Rows of samples that are a query with documents: the fitting one, and up to seven others.
    fn documents(&mut self) {
        const MOST: u64 = 8;
        const LEAST: u64 = 2;
        self.assume_unverified(message!(
            "the number of documents per query is unknown: assuming {MOST}, the most that ms-swift takes by default",
            "每个查询的文档数未知：按 ms-swift 默认的上限 {MOST} 个计"
        ));
        self.fewest_rows = Some(LEAST * self.lower.micro_batch);
        self.upper.micro_batch *= MOST;
        self.lower.micro_batch *= LEAST;
    }

    /// Rows of an evaluation by a trainer, where one runs between steps or after them. The default is that of transformers 5.23.0
    /// `TrainingArguments`, or of ms-swift 4.6 `trainers/arguments.py`.
    fn evaluation(&mut self) {
        let by_trainer = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Trl)
            && !matches!(self.upper.task, Task::Grpo | Task::Distillation | Task::OnlineDpo);
        let asked = self.enables("do_eval", &[])
            || ["eval_strategy", "evaluation_strategy"]
                .iter()
                .any(|key| self.enables(key, &["steps", "epoch"]) || self.code_gives(key, &["steps", "epoch"]));
        // ms-swift 4.6 `arguments/sft_args.py`: rows to evaluate, and then a strategy that is that of saving.
        let by_swift = self.run.dialect == Dialect::MsSwift
            && (self.gives("val_dataset") || self.gives("split_dataset_ratio"))
            && !["eval_strategy", "save_strategy"].iter().any(|key| self.enables(key, &["no"]));
        if by_trainer && asked || by_swift {
            let rows =
                self.positive(Concept::EvaluationBatch).ok().flatten().map_or(if by_swift { 1 } else { 8 }, |rows| rows.upper);
            self.upper.evaluation_batch = Some(rows);
            self.upper.evaluation_keeps_graph = self.prediction_keeps_graph();
        }
    }

    /// Sequences of one forward pass. A custom GRPO loop whose batch counts prompts runs all their completions.
    fn rows(&mut self, grpo: bool) -> Result<ValueRange<u64>, Message> {
        let counts_prompts = grpo && matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        if counts_prompts && let Some(rows) = self.positive(Concept::CompletionsPerMicroStep)? {
            self.assume_unverified(message!(
                "assuming one forward pass for all completions of a micro-batch",
                "按一个微批的全部回复在一次前向中计算"
            ));
            return Ok(ValueRange { stated: false, ..rows });
        }
        if self.fills_by_tokens() {
            return Ok(ValueRange { upper: 1, lower: 1, stated: true });
        }
        let missing = || message!("micro_batch is unknown", "micro_batch 未知");
        let rows = self.positive(Concept::MicroBatch)?.ok_or_else(missing)?;
        let texts = self.texts_per_sample();
        if texts > 1 {
            self.assume(message!(
                "the code puts {texts} texts of each sample into a batch",
                "代码把每个样本的 {texts} 段文本放进同一批"
            ));
        }
        Ok(ValueRange { upper: rows.upper.saturating_mul(texts), lower: rows.lower.saturating_mul(texts), ..rows })
    }

    /// Rows that code of the project makes of each sample, where no task of a library says how many there are.
    fn texts_per_sample(&self) -> u64 {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate);
        let code = self.run.code.as_ref().filter(|_| own && self.upper.task.sequences_per_sample() == 1);
        code.map_or(1, |code| code.texts_per_sample)
    }

    /// Texts of one part of a loss that embeds its batch in parts and goes back through each on its own, so that gradients of the parts
    /// before are there (sentence-transformers 6.2.0 losses/cached_multiple_negatives_ranking.py, 32 texts by default).
    fn loss_in_parts(&mut self) {
        const TEXTS: u64 = 32;
        if !matches!(self.upper.task, Task::EmbeddingPairs | Task::EmbeddingTriplets) {
            return;
        }
        let cached = |path: &str| path.rsplit('.').next().is_some_and(|name| name.starts_with("CachedMultipleNegatives"));
        let calls = self.run.code.iter().flat_map(|code| &code.calls);
        let Some(call) = calls.into_iter().find(|call| cached(&call.path)) else { return };
        let given = call.arguments.iter().find(|given| given.name.as_deref() == Some("mini_batch_size"));
        let given = given.and_then(|given| integer(&given.values.first()?.to_value()?));
        let texts = given.unwrap_or(TEXTS).max(2);
        self.assume(message!(
            "the loss embeds its batch in parts of {texts} texts: memory is that of one part",
            "损失按每份 {texts} 段文本分批计算嵌入：按其中一份的显存计"
        ));
        self.both(|setup| {
            let columns = setup.task.sequences_per_sample();
            setup.micro_batch = setup.micro_batch.min(texts.div_ceil(columns));
            setup.accumulation = setup.accumulation.max(2);
        });
    }

    /// Rows of a loop that generates them itself: prompt and answer.
    fn generated_by_loop(&mut self) {
        let own = matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate) && self.upper.task == Task::CausalLm;
        let Some(tokens) = self.run.code.as_ref().filter(|_| own).and_then(|code| code.generated_tokens) else { return };
        self.assume(message!(
            "the loop trains on rows that it generates: {tokens} tokens after each prompt",
            "训练循环使用自己生成的样本：每个提示之后 {tokens} 个 token"
        ));
        let (rows, prompt) = (self.upper.micro_batch, self.upper.sequence_length);
        self.upper.generation = self.round(rows, prompt, tokens);
        self.both(|setup| setup.sequence_length = setup.sequence_length.saturating_add(tokens));
        self.longest_row = self.longest_row.map(|longest| longest.saturating_add(tokens));
    }

    fn row_length(&mut self, model: &Model) {
        if let Some(tokens) = model.arch.image_tokens() {
            let by_trainer = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Trl);
            self.both(|setup| {
                setup.sequence_length = tokens;
                setup.held_batches = if by_trainer { setup.accumulation } else { 1 };
            });
            return;
        }
        let unlimited = self.value(Concept::SequenceLength) == Some(&Value::Null);
        let length = self.positive(Concept::SequenceLength).ok().flatten();
        let in_blocks = self.rows_are_blocks();
        let Some(length) = length else {
            if let Some(positions) = model.arch.learned_positions().filter(|_| in_blocks) {
                self.both(|setup| setup.sequence_length = positions);
                self.assume(message!(
                    "the length of a block is unknown: {positions} tokens, as many as the model has positions",
                    "块长度未知：按模型的位置数 {positions} 个 token 计"
                ));
                return;
            }
            if let Some(lengths) = self.text_lengths(model) {
                self.different_lengths(&lengths);
                return;
            }
            if let Some(rows) = self.public_rows(self.known_texts()) {
                self.public_rows_count = true;
                self.upper.sequence_length = rows.longest.min(model.arch.context_length().unwrap_or(LONG));
                // A batch is as long as its longest row, and every epoch has the longest of all; tokenizers differ.
                self.lower.sequence_length = self.bounds_of_longest(rows, model).0.min(self.upper.sequence_length);
                self.longest_row = Some(self.upper.sequence_length);
                let (name, tokens) = (&rows.name, self.upper.sequence_length);
                self.assume(message!(
                    "no length is given: the longest row of {name} has about {tokens} tokens",
                    "未给出长度：{name} 最长的样本约有 {tokens} 个 token"
                ));
                return;
            }
            let positions = model.arch.context_length().unwrap_or(LONG).max(1);
            let (rows, longest) = (ROW.min(positions), LONG.min(positions));
            self.upper.sequence_length = rows;
            self.lower.sequence_length = SHORT;
            self.longest_row = Some(longest);
            self.assume_unverified(if unlimited {
                message!(
                    "sequences are not truncated: assuming {rows} tokens, between {SHORT} and {longest}",
                    "样本不截断：最长按 {rows} 个 token 计，在 {SHORT} 与 {longest} 之间"
                )
            } else {
                message!(
                    "sequence_length is unknown: assuming {rows} tokens, between {SHORT} and {longest}",
                    "sequence_length 未知：按 {rows} 个 token 计，在 {SHORT} 与 {longest} 之间"
                )
            });
            return;
        };
        let length = within_positions(length, model);
        self.upper.sequence_length = length.upper;
        // Only packed sequences certainly reach the cutoff.
        let packed = self.is_on(Concept::Packing) || in_blocks;
        self.lower.sequence_length = if length.stated && packed { length.lower } else { SHORT };
        let tokens = length.upper;
        if !packed && (self.shorten_to_known_rows(tokens) || self.shorten_to_known_texts(tokens, model)) {
            return;
        }
        if !packed {
            self.assume(message!(
                "assuming the longest sequence reaches the cutoff of {tokens} tokens",
                "最长的样本按达到截断长度 {tokens} 个 token 计"
            ));
        }
    }

    /// The lengths to which the code cuts its texts, where they differ, within the positions of the model.
    fn text_lengths(&self, model: &Model) -> Option<Vec<u64>> {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate);
        let code = self.run.code.as_ref().filter(|code| own && !code.text_lengths.is_empty())?;
        let most = model.arch.learned_positions().unwrap_or(u64::MAX);
        Some(code.text_lengths.iter().map(|length| (*length).min(most)).collect())
    }

    /// Texts of different lengths: a call of the model for each counts as as many calls of their mean length. Otherwise the longest counts.
    fn different_lengths(&mut self, lengths: &[u64]) {
        let (shortest, longest) = (lengths.iter().min().copied().unwrap_or(1), lengths.iter().max().copied().unwrap_or(1));
        let texts = lengths.len() as u64;
        let shown = lengths.iter().map(u64::to_string).collect::<Vec<_>>();
        let (en, zh) = (shown.join(" and "), shown.join(" 与 "));
        self.lower.sequence_length = SHORT.min(shortest);
        if self.trained_calls() == texts {
            self.upper.sequence_length = lengths.iter().sum::<u64>().div_ceil(texts);
            self.assume(message!(
                "texts are cut to {en} tokens, each for a call of its own: counted with their mean length",
                "文本分别截断到 {zh} 个 token，各自调用一次模型：按平均长度计"
            ));
            return;
        }
        self.upper.sequence_length = longest;
        self.lower.sequence_length = shortest;
        self.longest_row = Some(longest);
        self.assume_unverified(message!(
            "texts are cut to {en} tokens: assuming the model gets those of {longest}",
            "文本分别截断到 {zh} 个 token：按模型收到 {longest} 个 token 的文本计"
        ));
    }

    /// The vectors of prompt tuning come before every row.
    fn add_virtual_tokens(&mut self) {
        let more = if self.upper.trains_prompt { self.virtual_tokens() } else { 0 };
        self.both(|setup| setup.sequence_length = setup.sequence_length.saturating_add(more));
    }

    /// Whether code of the project's own cuts every row to the length of a block.
    pub(super) fn rows_are_blocks(&self) -> bool {
        let own = matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Plain | Dialect::Accelerate);
        own && self.run.code.as_ref().is_some_and(|code| code.cuts_rows_into_blocks)
    }

    /// Rows of GKD if every one is a prompt with a generated completion (trl 1.16.0 experimental/gkd/gkd_trainer.py, `training_step`).
    fn generated_rows(&mut self) {
        if !(self.enables("seq_kd", &[]) || self.gives_number("lmbda", |share| share >= 1.0)) {
            return;
        }
        let completion = self.positive(Concept::MaxCompletionLength).ok().flatten().map_or(COMPLETION, |tokens| tokens.upper);
        let (longest, rows) = (self.upper.sequence_length, PROMPT.saturating_add(completion));
        self.upper.sequence_length = rows.min(longest);
        self.longest_row = Some(longest);
        self.assume_unverified(message!(
            "completions are generated: assuming prompts of {PROMPT} tokens",
            "回复由模型生成：提示按 {PROMPT} 个 token 计"
        ));
    }

    /// Tokens of the target of an encoder-decoder model.
    fn target_length(&mut self) {
        let target = self.positive(Concept::TargetLength).ok().flatten();
        if let Some(target) = target {
            self.upper.target_length = target.upper;
        } else {
            self.assume_unverified(message!(
                "target_length is unknown: assuming as many tokens as in the source",
                "target_length 未知：按与源文本相同的 token 数计"
            ));
            self.longest_row.get_or_insert(self.upper.sequence_length);
        }
        self.lower.target_length = SHORT;
    }

    /// Prompt and completion of online DPO, which cuts the prompt so that both fit the length of a row (trl 1.16.0
    /// experimental/online_dpo/online_dpo_trainer.py, `_forward`).
    fn own_completions(&mut self, model: &Model) {
        self.row_length(model);
        let completion = self.positive(Concept::MaxCompletionLength).ok().flatten();
        let completion = completion.map_or(COMPLETION, |completion| completion.upper);
        let round = |mapping: &mut Self, samples: u64, length: u64| {
            mapping.round(2 * samples, length.saturating_sub(completion), completion.min(length))
        };
        let upper = round(self, self.upper.micro_batch, self.upper.sequence_length);
        let lower = round(self, self.lower.micro_batch, self.lower.sequence_length);
        for (setup, generation) in [(&mut self.upper, upper), (&mut self.lower, lower)] {
            setup.prompt_length = setup.sequence_length.saturating_sub(completion);
            setup.generation = generation;
        }
    }

    /// Prompt and completion of GRPO, and their generation (trl 1.16.0 trainer/grpo_trainer.py: one round generates the completions
    /// of `steps_per_generation` micro-batches).
    fn completions(&mut self) {
        let completion = self.positive(Concept::MaxCompletionLength).ok().flatten();
        let completion = completion.unwrap_or_else(|| {
            self.assume(message!(
                "max_completion_length is unknown: assuming {COMPLETION} tokens",
                "max_completion_length 未知：按 {COMPLETION} 个 token 计"
            ));
            ValueRange { upper: COMPLETION, lower: SHORT, stated: false }
        });
        let prompt = self.positive(Concept::MaxPromptLength).ok().flatten();
        let prompt = prompt.unwrap_or_else(|| self.open_prompts(completion.upper));
        let steps =
            self.count(Concept::StepsPerGeneration).ok().flatten().map_or(self.upper.accumulation, |steps| steps.upper.max(1));
        let rows = self.upper.micro_batch.saturating_mul(steps);
        let round = self.round(rows, prompt.upper, completion.upper);
        // The lightest run generates as little as it trains.
        let short = if prompt.stated { SHORT } else { prompt.lower };
        let (own, brief) = (self.lower.micro_batch, SHORT);
        let lightest = self.round(own, short, brief);
        for (setup, prompt, completion, round) in
            [(&mut self.upper, prompt.upper, completion.upper, round), (&mut self.lower, short, brief, lightest)]
        {
            setup.prompt_length = prompt;
            setup.sequence_length = prompt.saturating_add(completion);
            setup.generation = round;
        }
    }
}

/// A tokenizer cuts rows at the model's learned positions, whatever length is asked for (`model_max_length` of tokenizers).
fn within_positions(length: ValueRange<u64>, model: &Model) -> ValueRange<u64> {
    let most = model.arch.learned_positions().unwrap_or(u64::MAX).max(1);
    ValueRange { upper: length.upper.min(most), lower: length.lower.min(most), ..length }
}
