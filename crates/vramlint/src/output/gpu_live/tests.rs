use super::*;
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use vramlint_gpu::{Kind, Mig, MigInstance, Power, Utilization};

const GIB: u64 = 1 << 30;

fn process(pid: u32, name: &str, gib: u64, own: Option<bool>) -> Process {
    Process { pid, name: Some(name.to_owned()), memory: Some(gib * GIB), kind: Kind::Compute, own }
}

fn memory(used: u64) -> Memory {
    Memory { total: 80 * GIB, reserved: GIB / 2, used, free: 80 * GIB - GIB / 2 - used }
}

fn gpu(index: u32, used: u64, processes: Vec<Process>) -> Gpu {
    Gpu {
        index,
        name: Some("NVIDIA H100 80GB HBM3".to_owned()),
        memory: Some(memory(used * GIB)),
        utilization: Some(Utilization { gpu: 97, memory: 40 }),
        temperature: Some(61),
        power: Some(Power { draw: 650_000, limit: Some(700_000) }),
        processes: Some(processes),
        ..Gpu::default()
    }
}

fn prediction(run: &str, gib: [u64; 3]) -> Prediction {
    let [low, peak, high] = gib.map(|gib| gib * GIB);
    Prediction { run: run.to_owned(), low, peak, high }
}

fn state(gpus: Vec<Gpu>) -> LiveState {
    LiveState {
        machine: Machine { driver: Some("570.86.15".to_owned()), cuda: Some((12, 8)), gpus },
        interval: 2,
        ..LiveState::default()
    }
}

/// Two GPUs, of which a run uses the first together with somebody else.
fn training() -> LiveState {
    let processes =
        vec![process(4242, "python3.12", 40, Some(true)), process(99, "python", 12, Some(false)), process(7, "Xorg", 1, None)];
    LiveState {
        running: BTreeMap::from([(4242, prediction("launch.sh#1", [50, 56, 64]))]),
        recording: Some("gpu.jsonl".to_owned()),
        ..state(vec![gpu(0, 55, processes), gpu(1, 0, Vec::new())])
    }
}

fn buffer(state: &LiveState, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
    terminal.draw(|frame| render(frame, state)).expect("a frame");
    terminal.backend().buffer().clone()
}

/// The screen as text, without the blanks at the end of rows.
fn screen(state: &LiveState, width: u16, height: u16) -> String {
    let buffer = buffer(state, width, height);
    let mut rows = Vec::new();
    for y in 0..height {
        let (mut row, mut x) = (String::new(), 0);
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            // A wide letter covers the next cell.
            x += u16::try_from(widest([symbol].into_iter(), 2)).expect("small").max(1);
        }
        rows.push(row.trim_end().to_owned());
    }
    rows.join("\n")
}

#[test]
fn a_training_with_its_prediction() {
    assert_snapshot!("training-en", screen(&training(), 110, 16));
    assert_snapshot!("training-zh", screen(&LiveState { lang: Lang::Zh, ..training() }, 110, 16));
}

#[test]
fn a_narrow_screen_gives_bars_rows_of_their_own() {
    assert_snapshot!("narrow-en", screen(&training(), 44, 24));
    assert_snapshot!("narrow-zh", screen(&LiveState { lang: Lang::Zh, ..training() }, 44, 24));
}

#[test]
fn a_run_that_waits_is_marked_on_what_is_free() {
    let alone = vec![process(99, "python", 12, Some(false))];
    let state = LiveState {
        waiting: Some(prediction("train.py", [60, 66, 72])),
        ..state(vec![gpu(0, 12, alone), gpu(1, 0, Vec::new())])
    };
    assert_snapshot!("waiting-en", screen(&state, 110, 14));
    assert_snapshot!("waiting-zh", screen(&LiveState { lang: Lang::Zh, ..state }, 110, 14));
}

#[test]
fn no_gpu_and_a_project_being_read() {
    let note = Some(message!("reading the runs of the project", "正在读取项目的训练任务"));
    let state = LiveState { note, ..state(Vec::new()) };
    assert_snapshot!("none-en", screen(&state, 60, 8));
    assert_snapshot!("none-zh", screen(&LiveState { lang: Lang::Zh, ..state }, 60, 8));
}

