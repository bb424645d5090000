//! The optimizers and schedules that a DeepSpeed file may name, and what each takes.
//!
//! Facts: signatures of deepspeed 0.19.8 (`ops/adam`, `ops/adagrad`, `ops/lamb`, `ops/lion`, `runtime/lr_schedules.py`) and torch 2.15
//! (`torch.optim`), printed by Python; names as `runtime/engine.py:2018` and `:1929` look them up.

/// Names that DeepSpeed knows itself, in any case of the letters (runtime/config.py:63).
const OWN: &[&str] = &["adagrad", "adam", "adamw", "lamb", "muadam", "muadamw", "musgd", "lion", "muon"];

/// Names that were known up to 0.19.6.
const ONE_BIT: &[&str] = &["onebitadam", "onebitlamb", "zerooneadam"];

/// The classes of `torch.optim`, whose names must be written exactly, with what they take next to the parameters.
const TORCH: &[(&str, &[&str])] = &[
    ("ASGD", &["lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable", "capturable"]),
    ("Adadelta", &["lr", "rho", "eps", "weight_decay", "foreach", "capturable", "maximize", "differentiable"]),
    ("Adafactor", &["lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize"]),
    ("Adamax", &["lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable"]),
    (
        "LBFGS",
        &["lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn", "maximize"],
    ),
    (
        "NAdam",
        &[
            "lr",
            "betas",
            "eps",
            "weight_decay",
            "momentum_decay",
            "decoupled_weight_decay",
            "foreach",
            "maximize",
            "capturable",
            "differentiable",
        ],
    ),
    (
        "RAdam",
        &["lr", "betas", "eps", "weight_decay", "decoupled_weight_decay", "foreach", "maximize", "capturable", "differentiable"],
    ),
    (
        "RMSprop",
        &["lr", "alpha", "eps", "weight_decay", "momentum", "centered", "capturable", "foreach", "maximize", "differentiable"],
    ),
    ("Rprop", &["lr", "etas", "step_sizes", "capturable", "foreach", "maximize", "differentiable"]),
    ("SGD", &["lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach", "differentiable", "fused"]),
    ("SparseAdam", &["lr", "betas", "eps", "maximize"]),
];

/// What torch's Adam and AdamW take.
const TORCH_ADAM: &[&str] = &[
    "lr",
    "betas",
    "eps",
    "weight_decay",
    "amsgrad",
    "foreach",
    "maximize",
    "capturable",
    "differentiable",
    "fused",
    "decoupled_weight_decay",
];

/// What DeepSpeed takes out of the parameters of Adam before it makes one (runtime/engine.py:2376).
const TAKEN_OUT: &[&str] = &["torch_adam", "adam_w_mode", "fp32_optimizer_states"];

/// An optimizer by its name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// One of DeepSpeed's own, by its name in small letters.
    Own(&'static str),
    /// A class of `torch.optim`.
    Torch(&'static str),
    /// Known up to 0.19.6.
    OneBit,
    /// Not known.
    Unknown,
}

/// The optimizer with this name.
pub fn optimizer(name: &str) -> Optimizer {
    let lower = name.to_ascii_lowercase();
    if let Some(own) = OWN.iter().find(|own| **own == lower) {
        return Optimizer::Own(own);
    }
    if ONE_BIT.contains(&lower.as_str()) {
        return Optimizer::OneBit;
    }
    TORCH.iter().find(|(class, _)| *class == name).map_or(Optimizer::Unknown, |(class, _)| Optimizer::Torch(class))
}

/// The name that was probably meant by an unknown one.
pub fn nearest_name(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let torch = TORCH.iter().find(|(class, _)| class.eq_ignore_ascii_case(&lower)).map(|(class, _)| *class);
    torch.unwrap_or_else(|| {
        let families =
            [("lion", "Lion"), ("adagrad", "Adagrad"), ("lamb", "Lamb"), ("muon", "Muon"), ("adamw", "AdamW"), ("sgd", "SGD")];
        families.into_iter().find(|(part, _)| lower.contains(part)).map_or("AdamW", |(_, name)| name)
    })
}

/// Whether ZeRO takes the optimizer without `zero_allow_untested_optimizer` (runtime/zero/utils.py:45).
pub fn is_tested(optimizer: Optimizer) -> Option<bool> {
    match optimizer {
        Optimizer::Own(name) => Some(matches!(name, "adam" | "adamw" | "adagrad" | "lion" | "muon")),
        Optimizer::Torch(_) => Some(false),
        Optimizer::OneBit | Optimizer::Unknown => None,
    }
}

/// What an optimizer takes by keyword, in any of its forms (on the GPU, on the CPU, torch's); `None` where anything goes.
pub fn takes(optimizer: Optimizer, torch_adam: bool) -> Option<Vec<&'static str>> {
    let lists: &[&[&str]] = match optimizer {
        Optimizer::Own("adam" | "adamw") if torch_adam => &[TORCH_ADAM, TAKEN_OUT],
        Optimizer::Own("adam" | "adamw") => {
            &[&["lr", "bias_correction", "betas", "eps", "weight_decay", "amsgrad", "set_grad_none"], TAKEN_OUT]
        }
        Optimizer::Own("adagrad") => &[&[
            "lr",
            "lr_decay",
            "weight_decay",
            "initial_accumulator_value",
            "eps",
            "foreach",
            "maximize",
            "differentiable",
            "fused",
            "amsgrad",
            "fp32_optimizer_states",
        ]],
        Optimizer::Own("lamb") => {
            &[&["lr", "bias_correction", "betas", "eps", "eps_inside_sqrt", "weight_decay", "max_coeff", "min_coeff", "amsgrad"]]
        }
        Optimizer::Own("lion") => &[&["lr", "betas", "weight_decay", "set_grad_none", "fp32_optimizer_states"]],
        Optimizer::Torch(name) => return TORCH.iter().find(|(class, _)| *class == name).map(|(_, takes)| takes.to_vec()),
        _ => return None,
    };
    Some(lists.concat())
}

