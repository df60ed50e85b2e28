//! The text of pages, in the order in which it is drawn, in lines by where it stands.

use super::file::{LARGEST_STREAM, broken, chosen, pages_of};
use super::font::Font;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use truehand_base::ErrorBody;

/// The most text that is given back, in bytes.
const MOST: usize = 4 << 20;

/// How deep drawings may lie in drawings.
const DEEPEST: usize = 8;

/// The most operations of a page.
const OPERATIONS: usize = 2_000_000;

/// `{ page_count, pages: [{ page, text }], truncated }`.
///
/// # Errors
/// `INVALID_ARGUMENTS` for a page that is not there, `ARTIFACT_INVALID`, `CONTENT_TOO_LARGE`.
pub fn text(document: &Document, numbers: &[usize]) -> Result<Value, ErrorBody> {
    let mut left = MOST;
    let mut truncated = false;
    let mut pages = Vec::new();
    for (number, page) in chosen(document, numbers)? {
        let mut text = of_page(document, page)?;
        if text.len() > left {
            text.truncate(text.floor_char_boundary(left));
            truncated = true;
        }
        left -= text.len();
        pages.push(json!({ "page": number, "text": text }));
    }
    Ok(json!({ "page_count": pages_of(document).len(), "pages": pages, "truncated": truncated }))
}

fn of_page(document: &Document, page: ObjectId) -> Result<String, ErrorBody> {
    let content =
        document.get_page_content_with_limit(page, LARGEST_STREAM).map_err(|error| broken(&error))?;
    let (own, inherited) = document.get_page_resources(page).map_err(|error| broken(&error))?;
    let mut resources: Vec<&Dictionary> = own.into_iter().collect();
    resources.extend(inherited.iter().filter_map(|id| document.get_dictionary(*id).ok()));
    let mut writer = Writer { document, text: String::new(), last: None, operations: 0 };
    writer.draw(&content, &resources, Matrix::ONE, 0)?;
    let lines: Vec<&str> = writer.text.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_matches('\n').to_owned())
}

/// A transformation as six numbers.
#[derive(Clone, Copy)]
struct Matrix([f32; 6]);

impl Matrix {
    const ONE: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The numbers of an operation, when there are six.
    fn of(operands: &[Object]) -> Option<Matrix> {
        let mut numbers = [0.0; 6];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = operands.get(at)?.as_float().ok()?;
        }
        Some(Matrix(numbers))
    }

    /// First this one, then `other`.
    fn then(self, other: Matrix) -> Matrix {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, other.0);
        Matrix([
            a * p + b * r,
            a * q + b * s,
            c * p + d * r,
            c * q + d * s,
            e * p + f * r + t,
            e * q + f * s + u,
        ])
    }

    fn moved(self, x: f32, y: f32) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }

    fn place(self) -> (f32, f32) {
        (self.0[4], self.0[5])
    }

    /// How much larger it makes what is drawn.
    fn scale(self) -> f32 {
        self.0[2].hypot(self.0[3])
    }
}

/// Where the last piece of text ended.
struct End {
    x: f32,
    y: f32,
    size: f32,
    /// Whether the widths of its signs were known.
    measured: bool,
}

struct Writer<'a> {
    document: &'a Document,
    text: String,
    last: Option<End>,
    operations: usize,
}

/// What the text operators keep.
struct State<'a> {
    line: Matrix,
    at: Matrix,
    leading: f32,
    size: f32,
    font: Option<&'a Font<'a>>,
    /// What is added after each sign.
    sign_gap: f32,
    /// What is added after each space.
    space_gap: f32,
    /// How wide all is drawn.
    stretch: f32,
}

