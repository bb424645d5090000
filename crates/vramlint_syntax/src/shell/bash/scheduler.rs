//! What a scheduler's lines put into the environment of the script.

use super::super::scope::{Scope, nowhere};
use super::super::spanned_text::Piece;
use super::super::variables::{Value, Variable};
use super::super::{Assumption, Directive};
use std::rc::Rc;
use vramlint_base::TextRange;

/// Variables that hold the number of nodes: Slurm's sbatch manual, "output environment variables".
const NODES: [&str; 2] = ["SLURM_NNODES", "SLURM_JOB_NUM_NODES"];

/// `#SBATCH --nodes=2` sets `$SLURM_NNODES`, unless the command line of `sbatch` asks for another number.
pub(super) fn seed(scope: &mut Scope, directives: &[Directive]) {
    let Some((count, range)) = directives.iter().filter(|line| line.mark == "SBATCH").filter_map(nodes).next_back() else {
        return;
    };
    for name in NODES {
        let mut piece = Piece::literal(&count, range, true);
        piece.assumptions.push(Assumption { variable: name.to_owned(), value: count.clone(), range });
        let variable = Variable { value: Value::Text(vec![piece]), exported: false, made: nowhere(name, range) };
        scope.variables.put(name, Some(Rc::new(variable)));
    }
}

/// The number of nodes that a line asks for; nothing where it is a range (`2-4`).
fn nodes(line: &Directive) -> Option<(String, TextRange)> {
    let mut words = line.words.iter();
    let mut found = None;
    while let Some(word) = words.next() {
        let text = word.text().unwrap_or_default();
        let (value, range) = match text {
            "--nodes" | "-N" => {
                let Some(next) = words.next() else { continue };
                (next.text().unwrap_or_default(), next.range)
            }
            _ => match text.strip_prefix("--nodes=").or_else(|| text.strip_prefix("-N")) {
                Some(value) => (value, word.range),
                None => continue,
            },
        };
        found = value.parse::<u32>().is_ok_and(|count| count > 0).then(|| (value.to_owned(), range));
    }
    found
}
