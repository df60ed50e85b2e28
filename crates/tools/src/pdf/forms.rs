//! The form of a PDF: its fields, what they hold, and filling them in.

use super::Done;
use super::file::{broken, bytes_of};
use lopdf::{Dictionary, Document, Object, ObjectId, decode_text_string, text_string};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// The most fields of a form.
const MOST: usize = 5_000;

/// A field at the end of its branch.
struct Field {
    id: ObjectId,
    name: String,
    kind: &'static str,
    flags: i64,
    value: Value,
    options: Vec<String>,
    /// Its boxes on pages; itself when the two are one.
    widgets: Vec<ObjectId>,
}

impl Field {
    fn read_only(&self) -> bool {
        self.flags & 1 != 0
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "value": self.value, "options": self.options,
            "read_only": self.read_only(), "required": self.flags & 2 != 0,
        })
    }
}

/// `{ fields: [{ name, type, value, options, read_only, required }] }`.
///
/// # Errors
/// `CONTENT_TOO_LARGE` for a form of too many fields.
pub fn fields(document: &Document) -> Result<Value, ErrorBody> {
    let fields: Vec<Value> = all(document)?.iter().map(Field::json).collect();
    Ok(json!({ "fields": fields }))
}

/// Fills fields in. Nothing is filled when one of them is not there or does not take its value.
///
/// # Errors
/// `INVALID_ARGUMENTS` with the field and what it takes.
pub fn fill(mut document: Document, values: &Map<String, Value>) -> Result<Done, ErrorBody> {
    let fields = all(&document)?;
    let mut plan = Vec::new();
    for (name, value) in values {
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).take(100).collect();
            let message = format!("the form has no field '{}'", clip(name, 80));
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message).with("fields", names));
        };
        plan.push((field, wanted(field, value)?));
    }
    for (field, wanted) in &plan {
        put(&mut document, field, wanted).map_err(|error| broken(&error))?;
    }
    if let Ok(form) = form_mut(&mut document) {
        // Whoever shows the file draws the fields anew.
        form.set("NeedAppearances", true);
    }
    let filled: Vec<&str> = plan.iter().map(|(field, _)| field.name.as_str()).collect();
    let value = json!({ "filled": filled });
    Ok(Done { value, files: vec![bytes_of(document)?] })
}

/// What a field is to hold.
enum Wanted {
    Text(String),
    State(String),
}

fn wanted(field: &Field, value: &Value) -> Result<Wanted, ErrorBody> {
    let bad = |why: String| {
        let message = format!("the field '{}' {why}", clip(&field.name, 80));
        Err(ErrorBody::new(ErrorCode::InvalidArguments, message).with("field", field.json()))
    };
    if field.read_only() {
        return bad("may only be read".to_owned());
    }
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        _ => return bad("takes a text, a number or a switch".to_owned()),
    };
    let one_of = |text: &str| field.options.iter().any(|option| option == text);
    match field.kind {
        "checkbox" | "radio" => match value {
            Value::Bool(false) => Ok(Wanted::State("Off".to_owned())),
            Value::Bool(true) => match field.options.as_slice() {
                [only] => Ok(Wanted::State(only.clone())),
                options => bad(format!("takes one of {}", options.join(", "))),
            },
            _ if text == "Off" || one_of(&text) => Ok(Wanted::State(text)),
            _ => bad(format!("takes one of {}", field.options.join(", "))),
        },
        "choice" if !field.options.is_empty() && !one_of(&text) && field.flags & EDITABLE == 0 => {
            bad(format!("takes one of {}", field.options.join(", ")))
        }
        "choice" | "text" => Ok(Wanted::Text(text)),
        other => bad(format!("is a {other}, which can't be filled in")),
    }
}

/// A choice that also takes what is not on its list.
const EDITABLE: i64 = 1 << 18;

fn put(document: &mut Document, field: &Field, wanted: &Wanted) -> lopdf::Result<()> {
    match wanted {
        Wanted::Text(text) => {
            document.get_dictionary_mut(field.id)?.set("V", text_string(text));
            for widget in &field.widgets {
                document.get_dictionary_mut(*widget)?.remove(b"AP");
            }
        }
        Wanted::State(state) => {
            document.get_dictionary_mut(field.id)?.set("V", Object::Name(state.clone().into_bytes()));
            for widget in &field.widgets {
                let own = states(document, *widget);
                let shown = if own.contains(state) { state.as_str() } else { "Off" };
                document.get_dictionary_mut(*widget)?.set("AS", Object::Name(shown.as_bytes().to_vec()));
            }
        }
    }
    Ok(())
}

fn form_mut(document: &mut Document) -> lopdf::Result<&mut Dictionary> {
    match document.catalog()?.get(b"AcroForm")? {
        Object::Reference(id) => {
            let id = *id;
            document.get_dictionary_mut(id)
        }
        _ => document.catalog_mut()?.get_mut(b"AcroForm")?.as_dict_mut(),
    }
}

