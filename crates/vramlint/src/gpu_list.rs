//! Lists of GPUs on the command line, and their prices.

use crate::exit::user_error;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;
use vramlint_base::message;
use vramlint_catalog::gpus::{self, Gpu};
use vramlint_estimate::Machine;
use vramlint_project::config::Size;
use vramlint_project::{MAX_READ, read_file};

/// Sizes that most GPUs for training have, for a list that names none: GiB and GPUs.
const USUAL: [(u64, u64); 3] = [(24, 1), (80, 1), (80, 8)];

/// The machines of `RTX-4090,8xA100-80GB,2x24GiB`; `all` is every GPU of the catalogue; an empty list has the usual sizes.
pub(crate) fn machines(list: &[String]) -> Result<Vec<Machine>> {
    let names: Vec<&str> = list.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Ok(USUAL.map(|(gib, gpus)| Machine::of_memory(gib << 30, gpus)).to_vec());
    }
    let mut machines = Vec::new();
    for name in names {
        if name.eq_ignore_ascii_case("all") {
            let mut all: Vec<&'static Gpu> = gpus::all().iter().collect();
            all.sort_by_key(|gpu| gpu.memory_mib);
            machines.extend(all.into_iter().map(|gpu| Machine::of_gpu(gpu, 1)));
        } else {
            let (count, name) = counted(name);
            machines.push(machine(name, count)?);
        }
    }
    Ok(machines)
}

/// `8x80GiB` is 8 of `80GiB`. A name that begins with a number, such as `4090`, has no `x` after it.
fn counted(name: &str) -> (u64, &str) {
    let parts = name.split_once(['x', 'X', '×', '*']);
    let count = parts.and_then(|(count, rest)| Some((count.trim().parse().ok()?, rest.trim())));
    count.filter(|(count, _)| (1..=4096).contains(count)).unwrap_or((1, name))
}

fn machine(name: &str, count: u64) -> Result<Machine> {
    if let Ok(size) = Size::parse(name) {
        return Ok(Machine::of_memory(size.0, count));
    }
    gpu(name).map(|gpu| Machine::of_gpu(gpu, count))
}

fn gpu(name: &str) -> Result<&'static Gpu> {
    gpus::find(name).ok_or_else(|| match gpus::nearest(name) {
        Some(near) => user_error(message!(
            "unknown GPU `{name}`; did you mean `{near}`? Any other GPU can be given by its memory, as in 24GiB",
            "未知的 GPU `{name}`；是否想写 `{near}`？其他 GPU 可用显存大小表示，例如 24GiB"
        )),
        None => user_error(message!(
            "unknown GPU `{name}`; give its memory instead, as in 24GiB",
            "未知的 GPU `{name}`；请改写显存大小，例如 24GiB"
        )),
    })
}

/// The prices in a TOML file: `"RTX-4090" = 0.35`, per GPU and hour, in any currency.
pub(crate) fn prices(file: &Path) -> Result<Vec<(&'static Gpu, f64)>> {
    let shown = file.display().to_string();
    let bytes = read_file(file, MAX_READ)
        .map_err(|error| user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}")))?;
    let table: BTreeMap<String, f64> = toml::from_slice(&bytes).map_err(|error| {
        let error = error.message().to_owned();
        user_error(message!(
            "{shown} is not a TOML table of prices such as `\"RTX-4090\" = 0.35`: {error}",
            "{shown} 不是价格的 TOML 表（例如 `\"RTX-4090\" = 0.35`）：{error}"
        ))
    })?;
    let mut prices = Vec::new();
    for (name, price) in table {
        if !price.is_finite() || price < 0.0 {
            return Err(user_error(message!("{shown}: `{name}` has no valid price", "{shown}：`{name}` 的价格无效")));
        }
        prices.push((gpu(&name)?, price));
    }
    Ok(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &str) -> Vec<(String, u64, u64)> {
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        let machines = machines(&names).expect("known");
        let name = |machine: &Machine| machine.gpu.map_or_else(String::new, |gpu| gpu.name.to_owned());
        machines.iter().map(|machine| (name(machine), machine.bytes >> 30, machine.gpus)).collect()
    }

    #[test]
    fn machines_are_counted_names_or_sizes() {
        assert_eq!(
            list("4090, 8xA100-80GB,2 × 24GiB"),
            [("GeForce RTX 4090".to_owned(), 23, 1), ("A100 80GB SXM".to_owned(), 80, 8), (String::new(), 24, 2),]
        );
        assert_eq!(list(""), [(String::new(), 24, 1), (String::new(), 80, 1), (String::new(), 80, 8)]);
        assert_eq!(list("all").len(), gpus::all().len());
        assert!(machines(&["RTX 9999".to_owned()]).is_err());
    }
}
