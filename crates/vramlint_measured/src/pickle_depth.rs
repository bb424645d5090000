//! How deeply a pickle nests, found without building its values: readers recurse into them, and a stack has an end.

use std::collections::HashMap;

/// Containers within containers that a snapshot may have; PyTorch's have eight.
const MOST_DEPTH: u16 = 100;
/// Open marks that a snapshot may have.
const MOST_MARKS: usize = 1000;

/// A container, or everything that holds nothing.
#[derive(Clone, Copy)]
struct Cell {
    /// Containers within each other, itself included.
    depth: u16,
    /// Whether something refers to it again, so that what it takes in later would deepen others.
    is_shared: bool,
}

/// The stack of a pickle's machine, on depths alone.
struct Machine<'a> {
    rest: &'a [u8],
    cells: Vec<Cell>,
    stack: Vec<u32>,
    marks: Vec<usize>,
    memo: HashMap<u64, u32>,
}

/// The cell of everything that holds nothing.
const ATOM: u32 = 0;

/// Whether the values of a pickle (protocols 0 to 5, Python's `pickletools.py`) are nested shallowly enough to be read. False if it is
/// broken or ends early.
pub(crate) fn is_shallow(bytes: &[u8]) -> bool {
    let cells = vec![Cell { depth: 0, is_shared: false }];
    let mut machine = Machine { rest: bytes, cells, stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() };
    loop {
        match machine.step() {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
    }
}

impl Machine<'_> {
    /// Runs one operation. False at the end; `None` if the pickle is broken or too deep.
    fn step(&mut self) -> Option<bool> {
        let operation = *self.rest.first()?;
        self.rest = &self.rest[1..];
        match operation {
            b'.' => return Some(false),
            b'(' => {
                self.marks.push(self.stack.len());
                return (self.marks.len() <= MOST_MARKS).then_some(true);
            }
            b'0' => drop(self.stack.pop()),
            b'1' => drop(self.take_to_mark()?),
            b'2' => self.push_again(*self.stack.last()?),
            // Atoms, by how their argument is written.
            b'F' | b'I' | b'L' | b'P' | b'S' | b'V' => self.atom(Self::line)?,
            b'J' => self.atom(|own| own.skip(4))?,
            b'K' => self.atom(|own| own.skip(1))?,
            b'M' => self.atom(|own| own.skip(2))?,
            b'G' => self.atom(|own| own.skip(8))?,
            b'N' | 0x88 | 0x89 | 0x97 => self.stack.push(ATOM),
            b'T' | b'X' | b'B' | 0x8b => self.atom(|own| own.sized(4))?,
            b'U' | b'C' | 0x8a | 0x8c => self.atom(|own| own.sized(1))?,
            0x8d | 0x8e | 0x96 => self.atom(|own| own.sized(8))?,
            b'c' => self.atom(|own| own.line().and_then(|()| own.line()))?,
            0x82 => self.atom(|own| own.skip(1))?,
            0x83 => self.atom(|own| own.skip(2))?,
            0x84 => self.atom(|own| own.skip(4))?,
            // What changes nothing on the stack.
            0x80 => self.skip(1)?,
            0x95 => self.skip(8)?,
            0x98 => {}
            // Containers.
            b']' | b'}' | b')' | 0x8f => self.container(&[])?,
            b'l' | b't' | b'd' | b'o' | 0x91 => {
                let items = self.take_to_mark()?;
                self.container(&items)?;
            }
            b'i' => {
                self.line()?;
                self.line()?;
                let items = self.take_to_mark()?;
                self.container(&items)?;
            }
            0x85..=0x87 => self.of_top(usize::from(operation - 0x84))?,
            b'Q' => self.of_top(1)?,
            b'R' | 0x81 | 0x93 => self.of_top(2)?,
            0x92 => self.of_top(3)?,
            b'a' | b'b' => self.put_in(1)?,
            b's' => self.put_in(2)?,
            b'e' | b'u' | 0x90 => {
                let items = self.take_to_mark()?;
                self.deepen(&items)?;
            }
            // The memo.
            b'p' | b'q' | b'r' | 0x94 => {
                let key = self.memo_key(operation)?;
                self.memo.insert(key, *self.stack.last()?);
            }
            b'g' | b'h' | b'j' => {
                let key = self.memo_key(operation)?;
                let found = *self.memo.get(&key)?;
                self.push_again(found);
            }
            _ => return None,
        }
        Some(true)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    fn line(&mut self) -> Option<()> {
        let end = memchr::memchr(b'\n', self.rest)?;
        self.skip(end + 1)
    }

    fn number_line(&mut self) -> Option<u64> {
        let end = memchr::memchr(b'\n', self.rest)?;
        let number = std::str::from_utf8(&self.rest[..end]).ok()?.trim().parse().ok()?;
        self.skip(end + 1)?;
        Some(number)
    }

    /// A little-endian number of so many bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let number = self.rest.get(..bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        self.skip(bytes)?;
        Some(number)
    }

    /// Bytes behind their number.
    fn sized(&mut self, bytes: usize) -> Option<()> {
        let size = self.number(bytes)?;
        self.skip(usize::try_from(size).ok()?)
    }

    fn atom(&mut self, argument: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        argument(self)?;
        self.stack.push(ATOM);
        Some(())
    }

    /// Takes what is above the last mark.
    fn take_to_mark(&mut self) -> Option<Vec<u32>> {
        let mark = self.marks.pop()?;
        (mark <= self.stack.len()).then(|| self.stack.split_off(mark))
    }

    /// Takes as many values from the top.
    fn take(&mut self, count: usize) -> Option<Vec<u32>> {
        let start = self.stack.len().checked_sub(count)?;
        Some(self.stack.split_off(start))
    }

    fn depth_over(&self, items: &[u32]) -> Option<u16> {
        let depth = items.iter().map(|item| self.cells[*item as usize].depth).max().unwrap_or(0) + 1;
        (depth <= MOST_DEPTH).then_some(depth)
    }

    fn container(&mut self, items: &[u32]) -> Option<()> {
        let cell = Cell { depth: self.depth_over(items)?, is_shared: false };
        self.stack.push(u32::try_from(self.cells.len()).ok()?);
        self.cells.push(cell);
        Some(())
    }

    fn of_top(&mut self, count: usize) -> Option<()> {
        let items = self.take(count)?;
        self.container(&items)
    }

    fn put_in(&mut self, count: usize) -> Option<()> {
        let items = self.take(count)?;
        self.deepen(&items)
    }

    /// The value at the top takes `items` in.
    fn deepen(&mut self, items: &[u32]) -> Option<()> {
        let depth = self.depth_over(items)?;
        let top = *self.stack.last()?;
        let cell = &mut self.cells[top as usize];
        if depth > cell.depth {
            if top == ATOM || cell.is_shared {
                return None;
            }
            cell.depth = depth;
        }
        Some(())
    }

    /// The number in the memo that an operation gives.
    fn memo_key(&mut self, operation: u8) -> Option<u64> {
        match operation {
            b'p' | b'g' => self.number_line(),
            b'q' | b'h' => self.number(1),
            b'r' | b'j' => self.number(4),
            _ => Some(self.memo.len() as u64),
        }
    }

    /// Pushes a value that something else may hold as well.
    fn push_again(&mut self, value: u32) {
        self.cells[value as usize].is_shared = value != ATOM;
        self.stack.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_is_shallow() {
        // s = [{"n": 1}]; pickle.dumps({"segments": [{"total_size": 1, "blocks": [(1, 2.5, b"x")]}], "again": s, "more": s, "none": None,
        // "set": {3}}, protocol), protocols 0, 2 and 4
        let written: [&[u8]; 3] = [
            b"(dp0\nVsegments\np1\n(lp2\n(dp3\nVtotal_size\np4\nI1\nsVblocks\np5\n(lp6\n(I1\nF2.5\nc_codecs\nencode\np7\n(Vx\np8\nVlatin1\np9\ntp10\nRp11\ntp12\nasasVagain\np13\n(lp14\n(dp15\nVn\np16\nI1\nsasVmore\np17\ng14\nsVnone\np18\nNsVset\np19\nc__builtin__\nset\np20\n((lp21\nI3\natp22\nRp23\ns.",
            b"\x80\x02}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02}q\x03(X\n\x00\x00\x00total_sizeq\x04K\x01X\x06\x00\x00\x00blocksq\x05]q\x06K\x01G@\x04\x00\x00\x00\x00\x00\x00c_codecs\nencode\nq\x07X\x01\x00\x00\x00xq\x08X\x06\x00\x00\x00latin1q\x09\x86q\nRq\x0b\x87q\x0cauaX\x05\x00\x00\x00againq\x0d]q\x0e}q\x0fX\x01\x00\x00\x00nq\x10K\x01saX\x04\x00\x00\x00moreq\x11h\x0eX\x04\x00\x00\x00noneq\x12NX\x03\x00\x00\x00setq\x13c__builtin__\nset\nq\x14]q\x15K\x03a\x85q\x16Rq\x17u.",
            b"\x80\x04\x95t\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x08segments\x94]\x94}\x94(\x8c\ntotal_size\x94K\x01\x8c\x06blocks\x94]\x94K\x01G@\x04\x00\x00\x00\x00\x00\x00C\x01x\x94\x87\x94aua\x8c\x05again\x94]\x94}\x94\x8c\x01n\x94K\x01sa\x8c\x04more\x94h\n\x8c\x04none\x94N\x8c\x03set\x94\x8f\x94(K\x03\x90u.",
        ];
        for bytes in written {
            assert!(is_shallow(bytes), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn deep_broken_and_endless_pickles_are_not() {
        let nested = |levels: usize| [b"]".repeat(levels), b"a".repeat(levels - 1), b".".to_vec()].concat();
        assert!(is_shallow(&nested(50)) && !is_shallow(&nested(200_000)));
        assert!(!is_shallow(&[b"(".repeat(2000), b".".to_vec()].concat()), "marks");
        assert!(!is_shallow(b"]") && !is_shallow(b"") && !is_shallow(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff."), "it ends early");
        // A list that takes itself in by its number in the memo, again and again.
        assert!(!is_shallow(b"]q\x00h\x00a]q\x01h\x00ah\x01a."));
    }
}
