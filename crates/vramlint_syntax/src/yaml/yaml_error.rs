//! What can be wrong with a YAML text, in our words.

use vramlint_base::{Message, message};

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum YamlError {
    /// A tab where only blanks may indent.
    Tab,
    /// `a: b: c`.
    SecondColon,
    /// A line deeper than the key above, which already has a value.
    DeeperThanKey,
    /// `key:value`, then a line with a real key.
    NoBlankAfterColon,
    /// A `:` that makes no key here.
    Colon,
    /// A line without a colon among keys.
    NoColon,
    /// Something that is not a key of the mapping.
    NotAKey,
    /// Something after a value that is complete.
    AfterValue,
    /// Something that is not an item of the list.
    NotAnItem,
    /// Wrong indentation.
    Indentation,
    /// `-` where no item may start.
    DashNotAllowed,
    /// `-` as an item mark inside brackets.
    DashInBrackets,
    /// A mark that needs a blank after it.
    BlankMissing,
    /// A quote that does not end.
    QuoteNotClosed,
    /// Text after a closing quote.
    AfterQuote,
    /// A backslash sequence that does not exist.
    Escape,
    /// A bracket that does not end.
    BracketNotClosed(char),
    /// A bracket closed by the other kind.
    WrongBracket(char, char),
    /// A closing bracket without an opening one.
    StrayBracket,
    /// No comma, no closing bracket.
    CommaMissing,
    /// A character that starts nothing.
    Character(char),
    /// `#` right after a value.
    CommentNotSeparated,
    /// A comment between the lines of one text.
    CommentInText,
    /// A byte order mark inside the text.
    ByteOrderMark,
    /// Something wrong after `|` or `>`.
    BlockHeader,
    /// More levels than anyone writes.
    TooDeep,
    /// `&` or `*` without a name.
    AnchorName,
    /// A malformed tag.
    Tag,
    /// `---` or `...` with something wrong around it.
    DocumentMark,
    /// A key where none may start.
    KeyNotAllowed,
    /// The text ends inside something.
    EndOfText,
    /// A malformed `%` line.
    Directive,
    /// A template statement, `{% … %}`.
    Template,
    /// Anything else.
    Other,
    /// The parser library failed.
    Panicked,
}

/// The message. `found` is the text at the place, for those that quote it.
pub(super) fn message_of(error: YamlError, found: &str) -> Message {
    match error {
        YamlError::SecondColon
        | YamlError::DeeperThanKey
        | YamlError::NoBlankAfterColon
        | YamlError::Colon
        | YamlError::NoColon
        | YamlError::NotAKey
        | YamlError::KeyNotAllowed => key_message(error, found),
        YamlError::QuoteNotClosed
        | YamlError::AfterQuote
        | YamlError::AfterValue
        | YamlError::Escape
        | YamlError::BracketNotClosed(_)
        | YamlError::WrongBracket(..)
        | YamlError::StrayBracket
        | YamlError::CommaMissing
        | YamlError::DashInBrackets => bracket_message(error, found),
        YamlError::Tab => {
            message!("YAML does not allow tabs for indentation; use spaces", "YAML 不允许用制表符（tab）缩进；请用空格")
        }
        YamlError::NotAnItem => {
            message!("expected a `- ` list item, found `{found}`", "此处应为列表项 `- `，却是 `{found}`")
        }
        YamlError::Indentation => {
            message!("the indentation of this line matches no level above it", "这一行的缩进与上面任何一层都不一致")
        }
        YamlError::DashNotAllowed => {
            message!("a `- ` item cannot start here; put the list on its own lines", "`- ` 列表项不能写在这里；请另起一行")
        }
        YamlError::BlankMissing => message!("missing space after `{found}`", "`{found}` 后面缺少空格"),
        YamlError::Character(c) => character_message(c),
        YamlError::CommentNotSeparated => {
            message!("a comment needs a space before its `#`", "注释的 `#` 前面需要空格")
        }
        YamlError::CommentInText => message!("a comment splits a multi-line scalar", "注释把一个多行标量截断了"),
        YamlError::ByteOrderMark => {
            message!("byte order mark inside the file; delete it", "文件中间有字节顺序标记（BOM）；请删除")
        }
        YamlError::BlockHeader => message!(
            "only `+`, `-` or a digit from 1 to 9 may follow `|` or `>`",
            "`|` 或 `>` 后面只能跟 `+`、`-` 或 1 到 9 的数字"
        ),
        YamlError::TooDeep => message!("nested too deeply to parse", "嵌套过深，无法解析"),
        YamlError::AnchorName => message!(
            "`{found}` needs a name of letters, digits, `-` or `_`; quote it if it is a string",
            "`{found}` 后面需要由字母、数字、`-` 或 `_` 组成的名称；若是字符串请加引号"
        ),
        YamlError::Tag => {
            message!(
                "`{found}` is not a well-formed tag; quote it if it is a string",
                "`{found}` 不是合法的标签；若是字符串请加引号"
            )
        }
        YamlError::DocumentMark => message!("a document cannot start or end here", "文档不能在此处开始或结束"),
        YamlError::EndOfText => message!("unexpected end of file", "文件提前结束"),
        YamlError::Directive => message!("this `%` line is not a YAML directive", "以 `%` 开头的这一行不是合法的 YAML 指令"),
        YamlError::Template => {
            message!("a template statement is not YAML; render the file first", "模板语句不是 YAML；请先渲染该文件")
        }
        YamlError::Panicked => message!("cannot parse the file from here on", "从此处起无法继续解析"),
        YamlError::Other => message!("unexpected `{found}`", "`{found}` 不应出现在这里"),
    }
}

