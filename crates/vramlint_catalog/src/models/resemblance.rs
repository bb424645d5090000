//! What the name of an unknown model tells: the model that it was made from, or its size.
//!
//! People publish fine-tuned models as `Qwen2.5-7B-my-data` and keep folders called `llama-3-8b-sft`. Such a name proves nothing, so
//! whoever uses it must say so.

use super::id::{Stored, Variant, last_part};
use super::{Model, all};

/// What a name tells.
#[derive(Clone, Copy, Debug)]
pub enum Resemblance {
    /// It names the family and the size of a known model: most likely the model is built alike.
    Model(Variant),
    /// Its number of parameters, as the name rounds it.
    Size(u64),
    /// It names a family that nothing describes: the `model_type` of its config in transformers 5.23.
    Undescribed(&'static str),
}

/// Families that nothing describes, by the words of their names without what parts them, and their `model_type`, or their pipeline of
/// diffusers. A name that only shares a
/// word with them is none of theirs: NVIDIA's Nemotron is a Llama where its name says so.
const UNDESCRIBED: &[(&str, &str)] = &[
    ("bamba", "bamba"),
    ("blip2", "blip-2"),
    ("cogvideox", "cogvideo"),
    ("csm", "csm"),
    ("dbrx", "dbrx"),
    ("deepseekocr2", "deepseek_ocr2"),
    ("diffusiongemma", "diffusion_gemma"),
    ("ernie4.5vl", "ernie4_5_vl_moe"),
    ("falconh1", "falcon_h1"),
    ("falconmamba", "falcon_mamba"),
    ("flux.1", "flux"),
    ("flux.2", "flux2"),
    ("granite4.0h", "granitemoehybrid"),
    ("hunyuanvideo", "hunyuan_video"),
    ("jamba", "jamba"),
    ("kandinsky22", "kandinsky2_2"),
    ("ltxvideo", "ltx"),
    ("mpnet", "mpnet"),
    ("nemotron3.5lightning", "nemotron_h"),
    ("nemotron3nano", "nemotron_h"),
    ("nemotron3super", "nemotron_h"),
    ("nemotron3ultra", "nemotron_h"),
    ("nemotronh", "nemotron_h"),
    ("nvidianemotronnano", "nemotron_h"),
    ("phi4multimodal", "phi4_multimodal"),
    ("pixart", "pixart_alpha"),
    ("playgroundv2.5", "stable_diffusion_xl"),
    ("qwen2.5omni", "qwen2_5_omni"),
    ("qwen2audio", "qwen2_audio"),
    ("qwen3omni", "qwen3_omni_moe"),
    ("qwenimage", "qwenimage"),
    ("recurrentgemma", "recurrent_gemma"),
    ("sdxl", "stable_diffusion_xl"),
    ("stablediffusionxl", "stable_diffusion_xl"),
    ("stablediffusion", "stable_diffusion"),
    ("voxtral", "voxtral"),
    ("wan2.1", "wan"),
    ("wan2.2", "wan"),
    ("whisper", "whisper"),
    ("zamba2", "zamba2"),
    ("zimage", "z_image"),
];

/// Words for models that are more, less or other than a decoder of text: vision towers, diffusion, experts, layers that were added or
/// taken away, formats that nobody trains in.
const OTHER_KINDS: [&str; 55] = [
    "vl",
    "vlm",
    "vla",
    "vision",
    "visual",
    "omni",
    "audio",
    "video",
    "image",
    "img",
    "speech",
    "voice",
    "tts",
    "asr",
    "stt",
    "ocr",
    "t2v",
    "i2v",
    "t2i",
    "ti2v",
    "s2v",
    "vace",
    "diffusion",
    "diffusers",
    "flux",
    "sd",
    "sdxl",
    "dit",
    "wan",
    "unet",
    "vae",
    "lora",
    "adapter",
    "qlora",
    "peft",
    "moe",
    "mamba",
    "rwkv",
    "eagle",
    "medusa",
    "draft",
    "pruned",
    "pro",
    "tiny",
    "random",
    "dummy",
    "mini",
    "embedding",
    "embed",
    "reranker",
    "gguf",
    "ggml",
    "aqlm",
    "mlx",
    "onnx",
];

/// Endings of names in the catalogue that name a state, not an architecture.
const STATES: [&str; 8] = ["hf", "instruct", "chat", "base", "it", "pt", "meta", "v1.0"];

/// A name in parts.
struct Name<'a> {
    /// All parts in lower case, but for the sizes.
    words: Vec<&'a str>,
    /// Where the size stands among the words: so many come before it.
    size_after: usize,
    /// `7b`.
    size: &'a str,
    /// `a3b`: the parameters that are active for a token.
    active: Option<&'a str>,
}

