//! Turns the code of one call into two scripts for the engine, so that a scope works like a notebook.
//!
//! What a call declares at its top level (`const`, `let`, `class`, `function`, `var`) becomes a property of the global
//! object, which later calls see and may declare again. The first script, `declares`, makes the names and holds the
//! functions; the second, `runs`, is the rest. Both keep every line, and nearly every column, where the author wrote it: words
//! are blanked, not removed, so that places in stacks and syntax errors are the author's.

use super::source::Position;
use oxc_allocator::Allocator;
use oxc_ast::ast::{
    BindingPattern, Class, Declaration, Expression, ForStatementInit, ForStatementLeft, Function,
    ImportExpression, ImportMeta, ReturnStatement, Statement, VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

/// What stands before the first line of a script that has a `return` at its top level.
const OPEN: &str = "(async () => {";

/// A call's code, ready for the engine.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Makes the names; empty when there are none.
    pub declares: String,
    /// The code itself. Its completion value is the value of the call.
    pub runs: String,
    /// Names that `const`, `let` and `class` declare.
    pub lexical: Vec<String>,
    /// Those of them that begin without a value, also when they had one before.
    pub empty: Vec<String>,
    /// Names that `var` and `function` declare.
    pub loose: Vec<String>,
    /// How many columns the first line of `runs` begins too far to the right.
    pub shift: u32,
}

/// Why the code can't be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong, and what to do about it.
    pub message: String,
    /// Where.
    pub at: Position,
}

impl Refused {
    fn new(code: &str, at: u32, message: impl Into<String>) -> Self {
        Refused { message: message.into(), at: Position::of(code, at as usize) }
    }
}

/// Rewrites the code of one call.
///
/// # Errors
/// Code that does not parse, or that asks for what a scope does not have: modules, `using` at the top level.
pub fn rewrite(code: &str) -> Result<Rewritten, Refused> {
    if let Some(at) = code.find('\0') {
        return Err(Refused::new(code, clamp(at), "the code holds a NUL character: write \\0 in a string"));
    }
    let allocator = Allocator::default();
    let options = ParseOptions {
        parse_regular_expression: false,
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code, SourceType::mjs()).with_options(options).parse();
    // The parser may go on after a mistake; what it says first is what the author should hear.
    if let Some(problem) = parsed.diagnostics.iter().next() {
        let at = problem.labels.iter().next().map_or(0, |label| label.offset());
        let help = problem.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        return Err(Refused::new(code, at, format!("{}{help}", problem.message)));
    }
    let program = parsed.program;
    let mut found = Finder { refused: None, returns: false, vars: Vec::new(), depth: 0, code };
    for statement in &program.body {
        refuse_statement(code, statement)?;
    }
    found.visit_program(&program);
    if let Some(refused) = found.refused {
        return Err(refused);
    }
    let wrap = found.returns;
    let mut edits = Edits::new(code);
    let mut out = Rewritten::default();
    let mut spans: Vec<(String, Span)> = Vec::new();
    for statement in &program.body {
        match statement {
            Statement::VariableDeclaration(it) if it.kind != VariableDeclarationKind::Var => {
                for declarator in &it.declarations {
                    let known = spans.len();
                    names(&declarator.id, &mut spans);
                    if declarator.init.is_none() {
                        out.empty.extend(spans[known..].iter().map(|(name, _)| name.clone()));
                    }
                }
                edits.assignments(it, Place::Statement);
            }
            Statement::ClassDeclaration(it) => {
                if let Some(id) = &it.id {
                    spans.push((id.name.to_string(), id.span));
                    edits.insert(it.span.start, format!(";{} = ", id.name));
                    edits.insert(it.span.end, ";".to_owned());
                }
            }
            Statement::FunctionDeclaration(it) => {
                if let Some(id) = &it.id {
                    out.loose.push(id.name.to_string());
                }
                edits.move_out(it.span);
            }
            _ => {}
        }
    }
    once_each(code, &spans)?;
    out.lexical = spans.into_iter().map(|(name, _)| name).collect();
    for declared in &found.vars {
        out.loose.extend(declared.names.iter().cloned());
        if wrap {
            edits.loose(declared);
        }
    }
    out.loose.sort();
    out.loose.dedup();
    let last = program
        .body
        .iter()
        .rev()
        .find(|s| !matches!(s, Statement::EmptyStatement(_) | Statement::FunctionDeclaration(_)));
    match (last, wrap) {
        (Some(Statement::ExpressionStatement(it)), true) => {
            edits.insert(it.span.start, "return ".to_owned());
        }
        (Some(Statement::ExpressionStatement(_)), false) | (None, _) => {}
        // Only an expression has a value to show: the one of a loop's last round would surprise.
        (Some(other), false) => edits.insert(other.span().end, ";void 0".to_owned()),
        (Some(_), true) => {}
    }
    let (moved, rest) = edits.apply();
    out.declares = declares(&out, &moved);
    out.runs = if wrap {
        out.shift = clamp(OPEN.len());
        format!("{OPEN}{rest}\n}})()")
    } else {
        rest
    };
    Ok(out)
}

