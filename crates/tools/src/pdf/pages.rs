//! Putting pages together anew: merging, splitting, turning.

use super::file::{broken, bytes_of, chosen, pages_of};
use super::{Done, MOST_FILES, MOST_PAGES};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use truehand_base::{ErrorBody, ErrorCode};

/// All pages of all documents as one.
///
/// # Errors
/// `CONTENT_TOO_LARGE`, `ARTIFACT_INVALID`.
pub fn merge(documents: &[Document]) -> Result<Done, ErrorBody> {
    let parts: Vec<(&Document, Vec<ObjectId>)> =
        documents.iter().map(|document| (document, pages_of(document))).collect();
    let count: usize = parts.iter().map(|(_, pages)| pages.len()).sum();
    if count > MOST_PAGES {
        let message = format!("together the files have {count} pages, the limit is {MOST_PAGES}");
        return Err(ErrorBody::new(ErrorCode::ContentTooLarge, message));
    }
    let bytes = bytes_of(assemble(&parts)?)?;
    Ok(Done { value: json!({ "page_count": count }), files: vec![bytes] })
}

/// A document for each list of pages; for each page when there is none.
///
/// # Errors
/// `INVALID_ARGUMENTS` for pages that are not there or too many files, `ARTIFACT_INVALID`.
pub fn split(document: &Document, parts: &[Vec<usize>]) -> Result<Done, ErrorBody> {
    let single: Vec<Vec<usize>> = (1..=pages_of(document).len()).map(|page| vec![page]).collect();
    let parts = if parts.is_empty() { &single } else { parts };
    if parts.len() > MOST_FILES {
        let message = format!("{} files would come of it, the limit is {MOST_FILES}", parts.len());
        return Err(ErrorBody::new(ErrorCode::InvalidArguments, message).next("name ranges of pages"));
    }
    let mut files = Vec::new();
    let mut told = Vec::new();
    for numbers in parts.iter().filter(|numbers| !numbers.is_empty()) {
        let pages = chosen(document, numbers)?.into_iter().map(|(_, page)| page).collect();
        files.push(bytes_of(assemble(&[(document, pages)])?)?);
        told.push(json!({ "pages": numbers }));
    }
    Ok(Done { value: json!({ "page_count": pages_of(document).len(), "files": told }), files })
}

/// Turns pages clockwise.
///
/// # Errors
/// `INVALID_ARGUMENTS` for an angle or a page that is none.
pub fn rotate(mut document: Document, degrees: i64, numbers: &[usize]) -> Result<Done, ErrorBody> {
    if degrees % 90 != 0 {
        let message = format!("{degrees} degrees is no quarter turn");
        return Err(ErrorBody::new(ErrorCode::InvalidArguments, message).next("use 90, 180, 270 or -90"));
    }
    let pages = chosen(&document, numbers)?;
    let mut turned = Vec::new();
    for (number, page) in pages {
        let before = inherited(&document, page, b"Rotate").and_then(|angle| angle.as_i64().ok()).unwrap_or(0);
        let after = (before % 360 + degrees % 360).rem_euclid(360);
        let page = document.get_dictionary_mut(page).map_err(|error| broken(&error))?;
        page.set("Rotate", after);
        turned.push(json!({ "page": number, "rotation": after }));
    }
    let count = pages_of(&document).len();
    Ok(Done { value: json!({ "page_count": count, "pages": turned }), files: vec![bytes_of(document)?] })
}

/// What a page has, or what those above it in the tree have for it.
fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    let mut seen = BTreeSet::new();
    let mut at = page;
    while seen.insert(at) {
        let node = document.get_dictionary(at).ok()?;
        if let Ok(value) = node.get_deref(key, document) {
            return Some(value.clone());
        }
        at = node.get(b"Parent").ok()?.as_reference().ok()?;
    }
    None
}

/// A new document of pages of others, with what they use and nothing else. Outlines and names of places are left out;
/// form fields come along.
fn assemble(parts: &[(&Document, Vec<ObjectId>)]) -> Result<Document, ErrorBody> {
    let mut new = Document::with_version("1.7");
    let tree = new.new_object_id();
    let (mut kids, mut fields) = (Vec::new(), Vec::new());
    let mut form = None;
    for (document, pages) in parts {
        let mut copy = Copy {
            document,
            new: &mut new,
            ids: BTreeMap::new(),
            left: VecDeque::new(),
            chosen: BTreeSet::new(),
        };
        copy.chosen.extend(pages);
        for page in pages {
            kids.push(Object::Reference(copy.page(*page, tree)?));
        }
        let tops: BTreeSet<ObjectId> = pages.iter().flat_map(|page| top_fields(document, *page)).collect();
        fields.extend(tops.into_iter().map(|top| Object::Reference(copy.id(top))));
        if form.is_none() {
            form = copy.form();
        }
        copy.rest();
    }
    let count = i64::try_from(kids.len()).unwrap_or(i64::MAX);
    new.objects.insert(
        tree,
        Object::Dictionary(dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }),
    );
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => tree };
    if !fields.is_empty() {
        let mut form = form.unwrap_or_default();
        form.set("Fields", fields);
        catalog.set("AcroForm", form);
    }
    let catalog = new.add_object(catalog);
    new.trailer.set("Root", catalog);
    Ok(new)
}

