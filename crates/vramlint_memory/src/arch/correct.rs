//! Corrects an architecture by the number of parameters that its weights have.

use super::{Arch, Certainty, Mlp};
use crate::estimate::Assumption;

impl Arch {
    /// The same architecture with the number of parameters that weight files hold.
    ///
    /// A described family is built from its config, whatever else the files hold, so that it stays; what was read as a usual decoder is
    /// corrected: parameters that it lacks only sit there, and what it has too many of leaves the width of its MLP. A difference of over
    /// 5 % is told.
    #[must_use]
    pub fn corrected(mut self, counted: u64) -> Self {
        let read = self.parameters();
        let apart = read.abs_diff(counted).saturating_mul(1000) / counted.max(1);
        if counted == 0 || apart <= 10 {
            return self;
        }
        let told = |en: &str, zh: &str| Assumption {
            en: format!("the weights hold {} parameters, the config describes {}: {en}", short(counted), short(read)),
            zh: format!("权重文件有 {} 个参数，配置描述的是 {}：{zh}", short(counted), short(read)),
        };
        if self.certainty == Certainty::Traced {
            if apart > 50 {
                self.assumptions.push(told("the config decides", "以配置为准"));
            }
            return self;
        }
        if counted > read {
            self.unsimulated_parameters = self.unsimulated_parameters.saturating_add(counted - read);
        } else {
            self.narrow(read - counted);
        }
        if self.parameters().abs_diff(counted).saturating_mul(100) > counted {
            self.certainty = Certainty::ParameterCount;
        }
        if apart > 50 {
            self.assumptions.push(told("the weights decide", "以权重文件为准"));
        }
        self
    }

    /// The same architecture if its name says that it has `stated` parameters: where that is far from what a config of no described family
    /// tells, the bounds are those of a size alone.
    #[must_use]
    pub fn contradicted_by_name(mut self, stated: u64) -> Self {
        let read = self.parameters();
        // Names round, and leave the embeddings out.
        if self.certainty == Certainty::Traced || read.abs_diff(stated).saturating_mul(10) <= stated.saturating_mul(4) {
            return self;
        }
        self.certainty = Certainty::ParameterCount;
        self.assumptions.push(Assumption {
            en: format!("the name says {} parameters, the config describes {}", short(stated), short(read)),
            zh: format!("名称写明 {} 个参数，配置描述的是 {}", short(stated), short(read)),
        });
        self
    }

    /// Takes `excess` parameters out of the gated MLPs, at most half of their width.
    fn narrow(&mut self, excess: u64) {
        let dense = |layer: &super::Layer| matches!(layer.mlp, Mlp::Gated { .. });
        let blocks: u64 = self.layers.iter().filter(|(layer, _)| dense(layer)).map(|(_, times)| times).sum();
        let each = excess / (3 * self.hidden * blocks).max(1);
        for (layer, _) in &mut self.layers {
            if let Mlp::Gated { inner, .. } = &mut layer.mlp
                && each <= *inner / 2
            {
                *inner -= each;
            }
        }
    }
}

/// A count as people write it: `8.03 B`.
fn short(count: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // three digits are shown
    let count = count as f64;
    if count >= 1e9 { format!("{:.2} B", count / 1e9) } else { format!("{:.0} M", count / 1e6) }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Value};
    use crate::{Arch, Certainty};

    fn read(model_type: &str) -> Arch {
        let mut config = Config::default();
        config.set("model_type", Value::Text(model_type.to_owned()));
        for (key, value) in [
            ("hidden_size", 1024.0),
            ("intermediate_size", 4096.0),
            ("num_hidden_layers", 8.0),
            ("num_attention_heads", 16.0),
            ("vocab_size", 32000.0),
        ] {
            config.set(key, Value::Number(value));
        }
        Arch::from_config(&config)
    }

    #[test]
    fn weights_correct_what_is_read_as_a_usual_decoder() {
        let usual = read("acme");
        let count = usual.parameters();
        let more = usual.clone().corrected(count * 12 / 10);
        assert_eq!(more.parameters(), count * 12 / 10);
        assert!(
            more.assumptions()
                .iter()
                .any(|why| why.en == "the weights hold 240 M parameters, the config describes 200 M: the weights decide"),
            "{:?}",
            more.assumptions()
        );
        // An MLP without a gate has a third less than one with a gate.
        let less = usual.clone().corrected(count * 9 / 10);
        assert!(less.parameters().abs_diff(count * 9 / 10) < count / 1000);
        assert_eq!(less.certainty(), Certainty::GenericDecoder);
        // What no width explains is known by its size alone.
        assert_eq!(usual.clone().corrected(count / 3).certainty(), Certainty::ParameterCount);
        assert_eq!(usual.clone().corrected(count + count / 200), usual);
    }

    #[test]
    fn a_name_contradicts() {
        let usual = read("acme");
        let told = usual.clone().contradicted_by_name(7_000_000_000);
        assert_eq!(told.certainty(), Certainty::ParameterCount);
        assert!(told.assumptions().iter().any(|why| why.en == "the name says 7.00 B parameters, the config describes 200 M"));
        assert_eq!(usual.clone().contradicted_by_name(180_000_000), usual);
        let llama = read("llama");
        assert_eq!(llama.clone().contradicted_by_name(7_000_000_000), llama);
    }

    #[test]
    fn a_described_family_is_what_its_config_says() {
        let llama = read("llama");
        let told = llama.clone().corrected(llama.parameters() * 2);
        assert_eq!((told.parameters(), told.certainty()), (llama.parameters(), Certainty::Traced));
        assert!(told.assumptions().iter().any(|why| why.en.ends_with("the config decides")));
        assert_eq!(llama.clone().corrected(llama.parameters() * 102 / 100), llama);
    }
}
