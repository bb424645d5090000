//! Fingerprints: identify a finding across reports, so that services show only new ones.

use std::collections::HashMap;
use vramlint_base::Finding;
use vramlint_project::Report;

/// One unique fingerprint per finding, in order: a hash of the rule, the path, the text of the line, and the number of equal
/// findings before it. The line number is not part of it, so a finding that moves keeps its fingerprint.
pub(super) fn fingerprints(report: &Report) -> Vec<String> {
    let mut seen: HashMap<(String, &str, String), u32> = HashMap::new();
    let mut fingerprint = |finding: &Finding| {
        let place = report.project.to_host(finding.place);
        let file = report.project.file(place.file);
        let line = file.lines().line_of(place.range.start);
        let range = file.lines().line_start(line) as usize..file.lines().line_start(line + 1) as usize;
        let words: Vec<&str> = file.text.get(range).unwrap_or_default().split_whitespace().collect();
        let key = (file.path.clone(), finding.code, words.join(" "));
        let before = seen.entry(key.clone()).or_default();
        *before += 1;
        format!("{:016x}", fnv([&key.0, key.1, &key.2, &before.to_string()]))
    };
    report.findings.iter().map(&mut fingerprint).collect()
}

/// 64-bit FNV-1a. Services store the fingerprints, and the hash of the standard library may change between releases.
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
        // Four separator bytes only: checks the published constants of FNV-1a.
        assert_eq!(fnv(["", "", "", ""]), (0..4).fold(0xcbf2_9ce4_8422_2325_u64, |hash, _| hash.wrapping_mul(0x0100_0000_01b3)));
    }
}