impl<'a> Name<'a> {
    /// A name with exactly one size.
    fn read(name: &'a str) -> Option<Self> {
        let (mut words, mut size, mut active) = (Vec::new(), None, None);
        for part in name.split(['-', '_', ' ']).filter(|part| !part.is_empty()) {
            if parameters(part).is_some() {
                if size.replace((part, words.len())).is_some() {
                    return None;
                }
            } else if part.strip_prefix('a').is_some_and(|rest| parameters(rest).is_some()) {
                active = Some(part);
            } else {
                words.push(part);
            }
        }
        let (size, size_after) = size?;
        Some(Self { words, size_after, size, active })
    }

    /// What stands before the size without separators: `llama3`. `None` without such words.
    fn family(&self) -> Option<String> {
        let family: String = self.words[..self.size_after].iter().filter(|word| !STATES.contains(word)).copied().collect();
        (!family.is_empty()).then_some(family)
    }

    /// Whether adjacent words before the size are `family` together, and no version follows them.
    fn has_family(&self, family: &str) -> bool {
        let words = &self.words[..self.size_after];
        (0..words.len()).any(|from| {
            let mut rest = family;
            for (at, word) in words.iter().enumerate().skip(from) {
                match rest.strip_prefix(word) {
                    Some("") => return words.get(at + 1).is_none_or(|next| !next.starts_with(|c: char| c.is_ascii_digit())),
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        })
    }
}

/// `7b`, `1.7b`, `360m`: a number of parameters.
fn parameters(part: &str) -> Option<u64> {
    let (number, unit) = match part.strip_suffix('b') {
        Some(number) => (number, 1e9),
        None => (part.strip_suffix('m')?, 1e6),
    };
    let written = number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(|c: char| c.is_ascii_digit());
    let count = number.parse::<f64>().ok().filter(|_| written)? * unit;
    #[allow(clippy::cast_sign_loss)] // checked to be within the range
    (1e7..=2e12).contains(&count).then_some(count as u64)
}

/// The family without a description that adjacent words of a name are together.
fn undescribed(name: &str) -> Option<&'static str> {
    let words: Vec<&str> = name.split(['-', '_', ' ']).filter(|part| !part.is_empty()).collect();
    let begins = |from: usize, family: &str| {
        let mut rest = family;
        words[from..].iter().any(|word| {
            rest = rest.strip_prefix(word).unwrap_or("-");
            rest.is_empty()
        })
    };
    UNDESCRIBED.iter().find(|(family, _)| (0..words.len()).any(|from| begins(from, family))).map(|(_, model_type)| *model_type)
}

/// What `id`, the name of a model or the path of a folder, tells about it. Names of other kinds of models tell nothing.
pub(super) fn resembling(id: &str) -> Option<Resemblance> {
    let lower = last_part(id)?;
    if let Some(model_type) = undescribed(&lower) {
        return Some(Resemblance::Undescribed(model_type));
    }
    let Some(name) = Name::read(&lower) else { return joined(&lower).map(Resemblance::Model) };
    if name.words.iter().any(|word| OTHER_KINDS.contains(word)) {
        return None;
    }
    if let Some(model) = relative(&name) {
        return Some(Resemblance::Model(Variant { model, stored: stored(&name.words)? }));
    }
    // The experts of a mixture are not told by its size.
    (name.active.is_none() && stored(&name.words) == Some(Stored::Plain))
        .then(|| parameters(name.size).map(Resemblance::Size))
        .flatten()
}

/// The model of text and images that a name begins with, if its parts are named behind it: `internvl2_5_8b_internlm2_5_7b_stage1`.
fn joined(lower: &str) -> Option<Variant> {
    let parts: Vec<&str> = lower.split(['-', '_', ' ']).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|word| OTHER_KINDS.contains(word)) {
        return None;
    }
    let end = parts.iter().position(|part| parameters(part).is_some())?;
    let whole = parts[..=end].join("-");
    let name = Name::read(&whole)?;
    let model = relative(&name).filter(|model| model.config.contains("\"vision_config\""))?;
    let begins = std::iter::once(&model.id).chain(model.aliases).any(|id| {
        let known = id.to_lowercase();
        Name::read(known.rsplit('/').next().unwrap_or(&known)).is_some_and(|known| known.family() == name.family())
    });
    begins.then_some(Variant { model, stored: stored(&parts)? })
}

