//! Checks of PDFs.

use std::io::Write;
use std::process::{Command, Stdio};

/// The text of a PDF as poppler reads it.
pub fn text(pdf: &[u8]) -> String {
    let mut child = Command::new("pdftotext")
        // In reading order: poppler's layout mode drops a mark's slanted text.
        .args(["-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("pdftotext is installed: run `make setup`");
    let mut stdin = child.stdin.take().unwrap();
    let pdf = pdf.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&pdf));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().expect("pdftotext read the whole file");
    assert!(output.status.success(), "pdftotext: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub fn pages(pdf: &[u8]) -> usize {
    lopdf::Document::load_mem(pdf).expect("a readable PDF").get_pages().len()
}

/// The names of attached files.
pub fn attachments(pdf: &[u8]) -> Vec<String> {
    let document = lopdf::Document::load_mem(pdf).expect("a readable PDF");
    let inner = |outer: &lopdf::Dictionary, key: &[u8]| document.get_dict_in_dict(outer, key).unwrap().clone();
    let files = inner(&inner(document.catalog().unwrap(), b"Names"), b"EmbeddedFiles");
    let names = files.get(b"Names").unwrap().as_array().unwrap().iter().step_by(2);
    names.map(|name| String::from_utf8(name.as_str().unwrap().to_vec()).unwrap()).collect()
}

/// The output of `pdffonts`.
pub fn fonts(pdf: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pdf).unwrap();
    let output = Command::new("pdffonts").arg(file.path()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
