//! The output of a training: what it prints of its own memory.

use crate::{Measured, Source, logged_keys};
use regex::Regex;
use std::sync::LazyLock;

const GIB: f64 = 1_073_741_824.0;

/// What a message prints, and of which kind it is. The number and its unit are groups.
struct Printed {
    pattern: Regex,
    is_reserved: bool,
}

fn printed(pattern: &str, is_reserved: bool) -> Printed {
    Printed { pattern: Regex::new(pattern).expect("a legal pattern"), is_reserved }
}

/// | message | source |
/// | --- | --- |
/// | `Max_MA 11.76 GB`, `Max_CA 12 GB` | DeepSpeed `see_memory_usage`, in GiB |
/// | `max_memory_allocated: 12.3 GiB` | scripts that print torch's own names |
/// | `Peak reserved memory = 5.1 GB` | Unsloth's notebooks, in GiB |
/// | `peak_memory_alloc:12.3` | torchtune |
/// | `'memory(GiB)': 12.3` | ms-swift |
/// | `memory/max_allocated (GiB)': 12.3` | Axolotl |
static PRINTED: LazyLock<Vec<Printed>> = LazyLock::new(|| {
    vec![
        printed(r"Max_MA (?P<value>[\d.]+) (?P<unit>GB)", false),
        printed(r"Max_CA (?P<value>[\d.]+) (?P<unit>GB)", true),
        printed(r"max_memory_allocated\W{1,6}(?P<value>\d+(?:\.\d+)?) ?(?P<unit>GiB|GB|MiB|MB|bytes)?", false),
        printed(r"max_memory_reserved\W{1,6}(?P<value>\d+(?:\.\d+)?) ?(?P<unit>GiB|GB|MiB|MB|bytes)?", true),
        printed(r"Peak reserved memory = (?P<value>[\d.]+) (?P<unit>GB)", true),
        printed(r"peak_memory_alloc:(?P<value>[\d.]+)(?P<unit>)", false),
        printed(r"peak_memory_reserved:(?P<value>[\d.]+)(?P<unit>)", true),
        printed(r"'memory\(GiB\)': '?(?P<value>[\d.]+)(?P<unit>)", true),
        printed(r"memory/(?:max_allocated \(GiB\)|max_mem_allocated\(gib\))['\x22]?: '?(?P<value>[\d.]+)(?P<unit>)", false),
        printed(r"memory/(?:device_reserved \(GiB\)|device_mem_reserved\(gib\))['\x22]?: '?(?P<value>[\d.]+)(?P<unit>)", true),
    ]
});

pub(crate) fn read(text: &str) -> Measured {
    let mut found = Measured::none(Source::Log);
    for line in text.lines() {
        if !line.contains("emory") && !line.contains("Max_") {
            continue;
        }
        for printed in PRINTED.iter() {
            for message in printed.pattern.captures_iter(line) {
                let Ok(value) = message["value"].trim_end_matches('.').parse::<f64>() else { continue };
                let unit = match message.name("unit").map(|unit| unit.as_str()) {
                    // torch itself counts bytes; a number without a unit that is too small for bytes is in GiB.
                    Some("bytes") => 1.0,
                    Some("MiB" | "MB") => GIB / 1024.0,
                    None if value > 1e6 => 1.0,
                    _ => GIB,
                };
                let bytes = logged_keys::bytes(value, unit);
                if printed.is_reserved {
                    found.reserved = found.reserved.max(bytes);
                } else {
                    found.tensors = found.tensors.max(bytes);
                }
            }
        }
    }
    found
}
