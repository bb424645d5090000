//! Here-documents that become the value of a variable: `read -r -d '' A << EOF`, `A=$(cat << EOF`.

use super::super::scope::Places;
use super::super::spanned_text::{Field, Piece};
use super::super::variables::Value;
use super::expand;
use super::outline::is_name;
use super::walk::{Context, Walker};
use std::ops::Range;
use tree_sitter::Node;
use vramlint_base::TextRange;

/// Endings of scripts that are written to be started.
const SCRIPTS: [&str; 5] = [".sh", ".bash", ".slurm", ".sbatch", ".sub"];

impl<'t> Walker<'t> {
    /// `read -r -d '' A << EOF`: the variable holds the document.
    pub(super) fn read_document(&mut self, body: Node<'t>, around: &[Node<'t>], context: &Context) {
        let slice = self.slice(body);
        if !slice.starts_with("read ") || !(slice.contains("-d ''") || slice.contains("-d \"\"") || slice.contains("-d'")) {
            return;
        }
        let Some(document) = around.iter().find(|child| child.kind() == "heredoc_redirect") else { return };
        let Some((range, expands)) = self.document_range(*document) else { return };
        let mut cursor = body.walk();
        let target = body.named_children(&mut cursor).filter(|child| is_name(self.slice(*child))).last();
        let Some(target) = target.filter(|target| target.kind() != "command_name") else { return };
        // `read` takes blanks away at both ends.
        let slice = self.text.get(range.clone()).unwrap_or("");
        let start = range.start + slice.len() - slice.trim_start().len();
        let range = start..start + slice.trim().len();
        let field = self.document_text(range.clone(), expands);
        let name = TextRange::of(target.byte_range());
        let value = TextRange::of(range);
        self.scope.conditional = context.unsure();
        self.scope.assign(self.slice(target), Places { range: name.cover(value), name, value }, Value::Text(field), false);
    }

    /// `bash << EOF`, `sbatch << EOF`, `cat > job.sh << EOF`: the document is a script that runs.
    pub(super) fn run_document(&mut self, node: Node<'t>, body: Node<'t>, around: &[Node<'t>], context: &Context) {
        let slice = self.slice(body);
        let mut words = slice.split_whitespace();
        let program = words.next().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let runs = match program {
            "bash" | "sh" | "zsh" => words.all(|word| word.starts_with('-')),
            "sbatch" | "ssh" | "srun" => true,
            "cat" => {
                // The parser takes the redirection after `<< EOF` for a part of it.
                let line = self.slice(node).lines().next().unwrap_or("");
                let target = line.split('>').next_back().unwrap_or("");
                let target = target.split("<<").next().unwrap_or("").trim().trim_matches(['"', '\'']);
                line.contains('>') && SCRIPTS.iter().any(|end| target.ends_with(end))
            }
            _ => false,
        };
        let document = around.iter().find(|child| child.kind() == "heredoc_redirect").filter(|_| runs);
        let Some((range, expands)) = document.and_then(|document| self.document_range(*document)) else { return };
        let field = self.document_text(range, expands);
        let environment: Vec<_> = self.scope.variables.environment().collect();
        self.run_inner(&field, false, &environment, context);
    }

    /// The document in `$(cat << EOF … )`, if the value is that.
    pub(super) fn document_of(&mut self, value: Option<Node<'t>>) -> Option<Field> {
        let mut value = value?;
        if value.kind() == "string" && value.named_child_count() == 1 {
            value = value.named_child(0)?;
        }
        if value.kind() != "command_substitution" || value.named_child_count() != 1 {
            return None;
        }
        let statement = value.named_child(0)?;
        let body = statement.child_by_field_name("body")?;
        if statement.kind() != "redirected_statement" || statement.named_child_count() != 2 || self.slice(body) != "cat" {
            return None;
        }
        let (range, expands) = self.document_range(statement.named_child(1)?)?;
        let length = self.text.get(range.clone())?.trim_end_matches(['\n', '\r']).len();
        Some(self.document_text(range.start..range.start + length, expands))
    }

    /// Where a document is, and whether variables in it are replaced.
    fn document_range(&self, redirect: Node<'t>) -> Option<(Range<usize>, bool)> {
        let mut cursor = redirect.walk();
        let mut expands = true;
        let mut found = None;
        for child in redirect.named_children(&mut cursor) {
            match child.kind() {
                "heredoc_start" => expands = !self.slice(child).contains(['\'', '"', '\\']),
                "heredoc_body" => found = Some(child.byte_range()),
                "pipeline" => return None,
                _ => {}
            }
        }
        found.map(|range| (range, expands))
    }

    fn document_text(&mut self, range: Range<usize>, expands: bool) -> Field {
        if expands {
            return expand::document(self.text, range, &mut self.scope);
        }
        let text = self.text.get(range.clone()).unwrap_or("");
        vec![Piece::literal(text, TextRange::of(range), true)]
    }
}