impl<'a> Writer<'a> {
    fn draw(
        &mut self,
        content: &[u8],
        resources: &[&'a Dictionary],
        outer: Matrix,
        depth: usize,
    ) -> Result<(), ErrorBody> {
        let fonts = self.fonts(resources);
        let content = Content::decode(content).map_err(|error| broken(&error))?;
        let mut matrix = outer;
        let mut kept = Vec::new();
        let mut state = State {
            line: Matrix::ONE,
            at: Matrix::ONE,
            leading: 0.0,
            size: 1.0,
            font: None,
            sign_gap: 0.0,
            space_gap: 0.0,
            stretch: 1.0,
        };
        for operation in &content.operations {
            self.operations += 1;
            if self.operations > OPERATIONS {
                return Ok(());
            }
            match operation.operator.as_str() {
                "q" => kept.push(matrix),
                "Q" => matrix = kept.pop().unwrap_or(matrix),
                "cm" => matrix = Matrix::of(&operation.operands).map_or(matrix, |m| m.then(matrix)),
                "Do" if depth < DEEPEST => self.draw_form(operation, resources, matrix, depth)?,
                "Tf" => {
                    let name = operation.operands.first().and_then(|name| name.as_name().ok());
                    state.font = name.and_then(|name| fonts.get(name));
                    state.size = number(operation, 1).unwrap_or(state.size);
                }
                _ => self.show(operation, &mut state, matrix),
            }
        }
        Ok(())
    }

    /// The operators of text.
    fn show(&mut self, operation: &Operation, state: &mut State<'_>, matrix: Matrix) {
        let operands = &operation.operands;
        match operation.operator.as_str() {
            "BT" => (state.line, state.at) = (Matrix::ONE, Matrix::ONE),
            "Tm" => {
                if let Some(set) = Matrix::of(operands) {
                    (state.line, state.at) = (set, set);
                }
            }
            "Tc" => state.sign_gap = number(operation, 0).unwrap_or(state.sign_gap),
            "Tw" => state.space_gap = number(operation, 0).unwrap_or(state.space_gap),
            "Tz" => state.stretch = number(operation, 0).map_or(state.stretch, |percent| percent / 100.0),
            "TL" => state.leading = number(operation, 0).unwrap_or(state.leading),
            "Td" | "TD" => {
                let (x, y) = (number(operation, 0).unwrap_or(0.0), number(operation, 1).unwrap_or(0.0));
                if operation.operator == "TD" {
                    state.leading = -y;
                }
                state.next(x, y);
            }
            "T*" => state.next(0.0, -state.leading),
            "Tj" | "TJ" => self.write(operands, state, matrix),
            "'" | "\"" => {
                state.next(0.0, -state.leading);
                let last = operands.len().saturating_sub(1);
                self.write(operands.get(last..).unwrap_or_default(), state, matrix);
            }
            _ => {}
        }
    }

    fn write(&mut self, operands: &[Object], state: &mut State<'_>, matrix: Matrix) {
        let Some(font) = state.font else { return };
        let mut shown = Piece::default();
        shown.add(operands, font, state);
        let Piece { text: piece, width } = shown;
        if piece.is_empty() {
            state.at = state.at.moved(width, 0.0);
            return;
        }
        let place = state.at.then(matrix);
        let (x, y) = place.place();
        let size = (state.size * place.scale()).abs().max(0.1);
        if let Some(last) = &self.last {
            let gap = x - last.x;
            // Half of a usual space, or what no wrong guess of widths explains.
            let wide = if last.measured { 0.15 } else { 0.6 };
            if (y - last.y).abs() > 0.4 * size.max(last.size) {
                self.text.push('\n');
            } else if gap > wide * size
                && !self.text.ends_with(char::is_whitespace)
                && !piece.starts_with(' ')
            {
                self.text.push(' ');
            }
        }
        self.text.push_str(&piece);
        state.at = state.at.moved(width, 0.0);
        self.last = Some(End { x: state.at.then(matrix).place().0, y, size, measured: font.measured() });
    }

    /// A drawing that is used by name.
    fn draw_form(
        &mut self,
        operation: &Operation,
        resources: &[&'a Dictionary],
        matrix: Matrix,
        depth: usize,
    ) -> Result<(), ErrorBody> {
        let Some(name) = operation.operands.first().and_then(|name| name.as_name().ok()) else {
            return Ok(());
        };
        let document = self.document;
        let found = resources.iter().find_map(|from| {
            let forms = from.get_deref(b"XObject", document).ok()?.as_dict().ok()?;
            forms.get_deref(name, document).ok()?.as_stream().ok()
        });
        let is_form = |stream: &&lopdf::Stream| {
            stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form")
        };
        let Some(form) = found.filter(is_form) else { return Ok(()) };
        let content = form.get_plain_content_with_limit(LARGEST_STREAM).map_err(|error| broken(&error))?;
        let own = form.dict.get_deref(b"Resources", document).ok().and_then(|own| own.as_dict().ok());
        let mut inner: Vec<&Dictionary> = own.into_iter().collect();
        inner.extend(resources);
        let set = form.dict.get_deref(b"Matrix", document).ok().and_then(|set| set.as_array().ok());
        let set = set.and_then(|set| Matrix::of(set)).unwrap_or(Matrix::ONE);
        self.draw(&content, &inner, set.then(matrix), depth + 1)
    }

    fn fonts(&self, resources: &[&'a Dictionary]) -> BTreeMap<Vec<u8>, Font<'a>> {
        let mut found = BTreeMap::new();
        for from in resources {
            let fonts = from.get_deref(b"Font", self.document).ok().and_then(|fonts| fonts.as_dict().ok());
            for (name, font) in fonts.into_iter().flat_map(Dictionary::iter) {
                if found.contains_key(name) {
                    continue;
                }
                let font = self.document.dereference(font).ok().and_then(|(_, font)| font.as_dict().ok());
                if let Some(font) = font.and_then(|font| Font::of(font, self.document, LARGEST_STREAM)) {
                    found.insert(name.clone(), font);
                }
            }
        }
        found
    }
}

impl State<'_> {
    fn next(&mut self, x: f32, y: f32) {
        self.line = self.line.moved(x, y);
        self.at = self.line;
    }
}

fn number(operation: &Operation, at: usize) -> Option<f32> {
    operation.operands.get(at)?.as_float().ok()
}

/// What one operation shows, and how far it goes.
#[derive(Default)]
struct Piece {
    text: String,
    width: f32,
}

impl Piece {
    /// Adds texts, and in lists of them the gaps, of which wide ones are spaces.
    fn add(&mut self, operands: &[Object], font: &Font<'_>, state: &State<'_>) {
        for operand in operands {
            match operand {
                Object::String(bytes, _) => {
                    if let Ok(text) = Document::decode_text(&font.encoding, bytes) {
                        self.text.extend(text.chars().filter(|c| !c.is_control()));
                    }
                    let (width, signs, spaces) = font.width(bytes);
                    #[expect(clippy::cast_precision_loss, reason = "no page has so many signs")]
                    let gaps = signs as f32 * state.sign_gap + spaces as f32 * state.space_gap;
                    self.width += (width / 1_000.0 * state.size + gaps) * state.stretch;
                }
                Object::Array(items) => self.add(items, font, state),
                Object::Integer(_) | Object::Real(_) => {
                    let gap = operand.as_float().unwrap_or(0.0);
                    if gap < -200.0 && !self.text.is_empty() && !self.text.ends_with(' ') {
                        self.text.push(' ');
                    }
                    self.width -= gap / 1_000.0 * state.size * state.stretch;
                }
                _ => {}
            }
        }
    }
}
