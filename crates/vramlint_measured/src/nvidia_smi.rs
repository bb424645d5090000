//! Logs of `nvidia-smi`: its table, `--format=csv` and `dmon`.

use crate::{Measured, Source};
use regex::Regex;
use std::sync::LazyLock;

const MIB: u64 = 1 << 20;

/// `|  0   N/A  N/A   4242   C   python   11234MiB |`
static PROCESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\|\s+\d+\s.*\s[CG+]{1,3}\s+\S.*?(\d+)MiB\s*\|").expect("a legal pattern"));
/// `|  11534MiB / 24564MiB |`
static GPU: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\d+)MiB\s*/\s*\d+MiB").expect("a legal pattern"));
/// A heading of `--format=csv` that names used memory.
static USED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:used_(?:gpu_)?memory|memory\.used)\s*(?:\[MiB\])?$").expect("a legal pattern"));

/// The highest memory of a process; of a GPU where no process is listed.
pub(crate) fn read(text: &str) -> Option<Measured> {
    let highest = |pattern: &Regex| pattern.captures_iter(text).filter_map(|found| found[1].parse::<u64>().ok()).max();
    let mib = highest(&PROCESS).or_else(|| highest(&GPU)).or_else(|| csv(text)).or_else(|| dmon(text))?;
    Some(Measured { process: mib.checked_mul(MIB), ..Measured::none(Source::NvidiaSmi) })
}

/// The column of used memory in MiB; units are printed or not.
fn csv(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let column = lines.by_ref().find_map(|line| line.split(',').position(|heading| USED.is_match(heading.trim())))?;
    lines.filter_map(|line| line.split(',').nth(column)?.trim().trim_end_matches("MiB").trim().parse().ok()).max()
}

/// `# gpu … fb …`: the column `fb` in MiB.
fn dmon(text: &str) -> Option<u64> {
    let heading = text.lines().find(|line| line.starts_with("# gpu") && line.split_whitespace().any(|word| word == "fb"))?;
    // The heading has its mark as a word of its own.
    let column = heading.split_whitespace().skip(1).position(|word| word == "fb")?;
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split_whitespace().nth(column)?.parse().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mib(text: &str) -> Option<u64> {
        read(text).and_then(|found| found.process).map(|bytes| bytes / MIB)
    }

    #[test]
    fn all_forms_give_the_highest_memory() {
        let table = "|   0  NVIDIA A100  On | 00000000:00:04.0 Off |  0 |\n| N/A   40C    P0  70W / 400W |  40536MiB / 81920MiB |  98%  Default |\n";
        assert_eq!(mib(table), Some(40_536));
        let process = "|    0   N/A  N/A      4242      C   /usr/bin/python3                 39998MiB |\n|    0   N/A  N/A   99   G   Xorg  12MiB |\n";
        assert_eq!(mib(&format!("{table}{process}")), Some(39_998));
        assert_eq!(mib("timestamp, index, memory.used [MiB]\n2026/01/01, 0, 100 MiB\n2026/01/01, 0, 20300 MiB\n"), Some(20_300));
        assert_eq!(mib("pid, used_gpu_memory [MiB]\n17, 512\n17, 8192\n"), Some(8192));
        assert_eq!(mib("# gpu   pwr  fb  bar1\n# Idx    W    MB  MB\n    0    70  11111  5\n"), Some(11_111));
        assert_eq!(mib("loss 1.0, memory 12"), None);
    }
}