/// DeepSpeed's own schedules with what they take; names must be written exactly.
const SCHEDULES: &[(&str, &[&str])] = &[
    (
        "LRRangeTest",
        &[
            "lr_range_test_min_lr",
            "lr_range_test_step_size",
            "lr_range_test_step_rate",
            "lr_range_test_staircase",
            "last_batch_iteration",
        ],
    ),
    (
        "OneCycle",
        &[
            "cycle_min_lr",
            "cycle_max_lr",
            "decay_lr_rate",
            "cycle_first_step_size",
            "cycle_second_step_size",
            "cycle_first_stair_count",
            "cycle_second_stair_count",
            "decay_step_size",
            "cycle_momentum",
            "cycle_min_mom",
            "cycle_max_mom",
            "decay_mom_rate",
            "last_batch_iteration",
        ],
    ),
    ("WarmupLR", &["warmup_min_lr", "warmup_max_lr", "warmup_num_steps", "warmup_type", "last_batch_iteration"]),
    (
        "WarmupDecayLR",
        &["total_num_steps", "warmup_min_lr", "warmup_max_lr", "warmup_num_steps", "warmup_type", "last_batch_iteration"],
    ),
    (
        "WarmupCosineLR",
        &["total_num_steps", "warmup_min_ratio", "warmup_num_steps", "cos_min_ratio", "warmup_type", "last_batch_iteration"],
    ),
];

/// Schedules of torch 2.15, whose names DeepSpeed takes exactly, too.
const TORCH_SCHEDULES: &[&str] = &[
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "_LRScheduler",
];

/// A schedule by its name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// DeepSpeed's, with what it takes.
    Own(&'static str, &'static [&'static str]),
    /// torch's.
    Torch,
    /// Not known.
    Unknown,
}

/// The schedule with this name.
pub fn schedule(name: &str) -> Schedule {
    if let Some((own, takes)) = SCHEDULES.iter().find(|(own, _)| *own == name) {
        return Schedule::Own(own, takes);
    }
    if TORCH_SCHEDULES.contains(&name) { Schedule::Torch } else { Schedule::Unknown }
}

/// What a schedule cannot be made without.
pub fn required(schedule: &str) -> &'static [&'static str] {
    match schedule {
        "WarmupDecayLR" | "WarmupCosineLR" => &["total_num_steps"],
        "OneCycle" => &["cycle_min_lr", "cycle_max_lr"],
        _ => &[],
    }
}

/// The schedule that was probably meant by an unknown name.
pub fn meant_schedule(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let same = SCHEDULES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(own, _)| *own);
    same.unwrap_or(if lower.contains("cos") {
        "WarmupCosineLR"
    } else if lower.contains("decay") || lower.contains("linear") {
        "WarmupDecayLR"
    } else if lower.contains("cycle") {
        "OneCycle"
    } else {
        "WarmupLR"
    })
}
