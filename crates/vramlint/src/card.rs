//! `--gpu auto`: the cards of this machine instead of a name.

use crate::exit::fault;
use anyhow::Result;
use vramlint_gpu::visible::{self, Environment};
use vramlint_gpu::{Driver, NoDriver};
use vramlint_resolve::Target;

/// Puts the cards at hand in the place of `auto`; what else the command line says of them goes before what NVML says.
pub(crate) fn at_hand(mut target: Target) -> Result<Target> {
    if !target.gpu.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("auto")) {
        return Ok(target);
    }
    let machine = Driver::open().and_then(|driver| driver.read()).map_err(|NoDriver { message }| fault(message))?;
    let choice = visible::choose(&machine, &Environment::here()).map_err(fault)?;
    target.gpu = choice.name;
    target.memory = target.memory.or(choice.memory);
    target.count = target.count.or(Some(choice.count));
    Ok(target)
}
