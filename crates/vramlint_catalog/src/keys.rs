//! The keys of accelerate's configuration and of DeepSpeed's JSON.

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// A truth value.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Text.
    Text,
    /// A list.
    List,
    /// A mapping.
    Map,
    /// Several of these, or not known.
    Any,
}

/// A key.
#[derive(Clone, Debug)]
pub struct Key {
    /// From the root, with dots: `zero_optimization.offload_optimizer.device`.
    pub path: String,
    /// What it holds.
    pub kind: KeyType,
    /// The values that are accepted, where they are a set.
    pub values: Vec<String>,
    /// The default, as the tool would print it.
    pub default: Option<String>,
    /// First version that knows it, where known.
    pub since: Option<String>,
    /// First version that refuses it again, where it was removed.
    pub until: Option<String>,
    /// What it does, in a few words.
    pub about: String,
    /// File and line of the fact.
    pub source: String,
}

/// Top-level keys and blocks of accelerate's YAML for LOCAL_MACHINE.
pub fn accelerate() -> &'static [Key] {
    todo!()
}

/// Keys of DeepSpeed's JSON.
pub fn deepspeed() -> &'static [Key] {
    todo!()
}

/// The key in `keys` at exactly this path.
pub fn find<'a>(keys: &'a [Key], path: &str) -> Option<&'a Key> {
    keys.iter().find(|key| key.path == path)
}

/// The nearest spelling of `word` among `known`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let _ = (word, known.into_iter().next());
    todo!()
}