fn all(document: &Document) -> Result<Vec<Field>, ErrorBody> {
    let form = document.catalog().and_then(|catalog| catalog.get_deref(b"AcroForm", document)?.as_dict());
    let tops = form.and_then(|form| form.get_deref(b"Fields", document)?.as_array());
    let mut walk = Walk { document, found: Vec::new(), seen: BTreeSet::new() };
    for top in tops.into_iter().flatten() {
        walk.field(top, "", &Inherited::default())?;
    }
    Ok(walk.found)
}

/// What fields have from those above them.
#[derive(Clone, Default)]
struct Inherited {
    kind: Option<Vec<u8>>,
    flags: i64,
    value: Option<Object>,
}

struct Walk<'a> {
    document: &'a Document,
    found: Vec<Field>,
    seen: BTreeSet<ObjectId>,
}

impl Walk<'_> {
    fn field(&mut self, object: &Object, above: &str, from: &Inherited) -> Result<(), ErrorBody> {
        let Ok(id) = object.as_reference() else { return Ok(()) };
        let Ok(field) = self.document.get_dictionary(id) else { return Ok(()) };
        if !self.seen.insert(id) {
            return Ok(());
        }
        if self.seen.len() > MOST {
            let message = format!("the form has more than {MOST} fields");
            return Err(ErrorBody::new(ErrorCode::ContentTooLarge, message));
        }
        let get = |key: &[u8]| field.get_deref(key, self.document).ok();
        let part = get(b"T").and_then(|name| decode_text_string(name).ok());
        let name = match (above, part) {
            ("", Some(part)) => part,
            (above, Some(part)) => format!("{above}.{part}"),
            (above, None) => above.to_owned(),
        };
        let here = Inherited {
            kind: get(b"FT")
                .and_then(|kind| kind.as_name().ok())
                .map(<[u8]>::to_vec)
                .or_else(|| from.kind.clone()),
            flags: get(b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(from.flags),
            value: get(b"V").cloned().or_else(|| from.value.clone()),
        };
        let kids = get(b"Kids").and_then(|kids| kids.as_array().ok()).cloned().unwrap_or_default();
        let named = |kid: &&Object| {
            let kid = kid.as_reference().ok().and_then(|id| self.document.get_dictionary(id).ok());
            kid.is_some_and(|kid| kid.has(b"T"))
        };
        if kids.iter().any(|kid| named(&kid)) {
            for kid in &kids {
                self.field(kid, &name, &here)?;
            }
            return Ok(());
        }
        let widgets: Vec<ObjectId> = match kids.as_slice() {
            [] => vec![id],
            kids => kids.iter().filter_map(|kid| kid.as_reference().ok()).take(MOST).collect(),
        };
        let kind = kind_of(here.kind.as_deref(), here.flags);
        let options = match kind {
            "checkbox" | "radio" => {
                let states: BTreeSet<String> =
                    widgets.iter().flat_map(|widget| states(self.document, *widget)).collect();
                states.into_iter().collect()
            }
            _ => get(b"Opt").map(options).unwrap_or_default(),
        };
        let value = here.value.as_ref().map_or(Value::Null, shown);
        self.found.push(Field { id, name, kind, flags: here.flags, value, options, widgets });
        Ok(())
    }
}

fn kind_of(kind: Option<&[u8]>, flags: i64) -> &'static str {
    match kind {
        Some(b"Tx") => "text",
        Some(b"Ch") => "choice",
        Some(b"Sig") => "signature",
        Some(b"Btn") if flags & (1 << 16) != 0 => "button",
        Some(b"Btn") if flags & (1 << 15) != 0 => "radio",
        Some(b"Btn") => "checkbox",
        _ => "unknown",
    }
}

/// The states that a box can show, `Off` excepted.
fn states(document: &Document, widget: ObjectId) -> Vec<String> {
    let looks = document
        .get_dictionary(widget)
        .and_then(|widget| widget.get_deref(b"AP", document)?.as_dict())
        .and_then(|looks| looks.get_deref(b"N", document)?.as_dict());
    let names = looks
        .into_iter()
        .flat_map(Dictionary::iter)
        .map(|(name, _)| String::from_utf8_lossy(name).into_owned());
    names.filter(|name| name != "Off").collect()
}

/// The values of a choice; of a pair the first is what is kept.
fn options(list: &Object) -> Vec<String> {
    let one = |option: &Object| match option {
        Object::Array(pair) => pair.first().and_then(|value| decode_text_string(value).ok()),
        value => decode_text_string(value).ok(),
    };
    list.as_array().into_iter().flatten().filter_map(one).collect()
}

fn shown(value: &Object) -> Value {
    match value {
        Object::Name(name) => Value::String(String::from_utf8_lossy(name).into_owned()),
        Object::Array(items) => items.iter().map(shown).collect(),
        Object::Integer(number) => json!(number),
        Object::Stream(stream) => {
            let text = stream.get_plain_content_with_limit(1 << 20).unwrap_or_default();
            Value::String(String::from_utf8_lossy(&text).into_owned())
        }
        other => decode_text_string(other).map_or(Value::Null, Value::String),
    }
}
