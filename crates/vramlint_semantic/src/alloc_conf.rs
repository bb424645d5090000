//! The text of `PYTORCH_CUDA_ALLOC_CONF`, read as torch reads it.
//!
//! Every rule of this file was run: `torch._C._accelerator_setAllocatorSettings` of torch 2.15.0.

use std::ops::Range;
use vramlint_base::value_readers::str_to_bool;
use vramlint_catalog::keys::nearest;

/// The variables that torch reads, the first that is set alone.
pub const VARIABLES: [&str; 3] = ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF"];

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingType {
    /// `True` or `False`, with a capital.
    Truth,
    /// An integer of at least so many.
    AtLeast(u64),
    /// A power of two, up to so many.
    Power(u64),
    /// A number strictly between 0 and 1.
    Inside,
    /// A number from 0 to 1.
    Fraction,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A power of two, or a list of intervals.
    Divisions,
    /// Whatever is written; a bad value is left out with a warning.
    Anything,
}

/// Every setting of torch 2.15.
pub const SETTINGS: &[(&str, SettingType)] = &[
    ("expandable_segments", SettingType::Truth),
    ("max_split_size_mb", SettingType::AtLeast(20)),
    ("garbage_collection_threshold", SettingType::Inside),
    ("roundup_power2_divisions", SettingType::Divisions),
    ("backend", SettingType::Word(&["native", "cudaMallocAsync"])),
    ("max_non_split_rounding_mb", SettingType::AtLeast(20)),
    ("per_process_memory_fraction", SettingType::Fraction),
    ("pinned_use_cuda_host_register", SettingType::Truth),
    ("pinned_num_register_threads", SettingType::Power(128)),
    ("pinned_use_background_threads", SettingType::Truth),
    ("pinned_reserve_segment_size_mb", SettingType::AtLeast(1)),
    ("pinned_max_round_threshold_mb", SettingType::AtLeast(0)),
    ("pinned_max_cached_size_mb", SettingType::AtLeast(0)),
    ("release_lock_on_cudamalloc", SettingType::Truth),
    ("release_lock_on_hipmalloc", SettingType::Truth),
    ("pinned_use_hip_host_register", SettingType::Truth),
    ("graph_capture_record_stream_reuse", SettingType::Truth),
    ("large_segment_size_mb", SettingType::AtLeast(11)),
    ("throw_on_cudamalloc_oom", SettingType::Truth),
    ("expandable_segments_reserve", SettingType::Anything),
];

/// What torch rejects.
#[derive(Clone, Debug, PartialEq)]
pub struct AllocConfError {
    /// The bytes of the text that are rejected.
    pub range: Range<usize>,
    /// Why.
    pub what: ErrorKind,
    /// What would be taken instead, where that is evident.
    pub instead: Option<String>,
}

/// Why a text is rejected.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorKind {
    /// Quotes that belong to the text.
    Quotes,
    /// No setting of this name; the nearest one.
    Unknown(String, Option<&'static str>),
    /// `=` for `:`.
    Equals(String),
    /// Settings parted by something else than a comma.
    Separator(String),
    /// A comma too many.
    Comma,
    /// Nothing after the name.
    NoValue(String),
    /// A value that this setting does not take.
    Value(&'static str, String, SettingType),
}

struct Token {
    text: String,
    range: Range<usize>,
}

/// What torch rejects in a text, in order; it stops at the first itself.
pub fn errors(text: &str) -> Vec<AllocConfError> {
    if let Some(problem) = quotes(text) {
        return vec![problem];
    }
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(key) = tokens.get(at) {
        if key.text == "," {
            found.push(AllocConfError { range: key.range.clone(), what: ErrorKind::Comma, instead: Some(String::new()) });
            at += 1;
            continue;
        }
        let setting = SETTINGS.iter().find(|(name, _)| *name == key.text);
        let Some((name, takes)) = setting else {
            found.push(unknown(text, key));
            at = end_after(&tokens, at);
            continue;
        };
        let value = tokens.get(at + 2).filter(|value| tokens[at + 1].text == ":" && value.text != ",");
        let Some(value) = value else {
            found.push(AllocConfError { range: key.range.clone(), what: ErrorKind::NoValue(key.text.clone()), instead: None });
            at = end_after(&tokens, at);
            continue;
        };
        found.extend(refused(text, name, *takes, value));
        at = end_after(&tokens, at);
    }
    found
}

/// The token after the next comma that is in no brackets.
fn end_after(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Words and marks; blanks fall out, also within a word.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if matches!(c, ',' | ':' | '[' | ']') {
            tokens.push(Token { text: c.to_string(), range: at..end });
            open = false;
        } else if !c.is_whitespace() {
            if !open {
                tokens.push(Token { text: String::new(), range: at..end });
                open = true;
            }
            if let Some(token) = tokens.last_mut() {
                token.text.push(c);
                token.range.end = end;
            }
        }
    }
    tokens
}

