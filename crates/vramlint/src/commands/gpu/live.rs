//! `gpu --watch` on a terminal: the screen, its keys, and when it is drawn anew.

use super::predicted_runs::PredictedRuns;
use super::{catalog_memory, observe};
use crate::cli::GpuArgs;
use crate::exit::Status;
use crate::language;
use crate::output::gpu_live::{LiveState, render, scroll_limit};
use anyhow::Result;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::layout::Rect;
use std::io::{self, Stdout};
use std::time::{Duration, Instant};
use vramlint_gpu::{Driver, Machine};

/// Longest wait for a key, so that what a thread finds shows soon.
const PAUSE: Duration = Duration::from_millis(100);

/// The terminal in the state that a view needs; dropping it restores what it was.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Fails where no key can be read.
    pub(super) fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        let opened =
            execute!(io::stdout(), EnterAlternateScreen).and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.terminal.show_cursor();
        restore();
    }
}

/// A closed terminal is no error: there is nothing to restore.
fn restore() {
    let _ = execute!(io::stdout(), LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Quit,
    /// Rows down; negative for up.
    Scroll(isize),
    Nothing,
}

/// Shows the GPUs until a key ends it.
pub(super) fn run(args: &GpuArgs, driver: &Driver, machine: Machine, mut screen: Screen) -> Result<Status> {
    let mut runs = PredictedRuns::read(args, &machine);
    let mut state = LiveState {
        machine,
        usual: Some(catalog_memory),
        interval: args.interval,
        recording: args.record.as_ref().map(|path| path.display().to_string()),
        lang: language::resolve(args.lang, None),
        color: args.color.resolve(false),
        ..LiveState::default()
    };
    let interval = Duration::from_secs(args.interval.into());
    let mut next = Instant::now() + interval;
    runs.assign(&mut state);
    loop {
        let area = Rect::from(((0, 0).into(), screen.terminal.size()?));
        state.scroll = state.scroll.min(scroll_limit(&state, area));
        screen.terminal.draw(|frame| render(frame, &state))?;
        loop {
            let now = Instant::now();
            if now >= next {
                state.machine = observe(args, driver)?;
                runs.assign(&mut state);
                next = Instant::now() + interval;
                break;
            }
            if runs.arrived() {
                runs.assign(&mut state);
                break;
            }
            if !event::poll(PAUSE.min(next - now))? {
                continue;
            }
            match event::read()? {
                Event::Key(key) => match action(key, usize::from(area.height)) {
                    Action::Quit => return Ok(Status::Clean),
                    Action::Scroll(rows) => {
                        state.scroll = state.scroll.saturating_add_signed(rows);
                        break;
                    }
                    Action::Nothing => {}
                },
                Event::Resize(..) => break,
                _ => {}
            }
        }
    }
}

/// What a key means on a screen of `height` rows.
fn action(key: KeyEvent, height: usize) -> Action {
    if key.kind == KeyEventKind::Release {
        return Action::Nothing;
    }
    let page = isize::try_from(height / 2).unwrap_or(1).max(1);
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Action::Quit,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Action::Quit,
        KeyCode::Up | KeyCode::Char('k') => Action::Scroll(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::Scroll(1),
        KeyCode::PageUp => Action::Scroll(-page),
        KeyCode::PageDown | KeyCode::Char(' ') => Action::Scroll(page),
        KeyCode::Home => Action::Scroll(isize::MIN),
        KeyCode::End => Action::Scroll(isize::MAX),
        _ => Action::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Action {
        action(KeyEvent::new(code, modifiers), 20)
    }

    #[test]
    fn keys_quit_and_scroll() {
        for code in [KeyCode::Char('q'), KeyCode::Esc] {
            assert_eq!(press(code, KeyModifiers::NONE), Action::Quit);
        }
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::CONTROL), Action::Quit);
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::NONE), Action::Nothing);
        assert_eq!(press(KeyCode::PageDown, KeyModifiers::NONE), Action::Scroll(10));
        assert_eq!(press(KeyCode::Up, KeyModifiers::NONE), Action::Scroll(-1));
        let released = KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(action(released, 20), Action::Nothing);
    }
}
