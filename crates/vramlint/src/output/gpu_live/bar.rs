//! A bar of memory: who uses it, and where a predicted peak lies.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use vramlint_estimate::Verdict;

/// Who uses a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A process of this user.
    Own,
    /// A process of another user.
    Other,
    /// The driver, or a process whose user is not known.
    Unknown,
}

impl Holder {
    /// The letter of the bar: the holders differ without color.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Own => '█',
            Self::Other => '▓',
            Self::Unknown => '▒',
        }
    }

    pub(super) const fn color(self) -> Color {
        match self {
            Self::Own => Color::Green,
            Self::Other => Color::Magenta,
            Self::Unknown => Color::Blue,
        }
    }
}

/// The letter of free memory.
pub(super) const FREE: char = '░';
/// The letters of the lower bound, the peak and the upper bound.
pub(super) const MARKS: [char; 3] = ['├', '┃', '┤'];
/// The letter of a predicted peak that is larger than the GPU.
const OUTSIDE: char = '▶';

/// A predicted peak on a bar, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) low: u64,
    pub(super) peak: u64,
    pub(super) high: u64,
    pub(super) verdict: Verdict,
}

/// A bar.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    /// What is used, from the left.
    pub(super) used: Vec<(Holder, u64)>,
    /// The bytes of the whole bar.
    pub(super) total: u64,
    pub(super) mark: Option<Mark>,
}

impl Bar {
    /// Draws the bar in `width` columns.
    pub(super) fn draw(&self, width: usize, color: bool) -> Vec<Span<'static>> {
        let mut cells = vec![(FREE, Style::new().add_modifier(Modifier::DIM)); width];
        let mut from = 0;
        let mut bytes = 0_u64;
        for (holder, size) in self.used.iter().filter(|(_, size)| *size > 0) {
            bytes = bytes.saturating_add(*size);
            // Whatever is used takes a column, as long as there is one.
            let to = self.column(bytes, width).max(from + 1).min(width);
            for cell in &mut cells[from..to] {
                *cell = (holder.letter(), Style::new().fg(holder.color()));
            }
            from = to;
        }
        if let Some(mark) = self.mark.filter(|_| width > 0) {
            self.put(mark, &mut cells);
        }
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (letter, style) in cells {
            let style = if color { style } else { Style::new() };
            match spans.last_mut() {
                Some(span) if span.style == style => span.content.to_mut().push(letter),
                _ => spans.push(Span::styled(letter.to_string(), style)),
            }
        }
        spans
    }

    /// Puts the bounds, then the peak, which covers a bound in the same column.
    fn put(&self, mark: Mark, cells: &mut [(char, Style)]) {
        let color = match mark.verdict {
            Verdict::Fits => Color::Cyan,
            Verdict::MayNotFit => Color::Yellow,
            Verdict::DoesNotFit => Color::Red,
        };
        let style = Style::new().fg(color).add_modifier(Modifier::BOLD);
        let [low, peak, high] = MARKS;
        for (letter, bytes) in [(low, mark.low), (high, mark.high), (peak, mark.peak)] {
            let at = self.column(bytes, cells.len()).min(cells.len() - 1);
            cells[at] = (if bytes > self.total { OUTSIDE } else { letter }, style);
        }
    }

    /// The column at which `bytes` from the left end, rounded.
    fn column(&self, bytes: u64, width: usize) -> usize {
        let (bytes, total) = (u128::from(bytes.min(self.total)), u128::from(self.total.max(1)));
        usize::try_from((bytes * width as u128 + total / 2) / total).unwrap_or(width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(bar: &Bar, width: usize) -> String {
        bar.draw(width, false).iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn shares_add_up_to_the_bar() {
        let bar = |used: &[(Holder, u64)]| Bar { used: used.to_vec(), total: 40, mark: None };
        assert_eq!(letters(&bar(&[(Holder::Own, 20), (Holder::Other, 10)]), 8), "████▓▓░░");
        assert_eq!(letters(&bar(&[(Holder::Own, 1), (Holder::Unknown, 1)]), 8), "█▒░░░░░░", "a little is seen");
        assert_eq!(letters(&bar(&[(Holder::Own, 50), (Holder::Other, 9)]), 8), "████████", "more than there is");
        assert_eq!(letters(&bar(&[]), 0), "");
    }

    #[test]
    fn a_mark_stands_on_the_bar() {
        let bar = |low, peak, high| Bar {
            used: vec![(Holder::Own, 10)],
            total: 40,
            mark: Some(Mark { low, peak, high, verdict: Verdict::Fits }),
        };
        assert_eq!(letters(&bar(15, 20, 25), 8), "██░├┃┤░░");
        assert_eq!(letters(&bar(0, 5, 6), 8), "├┃░░░░░░");
        assert_eq!(letters(&bar(30, 40, 45), 8), "██░░░░├┃", "the peak covers a bound");
        assert_eq!(letters(&bar(41, 42, 43), 8), "██░░░░░▶", "none of it is on the GPU");
        assert_eq!(letters(&bar(15, 20, u64::MAX), 1), "┃");
        assert_eq!(letters(&bar(15, 20, 25), 0), "");
    }

    #[test]
    fn without_color_every_span_is_plain() {
        let bar = Bar { used: vec![(Holder::Own, 10)], total: 40, mark: None };
        assert_eq!(bar.draw(8, false).len(), 1);
        assert_eq!(bar.draw(8, true).len(), 2);
    }
}