/// Quotes around the whole text.
fn quotes(text: &str) -> Option<AllocConfError> {
    let trimmed = text.trim();
    let quote = trimmed.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = trimmed[1..].strip_suffix(quote).unwrap_or(&trimmed[1..]);
    (!inside.contains(['"', '\''])).then(|| AllocConfError {
        range: 0..text.len(),
        what: ErrorKind::Quotes,
        instead: errors(inside).is_empty().then(|| inside.to_owned()),
    })
}

fn unknown(text: &str, key: &Token) -> AllocConfError {
    let known = |name: &str| SETTINGS.iter().any(|(known, _)| *known == name);
    if let Some((name, _)) = key.text.split_once('=').filter(|(name, _)| known(name)) {
        let written = &text[key.range.clone()];
        let at = key.range.start + written.find('=').unwrap_or(0);
        return AllocConfError { range: at..at + 1, what: ErrorKind::Equals(name.to_owned()), instead: Some(":".to_owned()) };
    }
    let near = nearest(&key.text, SETTINGS.iter().map(|(name, _)| *name));
    let near = near.and_then(|near| SETTINGS.iter().map(|(name, _)| *name).find(|name| *name == near));
    AllocConfError {
        range: key.range.clone(),
        what: ErrorKind::Unknown(key.text.clone(), near),
        instead: near.map(str::to_owned),
    }
}

fn refused(text: &str, name: &'static str, takes: SettingType, value: &Token) -> Option<AllocConfError> {
    let problem = |instead: Option<String>| {
        Some(AllocConfError { range: value.range.clone(), what: ErrorKind::Value(name, value.text.clone(), takes), instead })
    };
    let word = value.text.as_str();
    if let Some(problem) = separator(text, value) {
        return Some(problem);
    }
    match takes {
        SettingType::Truth => match word {
            "True" | "False" => None,
            _ => {
                let meant = str_to_bool(word.trim_matches(['"', '\'']));
                problem(meant.map(|on| if on { "True" } else { "False" }.to_owned()))
            }
        },
        SettingType::AtLeast(least) => match parse_integer(word) {
            Some(number) if number >= least => None,
            _ => problem(None),
        },
        SettingType::Power(most) => match parse_integer(word) {
            Some(number) if number.is_power_of_two() && number <= most => None,
            _ => problem(None),
        },
        SettingType::Inside | SettingType::Fraction => {
            let number = real(word);
            let inside = |n: f64| if takes == SettingType::Inside { n > 0.0 && n < 1.0 } else { (0.0..=1.0).contains(&n) };
            if number.is_some_and(inside) {
                return None;
            }
            // 80 is meant as a percentage.
            let percent = number.filter(|n| *n > 1.0 && *n < 100.0).map(|n| format!("{}", n / 100.0));
            problem(percent)
        }
        SettingType::Word(words) => {
            if words.contains(&word) {
                return None;
            }
            problem(words.iter().find(|known| known.eq_ignore_ascii_case(word)).map(|known| (*known).to_owned()))
        }
        SettingType::Divisions if word == "[" => None,
        SettingType::Divisions => match parse_integer(word) {
            Some(number) if number.is_power_of_two() => None,
            _ => problem(None),
        },
        SettingType::Anything => None,
    }
}

