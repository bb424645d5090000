//! What the keys of a file tell about its framework, as data.

use crate::classes;

/// Keys that tell a framework's file from others.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Whether no other tool has these keys.
    pub is_certain: bool,
    /// The key that is named as the reason; without one, the first of [`Evidence::any`] that holds.
    pub key: Option<&'static str>,
    /// All of these hold,
    pub all: &'static [KeyTest],
    /// and one of these, where there are any.
    pub any: &'static [KeyTest],
}

/// A look at a file's keys.
#[derive(Clone, Copy, Debug)]
pub enum KeyTest {
    /// The key stands at the root.
    Has(&'static str),
    /// The key stands in the block.
    HasInside(&'static str, &'static str),
    /// The key stands in some block at the root.
    HasInSomeBlock(&'static str),
    /// The text at the key is one that the class takes there.
    IsValueOf(&'static str, &'static str),
}

/// The keys of a file, as far as evidence looks at them.
pub trait FileKeys {
    /// Whether the root has this key.
    fn has(&self, key: &str) -> bool;
    /// Whether this block at the root has this key.
    fn has_inside(&self, block: &str, key: &str) -> bool;
    /// Whether some block at the root has this key.
    fn has_in_some_block(&self, key: &str) -> bool;
    /// The text at a key of the root.
    fn text(&self, key: &str) -> Option<&str>;
}

impl KeyTest {
    fn holds(&self, keys: &dyn FileKeys) -> bool {
        match self {
            Self::Has(key) => keys.has(key),
            Self::HasInside(block, key) => keys.has_inside(block, key),
            Self::HasInSomeBlock(key) => keys.has_in_some_block(key),
            Self::IsValueOf(key, class) => {
                let field = classes::find(class).and_then(|class| class.field(key));
                field.zip(keys.text(key)).is_some_and(|(field, text)| field.values.iter().any(|value| value == text))
            }
        }
    }

    const fn key(&self) -> &'static str {
        match self {
            Self::Has(key) | Self::HasInside(_, key) | Self::HasInSomeBlock(key) | Self::IsValueOf(key, _) => key,
        }
    }
}

impl Evidence {
    /// The key that gives the file away, where this holds.
    pub fn holds(&self, keys: &dyn FileKeys) -> Option<&'static str> {
        if !self.all.iter().all(|test| test.holds(keys)) {
            return None;
        }
        let found = self.any.iter().find(|test| test.holds(keys));
        if !self.any.is_empty() && found.is_none() {
            return None;
        }
        self.key.or_else(|| found.map(KeyTest::key))
    }
}
