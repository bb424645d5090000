//! Colors of the text formats.

use owo_colors::{OwoColorize, Style};
use vramlint_estimate::Verdict;
use vramlint_memory::estimate::Part;
use vramlint_view::{StyleRole, Styler, unstyled};

/// The styler for output with or without color.
pub(crate) const fn styler(color: bool) -> Styler {
    if color { dressed } else { unstyled }
}

fn dressed(text: &str, ink: StyleRole) -> String {
    text.style(style(ink)).to_string()
}

fn style(ink: StyleRole) -> Style {
    match ink {
        StyleRole::Strong => Style::new().bold(),
        StyleRole::Faint => Style::new().dimmed(),
        StyleRole::Verdict(Verdict::Fits) => Style::new().green().bold(),
        StyleRole::Verdict(Verdict::MayNotFit) => Style::new().yellow().bold(),
        StyleRole::Verdict(Verdict::DoesNotFit) => Style::new().red().bold(),
        StyleRole::Part(part) => match part {
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
