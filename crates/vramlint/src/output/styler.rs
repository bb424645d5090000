//! Colours of what is shown to people.

use owo_colors::{OwoColorize, Style};
use vramlint_memory::estimate::Part;
use vramlint_view::estimate::Verdict;
use vramlint_view::{Ink, Paint, plain};

/// What dresses text, where there is colour and where there is none.
pub(crate) const fn styler(color: bool) -> Paint {
    if color { dressed } else { plain }
}

fn dressed(text: &str, ink: Ink) -> String {
    text.style(style(ink)).to_string()
}

fn style(ink: Ink) -> Style {
    match ink {
        Ink::Strong => Style::new().bold(),
        Ink::Faint => Style::new().dimmed(),
        Ink::Verdict(Verdict::Fits) => Style::new().green().bold(),
        Ink::Verdict(Verdict::MayNotFit) => Style::new().yellow().bold(),
        Ink::Verdict(Verdict::DoesNotFit) => Style::new().red().bold(),
        Ink::Part(part) => match part {
            Part::Weights => Style::new().blue(),
            Part::Gradients => Style::new().red(),
            Part::Optimizer => Style::new().yellow(),
            Part::Activations => Style::new().green(),
            Part::Logits => Style::new().magenta(),
            Part::KvCache | Part::Buffers => Style::new().cyan(),
            Part::Other => Style::new(),
            Part::Context | Part::Fragmentation => Style::new().bright_black(),
        },
    }
}
