//! What is trained by code that freezes parameters by their names, their layers or their places: the rules that
//! `vramlint_resolve::code` writes down (`freeze layers[:8]; train where name has "norm"`).

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Message, message};
use vramlint_memory::arch::{NamedParameter, ParameterPlace};
use vramlint_memory::setup::TrainedParts;

/// The part of a model below its head.
const BASE: &str = "<base>";
/// Its input and output embeddings.
const INPUT: &str = "<input>";
const OUTPUT: &str = "<output>";

/// One step.
struct Rule {
    trains: bool,
    part: String,
    condition: Option<Condition>,
}

/// A condition on a parameter.
enum Condition {
    Name(String, String),
    Position(String, i64),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// What a rule sees of a parameter in its part.
struct Seen<'a> {
    /// Its name from there.
    name: &'a str,
    /// The number of its layer among those of the part.
    position: Option<i64>,
}

impl Mapping<'_> {
    /// The parts that are trained once all rules have run; `None`: all.
    pub(super) fn by_rules(&self, model: &Model, rules: &str) -> Result<Option<TrainedParts>, Message> {
        let unread = || {
            message!(
                "parameters are frozen in a way that estimates cannot follow; `--set method=full` gives an upper bound",
                "参数的冻结方式无法由估算追踪；`--set method=full` 给出上界"
            )
        };
        let rules = rules.split("; ").map(parse_rule).collect::<Option<Vec<Rule>>>().ok_or_else(unread)?;
        let named = model.arch.named_parameters(self.upper.task).ok_or_else(|| {
            let kind = model.arch.model_type.clone();
            message!(
                "parameters are frozen by name, and estimates do not know those of {kind}; `--set method=full` gives an upper bound",
                "按名称冻结参数，而估算不了解 {kind} 的参数名；`--set method=full` 给出上界"
            )
        })?;
        let blocks = model.arch.layers();
        let trained: Vec<bool> = named
            .iter()
            .map(|parameter| {
                let mut trained = true;
                for rule in &rules {
                    if applies(rule, parameter, blocks)? {
                        trained = rule.trains;
                    }
                }
                Some(trained)
            })
            .collect::<Option<_>>()
            .ok_or_else(unread)?;
        if !trained.contains(&true) {
            return Err(message!("every part of the model is frozen: nothing is trained", "模型的每一部分都被冻结：不进行训练"));
        }
        if !trained.contains(&false) {
            return Ok(None);
        }
        parts_of(&named, &trained, blocks).map(Some).ok_or_else(unread)
    }
}

/// Whether a value of `freeze` is a list of rules.
pub(super) fn is_rules(text: &str) -> bool {
    let end = text.find([' ', ';']).unwrap_or(text.len());
    matches!(&text[..end], "freeze" | "train")
}

/// `freeze layers[:8] where name has "norm"`.
fn parse_rule(text: &str) -> Option<Rule> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let trains = match verb {
        "train" => true,
        "freeze" => false,
        _ => return None,
    };
    let (part, condition) = match rest.strip_prefix("where ") {
        Some(condition) => ("", Some(condition)),
        None => rest.split_once(" where ").map_or((rest, None), |(part, condition)| (part, Some(condition))),
    };
    let condition = match condition.map(parse_condition) {
        None => None,
        Some(Some((condition, ""))) => Some(condition),
        Some(_) => return None,
    };
    Some(Rule { trains, part: part.to_owned(), condition })
}

/// A condition at the start of a text, and what follows it.
fn parse_condition(text: &str) -> Option<(Condition, &str)> {
    if let Some(rest) = text.strip_prefix("not (") {
        let (inner, rest) = parse_condition(rest)?;
        return Some((Condition::Not(Box::new(inner)), rest.strip_prefix(')')?));
    }
    if let Some(rest) = text.strip_prefix('(') {
        let (left, rest) = parse_condition(rest)?;
        let (joined, rest) = rest.strip_prefix(") ")?.split_once(" (")?;
        let (right, rest) = parse_condition(rest)?;
        let (left, right) = (Box::new(left), Box::new(right));
        let both = match joined {
            "and" => Condition::And(left, right),
            "or" => Condition::Or(left, right),
            _ => return None,
        };
        return Some((both, rest.strip_prefix(')')?));
    }
    let (kind, rest) = text.split_once(' ')?;
    let (how, rest) = rest.split_once(' ')?;
    match kind {
        "name" => {
            let (word, rest) = rest.strip_prefix('"')?.split_once('"')?;
            Some((Condition::Name(how.to_owned(), word.to_owned()), rest))
        }
        "position" => {
            let end = rest.find(')').unwrap_or(rest.len());
            Some((Condition::Position(how.to_owned(), rest[..end].parse().ok()?), &rest[end..]))
        }
        _ => None,
    }
}

/// Whether a rule speaks of a parameter. `None` if that cannot be told.
fn applies(rule: &Rule, parameter: &NamedParameter, blocks: u64) -> Option<bool> {
    let of_head = match parameter.place {
        ParameterPlace::Head => true,
        ParameterPlace::Pooler { of_head } => of_head,
        _ => false,
    };
    for name in &parameter.names {
        let seen = match rule.part.as_str() {
            "" => Some(Seen { name, position: None }),
            BASE => (!of_head).then(|| Seen { name: name.split_once('.').map_or(name, |(_, rest)| rest), position: None }),
            INPUT => (parameter.place == ParameterPlace::Tokens).then_some(Seen { name: "weight", position: None }),
            OUTPUT => {
                let is_shared = parameter.place == ParameterPlace::Tokens && parameter.names.len() > 1;
                (is_shared || of_head).then_some(Seen { name: "weight", position: None })
            }
            part => {
                let without_base = name.split_once('.').map(|(_, rest)| rest);
                [Some(name.as_str()), without_base].into_iter().flatten().find_map(|name| within(name, part, blocks))
            }
        };
        let Some(seen) = seen else { continue };
        return rule.condition.as_ref().map_or(Some(true), |condition| holds(condition, &seen));
    }
    Some(false)
}