fn clamp(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The names first, in the columns that no function stands in: behind the functions.
fn declares(out: &Rewritten, moved: &str) -> String {
    let mut all: Vec<&str> = out.lexical.iter().chain(&out.loose).map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    if all.is_empty() {
        return String::new();
    }
    let empty: String = out.empty.iter().map(|name| format!("{name}=")).collect();
    let reset = if empty.is_empty() { String::new() } else { format!("{empty}void 0;") };
    format!("{moved}\nvar {};{reset}", all.join(","))
}

fn once_each(code: &str, spans: &[(String, Span)]) -> Result<(), Refused> {
    for (index, (name, span)) in spans.iter().enumerate() {
        if let Some((_, first)) = spans[..index].iter().find(|(other, _)| other == name) {
            let line = Position::of(code, first.start as usize).line;
            let message = format!(
                "'{name}' is declared twice in this script (first in line {line}): \
                 drop the second const, let or class to assign to it, or use another name"
            );
            return Err(Refused::new(code, span.start, message));
        }
    }
    Ok(())
}

fn refuse_statement(code: &str, statement: &Statement<'_>) -> Result<(), Refused> {
    let refuse = |span: Span, message: &str| Err(Refused::new(code, span.start, message));
    match statement {
        Statement::ImportDeclaration(it) => refuse(
            it.span,
            "import is not available in a script: fs, path, Buffer, fetch, URL and the page functions are globals, \
             and there are no other modules",
        ),
        Statement::ExportAllDeclaration(it) => refuse(it.span, NO_EXPORT),
        Statement::ExportDefaultDeclaration(it) => refuse(it.span, NO_EXPORT),
        Statement::ExportFromDeclaration(it) => refuse(it.span, NO_EXPORT),
        Statement::VariableDeclaration(it)
            if matches!(it.kind, VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing) =>
        {
            refuse(
                it.span,
                "using has no end of scope at the top level of a script: put it into a block { … }",
            )
        }
        other if other.is_module_declaration() => refuse(other.span(), NO_EXPORT),
        _ => Ok(()),
    }
}

const NO_EXPORT: &str = "export is not available in a script: what it declares at the top level is there for the next \
                         call anyway";

/// All names that a pattern binds.
fn names(pattern: &BindingPattern<'_>, into: &mut Vec<(String, Span)>) {
    match pattern {
        BindingPattern::BindingIdentifier(it) => into.push((it.name.to_string(), it.span)),
        BindingPattern::ObjectPattern(it) => {
            for property in &it.properties {
                names(&property.value, into);
            }
            if let Some(rest) = &it.rest {
                names(&rest.argument, into);
            }
        }
        BindingPattern::ArrayPattern(it) => {
            for element in it.elements.iter().flatten() {
                names(element, into);
            }
            if let Some(rest) = &it.rest {
                names(&rest.argument, into);
            }
        }
        BindingPattern::AssignmentPattern(it) => names(&it.left, into),
    }
}

/// Where a declaration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Statement,
    /// The first part of `for (;;)`.
    ForInit,
    /// Before `of` or `in`.
    ForEach,
}

