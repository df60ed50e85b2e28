//! PDF files: reading their text and forms, and putting their pages together anew.
//!
//! A file may be made to exhaust whoever parses it, so it is parsed in a process of its own, with bounds on its memory and
//! time, which is given bytes and gives back bytes ([`worker`]). Without such a program it is parsed here.

mod file;
mod font;
mod forms;
mod pages;
mod text;
pub mod worker;

use crate::own::Own;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_store::{How, Jail, LARGEST_READ};

/// The most pages of a file.
pub const MOST_PAGES: usize = 500;

/// The most files that are read or written in one call.
pub const MOST_FILES: usize = 100;

/// What is to be done with the files that come with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Job {
    /// The text of pages; all when none is named.
    Text {
        /// Their numbers, from 1.
        pages: Vec<usize>,
    },
    /// The fields of its form.
    Fields,
    /// The form filled in.
    Fill {
        /// What each named field is to hold.
        values: Map<String, Value>,
    },
    /// All pages of all files as one.
    Merge,
    /// One file for each of these lists of pages; for each page when there is none.
    Split {
        /// The numbers of the pages of each file.
        parts: Vec<Vec<usize>>,
    },
    /// Pages turned by so many degrees; all when none is named.
    Rotate {
        /// Clockwise.
        degrees: i64,
        /// Their numbers, from 1.
        pages: Vec<usize>,
    },
}

/// What came of it: what is told, and files.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// What is told.
    pub value: Value,
    /// New files.
    pub files: Vec<Vec<u8>>,
}

/// Does a job on files.
///
/// # Errors
/// `ARTIFACT_INVALID` for what is no PDF, `NOT_SUPPORTED` for one that is encrypted, `CONTENT_TOO_LARGE`,
/// `INVALID_ARGUMENTS` for pages and fields that it has not.
pub fn perform(job: &Job, files: &[Vec<u8>]) -> Result<Done, ErrorBody> {
    let documents = files.iter().map(|bytes| file::load(bytes)).collect::<Result<Vec<_>, _>>()?;
    let first =
        || documents.first().ok_or_else(|| ErrorBody::new(ErrorCode::InvalidArguments, "no file was given"));
    let told = |value: Value| Ok(Done { value, files: Vec::new() });
    match job {
        Job::Text { pages } => told(text::text(first()?, pages)?),
        Job::Fields => told(forms::fields(first()?)?),
        Job::Fill { values } => forms::fill(first()?.clone(), values),
        Job::Merge => pages::merge(&documents),
        Job::Split { parts } => pages::split(first()?, parts),
        Job::Rotate { degrees, pages } => pages::rotate(first()?.clone(), *degrees, pages),
    }
}

/// Reads the files that a call names, does the job on them, and gives what came of it with the files that are still to be
/// written.
///
/// # Errors
/// Those of the files' paths and of [`perform`].
pub async fn run(own: &Own, call: &CallCtx, job: Job, paths: Vec<String>) -> Result<Done, ErrorBody> {
    if paths.is_empty() || paths.len() > MOST_FILES {
        let message = format!("name 1 to {MOST_FILES} files");
        return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
    }
    let files = own.on_thread(move |own| read(&own.jail()?.0, &paths)).await?;
    match own.pdf_worker.clone() {
        Some(program) => worker::ask(&program, call, &job, &files).await,
        None => own.on_thread(move |_| perform(&job, &files)).await,
    }
}

fn read(jail: &Jail, paths: &[String]) -> Result<Vec<Vec<u8>>, ErrorBody> {
    let mut left = LARGEST_READ;
    let mut files = Vec::new();
    for path in paths {
        let bytes = jail.read_whole(path, left)?;
        left -= bytes.len() as u64;
        files.push(bytes);
    }
    Ok(files)
}

/// Writes the one file that came of a job, and adds its path to what is told.
///
/// # Errors
/// Those of the path.
pub async fn keep(own: &Own, done: Done, path: String) -> Result<Value, ErrorBody> {
    own.on_thread(move |own| {
        let (jail, _) = own.jail()?;
        let Done { mut value, files } = done;
        let bytes = files.first().ok_or_else(|| ErrorBody::new(ErrorCode::Internal, "no file came of it"))?;
        value["bytes"] = json!(jail.write(&path, bytes, How::Replace)?);
        value["output_path"] = json!(jail.resolve(&path)?.path);
        Ok(value)
    })
    .await
}

/// Reads `3`, `2-5` and lists of them.
///
/// # Errors
/// `INVALID_ARGUMENTS` with the part that is none.
pub fn page_list(text: &str) -> Result<Vec<usize>, ErrorBody> {
    let mut pages = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let number =
            |text: &str| text.trim().parse::<usize>().ok().filter(|page| (1..=MOST_PAGES).contains(page));
        let span = match part.split_once('-') {
            Some((from, to)) => number(from).zip(number(to)).filter(|(from, to)| from <= to),
            None => number(part).map(|page| (page, page)),
        };
        let Some((from, to)) = span else {
            let shown = truehand_base::text::clip(part, 40);
            let message =
                format!("'{shown}' is no page or range of pages from 1 to {MOST_PAGES}, such as 2-5");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        };
        pages.extend(from..=to);
        if pages.len() > MOST_PAGES {
            let message = format!("more than {MOST_PAGES} pages are named");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
    }
    Ok(pages)
}

/// Writes the files that came of a job into a folder, named after `name`, and adds their paths to what is told. No file
/// that is there is replaced.
///
/// # Errors
/// Those of the paths; files that were written before stay.
pub async fn keep_all(own: &Own, done: Done, folder: String, name: String) -> Result<Value, ErrorBody> {
    own.on_thread(move |own| {
        let (jail, _) = own.jail()?;
        let Done { mut value, files } = done;
        jail.make_folder(&folder, true)?;
        for (at, bytes) in files.iter().enumerate() {
            let path = format!("{folder}/{name}-{}.pdf", at + 1);
            jail.write(&path, bytes, How::Create)?;
            value["files"][at]["path"] = json!(jail.resolve(&path)?.path);
            value["files"][at]["bytes"] = json!(bytes.len());
        }
        Ok(value)
    })
    .await
}
