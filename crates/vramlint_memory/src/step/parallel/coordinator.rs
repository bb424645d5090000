//! When ZeRO-3 gathers and releases parameters (deepspeed 0.19.8, `runtime/zero/partitioned_param_coordinator.py`).
//!
//! The first forward and backward only record in which order modules run; from the second on, parameters are gathered ahead and
//! kept while they are used again soon.

use super::{GATHER, GATHERED, label_scope};
use crate::estimate::Part;
use crate::setup::Setup;
use crate::tape::{ParamId, Tape, Tensor};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// `stage3_max_reuse_distance`, elements: the default.
const MAX_REUSE_DISTANCE: u64 = 1_000_000_000;

/// An all-gather under way; its buffer lives until the last of its parameters was waited for.
struct AllGatherHandle {
    params: Vec<ParamId>,
    buffer: Tensor,
    quantized: bool,
}

struct ParamState {
    /// The gathered parameter.
    memory: Option<Tensor>,
    /// The pending all-gather that contains it.
    handle: Option<Rc<AllGatherHandle>>,
    /// This rank's part of the copy that a group of ranks shares (ZeRO++); it lives until weights change.
    secondary: Option<Tensor>,
    numel: u64,
    persistent: bool,
    /// Modules that are running with it.
    active: u32,
    /// `__most_recent_step_id_param_fetched_for`.
    fetched_for_step: Option<usize>,
    /// The steps that use it, once they are known.
    uses: Vec<usize>,
}

/// Parameters, which are numbered without gaps.
struct ParamTable {
    first: u32,
    states: Vec<ParamState>,
}

impl ParamTable {
    fn get(&self, id: ParamId) -> Option<&ParamState> {
        self.states.get(id.0.checked_sub(self.first)? as usize)
    }

    fn get_mut(&mut self, id: ParamId) -> Option<&mut ParamState> {
        self.states.get_mut(id.0.checked_sub(self.first)? as usize)
    }

    fn numel(&self, id: ParamId) -> u64 {
        self.get(id).map_or(0, |state| state.numel)
    }
}

