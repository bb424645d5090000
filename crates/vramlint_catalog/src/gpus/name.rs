//! Names of cards, taken apart.

/// A name: the words that tell one card from another, and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Words in lower case, in alphabetical order: `["4070", "super", "ti"]`.
    pub words: Vec<String>,
    /// Memory in the GB of the name, where it is part of the name.
    pub size: Option<u64>,
}

/// Words that tell nothing that the others do not.
const BRANDS: &[&str] = &[
    "nvidia",
    "geforce",
    "tesla",
    "rtx",
    "gtx",
    "gpu",
    "gpus",
    "card",
    "graphics",
    "generation",
    "edition",
    "workstation",
    "server",
    "amd",
    "radeon",
    "instinct",
    "rx",
    "huawei",
    "one",
    "of",
    "four",
    "die",
    "modified",
    "memory",
    "vram",
    "gb",
    "gib",
];

/// Words about how a card is built in, which changes neither memory nor arithmetic.
const FORMS: &[&str] = &["sxm", "sxm2", "sxm3", "sxm4", "sxm5", "sxm6", "pcie", "pci", "hbm2", "hbm2e", "hbm3", "hbm3e", "oam"];

/// Words that are often written onto a number: `rtx4090`, `3080ti`, `h100sxm`.
const GLUED_BEFORE: &[&str] = &["rtx", "gtx", "geforce", "tesla", "ascend"];
const GLUED_BEHIND: &[&str] = &["super", "ti", "d", "laptop", "mobile", "sxm", "sxm4", "sxm5", "pcie", "nvl"];

/// Words that a longer name may have and people leave out: `RTX PRO 6000` is the Blackwell card, `RTX 6000` may be one of three.
const LEFT_OUT: &[&str] = &["blackwell", "ada", "pro", "quadro", "ascend"];

impl Name {
    /// Takes a name apart.
    pub(super) fn read(name: &str) -> Self {
        let lower = name.to_lowercase();
        let raw: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mut out = Self { words: Vec::new(), size: None };
        for (index, word) in raw.iter().enumerate() {
            let unit_follows = raw.get(index + 1).is_some_and(|next| matches!(*next, "g" | "gb" | "gib"));
            if let Some(size) = size_of(word, unit_follows) {
                out.size = Some(size);
            } else if !(*word == "g" && index > 0 && size_of(raw[index - 1], true).is_some()) {
                split(word, &mut out.words);
            }
        }
        // `A100 80`: a bare number behind a name is its size.
        if out.size.is_none() && out.words.len() > 1 {
            let sizes = |word: &String| word.parse::<u64>().ok().filter(|number| (4..=320).contains(number));
            if let Some((at, size)) = out.words.iter().enumerate().skip(1).find_map(|(at, word)| Some((at, sizes(word)?))) {
                out.size = Some(size);
                out.words.remove(at);
            }
        }
        out.words.sort();
        out.words.dedup();
        out
    }

    /// Whether people may mean this card by `wanted`: all words of it are there, and what else is there is often left out.
    pub(super) fn may_be_called(&self, wanted: &Self) -> bool {
        let numbered = wanted.words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
        let rest = self.words.iter().filter(|word| !wanted.words.contains(word));
        numbered
            && wanted.words.iter().all(|word| self.words.contains(word))
            && rest.into_iter().all(|word| LEFT_OUT.contains(&word.as_str()))
    }
}

/// `80g`, `80gb`, `80gib`, or `80` before a unit.
fn size_of(word: &str, unit_follows: bool) -> Option<u64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &word[digits.len()..];
    let named = matches!(unit, "g" | "gb" | "gib") || unit.is_empty() && unit_follows;
    if named { digits.parse().ok() } else { None }
}

/// Adds the words of a word, without those that tell nothing.
fn split(word: &str, words: &mut Vec<String>) {
    let mut word = word;
    let mut behind = Vec::new();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    while let Some(rest) =
        GLUED_BEFORE.iter().find_map(|glued| word.strip_prefix(glued)).filter(|rest| digit(rest.chars().next()))
    {
        word = rest;
    }
    // Only a whole number has something written onto it: the `d` of `cuda` is its own.
    while let Some((rest, glued)) = GLUED_BEHIND
        .iter()
        .find_map(|glued| Some((word.strip_suffix(glued)?, *glued)))
        .filter(|(rest, _)| rest.chars().any(|c| c.is_ascii_digit()) && rest.chars().last().is_some_and(char::is_alphanumeric))
        .filter(|(rest, glued)| *glued != "d" || rest.chars().all(|c| c.is_ascii_digit()))
    {
        behind.push(glued);
        word = rest;
    }
    for word in std::iter::once(word).chain(behind) {
        let word = if word == "mobile" { "laptop" } else { word };
        if !word.is_empty() && !BRANDS.contains(&word) && !FORMS.contains(&word) {
            words.push(word.to_owned());
        }
    }
}
