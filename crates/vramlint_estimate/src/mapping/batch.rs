//! Rows, lengths, accumulation, generation.

use super::Mapping;
use super::said::{Choice, setting};
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Dialect;
use vramlint_memory::setup::Task;

/// Tokens of a row where nobody says how long rows are.
const ROW: u64 = 1024;
/// Tokens of a prompt where nobody cuts it: TRL 1.16 has no limit.
const PROMPT: u64 = 512;
/// Tokens of a completion: trl 1.16.0 trainer/grpo_config.py.
const COMPLETION: u64 = 512;
/// The fewest tokens that a row is believed to have, where its length is not stated.
pub(super) const SHORT: u64 = 16;

impl Mapping<'_> {
    /// Sets rows and lengths; the completions of a prompt, for GRPO.
    pub(super) fn batch(&mut self) -> Result<Option<u64>, Message> {
        let grpo = self.most.task == Task::Grpo;
        let rows = self.rows(grpo)?;
        self.most.micro_batch = rows.most;
        self.least.micro_batch = if rows.stated { rows.least } else { 1 };
        if let Some(steps) = self.count("gradient_accumulation_steps").ok().flatten() {
            self.most.accumulation = steps.most.max(1);
            self.least.accumulation = if steps.stated { steps.least.max(1) } else { 1 };
        } else {
            self.assume(message!("no accumulation is seen", "没有看到梯度累积"));
        }
        if !grpo {
            self.row_length();
            return Ok(None);
        }
        let generations = self.count("num_generations").ok().flatten().map(|choice| choice.most);
        self.completions();
        Ok(generations)
    }

    /// Rows of one forward. In a loop of the project's own, whose batch counts prompts, the completions of all.
    fn rows(&mut self, grpo: bool) -> Result<Choice<u64>, Message> {
        let counts_prompts = grpo && matches!(self.run.dialect, Dialect::Plain | Dialect::Accelerate);
        if counts_prompts && let Some(rows) = self.count("completions_per_micro_step")?.filter(|rows| rows.most > 0) {
            self.guess(message!("all completions of a micro-batch go through one forward", "一个微批的全部回复在一次前向中计算"));
            return Ok(Choice { stated: false, ..rows });
        }
        let missing = || message!("micro_batch is not known", "micro_batch 未知");
        self.count("micro_batch")?.filter(|rows| rows.most > 0).ok_or_else(missing)
    }

    fn row_length(&mut self) {
        let unlimited = setting(self.run, "sequence_length").and_then(|setting| setting.value()) == Some(&Value::Null);
        let length = self.count("sequence_length").ok().flatten().filter(|length| length.most > 0);
        let Some(length) = length else {
            self.most.sequence_length = ROW;
            self.least.sequence_length = SHORT;
            self.guess(if unlimited {
                message!("rows are not cut: the longest is taken as {ROW} tokens", "行不截断：最长按 {ROW} 个 token 计")
            } else {
                message!("sequence_length is not known: {ROW} tokens are taken", "sequence_length 未知：按 {ROW} 个 token 计")
            });
            return;
        };
        self.most.sequence_length = length.most;
        // Only packed rows certainly reach the cutoff.
        let packed = self.is_on("packing");
        self.least.sequence_length = if length.stated && packed { length.least } else { SHORT };
        let tokens = length.most;
        if !packed {
            self.assume(message!("the longest row has {tokens} tokens, the cutoff", "最长的一行按截断长度 {tokens} 个 token 计"));
        }
    }

    /// Prompt and completion of GRPO, and how they are generated (trl 1.16.0 trainer/grpo_trainer.py: one round makes the completions
    /// of `steps_per_generation` micro-batches).
    fn completions(&mut self) {
        let completion = self.count("max_completion_length").ok().flatten().filter(|tokens| tokens.most > 0);
        let completion = completion.unwrap_or_else(|| {
            self.assume(message!("completions of {COMPLETION} tokens are taken", "回复按 {COMPLETION} 个 token 计"));
            Choice { most: COMPLETION, least: SHORT, stated: false }
        });
        let prompt = self.count("max_prompt_length").ok().flatten().filter(|tokens| tokens.most > 0);
        let prompt = prompt.unwrap_or_else(|| {
            self.guess(message!(
                "prompts of {PROMPT} tokens are taken: nothing cuts them",
                "提示按 {PROMPT} 个 token 计：没有截断"
            ));
            Choice { most: PROMPT, least: SHORT, stated: false }
        });
        let steps = self.count("steps_per_generation").ok().flatten().map_or(self.most.accumulation, |steps| steps.most.max(1));
        let rows = self.most.micro_batch.saturating_mul(steps);
        let round = self.round(rows, prompt.most, completion.most);
        // The lightest run generates as little as it trains.
        let (own, short, brief) = (self.least.micro_batch, SHORT, SHORT);
        let lightest = self.round(own, short, brief);
        for (setup, prompt, completion, round) in
            [(&mut self.most, prompt.most, completion.most, round), (&mut self.least, short, brief, lightest)]
        {
            setup.prompt_length = prompt;
            setup.sequence_length = prompt.saturating_add(completion);
            setup.generation = round;
        }
    }
}
