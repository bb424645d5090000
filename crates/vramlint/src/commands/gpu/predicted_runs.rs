//! The runs of the project with their predicted memory, read in a thread while the view shows.

use super::run_matching::{KnownRun, matching_run};
use crate::cli::GpuArgs;
use crate::commands::oom::is_project;
use crate::language;
use crate::output::gpu_live::{LiveState, Prediction};
use crate::request::working_directory;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use vramlint_base::{Lang, Message, message};
use vramlint_gpu::visible_devices::{CudaEnvironment, select};
use vramlint_gpu::{Machine, command_lines};
use vramlint_project::{Request, check, hub_caches};
use vramlint_resolve::Target;
use vramlint_view::estimate::{EstimateReport, run_inputs};

/// The runs, as far as they are read.
pub(super) struct PredictedRuns {
    reading: Option<Receiver<Vec<KnownRun>>>,
    runs: Vec<KnownRun>,
    /// Whether a run was named that the project does not have, or has no estimate of.
    missing: Option<String>,
    /// The runs of processes that were looked at, by process id: a command line is read once.
    assigned: BTreeMap<u32, Option<usize>>,
}

impl PredictedRuns {
    /// Starts to read the project. A working directory that is no project's is not read: it may be a home, or hold everything that a
    /// machine has downloaded.
    pub(super) fn read(args: &GpuArgs, machine: &Machine) -> Self {
        let mut predicted = Self { reading: None, runs: Vec::new(), missing: args.run.clone(), assigned: BTreeMap::new() };
        let Ok(cwd) = working_directory() else { return predicted };
        if args.project.is_none() && !is_project(&cwd, &[]) {
            return predicted;
        }
        let request = Request {
            cwd,
            paths: vec![args.project.clone().unwrap_or_else(|| PathBuf::from("."))],
            target: target(machine),
            hub_caches: hub_caches(),
            // A training runs on this machine: one thread leaves it the others.
            jobs: 1,
            ..Request::default()
        };
        let (only, lang) = (args.run.clone(), language::resolve(args.lang, None));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            // Nobody receives where the view has ended.
            let _ = sender.send(known_runs(&request, only.as_deref(), lang));
        });
        predicted.reading = Some(receiver);
        predicted
    }

    /// Whether the project has been read since the last call.
    pub(super) fn arrived(&mut self) -> bool {
        let Some(receiver) = &self.reading else { return false };
        match receiver.try_recv() {
            Ok(runs) => self.runs = runs,
            Err(TryRecvError::Empty) => return false,
            // The thread has failed; the view goes on without predictions.
            Err(TryRecvError::Disconnected) => {}
        }
        self.reading = None;
        self.assigned.clear();
        if !self.runs.is_empty() {
            self.missing = None;
        }
        true
    }

    /// Sets the predictions of a state for the processes of its machine.
    pub(super) fn assign(&mut self, state: &mut LiveState) {
        let processes: Vec<_> = state.machine.gpus.iter().flat_map(|gpu| gpu.processes.iter().flatten()).collect();
        self.assigned.retain(|pid, _| processes.iter().any(|process| process.pid == *pid));
        if !self.runs.is_empty() {
            for process in processes {
                self.assigned.entry(process.pid).or_insert_with(|| matching_run(&self.runs, &command_lines(process)));
            }
        }
        let prediction = |index: usize| self.runs[index].prediction.clone();
        state.running = self.assigned.iter().filter_map(|(pid, index)| Some((*pid, prediction((*index)?)))).collect();
        state.waiting = match &self.runs[..] {
            [only] if state.running.is_empty() => Some(only.prediction.clone()),
            _ => None,
        };
        state.note = self.note(state.running.is_empty());
    }

    fn note(&self, none_runs: bool) -> Option<Message> {
        if self.reading.is_some() {
            return Some(message!("reading the runs of the project", "正在读取项目的训练任务"));
        }
        if let Some(id) = &self.missing {
            return Some(message!("run `{id}` has no estimate here", "此处没有训练任务 `{id}` 的估算"));
        }
        let count = self.runs.len();
        (count > 1 && none_runs).then(|| {
            message!(
                "no process belongs to one of the {count} runs of the project; choose a run to predict with --run",
                "没有进程属于项目的 {count} 个训练任务；可用 --run 选择要预测的训练任务"
            )
        })
    }
}

/// The GPUs of this machine as a target.
fn target(machine: &Machine) -> Target {
    let chosen = select(machine, &CudaEnvironment::from_process()).ok();
    chosen.map_or_else(Target::default, |chosen| Target {
        gpu: chosen.name,
        memory: chosen.memory,
        count: Some(chosen.count),
        ..Target::default()
    })
}

/// The runs that have an estimate. None if the project cannot be read: the view shows the GPUs without it.
fn known_runs(request: &Request, only: Option<&str>, lang: Lang) -> Vec<KnownRun> {
    let Ok(report) = check(request, &|_, _| {}) else { return Vec::new() };
    let inputs = run_inputs(&report, lang).into_iter().filter(|(id, _)| only.is_none_or(|only| only == id));
    let known = inputs.filter_map(|(id, input)| {
        let run = report.runs().find(|run| run.id == id)?;
        let estimate = EstimateReport::new(input.ok()?).estimate;
        let prediction = Prediction { run: id, low: estimate.low, peak: estimate.peak, high: estimate.high };
        Some(KnownRun::new(&report.project, run, &request.cwd, prediction))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramlint_gpu::{Gpu, Kind, Process};

    fn known(id: &str) -> KnownRun {
        KnownRun::of_script("/nowhere/train.py", Prediction { run: id.to_owned(), low: 1, peak: 2, high: 3 })
    }

    /// A state after `runs` were read, on a GPU with one process whose command line is known.
    fn assigned(runs: Vec<KnownRun>, missing: Option<&str>) -> LiveState {
        let own = Process { pid: std::process::id(), name: None, memory: Some(1), kind: Kind::Compute, own: Some(true) };
        let machine = Machine { gpus: vec![Gpu { processes: Some(vec![own]), ..Gpu::default() }], ..Machine::default() };
        let mut state = LiveState { machine, ..LiveState::default() };
        let missing = missing.map(str::to_owned);
        PredictedRuns { reading: None, runs, missing, assigned: BTreeMap::new() }.assign(&mut state);
        state
    }

    #[test]
    fn the_only_run_waits_where_no_process_belongs_to_it() {
        let state = assigned(vec![known("a")], None);
        assert_eq!((state.waiting.map(|waiting| waiting.run), state.note), (Some("a".to_owned()), None));
        assert_eq!(state.running, BTreeMap::new(), "this test is not the training");
    }

    #[test]
    fn one_of_several_runs_is_not_guessed() {
        let state = assigned(vec![known("a"), known("b")], None);
        assert_eq!(state.waiting, None);
        assert!(state.note.is_some_and(|note| note.en.contains("2 runs") && note.zh.contains("2 个")));
        let state = assigned(Vec::new(), Some("c"));
        assert!(state.note.is_some_and(|note| note.en.contains("`c`")));
        assert_eq!(assigned(Vec::new(), None).note, None, "a folder without a project");
    }

    #[test]
    fn a_process_that_names_the_script_belongs_to_the_run() {
        let program = std::env::current_exe().expect("a program").display().to_string();
        let words = std::env::args().skip(1).collect();
        let run = KnownRun::of_script(&program, known("a").prediction).with_arguments(words);
        let state = assigned(vec![run], None);
        assert_eq!(state.running.values().map(|one| one.run.as_str()).collect::<Vec<_>>(), ["a"]);
        assert_eq!((state.waiting, state.note), (None, None));
    }
}
