//! PDF files through the door: text, forms, merging, splitting, turning, and files that try to exhaust us.

use crate::hands::Hands;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use truehand_base::ErrorCode;

/// A file of these objects, the first of which is the catalog, with a table of where they are.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = String::from("%PDF-1.7\n");
    let mut table = String::new();
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let (size, start) = (objects.len() + 1, file.len());
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file.into_bytes()
}

/// Pages of one line each.
fn pages(texts: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..texts.len()).map(|at| format!("{} 0 R", 4 + 2 * at)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> >>",
            kids.join(" "),
            kids.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (at, text) in texts.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {} 0 R >>", 5 + 2 * at));
        let content = format!("BT /F1 12 Tf 20 150 Td ({text}) Tj 0 -20 Td (below) Tj ET");
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    pdf(&objects)
}

/// One page with a text field, a box, a choice and a field that may only be read.
fn form() -> Vec<u8> {
    let field = |name: &str, more: &str| {
        format!("<< /Type /Annot /Subtype /Widget /Rect [0 0 50 20] /P 3 0 R /T ({name}) {more} >>")
    };
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R 5 0 R 6 0 R 7 0 R 9 0 R] /DA (/Helv 0 Tf 0 g) >> >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R 5 0 R 6 0 R 7 0 R 10 0 R] >>".to_owned(),
        field("name", "/FT /Tx /V (Ada)"),
        field("agree", "/FT /Btn /V /Off /AS /Off /AP << /N << /Yes 8 0 R /Off 8 0 R >> >>"),
        field("size", "/FT /Ch /Ff 131072 /Opt [(S) (M) [(L) (large)]]"),
        field("fixed", "/FT /Tx /Ff 1 /V (no)"),
        "<< /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Length 0 >>\nstream\n\nendstream".to_owned(),
        "<< /T (address) /Kids [10 0 R] >>".to_owned(),
        field("city", "/FT /Tx /Parent 9 0 R"),
    ])
}

struct Desk {
    h: Hands,
    folder: PathBuf,
}

