//! What a scheduler's lines put into the environment of the script.

use super::super::scope::{Scope, nowhere};
use super::super::spanned_text::Piece;
use super::super::variables::{Value, Variable};
use super::super::{Assumption, Directive};
use std::rc::Rc;
use vramlint_base::TextRange;

/// A number that a line asks for.
type Count = (u32, TextRange);

/// What `#SBATCH` lines ask for sets variables of the job, unless the command line of `sbatch` asks for other numbers: Slurm's sbatch
/// manual, "output environment variables".
pub(super) fn seed(scope: &mut Scope, directives: &[Directive]) {
    let lines: Vec<&Directive> = directives.iter().filter(|line| line.mark == "SBATCH").collect();
    let count = |long: &str, short: Option<&str>| option(&lines, long, short).and_then(|(value, range)| number(&value, range));
    let nodes = count("--nodes", Some("-N"));
    let per_node = count("--ntasks-per-node", None);
    let tasks = count("--ntasks", Some("-n")).or_else(|| {
        let ((per_node, range), (nodes, _)) = per_node.zip(nodes)?;
        Some((per_node.checked_mul(nodes)?, range))
    });
    let gpus_per_node = option(&lines, "--gpus-per-node", None).and_then(|(value, range)| typed_number(&value, range));
    let gpus = option(&lines, "--gpus", Some("-G")).and_then(|(value, range)| typed_number(&value, range));
    let generic = option(&lines, "--gres", None).and_then(|(value, range)| generic_gpus(&value, range));
    // All GPUs of the job are on its node if there is one.
    let alone = nodes.is_some_and(|(nodes, _)| nodes == 1);
    let on_node = gpus_per_node.or(generic).or(gpus.filter(|_| alone));
    let variables = [
        ("SLURM_NNODES", nodes, false),
        ("SLURM_JOB_NUM_NODES", nodes, false),
        ("SLURM_NTASKS", tasks, false),
        ("SLURM_NPROCS", tasks, false),
        ("SLURM_NTASKS_PER_NODE", per_node, false),
        ("SLURM_GPUS", gpus, false),
        ("SLURM_GPUS_PER_NODE", gpus_per_node, false),
        // Commands carry it: it is the number of GPUs that they see.
        ("SLURM_GPUS_ON_NODE", on_node, true),
    ];
    for (name, count, exported) in variables {
        let Some((count, range)) = count else { continue };
        let mut piece = Piece::literal(&count.to_string(), range, true);
        piece.assumptions.push(Assumption { variable: name.to_owned(), value: count.to_string(), range });
        let variable = Variable { value: Value::Text(vec![piece]), exported, made: nowhere(name, range) };
        scope.variables.put(name, Some(Rc::new(variable)));
    }
}

/// The last value of an option on these lines.
fn option(lines: &[&Directive], long: &str, short: Option<&str>) -> Option<(String, TextRange)> {
    let mut found = None;
    for line in lines {
        let mut words = line.words.iter();
        while let Some(word) = words.next() {
            let text = word.text().unwrap_or_default();
            if text == long || Some(text) == short {
                let Some(next) = words.next() else { continue };
                found = Some((next.text().unwrap_or_default().to_owned(), next.range));
                continue;
            }
            let inline = text.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            let joined = || short.and_then(|short| text.strip_prefix(short)).filter(|_| !text.starts_with("--"));
            if let Some(value) = inline.or_else(joined) {
                found = Some((value.to_owned(), word.range));
            }
        }
    }
    found
}

/// A number; nothing where it is a range (`2-4`).
fn number(value: &str, range: TextRange) -> Option<Count> {
    value.parse::<u32>().ok().filter(|count| *count > 0).map(|count| (count, range))
}

/// `4`, `a100:4`.
fn typed_number(value: &str, range: TextRange) -> Option<Count> {
    number(value.rsplit(':').next()?, range)
}

/// `gpu:4`, `gpu:a100:4`, `gpu`; `gpu:a100` is one.
fn generic_gpus(value: &str, range: TextRange) -> Option<Count> {
    let resource = value.split(',').find(|resource| resource.split(':').next() == Some("gpu"))?;
    let last = resource.rsplit(':').next()?.split('(').next()?;
    if last.starts_with(|c: char| c.is_ascii_digit()) && !last.contains(|c: char| !c.is_ascii_digit()) {
        return number(last, range);
    }
    Some((1, range))
}
