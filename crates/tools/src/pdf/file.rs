//! Opening a PDF and writing one.

use super::MOST_PAGES;
use lopdf::{Document, LoadOptions, ObjectId};
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// The most that one compressed stream may hold, in bytes.
pub const LARGEST_STREAM: usize = 32 << 20;

/// Parses a file.
///
/// # Errors
/// `ARTIFACT_INVALID` for what is no PDF, `NOT_SUPPORTED` for one that is encrypted, `CONTENT_TOO_LARGE`.
pub fn load(bytes: &[u8]) -> Result<Document, ErrorBody> {
    let start = &bytes[..bytes.len().min(1_024)];
    if !start.windows(5).any(|part| part == b"%PDF-") {
        return Err(ErrorBody::new(
            ErrorCode::ArtifactInvalid,
            "the file is no PDF: it does not begin with %PDF-",
        ));
    }
    let options = LoadOptions::with_max_decompressed_size(LARGEST_STREAM);
    let document = Document::load_mem_with_options(bytes, options).map_err(|error| broken(&error))?;
    if document.is_encrypted() || document.was_encrypted() {
        let error = ErrorBody::new(ErrorCode::NotSupported, "the PDF is encrypted");
        return Err(error.next("save a copy without encryption and use that"));
    }
    let pages = document.page_iter().take(MOST_PAGES + 1).count();
    if pages > MOST_PAGES {
        let message = format!("the PDF has more than {MOST_PAGES} pages");
        return Err(ErrorBody::new(ErrorCode::ContentTooLarge, message));
    }
    if pages == 0 {
        return Err(ErrorBody::new(ErrorCode::ArtifactInvalid, "the PDF has no page that can be read"));
    }
    Ok(document)
}

/// An error of the parser.
pub fn broken(error: &lopdf::Error) -> ErrorBody {
    match error {
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { limit }) => {
            let message = format!("a part of the PDF takes more than {limit} bytes when it is unpacked");
            ErrorBody::new(ErrorCode::ContentTooLarge, message)
        }
        other => {
            let words = clip(&truehand_base::text::one_line(&other.to_string()), 300);
            ErrorBody::new(ErrorCode::ArtifactInvalid, format!("the PDF can't be read: {words}"))
        }
    }
}

/// The pages in order.
pub fn pages_of(document: &Document) -> Vec<ObjectId> {
    document.page_iter().take(MOST_PAGES).collect()
}

/// The pages that numbers from 1 name, as (number, page); all when there are none.
///
/// # Errors
/// `INVALID_ARGUMENTS` for a number that no page has.
pub fn chosen(document: &Document, numbers: &[usize]) -> Result<Vec<(usize, ObjectId)>, ErrorBody> {
    let all = pages_of(document);
    if numbers.is_empty() {
        return Ok(all.into_iter().enumerate().map(|(at, page)| (at + 1, page)).collect());
    }
    let page = |number: &usize| {
        let found = number.checked_sub(1).and_then(|at| all.get(at)).map(|page| (*number, *page));
        found.ok_or_else(|| {
            let message = format!("there is no page {number}: the PDF has {}", all.len());
            ErrorBody::new(ErrorCode::InvalidArguments, message)
        })
    };
    numbers.iter().map(page).collect()
}

/// Writes a document.
///
/// # Errors
/// `INTERNAL` when that fails.
pub fn bytes_of(mut document: Document) -> Result<Vec<u8>, ErrorBody> {
    let mut bytes = Vec::new();
    match document.save_to(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(ErrorBody::new(ErrorCode::Internal, format!("the PDF can't be written: {error}"))),
    }
}