impl Desk {
    fn new() -> Desk {
        let h = Hands::new();
        let folder = PathBuf::from(h.ok("session_open", json!({})).output["folder"].as_str().unwrap());
        Desk { h, folder }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.join(name), bytes).unwrap();
    }

    /// The text of each page.
    #[track_caller]
    fn texts(&self, name: &str) -> Vec<String> {
        let read = self.h.ok("pdf_text", json!({ "file_path": name }));
        let pages = read.output["pages"].as_array().unwrap();
        assert_eq!(read.output["page_count"], pages.len());
        pages.iter().map(|page| page["text"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn row_097_text_is_that_of_the_pages_and_merging_gives_the_sum_of_them() {
    let desk = Desk::new();
    desk.put("a.pdf", &pages(&["The known sentence.", "Second page"]));
    desk.put("b.pdf", &pages(&["Third"]));
    assert_eq!(desk.texts("a.pdf"), ["The known sentence.\nbelow", "Second page\nbelow"]);
    let one = desk.h.ok("pdf_text", json!({ "file_path": "a.pdf", "pages": "2" }));
    assert_eq!((&one.output["page_count"], &one.output["pages"][0]["page"]), (&json!(2), &json!(2)));
    let merge = json!({ "files": ["a.pdf", "b.pdf", "a.pdf"], "output_path": "artifacts/m.pdf" });
    assert_eq!(desk.h.ok("pdf_merge", merge).output["page_count"], 5);
    let merged = desk.texts("artifacts/m.pdf");
    assert_eq!((merged.len(), merged[2].as_str()), (5, "Third\nbelow"));

    let split =
        json!({ "file_path": "artifacts/m.pdf", "ranges": ["1-2,5", "3"], "output_dir": "artifacts/parts" });
    let split = desk.h.ok("pdf_split", split);
    assert_eq!(split.output["files"].as_array().unwrap().len(), 2);
    assert_eq!(desk.texts("artifacts/parts/m-1.pdf")[2], "Second page\nbelow");
    assert_eq!(desk.texts("artifacts/parts/m-2.pdf"), ["Third\nbelow"]);
    let again = json!({ "file_path": "artifacts/m.pdf", "ranges": ["1"], "output_dir": "artifacts/parts" });
    desk.h.fails("pdf_split", again, ErrorCode::FileExists);

    let turn = json!({ "file_path": "a.pdf", "degrees": -90, "pages": "2", "output_path": "t.pdf" });
    let turned = desk.h.ok("pdf_rotate", turn);
    assert_eq!(turned.output["pages"], json!([{ "page": 2, "rotation": 270 }]));
    assert!(
        String::from_utf8_lossy(&std::fs::read(desk.folder.join("t.pdf")).unwrap()).contains("/Rotate 270")
    );
    for (tool, arguments) in [
        ("pdf_text", json!({ "file_path": "a.pdf", "pages": "3" })),
        ("pdf_text", json!({ "file_path": "a.pdf", "pages": "2-1" })),
        ("pdf_rotate", json!({ "file_path": "a.pdf", "degrees": 45, "output_path": "x.pdf" })),
        ("pdf_merge", json!({ "files": [], "output_path": "x.pdf" })),
    ] {
        desk.h.fails(tool, arguments, ErrorCode::InvalidArguments);
    }
    desk.h.fails("pdf_text", json!({ "file_path": "none.pdf" }), ErrorCode::FileNotFound);
    desk.h.fails("pdf_render", json!({ "file_path": "a.pdf" }), ErrorCode::NotSupported);
}

#[test]
fn row_097_form_fields_are_read_and_filled_in() {
    let desk = Desk::new();
    desk.put("f.pdf", &form());
    let fields = |name: &str| desk.h.ok("pdf_fields", json!({ "file_path": name })).output["fields"].clone();
    let read = fields("f.pdf");
    let shown: Vec<(&str, &str)> = read
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("name", "text"),
            ("agree", "checkbox"),
            ("size", "choice"),
            ("fixed", "text"),
            ("address.city", "text")
        ]
    );
    assert_eq!((&read[0]["value"], &read[2]["options"]), (&json!("Ada"), &json!(["S", "M", "L"])));
    let fill = |values: Value| json!({ "file_path": "f.pdf", "fields": values, "output_path": "g.pdf" });
    desk.h.ok(
        "pdf_fill",
        fill(json!({ "name": "Größe 7", "agree": true, "size": "L", "address.city": "Bern" })),
    );
    let filled = fields("g.pdf");
    let values: Vec<&Value> = filled.as_array().unwrap().iter().map(|f| &f["value"]).collect();
    assert_eq!(values, ["Größe 7", "Yes", "L", "no", "Bern"]);
    std::fs::remove_file(desk.folder.join("g.pdf")).unwrap();
    for wrong in [
        json!({ "nam": "x" }),
        json!({ "name": "x", "fixed": "y" }),
        json!({ "size": "XL" }),
        json!({ "agree": "Perhaps" }),
        json!({ "name": ["x"] }),
    ] {
        desk.h.fails("pdf_fill", fill(wrong), ErrorCode::InvalidArguments);
        assert!(!desk.folder.join("g.pdf").exists(), "nothing is written");
    }
    // The form goes along with its page.
    let merge = json!({ "files": ["f.pdf"], "output_path": "m.pdf" });
    desk.h.ok("pdf_merge", merge);
    assert_eq!(fields("m.pdf").as_array().unwrap().len(), 5);
}

#[test]
fn pdf_that_is_none_or_tries_to_exhaust_us_is_refused() {
    let desk = Desk::new();
    desk.put("text.pdf", b"hello");
    desk.put("cut.pdf", &pages(&["x"])[..60]);
    let mut many = pages(&vec!["x"; 501]);
    desk.put("many.pdf", &many);
    // A tree of pages that leads back into itself.
    let round = |kid: &str| {
        pdf(&[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Kids [{kid}] /Count 1 >>"),
        ])
    };
    desk.put("round.pdf", &round("2 0 R 2 0 R"));
    // One object that names itself, nested thousands deep.
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    desk.put("deep.pdf", &pdf(&["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), deep]));
    for (name, code) in [
        ("text.pdf", ErrorCode::ArtifactInvalid),
        ("cut.pdf", ErrorCode::ArtifactInvalid),
        ("round.pdf", ErrorCode::ArtifactInvalid),
        ("deep.pdf", ErrorCode::ArtifactInvalid),
        ("many.pdf", ErrorCode::ContentTooLarge),
    ] {
        desk.h.fails("pdf_text", json!({ "file_path": name }), code);
    }
    many.resize((64 << 20) + 1, b' ');
    desk.put("large.pdf", &many);
    desk.h.fails("pdf_text", json!({ "file_path": "large.pdf" }), ErrorCode::ContentTooLarge);
    // Drawings that draw each other twice, 30 deep, would take a billion steps.
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 4 0 R >> >> >>".to_owned(),
    ];
    for at in 4..34 {
        let body = "/X Do /X Do";
        objects.push(format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X {} 0 R >> >> /Length {} >>\nstream\n{body}\nendstream",
            at + 1,
            body.len()
        ));
    }
    desk.put("twice.pdf", &pdf(&objects));
    desk.h.ok("pdf_text", json!({ "file_path": "twice.pdf" }));
}
