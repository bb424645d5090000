//! What a finding is known by from one report to the next, for those who keep such reports and show only what is new.

use std::collections::HashMap;
use vramlint_base::Finding;
use vramlint_project::Report;

/// One for each finding, in their order, all different: made of the rule, the path, the text of the line, and how many findings
/// like it come before. The number of the line does not count, so that what moves stays known.
pub(super) fn fingerprints(report: &Report) -> Vec<String> {
    let mut seen: HashMap<(String, &str, String), u32> = HashMap::new();
    let mut fingerprint = |finding: &Finding| {
        let place = report.project.to_host(finding.place);
        let file = report.project.file(place.file);
        let line = file.lines.line_of(place.range.start);
        let range = file.lines.line_start(line) as usize..file.lines.line_start(line + 1) as usize;
        let words: Vec<&str> = file.text.get(range).unwrap_or_default().split_whitespace().collect();
        let key = (file.path.clone(), finding.code, words.join(" "));
        let before = seen.entry(key.clone()).or_default();
        *before += 1;
        format!("{:016x}", fnv([&key.0, key.1, &key.2, &before.to_string()]))
    };
    report.findings.iter().map(&mut fingerprint).collect()
}

/// FNV-1a of 64 bits: the hash of the standard library may change with its next release, and these are kept.
fn fnv(parts: [&str; 4]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| step(part.bytes().fold(hash, step), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(fnv(["ab", "c", "", ""]), fnv(["a", "bc", "", ""]));
        // The published value of FNV-1a for the bytes `a`, 0, 0, 0, 0 would differ with any other constants.
        assert_eq!(fnv(["", "", "", ""]), (0..4).fold(0xcbf2_9ce4_8422_2325_u64, |hash, _| hash.wrapping_mul(0x0100_0000_01b3)));
    }
}
