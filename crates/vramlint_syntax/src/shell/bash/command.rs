//! Simple commands: their words, their environment, what they do to variables, and calls of the script's own functions.

use super::super::scope::{Directory, Positional};
use super::super::spanned_text::{Field, Piece, stored, text_of, to_word};
use super::super::variables::Value;
use super::super::{Command, Word};
use super::expand;
use super::outline::is_name;
use super::walk::{Context, Flow, Walker};
use std::ops::Range;
use tree_sitter::Node;
use vramlint_base::TextRange;

impl<'t> Walker<'t> {
    /// A command with redirections around it, which may hide further words or commands.
    pub(super) fn redirected(&mut self, node: Node<'t>, context: &Context) -> Flow {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        let mut more = Vec::new();
        let mut behind = Vec::new();
        for child in &children {
            match child.kind() {
                "file_redirect" => self.words_behind_redirect(*child, &mut more),
                "heredoc_redirect" => heredoc_rest(*child, &mut more, &mut behind),
                _ => {}
            }
        }
        let mut flow = Flow::On;
        if let Some(body) = node.child_by_field_name("body") {
            self.run_document(node, body, &children, context);
            flow = if body.kind() == "command" { self.command(body, context, &more) } else { self.statement(body, context) };
            self.read_document(body, &children, context);
        }
        for statement in behind {
            self.statement(statement, context);
        }
        flow
    }

    /// The parser takes every word after `> file` for a file; only the first is one.
    fn words_behind_redirect(&self, node: Node<'t>, more: &mut Vec<Range<usize>>) {
        let mut cursor = node.walk();
        let files: Vec<Range<usize>> =
            node.children_by_field_name("destination", &mut cursor).map(|file| file.byte_range()).collect();
        let bytes = self.text.as_bytes();
        let (start, end) = (node.start_byte(), node.end_byte());
        // `<path>` is a placeholder of a document, not a redirection.
        let opens = bytes.get(start) == Some(&b'<')
            && bytes.get(end) == Some(&b'>')
            && files.first().is_some_and(|f| f.start == start + 1);
        let closes = bytes.get(start) == Some(&b'>') && self.closes_placeholder(start);
        if opens {
            more.push(start..end + 1);
        } else if closes {
            more.extend(files);
        } else {
            more.extend(files.into_iter().skip(1));
        }
    }

    fn closes_placeholder(&self, at: usize) -> bool {
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &self.text[line..at];
        before.rfind('<').is_some_and(|open| {
            let inner = &before[open + 1..];
            inner.starts_with(char::is_alphabetic) && !inner.contains(['>', '$', '"'])
        })
    }

    /// Whether a word is a variable that is empty until the caller gives it a value: `MODEL=` before a loop over the options.
    fn is_left_to_caller(&self, place: &Range<usize>) -> bool {
        let name = self.text.get(place.clone()).and_then(super::conditions::plain_variable);
        let variable = name.and_then(|name| self.scope.variables.get(name));
        variable.is_some_and(|variable| match &variable.value {
            Value::Text(field) => field.iter().any(|piece| !piece.assumptions.is_empty()),
            _ => false,
        })
    }

    /// A simple command. `more`: words that the parser put elsewhere.
    pub(super) fn command(&mut self, node: Node<'t>, context: &Context, more: &[Range<usize>]) -> Flow {
        self.substitutions(node, context);
        self.scope.conditional = context.unsure();
        let (prefixes, places) = self.parts(node, more);
        let made = self.prefixes(&prefixes);
        let mut words: Vec<(Field, TextRange)> = Vec::new();
        for place in places {
            let range = TextRange::of(place.clone());
            match place_kind(self.text, &place) {
                Part::Placeholder => words.push((vec![Piece::unknown(range, false)], range)),
                Part::Word => {
                    let awaits_value = words.last().is_some_and(|(field, _)| is_option(field));
                    let mut fields = expand::words(self.text, place.clone(), &mut self.scope);
                    if awaits_value && fields.is_empty() && self.is_left_to_caller(&place) {
                        fields.push(vec![Piece::unknown(range, true)]);
                    }
                    words.extend(fields.into_iter().map(|field| (field, range)));
                }
            }
        }
        let start = prefixes.first().map(|node| node.start_byte() as u32).or(words.first().map(|(_, range)| range.start));
        let Some(start) = start.filter(|_| !words.is_empty()) else { return Flow::On };
        let end = words.iter().map(|(_, range)| range.end).max().unwrap_or(start);
        let name = text_of(&words[0].0);
        let range = TextRange::new(start, end);
        let called = name.as_deref().and_then(|name| self.outline.functions.get(name).copied().map(|f| (name.to_owned(), f)));
        self.record(range, &words, made, context);
        if let Some((name, function)) = called {
            self.call(&name, function, words, context);
            return Flow::On;
        }
        match name.as_deref() {
            Some("exit" | "return") => return Flow::Leaves,
            Some("break") => self.breaks |= !context.unsure(),
            Some(name) => self.builtin(name, node, &words, context),
            None => {}
        }
        Flow::On
    }