#[test]
fn many_processes_scroll() {
    let processes = (0..40).map(|index| process(1000 + index, "python", 1, Some(true))).collect();
    let mut state = state(vec![gpu(0, 40, processes)]);
    assert_snapshot!("many-top", screen(&state, 90, 12));
    let area = Rect::new(0, 0, 90, 12);
    let most = scroll_limit(&state, area);
    // A blank row, the name and the bar of the GPU, 40 processes; 9 rows are shown.
    assert_eq!(most, 43 - 9);
    state.scroll = most;
    let end = screen(&state, 90, 12);
    assert!(end.contains("1039") && end.contains("34 above, 0 below"), "{end}");
    state.scroll = usize::MAX;
    assert_eq!(screen(&state, 90, 12), end, "beyond the end is the end");
}

#[test]
fn instances_and_failures_have_rows() {
    let instances = [20, 10].into_iter().zip(0..).map(|(gib, index)| MigInstance {
        index,
        memory: Some(Memory { total: gib * GIB, reserved: 0, used: 2 * GIB, free: (gib - 2) * GIB }),
        ..MigInstance::default()
    });
    let mig = Mig { enabled: true, pending: true, instances: instances.collect() };
    let lost = Gpu { index: 1, failure: Some(message!("GPU 1 is lost", "GPU 1 已丢失")), ..Gpu::default() };
    let silent = Process { memory: None, ..process(5, "game.exe", 0, Some(true)) };
    let state = LiveState {
        waiting: Some(prediction("train.py", [60, 66, 72])),
        ..state(vec![Gpu { mig: Some(mig), ..gpu(0, 4, vec![silent]) }, lost])
    };
    assert_snapshot!("instances", screen(&state, 110, 16));
}

#[test]
fn names_cannot_act_on_the_terminal() {
    let hostile = "\x1b[2J\u{9b}31m\u{202e}\r\nevil";
    let mut state = training();
    state.machine.driver = Some(hostile.to_owned());
    state.machine.gpus[0].name = Some(hostile.to_owned());
    state.machine.gpus[0].processes.as_mut().expect("some")[0].name = Some(hostile.to_owned());
    state.running.insert(4242, prediction(hostile, [1, 2, 3]));
    state.recording = Some(hostile.to_owned());
    let note = Message { en: hostile.to_owned(), zh: hostile.to_owned() };
    state.note = Some(note);
    for width in [30, 120] {
        let buffer = buffer(&state, width, 20);
        let acts = buffer.content.iter().find(|cell| cell.symbol().chars().any(acts_on_display));
        assert_eq!(acts, None, "width {width}");
    }
    let shown = screen(&state, 120, 20);
    assert_eq!(shown.matches("␛[2J").count(), 6, "{shown}");
}

#[test]
fn any_size_of_screen_has_a_frame() {
    let mut colored = LiveState { color: true, lang: Lang::Zh, ..training() };
    colored.waiting = Some(prediction("x", [0, 1, u64::MAX / GIB]));
    for state in [training(), colored, state(Vec::new())] {
        for width in [0, 1, 2, 3, 7, 20, 61, 300] {
            for height in [0, 1, 2, 5, 6, 40] {
                assert_eq!(buffer(&state, width, height).area, Rect::new(0, 0, width, height));
            }
        }
    }
}

#[test]
fn color_tells_the_holders_and_the_verdict_apart() {
    let colors = |state: &LiveState| -> Vec<Color> {
        let buffer = buffer(state, 110, 16);
        let mut colors: Vec<Color> = buffer.content.iter().map(|cell| cell.fg).collect();
        colors.sort_by_key(ToString::to_string);
        colors.dedup();
        colors
    };
    assert_eq!(colors(&training()), [Color::Reset]);
    let colored = colors(&LiveState { color: true, ..training() });
    for color in [Color::Green, Color::Magenta, Color::Blue, Color::Cyan] {
        assert!(colored.contains(&color), "{color} in {colored:?}");
    }
}
