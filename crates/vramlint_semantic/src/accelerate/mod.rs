//! What `accelerate launch` makes of its file and its flags, for the rules about both.

mod counts;
pub mod deepspeed_json;
mod distributed_type;
mod launch;
mod loose_launches;
mod value;

pub use distributed_type::{DistributedType, LaunchMethod, is_sagemaker};
pub use launch::{AccelerateLaunch, accelerate_launches};
pub use value::LaunchValue;
