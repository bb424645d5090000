//! Flags of the launchers: which take a value, and what they mean.

use crate::launchers::python;

pub use crate::flag::{Arity, Flag};
pub use crate::launchers::{HostSlots, Launcher, resource_filter};

/// The flags that the launcher itself knows. A framework passes on more: options of its own are the keys of its dialect.
pub fn flags(launcher: Launcher) -> &'static [Flag] {
    launcher.spec().flags
}

/// The flag of `launcher` with this spelling (without `=value`); unambiguous abbreviations count where the launcher's parser
/// allows them.
pub fn flag(launcher: Launcher, spelling: &str) -> Option<&'static Flag> {
    if !spelling.starts_with('-') {
        return None;
    }
    let spec = launcher.spec();
    exact(spec.flags, spelling)
        .or_else(|| if spec.abbreviates { abbreviated(spec.flags, spelling) } else { None })
        .or_else(|| spec.hands_on.iter().find_map(|flags| exact(flags, spelling)))
        .or_else(|| if launcher == Launcher::Python { python::cluster(spelling) } else { None })
}

fn exact(flags: &'static [Flag], spelling: &str) -> Option<&'static Flag> {
    flags.iter().find(|flag| flag.names.contains(&spelling))
}

/// The only flag with a long name that starts so. Two spellings of one flag are no ambiguity (as in Python from 3.12.7 on;
/// earlier ones refuse `--nproc`, and accept `--nproc_per`).
fn abbreviated(flags: &'static [Flag], spelling: &str) -> Option<&'static Flag> {
    if !spelling.starts_with("--") || spelling.len() < 3 {
        return None;
    }
    let mut found = flags.iter().filter(|flag| flag.names.iter().any(|name| name.starts_with(spelling)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Concept;
    use std::collections::BTreeSet;

    fn arity(launcher: Launcher, spelling: &str) -> Option<Arity> {
        flag(launcher, spelling).map(|flag| flag.arity)
    }

    fn concept(launcher: Launcher, spelling: &str) -> Option<Concept> {
        flag(launcher, spelling).and_then(|flag| flag.concept)
    }

    #[test]
    fn tables_have_no_duplicates() {
        for launcher in Launcher::ALL.iter().copied() {
            let mut seen = BTreeSet::new();
            for flag in flags(launcher) {
                assert!(!flag.names.is_empty());
                assert!(flag.implied.is_none() || flag.concept.is_some() && flag.arity == Arity::Switch);
                for name in flag.names {
                    assert!(name.starts_with('-') && !name.contains('='), "{name}");
                    assert!(seen.insert(*name), "{launcher:?} {name} twice");
                }
            }
        }
    }

    #[test]
    fn accelerate_takes_dashes_for_underscores_and_no_abbreviations() {
        use Launcher::Accelerate;
        for name in ["--num_processes", "--num-processes"] {
            assert_eq!((arity(Accelerate, name), concept(Accelerate, name)), (Some(Arity::One), Some(Concept::NumProcesses)));
        }
        assert_eq!(arity(Accelerate, "--num_proc"), None);
        assert_eq!(arity(Accelerate, "-n"), None);
        assert_eq!(arity(Accelerate, "--config-file"), Some(Arity::One));
        assert_eq!(arity(Accelerate, "-m"), Some(Arity::Switch));
        assert_eq!(arity(Accelerate, "--debug"), Some(Arity::Switch));
        assert_eq!(arity(Accelerate, "--fsdp_offload_params"), Some(Arity::One));
        assert_eq!(arity(Accelerate, "--no-tpu-cluster"), Some(Arity::Switch));
        let switch = flag(Accelerate, "--multi-gpu").expect("known");
        assert_eq!((switch.concept, switch.implied), (Some(Concept::DistributedType), Some("MULTI_GPU")));
        assert_eq!(flags(Accelerate).len(), 124 + 6, "those of 1.15 and six that are gone");
    }

    #[test]
    fn torchrun_takes_both_spellings_and_abbreviations() {
        use Launcher::Torchrun;
        for name in ["--nproc_per_node", "--nproc-per-node", "--nproc_per", "--nproc"] {
            let found = flag(Torchrun, name).expect("known");
            assert_eq!(
                (found.concept, found.per_machine, found.arity),
                (Some(Concept::NumProcesses), true, Arity::One),
                "{name}"
            );
        }
        assert_eq!(concept(Torchrun, "--nnodes"), Some(Concept::NumMachines));
        assert_eq!(arity(Torchrun, "--standalone"), Some(Arity::Switch));
        assert_eq!(arity(Torchrun, "--n"), None, "several start so");
        assert_eq!(arity(Torchrun, "--rdzv_"), None);
        assert_eq!(arity(Torchrun, "--node_rank"), Some(Arity::One));
        assert_eq!(arity(Torchrun, "-m"), Some(Arity::Switch));
        assert_eq!(arity(Torchrun, "--use_env"), Some(Arity::Switch));
        assert_eq!(arity(Torchrun, "--"), None);
        assert_eq!(concept(Launcher::Tune, "--nproc_per_node"), Some(Concept::NumProcesses));
    }

    #[test]
    fn deepspeed_takes_underscores_only() {
        use Launcher::DeepSpeed;
        let gpus = flag(DeepSpeed, "--num_gpus").expect("known");
        assert_eq!((gpus.concept, gpus.per_machine), (Some(Concept::NumProcesses), true));
        assert_eq!(arity(DeepSpeed, "--num-gpus"), None);
        assert_eq!(arity(DeepSpeed, "--num_g"), Some(Arity::One));
        assert_eq!(arity(DeepSpeed, "--num"), None);
        for (name, expected) in [
            ("-i", Arity::One),
            ("--include", Arity::One),
            ("-e", Arity::One),
            ("-H", Arity::One),
            ("--hostfile", Arity::One),
            ("--module", Arity::Switch),
            ("--no_python", Arity::Switch),
            ("--bind_core_list", Arity::One),
        ] {
            assert_eq!(arity(DeepSpeed, name), Some(expected), "{name}");
        }
        assert_eq!(arity(DeepSpeed, "-m"), None);
    }

    #[test]
    fn python_flags_cluster() {
        use Launcher::Python;
        for (name, expected) in [
            ("-u", Some(Arity::Switch)),
            ("-OO", Some(Arity::Switch)),
            ("-uB", Some(Arity::Switch)),
            ("-m", Some(Arity::One)),
            ("-um", Some(Arity::One)),
            ("-c", Some(Arity::One)),
            ("-X", Some(Arity::One)),
            ("-Xdev", Some(Arity::Switch)),
            ("-Wignore", Some(Arity::Switch)),
            ("-mtorch.distributed.run", Some(Arity::Switch)),
            ("--check-hash-based-pycs", Some(Arity::One)),
            ("-z", None),
            ("--num_processes", None),
            ("-", None),
        ] {
            assert_eq!(arity(Python, name), expected, "{name}");
        }
    }

    #[test]
    fn frameworks_pass_on_to_their_launchers() {
        assert_eq!(concept(Launcher::Trl, "--num_processes"), Some(Concept::NumProcesses));
        assert_eq!(arity(Launcher::Trl, "--accelerate_config"), Some(Arity::One));
        assert_eq!(arity(Launcher::Trl, "--config"), Some(Arity::One));
        assert_eq!(arity(Launcher::Trl, "--bf16"), Some(Arity::Many));
        assert_eq!(concept(Launcher::Axolotl, "--num-processes"), Some(Concept::NumProcesses));
        assert_eq!(arity(Launcher::Axolotl, "--launcher"), Some(Arity::One));
        assert_eq!(concept(Launcher::Axolotl, "--nproc_per_node"), Some(Concept::NumProcesses));
        assert_eq!(arity(Launcher::Swift, "--gradient_checkpointing"), Some(Arity::Many));
        assert_eq!(arity(Launcher::Swift, "--dataset"), Some(Arity::Many));
        assert_eq!(arity(Launcher::LlamaFactory, "--do_train"), Some(Arity::Many));
        for launcher in Launcher::ALL.iter().copied() {
            assert!(flag(launcher, "train.py").is_none() && flag(launcher, "").is_none());
        }
    }
}
