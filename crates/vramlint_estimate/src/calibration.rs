//! Measured runs move the bounds of an estimate.
//!
//! A measurement is a lower bound of the peak of its own setup: the step reached it. It is an upper bound only where it agrees with the
//! simulation, for later rows may be longer than those of the measured steps. For another setup of the same run, a measurement above the
//! prediction raises the upper bound in proportion; one below it proves nothing.

use crate::models::Models;
use crate::record;
use crate::run_estimate::RunEstimate;
use crate::verdict::Verdict;
use vramlint_base::text::gib;
use vramlint_base::{Message, message};
use vramlint_memory::Estimate;
use vramlint_resolve::MeasuredRun;

/// How far a step differs from another of the same setup, in thousandths: the order of allocations, the lengths of rows.
const SPREAD: u64 = 20;

/// Moves the bounds of a run by the last measurement with its id.
pub(crate) fn calibrate(found: &mut RunEstimate, id: &str, measured: &[MeasuredRun], models: &Models) {
    let Some(own) = measured.iter().rev().find(|own| own.run == id) else { return };
    let source = &own.source;
    let record = match record::parse(&own.setup, models).map(|mut records| records.pop()) {
        Ok(Some(record)) => record,
        Ok(None) => return,
        Err(Message { en, zh }) => {
            found
                .assumptions
                .push(message!("the measurement in `[[measured]]` is not used: {en}", "`[[measured]]` 中的实测值未使用：{zh}"));
            return;
        }
    };
    let predicted = found.cache.estimate(&record.arch, &record.setup);
    let Some(peak) = peak_of(own, &predicted) else { return };
    let (shown, simulated) = (gib(peak, 2), gib(predicted.peak, 2));
    let said = if is_same(&predicted, &found.estimate) {
        bound_own_setup(found, peak);
        message!(
            "this setup took {shown} GiB when it ran ({source}); the bounds follow that",
            "该配置实际运行时占用 {shown} GiB（{source}），上下界据此调整"
        )
    } else {
        bound_other_setup(found, peak, predicted.peak);
        message!(
            "another setup of this run took {shown} GiB where {simulated} GiB are predicted ({source}); the upper bound follows that",
            "该任务的另一配置实测 {shown} GiB，预测为 {simulated} GiB（{source}），上界据此调整"
        )
    };
    found.assumptions.push(said);
    found.verdict = found.capacity.as_ref().map(|capacity| Verdict::of(found.floor, found.estimate.high, capacity.bytes));
}

/// The measured peak of the GPU, as far as the source tells: of the process, else with what the simulation adds to the measured part.
fn peak_of(own: &MeasuredRun, predicted: &Estimate) -> Option<u64> {
    let reserved = own.reserved.map(|bytes| bytes.saturating_add(predicted.peak.saturating_sub(predicted.reserved)));
    let tensors = own.tensors.map(|bytes| scaled(predicted.peak, bytes, predicted.tensors));
    // Of a whole GPU, other processes may be a part: what the allocator says of itself counts more.
    reserved.or(tensors).or(own.process).filter(|bytes| *bytes > 0)
}

/// Whether two setups take the same memory.
fn is_same(one: &Estimate, other: &Estimate) -> bool {
    (one.tensors, one.reserved, one.peak) == (other.tensors, other.reserved, other.peak)
}

fn bound_own_setup(found: &mut RunEstimate, peak: u64) {
    let estimate = &mut found.estimate;
    let agrees = peak >= less(estimate.peak, SPREAD);
    estimate.low = estimate.low.max(less(peak, SPREAD));
    found.floor = found.floor.max(less(peak, SPREAD));
    if agrees {
        estimate.high = more(peak.max(estimate.peak), SPREAD);
    }
}

fn bound_other_setup(found: &mut RunEstimate, peak: u64, predicted: u64) {
    let estimate = &mut found.estimate;
    if peak > predicted {
        estimate.high = estimate.high.max(more(scaled(estimate.peak, peak, predicted), SPREAD));
    }
}

fn less(bytes: u64, thousandths: u64) -> u64 {
    bytes - bytes / 1000 * thousandths
}