    fn record(
        &mut self,
        range: TextRange,
        fields: &[(Field, TextRange)],
        made: Vec<super::super::Assignment>,
        context: &Context,
    ) {
        let cost = self.scope.variables.export_count();
        if self.environment_left < cost {
            return;
        }
        self.environment_left -= cost;
        let words: Vec<Word> = fields.iter().map(|(field, range)| to_word(field, *range)).collect();
        self.scope.pay_for(&words);
        let mut environment = made;
        let prefixed: Vec<String> = environment.iter().map(|assignment| assignment.name.clone()).collect();
        environment.extend(self.scope.variables.environment().filter(|exported| !prefixed.contains(&exported.name)));
        let handed = environment.clone();
        self.script.commands.push(Command {
            range,
            words,
            environment,
            function: context.function.as_deref().map(str::to_owned),
            in_loop: context.in_loop,
            conditional: context.conditional,
            directory: self.scope.directory.known(),
        });
        self.nested(fields, &handed, context);
    }

    /// Prefix assignments, and the places of the words. Nodes without a gap between them are one word.
    fn parts(&self, node: Node<'t>, more: &[Range<usize>]) -> (Vec<Node<'t>>, Vec<Range<usize>>) {
        let mut prefixes = Vec::new();
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut hidden = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment" if places.is_empty() => prefixes.push(child),
                "herestring_redirect" | "heredoc_redirect" | "comment" => {}
                "file_redirect" => self.words_behind_redirect(child, &mut hidden),
                _ if child.start_byte() == child.end_byte() => {}
                _ => match places.last_mut() {
                    Some(last) if last.end == child.start_byte() => last.end = child.end_byte(),
                    _ => places.push(child.byte_range()),
                },
            }
        }
        places.extend(hidden);
        places.extend(more.iter().cloned());
        places.sort_by_key(|place| place.start);
        (prefixes, self.with_templates_whole(places))
    }

    /// `{{ x }}` is one word of the template, though three of the shell.
    fn with_templates_whole(&self, places: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let mut whole: Vec<Range<usize>> = Vec::new();
        let mut open = false;
        for place in places {
            let word = self.text.get(place.clone()).unwrap_or("");
            let (opens, closes) = (word.rfind("{{"), word.rfind("}}"));
            match whole.last_mut() {
                Some(last) if open => last.end = place.end,
                _ => whole.push(place),
            }
            open = if open { closes.is_none() } else { opens.is_some_and(|opens| closes.is_none_or(|closes| closes < opens)) };
        }
        whole
    }

    /// The environment that is before a command, for it alone.
    fn prefixes(&mut self, nodes: &[Node<'t>]) -> Vec<super::super::Assignment> {
        let mark = self.scope.variables.mark();
        let first = self.scope.assignments.len();
        for node in nodes {
            self.assign(*node, true);
        }
        self.scope.variables.take_back(mark);
        self.scope.assignments[first..].to_vec()
    }

    /// A call of a function that the script defines.
    fn call(&mut self, name: &str, function: super::outline::Function<'t>, words: Vec<(Field, TextRange)>, context: &Context) {
        if self.active.iter().any(|active| active == name) {
            return;
        }
        let once = self.outline.call_count(name) == 1;
        let place = words[0].1;
        if self.walked.contains(&function.start) {
            for changed in self.outline.changed_in(function.body.byte_range(), &mut self.scope.work_left) {
                self.scope.lose(&changed, place, false);
            }
            return;
        }
        let inner = if once { call_arguments(words) } else { Positional::Unknown };
        let outer = std::mem::replace(&mut self.scope.positional, inner);
        if once {
            self.body(name, function, context);
        } else {
            self.shared_body(name, function, place, context);
        }
        self.scope.positional = outer;
    }

    /// The body of a function that is called several times: what changes between the calls is not known inside.
    fn shared_body(&mut self, name: &str, function: super::outline::Function<'t>, place: TextRange, context: &Context) {
        let own = self.outline.changed_in(function.body.byte_range(), &mut self.scope.work_left);
        let mark = self.scope.variables.mark();
        for changed in
            own.iter().chain(&self.outline.changed_in(place.start as usize..self.text.len(), &mut self.scope.work_left))
        {
            self.scope.lose(changed, place, false);
        }
        self.body(name, function, &context.looped());
        self.scope.variables.take_back(mark);
        for changed in &own {
            self.scope.lose(changed, place, false);
        }
    }

    /// Commands of the shell that change variables.
    fn builtin(&mut self, name: &str, node: Node<'t>, words: &[(Field, TextRange)], context: &Context) {
        let texts: Vec<Option<String>> = words[1..].iter().map(|(field, _)| text_of(field)).collect();
        let place = words[0].1;
        match name {
            "read" | "mapfile" | "readarray" | "getopts" => {
                let fed = self.slice(node).contains('<') || context.in_loop && name == "read";
                let caller = matches!(name, "read" | "getopts") && !fed;
                for text in texts.iter().flatten().filter(|text| is_name(text)) {
                    self.scope.lose(text, place, caller || name == "getopts");
                }
            }
            "let" => {
                for target in texts.iter().flatten().flat_map(|text| super::outline::arithmetic_targets(text)) {
                    self.scope.lose(&target, place, false);
                }
            }
            "printf" if texts.first().is_some_and(|text| text.as_deref() == Some("-v")) => {
                if let Some(Some(target)) = texts.get(1) {
                    self.scope.lose(target, place, false);
                }
            }
            "set" => self.set(&texts, words),
            "shift" => self.shift(texts.first(), context),
            "cd" | "pushd" => self.enter(&words[1..]),
            "popd" => self.scope.directory = Directory::Unknown,
            _ => {}
        }
    }

    /// `cd DIR`.
    fn enter(&mut self, words: &[(Field, TextRange)]) {
        let target = words.iter().map(|(field, range)| to_word(field, *range)).find(|word| {
            // `cd -P DIR`
            word.text().is_none_or(|text| text == "-" || !text.starts_with('-'))
        });
        let path = target.as_ref().and_then(|word| word.text().or(word.path_end.as_deref()));
        self.scope.directory = match path.filter(|path| !path.is_empty() && *path != "-") {
            Some(path) => self.scope.directory.entered(path),
            None => Directory::Unknown,
        };
    }

    fn set(&mut self, texts: &[Option<String>], words: &[(Field, TextRange)]) {
        match texts.first() {
            Some(Some(flag))
                if flag == "-a" || flag == "-o" && texts.get(1).is_some_and(|t| t.as_deref() == Some("allexport")) =>
            {
                self.scope.export_all = true;
            }
            Some(Some(flag)) if flag == "+a" => self.scope.export_all = false,
            // The words after `set`, `--` taking the place of the name of a function.
            Some(Some(flag)) if flag == "--" && !self.scope.conditional => {
                self.scope.positional = call_arguments(words[1..].to_vec());
            }
            Some(Some(flag)) if flag == "--" => self.scope.positional = Positional::Unknown,
            _ => {}
        }
    }

    fn shift(&mut self, count: Option<&Option<String>>, context: &Context) {
        let Positional::Words { words, .. } = &mut self.scope.positional else { return };
        let count = count.map_or(Some(1), |count| count.as_ref().and_then(|text| text.parse::<usize>().ok()));
        match count {
            Some(count) if !context.unsure() => {
                words.drain(..count.min(words.len()));
            }
            _ => self.scope.positional = Positional::Unknown,
        }
    }
}

