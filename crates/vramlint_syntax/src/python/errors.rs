//! The parser's complaints in our own words, in both languages.

use super::error;
use crate::SyntaxError;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{InterpolatedStringErrorType, LexicalErrorType, ParseError, ParseErrorType};
use std::collections::HashSet;
use vramlint_base::{LineIndex, Message, TextRange, message};

/// Errors in order, one per line: the first names the cause, the ones after it on the line mostly echo it. `own` are those that
/// the lowering found; they know better.
pub(super) fn convert(text: &str, errors: &[ParseError], own: Vec<SyntaxError>) -> Vec<SyntaxError> {
    if errors.is_empty() && own.is_empty() {
        return own;
    }
    let lines = LineIndex::new(text);
    let mut taken: HashSet<u32> = own.iter().map(|error| lines.line_of(error.range.start)).collect();
    let mut found: Vec<(TextRange, &ParseErrorType)> =
        errors.iter().map(|e| (visible(text, super::lower::range(e.location)), &e.error)).collect();
    found.sort_by_key(|(range, _)| range.start);
    found.retain(|(range, _)| taken.insert(lines.line_of(range.start)));
    let mut all = own;
    all.extend(found.into_iter().map(|(range, kind)| error(range, describe(text, range, kind))));
    all.sort_by_key(|error| (error.range.start, error.range.end));
    all
}

/// A notebook's command, which is not Python.
pub(super) fn notebook_command(range: TextRange, text: &str) -> SyntaxError {
    let command: String = range.slice(text).chars().take_while(|c| !c.is_whitespace()).take(40).collect();
    error(
        range,
        message!(
            "`{command}` is a notebook command, which Python cannot run",
            "`{command}` 是 notebook 命令，Python 本身不能运行"
        ),
    )
}

fn line_start(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |at| at + 1)
}

/// A range that covers something to point at, where there is anything: of a line's end, the character before it.
fn visible(text: &str, range: TextRange) -> TextRange {
    let at = range.start as usize;
    if !range.slice(text).trim_matches(['\r', '\n']).is_empty() || at > text.len() || !text.is_char_boundary(at) {
        return range;
    }
    let after = text[at..].chars().next();
    let before = text[..at].chars().next_back().filter(|c| !c.is_whitespace() && *c != '\u{feff}');
    match (after, before) {
        (None, _) => range,
        (Some(c), Some(before)) if c.is_whitespace() => TextRange::new(range.start - before.len_utf8() as u32, range.start),
        (Some(c), _) => TextRange::new(range.start, range.start + c.len_utf8() as u32),
    }
}

fn describe(text: &str, range: TextRange, kind: &ParseErrorType) -> Message {
    use ParseErrorType as E;
    match kind {
        E::ExpectedToken { expected, found } => expected_token(*expected, *found),
        E::Lexical(kind) => lexical(kind),
        E::FStringError(kind) | E::TStringError(kind) => interpolated(kind),
        E::SimpleStatementsOnSameLine => simple_statements(text, range),
        E::SimpleAndCompoundStatementOnSameLine => {
            message!("a compound statement must start on its own line", "复合语句必须另起一行")
        }
        E::OtherError(words) => other(words),
        E::ExpectedExpression => message!("an expression is missing here", "此处缺少表达式"),
        E::UnexpectedIndentation => message!("unexpected indentation", "此行缩进多余"),
        E::EmptySlice => message!("an index is missing between the brackets", "方括号内缺少下标"),
        E::EmptyImportNames => message!("the import names nothing", "import 后缺少名称"),
        E::EmptyGlobalNames | E::EmptyNonlocalNames | E::EmptyDeleteTargets | E::EmptyTypeParams => {
            message!("a name is missing here", "此处缺少名称")
        }
        E::PositionalAfterKeywordArgument | E::PositionalAfterKeywordUnpacking | E::InvalidArgumentUnpackingOrder => {
            message!("positional argument after a keyword argument", "位置参数出现在关键字参数之后")
        }
        E::InvalidAssignmentTarget | E::InvalidNamedAssignmentTarget | E::InvalidAnnotatedAssignmentTarget => {
            message!("cannot assign to this expression", "不能给此表达式赋值")
        }
        E::InvalidAugmentedAssignmentTarget | E::InvalidDeleteTarget => {
            message!("cannot modify or delete this expression", "此表达式不能被修改或删除")
        }
        E::NonDefaultParamAfterDefaultParam => {
            message!("parameter without a default after a parameter with a default", "无默认值的参数出现在有默认值的参数之后")
        }
        E::ParamAfterVarKeywordParam | E::VarParameterWithDefault | E::ExpectedKeywordParam => {
            message!("Python rejects the order or form of these parameters", "Python 不接受这些参数的顺序或写法")
        }
        E::UnparenthesizedNamedExpression
        | E::UnparenthesizedTupleExpression
        | E::UnparenthesizedGeneratorExpression
        | E::InvalidLambdaExpressionUsage
        | E::InvalidYieldExpressionUsage
        | E::InvalidStarredExpressionUsage
        | E::IterableUnpackingInComprehension => {
            message!("this expression is not allowed here without parentheses", "此表达式在此处不能省略括号")
        }
        E::UnexpectedTokenAfterAsync(_) => {
            message!("`async` must be followed by `def`, `with` or `for`", "`async` 之后必须是 `def`、`with` 或 `for`")
        }
        kind => verbatim(&kind.to_string()),
    }
}

fn expected_token(expected: TokenKind, found: TokenKind) -> Message {
    Message {
        en: format!("expected {}, found {}", token_en(expected), token_en(found)),
        zh: format!("此处应为{}，实际为{}", token_zh(expected), token_zh(found)),
    }
}

