use super::*;
use std::collections::BTreeSet;

fn number(text: &str) -> bool {
    text.split('.').all(|part| part.trim_start_matches("post").bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn tables_are_whole() {
    let mut names = BTreeSet::new();
    for table in tables() {
        assert!(number(&table.first) && number(&table.last), "{}", table.library);
        for class in &table.classes {
            for name in std::iter::once(&class.name).chain(&class.names) {
                assert!(names.insert(name.as_str()), "{name} twice");
            }
            assert!(!class.fields.is_empty(), "{}", class.name);
            assert!(class.base.as_deref().is_none_or(|base| find(base).is_some()), "{}", class.name);
            let mut seen = BTreeSet::new();
            for field in &class.fields {
                let at = format!("{}: {}", class.name, field.name);
                assert!(seen.insert(field.name.as_str()), "{at} twice");
                assert!(field.source.starts_with(&format!("{} ", field.library)), "{at}: {}", field.source);
                for version in [&field.since, &field.until, &field.deprecated].into_iter().flatten() {
                    assert!(number(version), "{at}: {version}");
                }
                assert!(!field.is_closed() || !field.values.is_empty(), "{at}");
                assert!(field.bounds_by.is_none() || field.is_bounded(), "{at}");
                let other = field.values_of.as_deref().and_then(|path| path.rsplit_once('.'));
                assert!(other.is_none_or(|(class, name)| find(class).is_some_and(|class| class.field(name).is_some())), "{at}");
                assert!(!field.is_bounded() || !matches!(field.kind, KeyType::Text | KeyType::List | KeyType::Map), "{at}");
                assert_ne!(field.instead.as_ref(), Some(&field.name), "{at}");
            }
        }
    }
}

#[test]
fn every_way_of_importing_leads_to_the_class() {
    for path in ["transformers.TrainingArguments", "transformers.training_args.TrainingArguments"] {
        assert_eq!(find(path).map(|class| class.name.as_str()), Some("transformers.TrainingArguments"));
    }
    assert!(find("transformers.AutoModelForCausalLM.from_pretrained").is_some_and(|class| class.field("device_map").is_some()));
    for path in ["transformers", "transformers.Nothing", "", "numpy.array"] {
        assert!(find(path).is_none(), "{path}");
    }
}

#[test]
fn fields_say_since_and_until_when() {
    let arguments = find("transformers.TrainingArguments").expect("known");
    let span = |name| arguments.field(name).map(|field| (field.since.as_deref(), field.until.as_deref()));
    assert_eq!(span("per_device_train_batch_size"), Some((None, None)));
    assert_eq!(span("evaluation_strategy"), Some((None, Some("4.51.0"))));
    assert_eq!(span("eval_strategy"), Some((Some("4.41.0"), None)));
    assert_eq!(span("batch_size"), None);
    assert_eq!(span("no_such"), None);
    let sft = find("trl.SFTConfig").expect("known");
    assert_eq!(sft.field("max_seq_length").and_then(|field| field.until.as_deref()), Some("0.20.0"));
    assert!(sft.field("max_length").is_some_and(|field| field.until.is_none()));
}

#[test]
fn a_subclass_has_the_fields_of_its_base() {
    let sft = find("trl.SFTConfig").expect("known");
    let rate = sft.field("learning_rate").expect("its own default");
    assert_eq!(rate.library, "trl");
    assert_eq!(sft.declarations("learning_rate").count(), 2);
    assert_eq!(sft.field("warmup_steps").map(|field| field.library.as_str()), Some("transformers"));
    let names: Vec<_> = sft.fields().map(|field| field.name.as_str()).collect();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
}

#[test]
fn near_names_are_current_ones() {
    let arguments = find("transformers.TrainingArguments").expect("known");
    assert_eq!(arguments.nearest("per_device_batch_size_train"), Some("per_device_train_batch_size"));
    assert_eq!(arguments.nearest("gradient_acumulation_steps"), Some("gradient_accumulation_steps"));
    assert_eq!(arguments.nearest("foo"), None);
}

#[test]
fn defaults_that_moved_are_listed() {
    let grpo = find("trl.GRPOConfig").expect("known");
    let beta = grpo.field("beta").expect("known");
    assert_eq!(beta.default.as_deref(), Some("0.0"));
    assert!(beta.defaults.iter().any(|(_, value)| value == "0.04"), "{:?}", beta.defaults);
}

#[test]
fn values_of_every_release_and_of_another_field_are_listed() {
    let optim = find("transformers.TrainingArguments").and_then(|class| class.field("optim")).expect("known");
    assert!(optim.is_closed() && optim.all_values().contains(&"adamw_hf") && !optim.all_values().contains(&"muon"));
    let optimizer = find("axolotl.config").and_then(|class| class.field("optimizer")).expect("known");
    for value in ["muon", "lion_pytorch", "adamw_torch_fused", "adamw_hf"] {
        assert!(optimizer.all_values().contains(&value), "{value}");
    }
}

#[test]
fn trainers_are_known_by_their_configurations() {
    for name in ["SFTTrainer", "PRMTrainer", "NashMDTrainer"] {
        assert!(is_trl_trainer(name), "{name}");
    }
    for name in ["Trainer", "ModelTrainer", "SFTConfig", "MyTrainer"] {
        assert!(!is_trl_trainer(name), "{name}");
    }
    assert_eq!(position("trl.DPOTrainer", "args"), Some(2));
    assert_eq!(position("trl.DPOTrainer", "no_such"), None);
}
