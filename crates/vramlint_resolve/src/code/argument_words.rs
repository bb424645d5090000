//! The words of the command line as a program without a parser sees them: `sys.argv`.

use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

impl Interpreter<'_> {
    /// `len(sys.argv)`.
    pub(super) fn count_of_words(&self) -> ValueKind {
        let arguments = &self.command_line.arguments;
        let with_script = |count: Option<usize>| count.and_then(|count| i64::try_from(count + 1).ok());
        let least = || with_script(arguments.least_count()).map(|least| ValueKind::Range(least, i64::MAX));
        let exact = with_script(arguments.count()).map(|count| ValueKind::Scalar(Value::Int(count)));
        exact.or_else(least).unwrap_or(ValueKind::Unknown)
    }

    /// `sys.argv[index]`.
    pub(super) fn word_of_command(&self, index: i64, place: FileRange) -> AbstractValue {
        let launch = self.command_line.arguments;
        let at = match index {
            0.. => usize::try_from(index).ok(),
            _ => launch.count().and_then(|count| usize::try_from(i64::try_from(count + 1).ok()? + index).ok()),
        };
        let source = ValueSource { place: Some(place), name: format!("sys.argv[{index}]"), ..ValueSource::default() };
        match at.and_then(|at| launch.word(at)) {
            Some(word) => AbstractValue::new(ValueKind::Scalar(Value::Text(word.to_owned())), source),
            None => AbstractValue::new(
                ValueKind::External(format!("sys.argv.{index}").into()),
                ValueSource { may_be_overridden: true, ..source },
            ),
        }
    }

    /// The words that a loop over `sys.argv` or `sys.argv[1:]` visits, and those that these expressions are.
    pub(super) fn words_of(&self, expr: &Expr, scope: usize) -> Option<AbstractValue> {
        let place = FileRange::new(self.scopes[scope].file, expr.range);
        match &expr.kind {
            ExprKind::Subscript(base, index) if base.dotted().as_deref() == Some("sys.argv") => {
                let index = FileRange::new(place.file, index.range);
                if self.sources.text(index).trim() != "1:" {
                    return None;
                }
            }
            _ => return None,
        }
        let count = i64::try_from(self.command_line.arguments.count()?).ok()?;
        let words = (1..=count).map(|index| self.word_of_command(index, place)).collect();
        Some(AbstractValue::located(ValueKind::Items(Rc::new(words)), place))
    }
}
