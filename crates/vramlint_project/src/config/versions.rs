//! `[versions]`: the library versions that a project declares.

use vramlint_base::{Message, message, suggest};
use vramlint_catalog::releases::{followed, names};
use vramlint_resolve::versions::VersionSpec;

/// Parses a library and its version.
pub(super) fn read(name: &str, text: &str) -> Result<(&'static str, VersionSpec), Message> {
    let library = followed(name).ok_or_else(|| match suggest(name, names()) {
        Some(meant) => message!("unknown library `{name}`; did you mean `{meant}`?", "未知的库 `{name}`；是否想写 `{meant}`？"),
        None => {
            message!("unknown library `{name}`: no rule depends on its version", "未知的库 `{name}`：没有规则依赖它的版本")
        }
    })?;
    let known = VersionSpec::parse_declared(text).ok_or_else(|| {
        message!(
            "`{text}` is not a version; write `5.23`, `4.44.2` or a specifier such as `>=4.40,<5`",
            "`{text}` 不是版本；请写 `5.23`、`4.44.2` 或 `>=4.40,<5` 这样的范围"
        )
    })?;
    Ok((library, known))
}
