//! PDF files that are small and would be huge once unpacked.

use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use truehand_base::ErrorCode;
use truehand_tools::pdf::{Job, perform};

/// A page whose content is `content`, compressed.
fn packed(content: Vec<u8>) -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let mut stream = Stream::new(Dictionary::new(), content);
    stream.compress().expect("compresses");
    let content = document.add_object(stream);
    let media = vec![0.into(), 0.into(), 9.into(), 9.into()];
    let page = document.add_object(
        dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content, "MediaBox" => media },
    );
    let tree = dictionary! { "Type" => "Pages", "Kids" => vec![Object::Reference(page)], "Count" => 1 };
    document.objects.insert(pages, Object::Dictionary(tree));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    document
}

fn bytes_of(mut document: Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("is written");
    bytes
}

#[test]
fn page_that_unpacks_to_more_than_its_limit_is_refused() {
    let file = bytes_of(packed(vec![b' '; 40 << 20]));
    assert!(file.len() < 100_000, "{} bytes are no bomb", file.len());
    let error = perform(&Job::Text { pages: Vec::new() }, &[file]).expect_err("too large");
    assert_eq!(error.code, ErrorCode::ContentTooLarge, "{error}");
}

#[test]
fn objects_that_unpack_to_more_than_their_limit_are_refused_or_left_out() {
    let mut document = packed(b"BT ET".to_vec());
    let mut inside = b"9 0 ".to_vec();
    inside.extend(vec![b' '; 40 << 20]);
    let about = dictionary! { "Type" => "ObjStm", "N" => 1, "First" => 4 };
    let mut stream = Stream::new(about, inside);
    stream.compress().expect("compresses");
    document.add_object(stream);
    let file = bytes_of(document);
    assert!(file.len() < 100_000, "{} bytes are no bomb", file.len());
    // The page itself does not need what is in there.
    match perform(&Job::Text { pages: Vec::new() }, &[file]) {
        Ok(done) => assert_eq!(done.value["pages"][0]["text"], ""),
        Err(error) => {
            assert!(matches!(error.code, ErrorCode::ContentTooLarge | ErrorCode::ArtifactInvalid), "{error}")
        }
    }
}
