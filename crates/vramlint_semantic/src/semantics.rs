//! The views of one project, each made when it is first asked for.

use crate::accelerate::{self, AccelerateLaunch};
use crate::deepspeed::config::{self, DeepSpeedConfig};
use crate::frameworks::{self, FrameworkConfig};
use crate::trainers::{self, Trainer};
use std::sync::OnceLock;
use vramlint_resolve::Project;

/// The shared views of a project. They borrow from it; each is made once.
#[derive(Debug)]
pub struct Semantics<'a> {
    project: &'a Project,
    accelerate_launches: OnceLock<Vec<AccelerateLaunch<'a>>>,
    deepspeed_configs: OnceLock<Vec<DeepSpeedConfig<'a>>>,
    framework_configs: OnceLock<Vec<FrameworkConfig<'a>>>,
    trainers: OnceLock<Vec<Trainer<'a>>>,
}

impl<'a> Semantics<'a> {
    /// The views of a project; nothing is computed yet.
    pub const fn new(project: &'a Project) -> Self {
        Self {
            project,
            accelerate_launches: OnceLock::new(),
            deepspeed_configs: OnceLock::new(),
            framework_configs: OnceLock::new(),
            trainers: OnceLock::new(),
        }
    }

    /// The project.
    pub const fn project(&self) -> &'a Project {
        self.project
    }

    /// Every use of `accelerate launch`: its commands, then the files that no command uses.
    pub fn accelerate_launches(&self) -> &[AccelerateLaunch<'a>] {
        self.accelerate_launches.get_or_init(|| accelerate::accelerate_launches(self.project))
    }

    /// Every DeepSpeed configuration that can be read, in files and in code.
    pub fn deepspeed_configs(&self) -> &[DeepSpeedConfig<'a>] {
        self.deepspeed_configs.get_or_init(|| config::deepspeed_configs(self.project))
    }

    /// Every training that a framework reads from one file or one command line.
    pub fn framework_configs(&self) -> &[FrameworkConfig<'a>] {
        self.framework_configs.get_or_init(|| frameworks::framework_configs(self.project))
    }

    /// Every call of a trainer of transformers or TRL.
    pub fn trainers(&self) -> &[Trainer<'a>] {
        self.trainers.get_or_init(|| trainers::trainers(self.project))
    }
}
