//! `--gpu auto`: the GPUs of this machine instead of a name.

use crate::exit::user_error;
use anyhow::Result;
use vramlint_gpu::visible_devices::{self, CudaEnvironment};
use vramlint_gpu::{Driver, DriverError};
use vramlint_resolve::Target;

/// Replaces `auto` with the local GPUs. Other flags take precedence over the values that NVML reports.
pub(crate) fn resolve(mut target: Target) -> Result<Target> {
    if !target.gpu.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("auto")) {
        return Ok(target);
    }
    let machine = Driver::open().and_then(|driver| driver.read()).map_err(|DriverError { message }| user_error(message))?;
    let choice = visible_devices::select(&machine, &CudaEnvironment::from_process()).map_err(user_error)?;
    target.gpu = choice.name;
    target.memory = target.memory.or(choice.memory);
    target.count = target.count.or(Some(choice.count));
    Ok(target)
}