/// Different parameters in ascending order.
fn ascending(ids: impl Iterator<Item = ParamId>) -> Vec<ParamId> {
    let mut all: Vec<ParamId> = ids.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The coordinator of one engine.
pub(super) struct Coordinator {
    params: ParamTable,
    ranks: u64,
    /// Ranks that share a secondary copy; 1 for none.
    group: u64,
    width: u64,
    prefetch: u64,
    max_live: u64,
    quantized: bool,
    from_host: bool,
    live: u64,
    step: usize,
    complete: bool,
    order: Vec<Vec<ParamId>>,
    /// Elements of the modules before each step, once they are known.
    passed: Vec<u64>,
    queue: VecDeque<(ParamId, usize)>,
    /// Modules whose backward began and has not ended.
    running: Vec<Vec<ParamId>>,
}

impl Coordinator {
    /// A coordinator for parameters of these sizes, which are numbered without gaps.
    pub(super) fn new(sizes: &[(ParamId, u64)], width: u64, setup: &Setup) -> Self {
        let p = &setup.parallel;
        let state = |numel| ParamState {
            memory: None,
            handle: None,
            secondary: None,
            numel,
            persistent: numel <= p.persistence,
            active: 0,
            fetched_for_step: None,
            uses: Vec::new(),
        };
        Self {
            params: ParamTable {
                first: sizes.first().map_or(0, |(id, _)| id.0),
                states: sizes.iter().map(|(_, numel)| state(*numel)).collect(),
            },
            ranks: p.world.max(1),
            group: p.hpz.max(1),
            width,
            prefetch: p.prefetch_bucket,
            max_live: p.max_live,
            quantized: p.quantized_weights,
            from_host: p.offload_param != crate::setup::Offload::None,
            live: 0,
            step: 0,
            complete: false,
            order: Vec::new(),
            passed: Vec::new(),
            queue: VecDeque::new(),
            running: Vec::new(),
        }
    }

    /// `fetch_sub_module`.
    pub(super) fn fetch(&mut self, t: &Tape, params: &[ParamId], backward: bool) {
        if !self.complete {
            self.order.push(params.to_vec());
        }
        if backward {
            self.running.push(params.to_vec());
        }
        let away = ascending(params.iter().copied().filter(|id| self.is_partitioned(*id)));
        self.gather(t, away);
        for id in params {
            if let Some(state) = self.params.get_mut(*id) {
                state.active = 1;
            }
            self.wait(t, *id);
        }
        if self.complete {
            self.drop_from_queue(params);
            self.prefetch(t);
        }
        self.step += 1;
    }

    /// `release_sub_module`.
    pub(super) fn release(&mut self, t: &Tape, params: &[ParamId], backward: bool) {
        if backward && let Some(at) = self.running.iter().rposition(|other| other == params) {
            self.running.remove(at);
        }
        for id in params {
            let needed_soon = self.complete && self.is_needed_soon(*id);
            let Some(state) = self.params.get_mut(*id) else { continue };
            state.active = 0;
            let fetched_ahead = self.complete && state.fetched_for_step.is_some_and(|step| step > self.step);
            if !(needed_soon || self.complete && state.persistent || fetched_ahead) {
                self.free(t, *id);
            }
        }
    }

    /// After backward: frees what no hook released, and resets the trace of modules.
    pub(super) fn finish_backward(&mut self, t: &Tape) {
        for params in std::mem::take(&mut self.running) {
            for id in params {
                if let Some(state) = self.params.get_mut(id) {
                    state.active = 0;
                    if !state.persistent {
                        self.free(t, id);
                    }
                }
            }
        }
        if !self.complete {
            self.complete = true;
            self.learn_order();
        }
        self.queue = self.order.iter().enumerate().flat_map(|(step, ids)| ids.iter().map(move |id| (*id, step))).collect();
        for state in &mut self.params.states {
            state.fetched_for_step = None;
        }
        self.step = 0;
        self.live = 0;
    }

    /// Before the optimizer's step: nothing stays gathered.
    pub(super) fn release_all(&mut self) {
        for state in &mut self.params.states {
            state.active = 0;
            state.memory = None;
            state.handle = None;
        }
    }

    /// Initial partitioning creates the secondary copies at once.
    pub(super) fn make_secondary_copies(&mut self, t: &Tape) {
        if self.group > 1 {
            for state in &mut self.params.states {
                state.secondary = Some(t.empty_as(state.numel.div_ceil(self.group), self.width, Part::Weights));
            }
        }
    }

    /// Weights have changed: secondary copies are void (`invalidate_secondary_tensor`).
    pub(super) fn invalidate(&mut self) {
        for state in &mut self.params.states {
            state.secondary = None;
        }
    }

    /// After the step: gathers small parameters permanently, one at a time.
    pub(super) fn gather_persistent(&mut self, t: &Tape) {
        for state in self.params.states.iter_mut().filter(|state| state.persistent) {
            let numel = state.numel.div_ceil(self.ranks) * self.ranks;
            state.memory = Some(t.empty_as(numel, self.width, Part::Buffers));
        }
    }

    fn is_partitioned(&self, id: ParamId) -> bool {
        self.params.get(id).is_some_and(|state| state.memory.is_none() && state.handle.is_none())
    }

    /// `all_gather_coalesced`: a single parameter is gathered in place, several through a shared buffer.
    fn gather(&mut self, t: &Tape, ids: Vec<ParamId>) {
        if ids.is_empty() {
            return;
        }
        let _label = label_scope(t, &GATHERED);
        let padded: u64 = ids.iter().map(|id| self.params.numel(*id).div_ceil(self.ranks) * self.ranks).sum();
        self.live += ids.iter().map(|id| self.params.numel(*id)).sum::<u64>();
        let width = if self.quantized { 1 } else { self.width };
        let buffer = t.on_stream(GATHER, |t| {
            let buffer = t.empty_as(padded, width, Part::Buffers);
            if self.from_host {
                t.workspace(padded / self.ranks * self.width);
            }
            buffer
        });
        let handle = Rc::new(AllGatherHandle { params: ids, buffer, quantized: self.quantized });
        for id in &handle.params {
            if let Some(state) = self.params.get_mut(*id) {
                state.handle = Some(Rc::clone(&handle));
            }
        }
    }

    /// Waits for a parameter, and thereby for all parameters of the same all-gather. Its buffer is freed with the last of them.
    fn wait(&mut self, t: &Tape, id: ParamId) {
        let Some(handle) = self.params.get_mut(id).and_then(|state| state.handle.take()) else { return };
        if self.params.get(id).is_some_and(|state| state.memory.is_some()) {
            return;
        }
        let _label = label_scope(t, &GATHERED);
        t.on_stream(GATHER, |t| {
            // A quantized buffer is dequantized first.
            let numbers =
                if handle.quantized { t.empty_as(handle.buffer.numel, self.width, Part::Buffers) } else { handle.buffer.clone() };
            let alone = handle.params.len() == 1;
            for other in &handle.params {
                if let Some(state) = self.params.get_mut(*other) {
                    let own = if alone { numbers.clone() } else { t.empty_as(state.numel, self.width, Part::Buffers) };
                    state.memory = Some(own);
                }
            }
        });
    }

    /// Removes the parameters in use from the prefetch queue.
    fn drop_from_queue(&mut self, params: &[ParamId]) {
        let step = self.step;
        let fresh = |state: &ParamState| state.fetched_for_step.is_none_or(|other| other < step);
        let wanted = ascending(params.iter().copied().filter(|id| self.params.get(*id).is_some_and(fresh)));
        let mut gone = Vec::new();
        while gone.len() < wanted.len() {
            let Some((id, last)) = self.queue.pop_front() else { break };
            if let Some(state) = self.params.get_mut(id) {
                state.fetched_for_step = Some(last);
            }
            if !gone.contains(&id) {
                gone.push(id);
            }
        }
    }

    /// Gathers ahead what comes next, a bucket at a time, as long as not too much is live.
    fn prefetch(&mut self, t: &Tape) {
        let most = self.max_live.saturating_sub(self.live).min(self.prefetch);
        let mut ids = BTreeSet::new();
        let mut numel = 0;
        while numel < most {
            let Some((id, last)) = self.queue.pop_front() else { break };
            let away = self.is_partitioned(id);
            let Some(state) = self.params.get_mut(id) else { continue };
            state.fetched_for_step = state.fetched_for_step.max(Some(last));
            if away && ids.insert(id) {
                numel += state.numel;
            }
        }
        self.gather(t, ids.into_iter().collect());
    }

    /// Notes which steps use which parameters.
    fn learn_order(&mut self) {
        let mut passed = 0;
        for (step, module) in self.order.iter().enumerate() {
            self.passed.push(passed);
            for id in module {
                passed += self.params.numel(*id);
                if let Some(state) = self.params.get_mut(*id) {
                    state.uses.push(step);
                }
            }
        }
    }

    /// Whether a module uses a parameter within [`MAX_REUSE_DISTANCE`] elements from here.
    fn is_needed_soon(&self, id: ParamId) -> bool {
        let Some(uses) = self.params.get(id).map(|state| &state.uses) else { return false };
        let next = uses.get(uses.partition_point(|step| *step < self.step));
        let passed = |step: usize| self.passed.get(step).copied().unwrap_or(u64::MAX);
        next.is_some_and(|next| passed(*next) - passed(self.step) < MAX_REUSE_DISTANCE)
    }

    /// `free_param`: the computing stream has used memory of the gathering one, so it comes back late.
    fn free(&mut self, t: &Tape, id: ParamId) {
        let Some(state) = self.params.get_mut(id) else { return };
        if state.active > 0 {
            return;
        }
        if let Some(memory) = state.memory.take() {
            if self.group > 1 && state.secondary.is_none() {
                state.secondary = Some(t.empty_as(state.numel.div_ceil(self.group), self.width, Part::Weights));
            }
            memory.record_stream();
            self.live = self.live.saturating_sub(state.numel);
        }
    }
}
