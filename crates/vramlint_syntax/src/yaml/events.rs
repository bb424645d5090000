//! The only module that knows `granit-parser`: its events become [`Step`]s, its errors [`YamlError`].

use super::yaml_error::YamlError;
use crate::data::Style;
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag, options};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One event of the stream, with byte ranges.
#[derive(Debug)]
pub(super) enum Step {
    /// A comment, with its `#`.
    Comment(Range<usize>),
    /// A document starts; the range is that of `---`, else empty.
    DocumentStart(Range<usize>),
    /// It ends.
    DocumentEnd,
    /// A scalar. An omitted one is plain with an empty range.
    Scalar { text: String, style: Style, at: Range<usize>, tag: Option<TagText> },
    /// A list or a mapping starts.
    Start { mapping: bool, flow: bool, at: Range<usize>, tag: Option<TagText> },
    /// It ends; the range is the closing bracket where there is one.
    End(Range<usize>),
    /// The node before has this anchor; the range includes the `&`.
    Anchor { id: usize, name: String, at: Range<usize> },
    /// `*name`; without a number where no such anchor is before.
    Alias { id: Option<usize>, at: Range<usize> },
}

/// A tag as [`crate::data::Node::tag`] keeps it, and where it is written.
#[derive(Debug)]
pub(super) struct TagText {
    pub(super) text: String,
    pub(super) at: Range<usize>,
}

/// Where and why the parser stopped.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) error: YamlError,
    /// Byte offset that the parser names.
    pub(super) at: usize,
}

/// Comments that the parser may hold back at most: a long explanation between a key and its value is not an error.
const BUFFERED_COMMENTS: usize = 1_000_000;

/// Reads the stream up to its end or the first error.
///
/// A panic of the parser library becomes [`YamlError::Panicked`] at the last event. Nothing of ours runs inside, so that no
/// mistake of ours is hidden.
pub(super) fn read(text: &str) -> (Vec<Step>, Option<Stop>) {
    let mut steps = Vec::new();
    let mut last = 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let options = options! {
            emit_anchor_events: true,
            emit_unresolved_aliases: true,
            max_buffered_comment_events: BUFFERED_COMMENTS,
        };
        for next in Parser::new_from_str_with_options(text, options) {
            match next {
                Ok((event, span)) => {
                    let range = range_of(&span, text);
                    last = last.max(range.end);
                    steps.extend(step(event, &span, range, text));
                }
                Err(error) => return Some(stop(&error, text)),
            }
        }
        None
    }));
    let stop = outcome.unwrap_or(Some(Stop { error: YamlError::Panicked, at: last }));
    (steps, stop)
}

fn step(event: Event<'_>, span: &Span, at: Range<usize>, text: &str) -> Option<Step> {
    let tag = |tag: Option<std::borrow::Cow<'_, Tag>>| {
        tag.map(|tag| TagText { text: tag_text(&tag), at: span.tag_span().map_or(at.start..at.start, |s| range_of(&s, text)) })
    };
    Some(match event {
        Event::Comment(..) => Step::Comment(at),
        Event::DocumentStart(..) => Step::DocumentStart(at),
        Event::DocumentEnd => Step::DocumentEnd,
        Event::Scalar(content, style, _, own) => {
            let tag = tag(own);
            Step::Scalar { text: content.into_owned(), style: style_of(style), at, tag }
        }
        Event::SequenceStart(style, _, own) => {
            let tag = tag(own);
            Step::Start { mapping: false, flow: style == StructureStyle::Flow, at, tag }
        }
        Event::MappingStart(style, _, own) => {
            let tag = tag(own);
            Step::Start { mapping: true, flow: style == StructureStyle::Flow, at, tag }
        }
        Event::SequenceEnd | Event::MappingEnd => Step::End(at),
        Event::Anchor(id, name) => Step::Anchor { id, name: name.into_owned(), at },
        Event::Alias(id) => Step::Alias { id: Some(id), at },
        Event::UnresolvedAlias(_) => Step::Alias { id: None, at },
        _ => return None,
    })
}

/// Core tags in their short form (`!!int`), whatever handle the file gave them; others as written.
fn tag_text(tag: &Tag) -> String {
    match tag.core_suffix() {
        Some(name) => format!("!!{name}"),
        None if tag.original().starts_with("!!") => format!("!<{tag}>"),
        None => tag.original(),
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::SingleQuoted => Style::Single,
        ScalarStyle::DoubleQuoted => Style::Double,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
        ScalarStyle::Plain => Style::Plain,
    }
}

/// The range, held inside the text and to character boundaries.
fn range_of(span: &Span, text: &str) -> Range<usize> {
    let range = span.byte_range().unwrap_or(0..0);
    let end = text.floor_char_boundary(range.end);
    text.floor_char_boundary(range.start.min(end))..end
}