/// Copies what pages reach.
struct Copy<'a> {
    document: &'a Document,
    new: &'a mut Document,
    ids: BTreeMap<ObjectId, ObjectId>,
    left: VecDeque<ObjectId>,
    chosen: BTreeSet<ObjectId>,
}

impl Copy<'_> {
    /// The new id of an object, which is copied later.
    fn id(&mut self, old: ObjectId) -> ObjectId {
        if let Some(new) = self.ids.get(&old) {
            return *new;
        }
        let new = self.new.new_object_id();
        self.ids.insert(old, new);
        self.left.push_back(old);
        new
    }

    fn page(&mut self, old: ObjectId, tree: ObjectId) -> Result<ObjectId, ErrorBody> {
        let mut page = self.document.get_dictionary(old).map_err(|error| broken(&error))?.clone();
        for key in ["Resources", "MediaBox", "CropBox", "Rotate"] {
            if let Some(value) = inherited(self.document, old, key.as_bytes()) {
                page.set(key, value);
            }
        }
        page.remove(b"Parent");
        // A page that is wanted twice is there twice.
        let new = match self.ids.get(&old) {
            Some(new) if !self.new.objects.contains_key(new) => *new,
            Some(_) => self.new.new_object_id(),
            None => self.new.new_object_id(),
        };
        self.ids.entry(old).or_insert(new);
        let mut page = self.dictionary(&page);
        page.set("Parent", tree);
        self.new.objects.insert(new, Object::Dictionary(page));
        Ok(new)
    }

    /// The form's own settings, without its fields.
    fn form(&mut self) -> Option<Dictionary> {
        let document = self.document;
        let form = document.catalog().ok()?.get_deref(b"AcroForm", document).ok()?.as_dict().ok()?;
        let mut settings = Dictionary::new();
        for key in [b"DR".as_slice(), b"DA", b"NeedAppearances", b"Q"] {
            if let Ok(value) = form.get(key) {
                settings.set(key, value.clone());
            }
        }
        Some(self.dictionary(&settings))
    }

    /// Copies what was met and is not there yet.
    fn rest(&mut self) {
        while let Some(old) = self.left.pop_front() {
            let Some(new) = self.ids.get(&old).copied() else { continue };
            if self.new.objects.contains_key(&new) {
                continue;
            }
            let object = match self.document.objects.get(&old) {
                // A page that was not chosen stays behind, and whatever points to it points nowhere.
                Some(object) if is_of_tree(object) && !self.chosen.contains(&old) => Object::Null,
                Some(object) => self.object(&object.clone()),
                None => Object::Null,
            };
            self.new.objects.insert(new, object);
        }
    }

    fn object(&mut self, object: &Object) -> Object {
        match object {
            Object::Reference(old) => Object::Reference(self.id(*old)),
            Object::Array(items) => Object::Array(items.iter().map(|item| self.object(item)).collect()),
            Object::Dictionary(map) => Object::Dictionary(self.dictionary(map)),
            Object::Stream(stream) => {
                let mut copy = Stream::new(self.dictionary(&stream.dict), stream.content.clone());
                copy.allows_compression = stream.allows_compression;
                Object::Stream(copy)
            }
            other => other.clone(),
        }
    }

    fn dictionary(&mut self, map: &Dictionary) -> Dictionary {
        let mut copy = Dictionary::new();
        for (name, value) in map.iter() {
            copy.set(name.clone(), self.object(value));
        }
        copy
    }
}

/// Whether an object is a page or a node of the tree of pages.
fn is_of_tree(object: &Object) -> bool {
    object.as_dict().is_ok_and(|map| map.has_type(b"Page") || map.has_type(b"Pages"))
}

/// The fields at the top of the form whose boxes are on a page.
fn top_fields(document: &Document, page: ObjectId) -> Vec<ObjectId> {
    let notes =
        document.get_dictionary(page).and_then(|page| page.get_deref(b"Annots", document)?.as_array());
    let mut tops = Vec::new();
    for note in notes.into_iter().flatten() {
        let Ok(mut at) = note.as_reference() else { continue };
        let Ok(widget) = document.get_dictionary(at) else { continue };
        if !widget.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Widget") {
            continue;
        }
        let mut seen = BTreeSet::new();
        while seen.insert(at) {
            match document.get_dictionary(at).and_then(|field| field.get(b"Parent")?.as_reference()) {
                Ok(parent) => at = parent,
                Err(_) => break,
            }
        }
        tops.push(at);
    }
    tops
}
