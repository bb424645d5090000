//! DeepSpeed configurations, the programs that consume them, and what reaches the engine in other ways.

pub mod config;
pub mod consumers;
pub mod initialize;
pub mod optimizers;
pub mod trainer_arguments;