/// Whether a word is an option that may take the next word: `--model`, not `--model=x`.
fn is_option(field: &Field) -> bool {
    text_of(field).is_some_and(|text| text.starts_with('-') && text.len() > 1 && !text.contains('='))
}

/// The arguments of a call as the function's own.
fn call_arguments(words: Vec<(Field, TextRange)>) -> Positional {
    let mut arguments = Vec::new();
    for (field, range) in words.into_iter().skip(1) {
        // An unknown word outside quotes may be none, or several.
        if field.iter().any(|piece| piece.text.is_none() && piece.derived && piece.splits) {
            return Positional::Words { words: arguments, complete: false };
        }
        arguments.push((stored(field, range), range));
    }
    Positional::Words { words: arguments, complete: true }
}

enum Part {
    Word,
    Placeholder,
}

fn place_kind(text: &str, place: &Range<usize>) -> Part {
    let word = text.get(place.clone()).unwrap_or("");
    if word.starts_with('<') && word.ends_with('>') { Part::Placeholder } else { Part::Word }
}

/// What is after `<< EOF` on its line: words of the command, and commands of their own.
fn heredoc_rest<'t>(node: Node<'t>, more: &mut Vec<Range<usize>>, behind: &mut Vec<Node<'t>>) {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        match (child.kind(), cursor.field_name()) {
            ("pipeline", _) | (_, Some("right")) => behind.push(child),
            (_, Some("argument")) => more.push(child.byte_range()),
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            return;
        }
    }
}
