//! Which of many spans of lines hold a line, without looking at all of them.

/// First line, last line and number of a span.
pub(super) type NumberedLines = (u32, u32, usize);

/// Spans of lines, each with a number. A span that was taken is not found again.
#[derive(Debug)]
pub(super) struct LineSpans {
    /// First line and number of each span, ordered by the line.
    spans: Vec<(u32, usize)>,
    /// A tree over the last lines of the spans, plus one: each node holds the largest below it; 0 where a span was taken.
    ends: Vec<u32>,
    /// Leaves of the tree.
    width: usize,
    /// The lines that any span holds, as spans that do not touch.
    covered: Vec<(u32, u32)>,
}

impl LineSpans {
    /// The spans to search.
    pub(super) fn new(mut given: Vec<NumberedLines>) -> Self {
        given.sort_unstable();
        let width = given.len().next_power_of_two();
        let mut ends = vec![0; 2 * width];
        let mut covered: Vec<(u32, u32)> = Vec::new();
        for (place, (first, last, _)) in given.iter().enumerate() {
            ends[width + place] = last + 1;
            match covered.last_mut() {
                Some((_, end)) if first <= end => *end = (*end).max(*last),
                _ => covered.push((*first, *last)),
            }
        }
        for node in (1..width).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        Self { spans: given.into_iter().map(|(first, _, number)| (first, number)).collect(), ends, width, covered }
    }

    /// Whether a span holds the line, taken or not.
    pub(super) fn covers(&self, line: u32) -> bool {
        let behind = self.covered.partition_point(|(first, _)| *first <= line);
        behind.checked_sub(1).is_some_and(|place| line <= self.covered[place].1)
    }

    /// Takes the spans that hold the line: their numbers.
    pub(super) fn take(&mut self, line: u32) -> Vec<usize> {
        let behind = self.spans.partition_point(|(first, _)| *first <= line);
        let mut taken = Vec::new();
        while let Some(place) = self.reaching(1, 0, self.width, behind, line) {
            taken.push(self.spans[place].1);
            let mut node = self.width + place;
            self.ends[node] = 0;
            while node > 1 {
                node /= 2;
                self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
            }
        }
        taken
    }

    /// The first span before `behind` that ends after `line`, below a node for the spans from `from` to `to`.
    fn reaching(&self, node: usize, from: usize, to: usize, behind: usize, line: u32) -> Option<usize> {
        if from >= behind || self.ends[node] <= line {
            return None;
        }
        if to - from == 1 {
            return Some(from);
        }
        let middle = usize::midpoint(from, to);
        self.reaching(2 * node, from, middle, behind, line).or_else(|| self.reaching(2 * node + 1, middle, to, behind, line))
    }
}

#[cfg(test)]
mod tests {
    use super::{LineSpans, NumberedLines};

    #[test]
    fn spans_are_found_by_their_lines_and_taken_once() {
        let mut spans = LineSpans::new(vec![(0, 9, 0), (2, 2, 1), (2, 5, 2), (12, 12, 3)]);
        assert_eq!(spans.take(2), [0, 1, 2]);
        assert_eq!(spans.take(2), Vec::<usize>::new());
        assert!(spans.covers(2) && spans.covers(9) && !spans.covers(10) && !spans.covers(11) && spans.covers(12));
        assert_eq!((spans.take(11), spans.take(12)), (vec![], vec![3]));
        assert_eq!(LineSpans::new(Vec::new()).take(0), Vec::<usize>::new());
    }

    #[test]
    fn agrees_with_looking_at_all() {
        let given: Vec<NumberedLines> = (0..200).map(|i| (i * 7 % 50, i * 7 % 50 + i % 11, i as usize)).collect();
        for line in 0..70 {
            let mut found = LineSpans::new(given.clone()).take(line);
            found.sort_unstable();
            let all = given.iter().filter(|(first, last, _)| (*first..=*last).contains(&line));
            assert_eq!(found, all.map(|(.., number)| *number).collect::<Vec<_>>(), "{line}");
        }
    }
}