fn key_message(error: YamlError, found: &str) -> Message {
    match error {
        YamlError::SecondColon => message!(
            "a second colon starts another key inside the value; quote the value if it is a string",
            "值里的第二个冒号会开始另一个键；若是字符串请给值加引号"
        ),
        YamlError::DeeperThanKey => {
            message!("this line is indented below a key that already has a value", "这一行缩进在一个已经有值的键之下")
        }
        YamlError::NoBlankAfterColon => {
            message!("expected `key: value`; a colon needs a space after it", "此处应为 `键: 值`；冒号后面需要空格")
        }
        YamlError::NoColon => {
            message!("`{found}` has no colon, but the lines around it are keys", "`{found}` 没有冒号，而前后都是键")
        }
        YamlError::NotAKey => message!("expected a key at this indentation, found `{found}`", "此缩进处应为键，却是 `{found}`"),
        YamlError::KeyNotAllowed => message!("a key cannot start here", "此处不能出现键"),
        _ => message!("this colon does not follow a key", "此处的冒号之前没有键"),
    }
}

fn bracket_message(error: YamlError, found: &str) -> Message {
    match error {
        YamlError::QuoteNotClosed => message!("the quote opened here is not closed", "此处的引号没有闭合"),
        YamlError::AfterValue => message!(
            "`{found}` after a complete value; quote the whole value",
            "`{found}` 出现在已经结束的值之后；请给整个值加引号"
        ),
        YamlError::AfterQuote => {
            message!("`{found}` after a closing quote; quote the whole value", "`{found}` 出现在右引号之后；请给整个值加引号")
        }
        YamlError::Escape => message!(
            "invalid escape after `\\` in double quotes; write `\\\\` or use single quotes",
            "双引号中的 `\\` 转义无效；请写 `\\\\` 或改用单引号"
        ),
        YamlError::BracketNotClosed(open) => message!("the `{open}` opened here is not closed", "此处的 `{open}` 没有闭合"),
        YamlError::WrongBracket(open, close) => {
            message!("the `{open}` opened here is closed by `{close}`", "此处的 `{open}` 被 `{close}` 闭合")
        }
        YamlError::StrayBracket => {
            message!("unmatched `{found}`; quote it if it is a string", "`{found}` 没有对应的左括号；若是字符串请加引号")
        }
        YamlError::CommaMissing => {
            message!("missing comma or closing bracket before `{found}`", "`{found}` 之前缺少逗号或右括号")
        }
        _ => message!("a `- ` item is not allowed inside brackets", "方括号或花括号内不允许使用 `- ` 列表项"),
    }
}

fn character_message(c: char) -> Message {
    if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') {
        let code = u32::from(c);
        return message!("YAML does not allow the control character U+{code:04X}", "YAML 不允许控制字符 U+{code:04X}");
    }
    message!("a value cannot start with `{c}`; quote it", "值不能以 `{c}` 开头；请加引号")
}