/// A `var` outside of functions.
struct Loose {
    names: Vec<String>,
    /// The word `var` with the space behind it.
    keyword: Span,
    whole: Span,
    place: Place,
    /// Whether each declarator has a value, and where it ends.
    declarators: Vec<(bool, Span)>,
    patterns: bool,
}

/// Finds what matters below the top level.
struct Finder<'a> {
    code: &'a str,
    refused: Option<Refused>,
    returns: bool,
    vars: Vec<Loose>,
    depth: u32,
}

impl Finder<'_> {
    fn refuse(&mut self, span: Span, message: &str) {
        if self.refused.is_none() {
            self.refused = Some(Refused::new(self.code, span.start, message));
        }
    }

    fn var(&mut self, it: &VariableDeclaration<'_>, place: Place) {
        if self.depth > 0 || it.kind != VariableDeclarationKind::Var {
            return;
        }
        let mut spans = Vec::new();
        for declarator in &it.declarations {
            names(&declarator.id, &mut spans);
        }
        let first = it.declarations.first().map_or(it.span.end, |d| d.span.start);
        self.vars.push(Loose {
            names: spans.into_iter().map(|(name, _)| name).collect(),
            keyword: Span::new(it.span.start, first),
            whole: it.span,
            place,
            declarators: it.declarations.iter().map(|d| (d.init.is_some(), d.span)).collect(),
            patterns: it.declarations.iter().any(|d| !matches!(d.id, BindingPattern::BindingIdentifier(_))),
        });
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.depth += 1;
        walk::walk_function(self, it, flags);
        self.depth -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &oxc_ast::ast::ArrowFunctionExpression<'a>) {
        self.depth += 1;
        walk::walk_arrow_function_expression(self, it);
        self.depth -= 1;
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.depth += 1;
        walk::walk_class(self, it);
        self.depth -= 1;
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        self.returns |= self.depth == 0;
        walk::walk_return_statement(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(
            it.span,
            "import() is not available in a script: fs, path, Buffer, fetch, URL and the page functions are globals, \
             and there are no other modules",
        );
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.refuse(it.span, "import.meta is not available in a script: pwd is the folder of this session");
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if let Some(Declaration::VariableDeclaration(declaration)) = it.as_declaration() {
            self.var(declaration, Place::Statement);
        }
        walk::walk_statement(self, it);
    }

    fn visit_for_statement_init(&mut self, it: &ForStatementInit<'a>) {
        if let ForStatementInit::VariableDeclaration(declaration) = it {
            self.var(declaration, Place::ForInit);
        }
        walk::walk_for_statement_init(self, it);
    }

    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = it {
            self.var(declaration, Place::ForEach);
        }
        walk::walk_for_statement_left(self, it);
    }
}

/// Changes to the text, by place.
struct Edits<'a> {
    code: &'a str,
    /// (from, to, what stands there instead), in the order of being added.
    changes: Vec<(u32, u32, String)>,
    moved: Vec<Span>,
}

impl<'a> Edits<'a> {
    fn new(code: &'a str) -> Self {
        Edits { code, changes: Vec::new(), moved: Vec::new() }
    }

    fn insert(&mut self, at: u32, text: String) {
        self.changes.push((at, at, text));
    }

    /// Ends a statement, if its author has not.
    fn end(&mut self, at: u32) {
        if !self.code[at as usize..].trim_start().starts_with(';') {
            self.insert(at, ";".to_owned());
        }
    }