/// What is left of a name behind the path of a part: `encoder.layer[-2:]`.
fn within<'a>(name: &'a str, part: &str, blocks: u64) -> Option<Seen<'a>> {
    let mut rest = name;
    for step in part.split('.') {
        let (word, index) = step.split_once('[').map_or((step, None), |(word, index)| (word, Some(index)));
        rest = rest.strip_prefix(word)?.strip_prefix('.')?;
        for index in index.into_iter().flat_map(|index| index.trim_end_matches(']').split("][")) {
            let (number, behind) = rest.split_once('.')?;
            let number: i64 = number.parse().ok()?;
            let count = i64::try_from(blocks).ok()?;
            let from_start = |text: &str, absent: i64| match text {
                "" => Some(absent),
                text => text.parse::<i64>().ok().map(|at| if at < 0 { (at + count).max(0) } else { at }),
            };
            match index.split_once(':') {
                None => {
                    (number == from_start(index, 0)?).then_some(())?;
                    rest = behind;
                }
                // The list of layers is still to be walked: the number stays the position in it.
                Some((first, end)) => {
                    let (first, end) = (from_start(first, 0)?, from_start(end, count)?);
                    (first..end).contains(&number).then_some(())?;
                    return Some(Seen { name: behind, position: Some(number - first) });
                }
            }
        }
    }
    let walked = rest.split_once('.').and_then(|(number, behind)| Some((number.parse::<i64>().ok()?, behind)));
    Some(walked.map_or(Seen { name: rest, position: None }, |(number, behind)| Seen { name: behind, position: Some(number) }))
}

/// Whether a condition holds; `None` if that cannot be told.
fn holds(condition: &Condition, seen: &Seen<'_>) -> Option<bool> {
    Some(match condition {
        Condition::Name(how, word) => match how.as_str() {
            "has" => seen.name.contains(word.as_str()),
            "starts" => seen.name.starts_with(word.as_str()),
            "ends" => seen.name.ends_with(word.as_str()),
            "is" => seen.name == word,
            _ => return None,
        },
        Condition::Position(op, number) => {
            let position = seen.position?;
            match op.as_str() {
                "<" => position < *number,
                "<=" => position <= *number,
                ">" => position > *number,
                ">=" => position >= *number,
                "==" => position == *number,
                _ => return None,
            }
        }
        Condition::Not(inner) => !holds(inner, seen)?,
        Condition::And(a, b) => holds(a, seen)? && holds(b, seen)?,
        Condition::Or(a, b) => holds(a, seen)? || holds(b, seen)?,
    })
}

/// The parts of which parameters are trained. `None` if they are of a form that a setup cannot have.
fn parts_of(named: &[NamedParameter], trained: &[bool], blocks: u64) -> Option<TrainedParts> {
    let any = |is: fn(&ParameterPlace) -> bool| named.iter().zip(trained).any(|(one, trained)| *trained && is(&one.place));
    let decoder: Vec<bool> =
        named.iter().zip(trained).filter(|(one, _)| one.place == ParameterPlace::Decoder).map(|(_, trained)| *trained).collect();
    if decoder.contains(&true) && decoder.contains(&false) {
        return None;
    }
    let mut of_blocks: Vec<Vec<&str>> = Vec::new();
    let mut whole: Vec<bool> = Vec::new();
    for block in 0..blocks {
        let own = |place: &ParameterPlace| matches!(place, ParameterPlace::Block(index, _) if *index == block);
        let all = named.iter().zip(trained).filter(|(one, _)| own(&one.place));
        let (mut paths, mut complete) = (Vec::new(), true);
        for (one, trained) in all {
            match (&one.place, trained) {
                (ParameterPlace::Block(_, path), true) => paths.push(path.as_str()),
                _ => complete = false,
            }
        }
        paths.sort_unstable();
        paths.dedup();
        whole.push(complete);
        of_blocks.push(paths);
    }
    let trained_blocks: Vec<usize> = (0..of_blocks.len()).filter(|index| !of_blocks[*index].is_empty()).collect();
    let first = trained_blocks.first().copied();
    let modules = match first {
        Some(first) if !whole[first] => of_blocks[first].iter().map(|path| (*path).to_owned()).collect(),
        _ => Vec::new(),
    };
    let alike = |index: &usize| first.is_some_and(|first| of_blocks[*index] == of_blocks[first] && whole[*index] == whole[first]);
    if !trained_blocks.iter().all(alike) {
        return None;
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for index in trained_blocks.into_iter().map(|index| index as u64) {
        match runs.last_mut() {
            Some((_, end)) if *end == index => *end += 1,
            _ => runs.push((index, index + 1)),
        }
    }
    Some(TrainedParts {
        embedding: any(|place| *place == ParameterPlace::Tokens),
        beside_embedding: any(|place| *place == ParameterPlace::BesideTokens),
        blocks: runs,
        modules,
        norm: any(|place| *place == ParameterPlace::Norm),
        pooler: any(|place| matches!(place, ParameterPlace::Pooler { .. })),
        decoder: decoder.contains(&true),
        head: any(|place| *place == ParameterPlace::Head),
        ..TrainedParts::default()
    })
}