fn token_en(kind: TokenKind) -> String {
    match kind {
        TokenKind::Newline | TokenKind::NonLogicalNewline => "end of line".to_owned(),
        TokenKind::Indent => "an indented block".to_owned(),
        TokenKind::Dedent => "end of block".to_owned(),
        TokenKind::EndOfFile => "end of file".to_owned(),
        TokenKind::Name => "a name".to_owned(),
        TokenKind::Int | TokenKind::Float | TokenKind::Complex => "a number".to_owned(),
        TokenKind::String | TokenKind::FStringStart | TokenKind::TStringStart => "a string".to_owned(),
        TokenKind::FStringMiddle | TokenKind::TStringMiddle => "f-string text".to_owned(),
        TokenKind::FStringEnd | TokenKind::TStringEnd => "end of f-string".to_owned(),
        TokenKind::IpyEscapeCommand => "a notebook command".to_owned(),
        TokenKind::Unknown => "an unrecognized token".to_owned(),
        kind => kind.to_string(),
    }
}

fn token_zh(kind: TokenKind) -> String {
    match kind {
        TokenKind::Newline | TokenKind::NonLogicalNewline => "行尾".to_owned(),
        TokenKind::Indent => "缩进块".to_owned(),
        TokenKind::Dedent => "代码块结尾".to_owned(),
        TokenKind::EndOfFile => "文件结尾".to_owned(),
        TokenKind::Name => "名称".to_owned(),
        TokenKind::Int | TokenKind::Float | TokenKind::Complex => "数字".to_owned(),
        TokenKind::String | TokenKind::FStringStart | TokenKind::TStringStart => "字符串".to_owned(),
        TokenKind::FStringMiddle | TokenKind::TStringMiddle => "f-string 的文本".to_owned(),
        TokenKind::FStringEnd | TokenKind::TStringEnd => "f-string 的结尾".to_owned(),
        TokenKind::IpyEscapeCommand => "notebook 命令".to_owned(),
        TokenKind::Unknown => "无法识别的内容".to_owned(),
        kind => format!(" {kind} "),
    }
}

/// Two statements on a line; the commonest cause is Python 2's `print`.
fn simple_statements(text: &str, range: TextRange) -> Message {
    let start = line_start(text, range.start as usize);
    let line = text[start..].trim_start();
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    if matches!(word, "print" | "exec") && line[word.len()..].starts_with(' ') {
        return message!("`{word}` without parentheses is Python 2", "`{word}` 不带括号是 Python 2 的写法");
    }
    message!("statements on one line need a `;` between them", "同一行的多个语句之间需要 `;`")
}

/// Errors that the parser words itself.
fn other(words: &str) -> Message {
    if let Some(clause) = words.strip_prefix("Expected an indented block after ") {
        return message!("an indented block is missing after {clause}", "{clause} 之后缺少缩进的代码块");
    }
    match words {
        "Expected a statement" | "Expected a simple statement" => {
            message!("expected a statement", "此处应为语句")
        }
        "Expected an identifier" => message!("a name is missing here", "此处缺少名称"),
        words if words.starts_with("Expected an identifier, but found a keyword") => {
            message!("expected a name, found a Python keyword", "此处应为名称，却是 Python 关键字")
        }
        words if words.starts_with("Expected an expression or") => {
            message!("expected an expression or the closing bracket", "此处应为表达式或右括号")
        }
        words => verbatim(words),
    }
}

/// The parser's own words.
fn verbatim(words: &str) -> Message {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_end_matches('.');
    let first = words.chars().next().map_or(0, char::len_utf8);
    let en = words[..first].to_lowercase() + &words[first..];
    Message { zh: format!("Python 语法错误：{words}"), en }
}

fn lexical(kind: &LexicalErrorType) -> Message {
    use LexicalErrorType as L;
    match kind {
        L::UnclosedStringError => message!("the string is not closed", "字符串没有结束引号"),
        L::FStringError(kind) | L::TStringError(kind) => interpolated(kind),
        L::IndentationError => {
            message!("the indentation matches none of the enclosing blocks", "缩进与任何外层代码块都不一致")
        }
        L::UnrecognizedToken { tok } => {
            let tok = tok.escape_debug();
            message!("the character `{tok}` is not allowed in Python code", "Python 代码中不允许字符 `{tok}`")
        }
        L::LineContinuationError => {
            message!("unexpected characters after the line continuation `\\`", "续行符 `\\` 之后不能有其他内容")
        }
        L::Eof => message!("the file ends in the middle of a statement", "文件在语句中间结束"),
        L::InvalidByteLiteral => message!("a bytes literal contains a non-ASCII character", "bytes 字面量含有非 ASCII 字符"),
        L::UnicodeError | L::MissingUnicodeLbrace | L::MissingUnicodeRbrace | L::StringError => {
            message!("the string contains an invalid escape", "字符串中含有无效的转义")
        }
        L::OtherError(words) => verbatim(words),
    }
}

fn interpolated(kind: &InterpolatedStringErrorType) -> Message {
    use InterpolatedStringErrorType as I;
    match kind {
        I::UnterminatedString | I::UnterminatedTripleQuotedString => {
            message!("the f-string is not closed", "f-string 没有结束引号")
        }
        I::UnclosedLbrace => message!("a `{{` of the f-string is not closed", "f-string 中的 `{{` 没有闭合"),
        I::SingleRbrace => message!("a lone `}}` in an f-string must be doubled", "f-string 中单独的 `}}` 必须写成两个"),
        kind => verbatim(&format!("f-string: {kind}")),
    }
}