    fn move_out(&mut self, span: Span) {
        self.moved.push(span);
    }

    /// Blanks a keyword; `first` and `last` stand in the place of its first and its last character.
    fn keyword(&mut self, span: Span, first: &str, last: &str) {
        let text = &self.code[span.start as usize..span.end as usize];
        let blank = blanked(text);
        // The end of a line stays, or all lines below would move.
        let last_room = if blank.ends_with(' ') { last.len() } else { 0 };
        let keep = blank.chars().count().saturating_sub(first.len() + last_room);
        let middle: String = blank.chars().skip(first.len()).take(keep).collect();
        self.changes.push((span.start, span.end, format!("{first}{middle}{last}")));
    }

    /// `const {a} = f(), b = 2` becomes `;    ({a} = f(), b = 2)`.
    fn assignments(&mut self, it: &VariableDeclaration<'_>, place: Place) {
        let (Some(first), Some(last)) = (it.declarations.first(), it.declarations.last()) else { return };
        let patterns = it.declarations.iter().any(|d| !matches!(d.id, BindingPattern::BindingIdentifier(_)));
        let keyword = Span::new(it.span.start, first.span.start);
        let open = if place == Place::Statement { ";" } else { "" };
        self.keyword(keyword, open, if patterns { "(" } else { "" });
        if patterns {
            self.insert(last.span.end, ")".to_owned());
        }
        if place == Place::Statement {
            self.end(last.span.end);
        }
        // `const f = function () {}` and the like take their name from an assignment as well.
        debug_assert!(it.declarations.iter().all(|d| !matches!(d.init, Some(Expression::Super(_)))));
    }

    /// A `var` inside of the wrapper, which must not become the wrapper's own.
    fn loose(&mut self, it: &Loose) {
        match it.place {
            Place::ForEach => self.keyword(it.keyword, "", ""),
            Place::ForInit | Place::Statement if it.declarators.iter().all(|(init, _)| !init) => {
                // Nothing is assigned; the names exist already.
                let end = it.declarators.last().map_or(it.whole.end, |(_, span)| span.end);
                self.keyword(
                    Span::new(it.whole.start, end),
                    if it.place == Place::Statement { ";" } else { "" },
                    "",
                );
            }
            Place::ForInit | Place::Statement => {
                let open = if it.place == Place::Statement { ";" } else { "" };
                self.keyword(it.keyword, open, if it.patterns { "(" } else { "" });
                if let Some((_, last)) = it.declarators.last() {
                    self.insert(last.end, if it.patterns { ")".to_owned() } else { String::new() });
                    if it.place == Place::Statement {
                        self.end(last.end);
                    }
                }
            }
        }
    }

    /// What was moved out, in its place; and the rest.
    fn apply(mut self) -> (String, String) {
        let mut moved = String::with_capacity(self.code.len());
        let mut at = 0;
        for span in &self.moved {
            moved.push_str(&blanked(&self.code[at..span.start as usize]));
            moved.push_str(&self.code[span.start as usize..span.end as usize]);
            at = span.end as usize;
        }
        for span in std::mem::take(&mut self.moved) {
            let text = &self.code[span.start as usize..span.end as usize];
            self.changes.push((span.start, span.end, blanked(text)));
        }
        self.changes.sort_by_key(|(from, to, _)| (*from, *to));
        let mut rest = String::with_capacity(self.code.len() + 64);
        let mut at = 0;
        for (from, to, text) in &self.changes {
            let (from, to) = (*from as usize, *to as usize);
            if from < at {
                // A `var` inside of what is replaced as a whole.
                continue;
            }
            rest.push_str(&self.code[at..from]);
            rest.push_str(text);
            at = to;
        }
        rest.push_str(&self.code[at..]);
        (moved, rest)
    }
}

/// Spaces of the same length in characters; ends of lines stay.
fn blanked(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}') { c } else { ' ' }).collect()
}