fn more(bytes: u64, thousandths: u64) -> u64 {
    bytes.saturating_add(bytes / 1000 * thousandths)
}

/// `bytes` times `measured` over `predicted`.
fn scaled(bytes: u64, measured: u64, predicted: u64) -> u64 {
    let scaled = u128::from(bytes) * u128::from(measured) / u128::from(predicted.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate_setup;
    use vramlint_resolve::Target;

    const SETUP: &str = "{\"model\": \"Qwen/Qwen3-0.6B\", \"task\": \"sft\", \"method\": \"full\", \"weights_dtype\": \"bf16\", \
        \"micro_batch\": 2, \"sequence_length\": 512}";

    fn run(setup: &str) -> RunEstimate {
        let models = Models::catalogue();
        let record = record::parse(setup, &models).expect("readable").pop().expect("one");
        let target = Target { memory: Some(24 << 30), ..Target::default() };
        let mut run = estimate_setup(models.find("Qwen/Qwen3-0.6B").expect("known"), record.setup, &target);
        // What reading the project leaves open.
        (run.estimate.low, run.estimate.high) = (run.estimate.peak / 2, run.estimate.peak * 2);
        run.floor = run.estimate.low;
        run
    }

    fn measured(reserved: u64) -> MeasuredRun {
        MeasuredRun {
            run: "a.sh#1".to_owned(),
            reserved: Some(reserved),
            setup: SETUP.to_owned(),
            source: "log".to_owned(),
            ..MeasuredRun::default()
        }
    }

    fn calibrated(setup: &str, share: f64) -> (RunEstimate, RunEstimate) {
        let before = run(setup);
        let of_record = run(SETUP).estimate;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // a share of a small number
        let own = measured((of_record.reserved as f64 * share) as u64);
        let mut after = before.clone();
        calibrate(&mut after, "a.sh#1", &[own], &Models::catalogue());
        (before, after)
    }

    #[test]
    fn an_agreeing_measurement_narrows_both_bounds() {
        let (before, after) = calibrated(SETUP, 1.0);
        assert!(after.estimate.low > before.estimate.low && after.estimate.high < before.estimate.high);
        assert!(after.estimate.low <= after.estimate.peak && after.estimate.peak <= after.estimate.high);
        assert_eq!((after.floor, after.verdict), (after.estimate.low, Some(Verdict::Fits)));
        assert!(after.assumptions.last().is_some_and(|said| said.en.contains("this setup took")));
    }

    #[test]
    fn a_lower_measurement_leaves_the_upper_bound() {
        let (before, after) = calibrated(SETUP, 0.7);
        assert_eq!(after.estimate.high, before.estimate.high, "later rows may be longer");
        assert!(after.estimate.low > before.estimate.low);
    }

    #[test]
    fn a_higher_measurement_raises_the_bounds_of_its_setup_and_of_others() {
        let (_, own) = calibrated(SETUP, 1.5);
        assert!(own.estimate.low > own.estimate.peak, "the step reached it");
        let other = SETUP.replace("\"micro_batch\": 2", "\"micro_batch\": 4");
        let (before, after) = calibrated(&other, 2.5);
        assert!(after.estimate.high > before.estimate.high && after.estimate.low == before.estimate.low);
        let (before, after) = calibrated(&other, 0.5);
        assert_eq!((after.estimate.low, after.estimate.high), (before.estimate.low, before.estimate.high));
    }

    #[test]
    fn other_runs_and_unreadable_setups_change_nothing() {
        let before = run(SETUP);
        for (id, setup) in [("b.sh#1", SETUP), ("a.sh#1", "{\"model\": \"Qwen/Qwen3-0.6B\"}"), ("a.sh#1", "nothing")] {
            let own = MeasuredRun { setup: setup.to_owned(), ..measured(1 << 40) };
            let mut after = before.clone();
            calibrate(&mut after, id, &[own], &Models::catalogue());
            assert_eq!((after.estimate.low, after.estimate.high), (before.estimate.low, before.estimate.high), "{id} {setup}");
            assert_eq!(
                after.assumptions.len() > before.assumptions.len(),
                id == "a.sh#1",
                "a measurement that is not used is said"
            );
        }
    }
}