/// `True;max_split_size_mb`: a value with the next setting after it.
fn separator(text: &str, value: &Token) -> Option<AllocConfError> {
    let written = &text[value.range.clone()];
    let (name, _) = SETTINGS.iter().find(|(name, _)| value.text.len() > name.len() && value.text.ends_with(name))?;
    let before = written.strip_suffix(name)?;
    let mark = before.trim_end_matches(|c: char| c.is_whitespace() || ";|&+/".contains(c));
    let start = value.range.start + mark.len();
    let range = start..value.range.start + before.len();
    if range.is_empty() || mark.is_empty() {
        return None;
    }
    let separator = text[range.clone()].to_owned();
    Some(AllocConfError { range, what: ErrorKind::Separator(separator), instead: Some(",".to_owned()) })
}

/// As `stoull`: the digits at the front; a minus sign wraps round to something large.
fn parse_integer(word: &str) -> Option<u64> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word.strip_prefix('+').unwrap_or(word)), |rest| (true, rest));
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: u64 = digits[..end].parse().ok()?;
    Some(if negative { number.wrapping_neg() } else { number })
}

/// As `stod`: the number at the front.
fn real(word: &str) -> Option<f64> {
    let end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'))).unwrap_or(word.len());
    (1..=end).rev().find_map(|end| word.get(..end)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::errors;

    #[test]
    fn takes_what_torch_takes() {
        for text in [
            "",
            "expandable_segments:True",
            " expandable_segments : True ,",
            "max_split_size_mb:128MB",
            "max_split_size_mb:-1",
            "garbage_collection_threshold:.8",
            "roundup_power2_divisions:[256:1,512:2,1024:4,>:8],max_split_size_mb:64",
            "backend:native",
            "backend:cudaMallocAsync",
            "per_process_memory_fraction:0",
            "large_segment_size_mb:20",
            "expandable_segments_reserve:True",
            "expandable_segments:True,expandable_segments:False",
            "pinned_num_register_threads:128",
        ] {
            assert_eq!(errors(text), [], "{text}");
        }
    }

    #[test]
    fn refuses_what_torch_refuses() {
        for text in [
            "expandable_segments:true",
            "expandable_segments:1",
            "expandable_segments:'True'",
            "'expandable_segments:True'",
            "\"expandable_segments:True\"",
            "expandable_segments:True,,max_split_size_mb:64",
            ",expandable_segments:True",
            "max_split_size_mb:19",
            "max_split_size_mb:12.5",
            "max_split_size_mb:abc",
            "max_split_size_mb:",
            "max_split_size_mb",
            "garbage_collection_threshold:1",
            "garbage_collection_threshold:80%",
            "roundup_power2_divisions:3",
            "backend:nativ",
            "pinned_num_register_threads:256",
            "per_process_memory_fraction:1.5",
            "large_segment_size_mb:1",
            "pinned_reserve_segment_size_mb:0",
            "expandable_segments:True;max_split_size_mb:128",
            "expandable_segments:True max_split_size_mb:128",
            "expandable_segments=True",
            "EXPANDABLE_SEGMENTS:True",
            "True",
            "a:b",
        ] {
            assert_eq!(errors(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_is_offered_is_taken() {
        for (text, good) in [
            ("expandable_segments:true", "expandable_segments:True"),
            ("'expandable_segments:True'", "expandable_segments:True"),
            ("expandable_segments=True", "expandable_segments:True"),
            ("expandable_segments:True;max_split_size_mb:128", "expandable_segments:True,max_split_size_mb:128"),
            ("expandable_segments:True max_split_size_mb:128", "expandable_segments:True,max_split_size_mb:128"),
            ("garbage_collection_threshold:80", "garbage_collection_threshold:0.8"),
            ("expandable_segment:True", "expandable_segments:True"),
        ] {
            let problem = errors(text).remove(0);
            let mut fixed = text.to_owned();
            fixed.replace_range(problem.range, &problem.instead.unwrap_or_default());
            assert_eq!(fixed, good);
        }
    }
}
