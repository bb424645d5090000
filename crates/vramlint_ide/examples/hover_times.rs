//! How long a hover takes, over every third byte of a folder: `cargo run --release -p vramlint_ide --example hover_times -- FOLDER`.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use vramlint_base::{Lang, TextRange};
use vramlint_ide::{hints, hover, lenses};
use vramlint_project::{Request, check};

fn main() {
    for folder in std::env::args().skip(1) {
        let request = Request { cwd: PathBuf::from(&folder), ..Request::default() };
        let report = match check(&request, &|_, _| {}) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("{folder}: {error}");
                continue;
            }
        };
        let (mut silent, mut said, mut beside) = (Vec::new(), Vec::new(), Vec::new());
        for file in report.project.files.iter().filter(|file| file.reported && file.host.is_none()) {
            for offset in (0..=file.text.len() as u32).step_by(3) {
                let start = Instant::now();
                let found = hover(&report, file.id, offset, Lang::En);
                let times = if found.is_some() { &mut said } else { &mut silent };
                times.push(start.elapsed());
            }
            let start = Instant::now();
            let _ = hints(&report, file.id, TextRange::new(0, file.text.len() as u32), Lang::En);
            let _ = lenses(&report, file.id, Lang::En);
            beside.push(start.elapsed());
        }
        println!("{folder}");
        for (name, times) in
            [("hover with an answer", &mut said), ("hover without", &mut silent), ("hints and lenses", &mut beside)]
        {
            times.sort_unstable();
            let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied();
            let at = |share| at(share).unwrap_or(Duration::ZERO);
            println!("  {name}: {} times, p50 {:?}, p95 {:?}, most {:?}", times.len(), at(50), at(95), at(100));
        }
    }
}