/// The size that a name states, if it is that of a whole decoder.
pub(super) fn size(id: &str) -> Option<u64> {
    let lower = last_part(id)?;
    let name = Name::read(&lower)?;
    let whole = name.active.is_none() && !name.words.iter().any(|word| OTHER_KINDS.contains(word));
    whole.then(|| parameters(name.size)).flatten()
}

/// The known model of the same size whose family is named most fully.
fn relative(name: &Name) -> Option<&'static Model> {
    let mut best: Option<(usize, usize, &'static Model)> = None;
    for model in all() {
        for id in std::iter::once(&model.id).chain(model.aliases) {
            let lower = id.to_lowercase();
            let Some(known) = Name::read(lower.rsplit('/').next().unwrap_or(&lower)) else { continue };
            let Some(family) = known.family().filter(|_| known.size == name.size && known.active == name.active) else {
                continue;
            };
            if !name.has_family(&family) {
                continue;
            }
            // Mistral-7B has versions behind its size.
            let shared = known.words[known.size_after..].iter().filter(|word| name.words.contains(word)).count();
            if best.is_none_or(|(length, words, _)| (family.len(), shared) > (length, words)) {
                best = Some((family.len(), shared, model));
            }
        }
    }
    best.map(|(_, _, model)| model)
}

/// How the words say that the weights are stored. `None` for a format whose size is not known.
fn stored(words: &[&str]) -> Option<Stored> {
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    Some(if has(&["int8", "8bit", "w8a8", "w8a16"]) {
        Stored::EightBit
    } else if has(&["bnb"]) && has(&["4bit", "nf4"]) {
        Stored::Nf4
    } else if has(&["awq", "gptq", "int4", "4bit", "w4a16"]) {
        Stored::FourBit
    } else if has(&["2bit", "3bit", "6bit", "hqq", "eetq", "nf4", "bnb", "exl2", "bitnet", "mxfp4", "fp4"]) {
        return None;
    } else if has(&["fp8", "nvfp4"]) {
        Stored::NarrowFloat
    } else {
        Stored::Plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(id: &str) -> String {
        match resembling(id) {
            Some(Resemblance::Model(Variant { model, stored: Stored::Plain })) => model.id.to_owned(),
            Some(Resemblance::Model(Variant { model, stored })) => format!("{} {stored:?}", model.id),
            Some(Resemblance::Size(parameters)) => format!("{} M", parameters / 1_000_000),
            Some(Resemblance::Undescribed(model_type)) => format!("no {model_type}"),
            None => "-".to_owned(),
        }
    }

    #[test]
    fn a_derivative_is_told_by_family_and_size() {
        for (id, expected) in [
            ("acme/Qwen2.5-7B-medical-sft", "Qwen/Qwen2.5-7B"),
            ("acme/Qwen2.5-Math-7B-RoPE-300k", "Qwen/Qwen2.5-7B"),
            ("acme/smollm2-1.7B-sft", "HuggingFaceTB/SmolLM2-1.7B"),
            ("acme/Llama3-8b-instruct-taxonomy", "meta-llama/Meta-Llama-3-8B"),
            ("acme/Llama-3-Base-8B-SFT", "meta-llama/Meta-Llama-3-8B"),
            ("out/llama-3.1-8b_lora_merged", "-"),
            ("out/llama-3.1-8b_merged", "meta-llama/Llama-3.1-8B"),
            ("acme/mistral-7b-sft-beta", "mistralai/Mistral-7B-v0.1"),
            ("acme/mistral-7b-v0.3-dpo", "mistralai/Mistral-7B-v0.3"),
            ("acme/DeepSeek-R1-Distill-Qwen-7B-math", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
            ("acme/Qwen3-30B-A3B-coder", "Qwen/Qwen3-30B-A3B"),
            ("acme/LFM2-1.2B-sft", "LiquidAI/LFM2-1.2B"),
            ("acme/Qwen2.5-7B-sft-AWQ", "Qwen/Qwen2.5-7B FourBit"),
            ("acme/Qwen2.5-7B-mine-bnb-nf4-bf16", "Qwen/Qwen2.5-7B Nf4"),
            ("acme/Qwen2.5-7B-NVFP4", "Qwen/Qwen2.5-7B NarrowFloat"),
            ("acme/Qwen2.5-7B-FP8", "Qwen/Qwen2.5-7B NarrowFloat"),
            ("/模型/Qwen2.5-7B-医疗", "Qwen/Qwen2.5-7B"),
            ("./work/internvl2_5_8b_internlm2_5_7b_stage1/", "OpenGVLab/InternVL2_5-8B"),
            ("work/mine_internvl2_5_8b_internlm2_5_7b", "-"),
            ("acme/llama-3-8b-from-llama-3-70b", "-"),
        ] {
            assert_eq!(told(id), expected, "{id}");
        }
    }

    #[test]
    fn a_family_without_description_is_named() {
        for (id, expected) in [
            ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "no nemotron_h"),
            ("unsloth/granite-4.0-h-micro", "no granitemoehybrid"),
            ("./models/Falcon-H1-0.5B-Instruct", "no falcon_h1"),
            ("Qwen/Qwen2.5-Omni-7B", "no qwen2_5_omni"),
            ("acme/whisper-large-v3-zh", "no whisper"),
            ("stable-diffusion-v1-5/stable-diffusion-v1-5", "no stable_diffusion"),
            ("stabilityai/stable-diffusion-xl-base-1.0", "no stable_diffusion_xl"),
            ("black-forest-labs/FLUX.1-dev", "no flux"),
            ("wan-2.2-i2v-14b", "no wan"),
            ("acme/wan2.1-t2v-14b", "no wan"),
            ("acme/Wanda-7b", "7000 M"),
            ("nvidia/Llama-3.1-Nemotron-Nano-8B-v1", "meta-llama/Llama-3.1-8B"),
            ("acme/bambara-7b", "7000 M"),
        ] {
            assert_eq!(told(id), expected, "{id}");
        }
    }

    #[test]
    fn a_size_alone_is_told_of_other_names() {
        for (id, expected) in [
            ("acme/secret-2b-base", "2000 M"),
            ("./init/mine-360M", "360 M"),
            ("acme/Llama-9-8B", "8000 M"),
            ("huggyllama/llama-33b", "33000 M"),
        ] {
            assert_eq!(told(id), expected, "{id}");
        }
    }

    #[test]
    fn other_kinds_and_vague_names_tell_nothing() {
        for id in [
            "",
            "/",
            "acme/model",
            "checkpoint-500",
            "acme/Qwen2.5-VL-72B-Instruct",
            "acme/video-llava-7b",
            "acme/mix-8x7b",
            "acme/new-moe-30b",
            "acme/new-30b-a3b",
            "acme/two-7b-and-8b",
            "acme/llama-7b-gguf",
            "acme/new-7b-awq",
            "acme/bge-m3",
            "acme/tiny-llama-7b",
            "acme/new-1e9b",
            "acme/new-.b",
        ] {
            assert_eq!(told(id), "-", "{id}");
        }
    }
}