fn stop(error: &ScanError, text: &str) -> Stop {
    let at = error.marker().byte_offset().unwrap_or(text.len());
    Stop { error: yaml_error(error.kind()), at: text.floor_char_boundary(at) }
}

fn yaml_error(kind: &ErrorKind) -> YamlError {
    use ErrorKind as K;
    match kind {
        K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation | K::TabAtBlockScalarStart | K::TabInPlainScalar => {
            YamlError::Tab
        }
        K::MappingValueNotAllowed => YamlError::SecondColon,
        K::InvalidColonPlacement => YamlError::Colon,
        K::SimpleKeyExpected | K::InvalidSimpleKey => YamlError::NoColon,
        K::ExpectedBlockMappingKey => YamlError::NotAKey,
        K::ExpectedBlockSequenceEntry => YamlError::NotAnItem,
        K::InvalidIndentation | K::InvalidFlowScalarIndent | K::InvalidBlockScalarIndent => YamlError::Indentation,
        K::BlockSequenceEntryNotAllowed => YamlError::DashNotAllowed,
        K::BlockEntryInFlowCollection | K::PlainScalarStartsWithDashFlowIndicator => YamlError::DashInBrackets,
        K::InvalidBlockEntryWhitespace | K::InvalidMappingValueWhitespace | K::ExpectedWhitespace => YamlError::BlankMissing,
        K::UnclosedQuotedScalar | K::InvalidQuotedScalarIndent | K::DocumentIndicatorInQuotedScalar => YamlError::QuoteNotClosed,
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => YamlError::AfterQuote,
        K::UnknownQuotedScalarEscape
        | K::InvalidQuotedScalarHexEscape
        | K::InvalidLowSurrogateHexEscape
        | K::InvalidLowSurrogate
        | K::MissingLowSurrogate
        | K::UnpairedLowSurrogate
        | K::InvalidUnicodeEscape => YamlError::Escape,
        K::UnclosedFlowCollection { open } => YamlError::BracketNotClosed(*open),
        K::UnexpectedEofFlowSequence => YamlError::BracketNotClosed('['),
        K::UnexpectedEofFlowMapping | K::UnexpectedEofImplicitFlowMapping => YamlError::BracketNotClosed('{'),
        K::MismatchedFlowCollectionEnd { open, close } => YamlError::WrongBracket(*open, *close),
        K::MisplacedFlowCollectionEnd => YamlError::StrayBracket,
        K::ExpectedFlowMappingSeparator | K::ExpectedFlowSequenceSeparator | K::FlowMappingValueAdjacentCollection => {
            YamlError::CommaMissing
        }
        K::UnexpectedCharacter { character } => YamlError::Character(*character),
        K::CommentNotSeparated => YamlError::CommentNotSeparated,
        K::CommentInterceptedScalar => YamlError::CommentInText,
        K::BomInsideDocument => YamlError::ByteOrderMark,
        K::ZeroBlockScalarIndent | K::InvalidBlockScalarHeader => YamlError::BlockHeader,
        K::RecursionLimitExceeded => YamlError::TooDeep,
        K::MissingAnchorOrAliasName => YamlError::AnchorName,
        K::ExpectedTagBang
        | K::InvalidGlobalTagCharacter
        | K::UndeclaredTagHandle
        | K::InvalidTagTerminator
        | K::MissingTagUri
        | K::UnclosedVerbatimTag
        | K::InvalidTagEscape
        | K::InvalidTagUtf8LeadingByte
        | K::InvalidTagUtf8TrailingByte
        | K::InvalidTagUtf8 => YamlError::Tag,
        K::ExpectedDocumentStart | K::InvalidDocumentEnd | K::MissingDocumentEndBeforeDirective => YamlError::DocumentMark,
        K::MappingKeyNotAllowed => YamlError::KeyNotAllowed,
        K::UnexpectedEof | K::UnexpectedEofBlockMapping | K::UnexpectedEofBlockSequence => YamlError::EndOfText,
        K::DuplicateVersionDirective
        | K::UnsupportedYamlMajorVersion
        | K::DuplicateTagDirective
        | K::ExpectedTagDirectiveBang
        | K::InvalidDirectiveTerminator
        | K::DirectiveDisallowed
        | K::MissingYamlVersionSeparator
        | K::MissingDirectiveName
        | K::InvalidDirectiveName
        | K::DirectiveByteLimitExceeded { .. }
        | K::TooManyReservedDirectiveParams { .. }
        | K::YamlVersionTooLong
        | K::MissingYamlVersion
        | K::InvalidTagDirectiveTerminator => YamlError::Directive,
        _ => YamlError::Other,
    }
}
