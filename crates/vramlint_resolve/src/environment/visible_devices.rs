//! How CUDA reads `CUDA_VISIBLE_DEVICES`.
//!
//! Run against torch 2.15.0 `torch.cuda._parse_visible_devices`, which follows the driver: a word counts up to
//! the end of its leading number, reading stops at the first word without one, and a duplicate hides every GPU.

use std::collections::HashSet;

/// The devices that a list makes visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleDevices {
    /// The visible ids, in order.
    pub ids: Vec<String>,
    /// Why GPUs of the list are not visible.
    pub problem: Option<DeviceListProblem>,
}

/// What is wrong with a list of devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceListProblem {
    /// This word is not an id: it and everything after it is ignored.
    NotAnId(String),
    /// Only the leading number of this word is read: `0-3`, `0;1`.
    PartlyRead(String, String),
    /// This id is a duplicate: no GPU is visible.
    Duplicate(String),
}

/// Parses a list as the driver does.
pub fn parse(text: &str) -> VisibleDevices {
    let text = text.trim();
    if let Some(kind) = ["GPU-", "MIG-"].iter().find(|kind| text.starts_with(**kind)) {
        return by_name(text, kind);
    }
    let mut found = VisibleDevices { ids: Vec::new(), problem: None };
    let mut seen = HashSet::new();
    for (number, word) in text.split(',').enumerate() {
        let word = word.trim();
        let digits = word.strip_prefix('+').unwrap_or(word);
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if length == 0 {
            // `-1` after GPUs is the usual way to end a list; an empty end and an empty list are fine.
            let ends = word.is_empty() && text.split(',').skip(number).all(|rest| rest.trim().is_empty());
            // Between two GPUs it hides the second.
            let gpus_after = || text.split(',').skip(number + 1).any(|rest| rest.trim().parse::<u32>().is_ok());
            let ends_list = ends || hides(word) && (found.ids.is_empty() || !gpus_after());
            if !ends_list && found.problem.is_none() {
                found.problem = Some(DeviceListProblem::NotAnId(word.to_owned()));
            }
            return found;
        }
        let id = digits[..length].trim_start_matches('0');
        let id = if id.is_empty() { "0" } else { id }.to_owned();
        if !seen.insert(id.clone()) {
            return VisibleDevices { ids: Vec::new(), problem: Some(DeviceListProblem::Duplicate(id)) };
        }
        if length < digits.len() && found.problem.is_none() {
            found.problem = Some(DeviceListProblem::PartlyRead(word.to_owned(), id.clone()));
        }
        found.ids.push(id);
    }
    found
}

/// Words that hide every GPU on purpose.
fn hides(word: &str) -> bool {
    word.parse::<i64>().is_ok_and(|number| number < 0)
        || ["none", "nodevfiles", "void", "no", "null", "nil", "false", "cpu"].contains(&word.to_lowercase().as_str())
}

/// GPUs by UUID: those of one kind, up to the first of another.
fn by_name(text: &str, kind: &str) -> VisibleDevices {
    let mut ids: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for word in text.split(',').map(str::trim) {
        if !seen.insert(word) {
            return VisibleDevices { ids: Vec::new(), problem: Some(DeviceListProblem::Duplicate(word.to_owned())) };
        }
        if !word.starts_with(kind) {
            return VisibleDevices { ids, problem: (!word.is_empty()).then(|| DeviceListProblem::NotAnId(word.to_owned())) };
        }
        ids.push(word.to_owned());
    }
    VisibleDevices { ids, problem: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_torch_does() {
        // Every answer is that of torch 2.15.0.
        for (text, ids) in [
            ("0,1", "0 1"),
            ("0,,1", "0"),
            (",0", ""),
            ("0,1,", "0 1"),
            ("0-3", "0"),
            ("0;1", "0"),
            ("0,a,1", "0"),
            ("0,-1,1", "0"),
            ("0,0", ""),
            ("cuda:0", ""),
            ("[0,1]", ""),
            ("'0,1'", ""),
            ("none", ""),
            ("", ""),
            (" 0, 1 ", "0 1"),
            ("+1", "1"),
            ("00,1", "0 1"),
            ("0 1", "0"),
            ("GPU-1,GPU-2", "GPU-1 GPU-2"),
            ("GPU-1,0", "GPU-1"),
            ("0,GPU-1", "0"),
            ("0,1;2,3", "0 1 3"),
        ] {
            assert_eq!(parse(text).ids.join(" "), ids, "{text}");
        }
    }

    #[test]
    fn what_is_meant_is_no_trouble() {
        for text in ["", "-1", "0,1,-1", "none", "NoDevFiles", "0,1,", "0"] {
            assert_eq!(parse(text).problem, None, "{text}");
        }
        assert_eq!(parse("0-3").problem, Some(DeviceListProblem::PartlyRead("0-3".into(), "0".into())));
        assert_eq!(parse("cuda:0").problem, Some(DeviceListProblem::NotAnId("cuda:0".into())));
        assert_eq!(parse("0,,1").problem, Some(DeviceListProblem::NotAnId(String::new())));
    }
}
