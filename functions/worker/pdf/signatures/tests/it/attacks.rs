//! Attacks on signatures: universal forgery, incremental saving, wrapping, shadow documents.

use docmill_pdf_signatures::{ChangeKind, Indication};

use super::*;
use crate::update::{Update, object, table};

/// Findings about signatures that are broken or missing.
const MISSING: &str = "The signature itself is missing, or not where it belongs.";
const ELSEWHERE: &str = "The part that is not signed is not exactly the signature, so something else may hide there.";
const UNSAID: &str = "It does not say which bytes are signed, or says it in an unusual way.";
const TOO_MUCH: &str = "It says that it covers more bytes than the file has.";
const NO_PART: &str = "The signature is not part of what it says that it signs, or was replaced afterwards.";
const CHANGED: &str = "The document was changed after it was signed.";

/// The number of the signature in fixtures, and its gap in the file.
fn signature(file: &[u8]) -> (u32, std::ops::Range<usize>) {
    let at =
        memchr::memmem::rfind(file, b"/Type /Sig\n").or_else(|| memchr::memmem::rfind(file, b"/ByteRange")).unwrap();
    let head = memchr::memmem::rfind(&file[..at], b" 0 obj").unwrap();
    let digits = file[..head].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&file[head - digits..head]).unwrap().parse().unwrap();
    let start = memchr::memmem::find(&file[head..], b"/Contents <").unwrap() + head + 10;
    let end = memchr::memchr(b'>', &file[start..]).unwrap() + start + 1;
    (number, start..end)
}

/// Universal forgery: a signature whose `Contents` or `ByteRange` are missing or odd, so that nothing is checked.
#[test]
fn universal_forgeries_fail() {
    let signed = fixture("approval");
    let (number, gap) = signature(&signed);
    let dict = object(&signed, number);
    let contents: String = signed[gap].iter().map(|byte| char::from(*byte)).collect();
    let range = {
        let from = dict.find("/ByteRange").unwrap();
        dict[from..=from + dict[from..].find(']').unwrap()].to_owned()
    };
    for (from, to, words) in [
        (contents.as_str(), "/X", MISSING),
        (contents.as_str(), "null", MISSING),
        (contents.as_str(), "<>", ELSEWHERE),
        (contents.as_str(), "<00>", ELSEWHERE),
        (contents.as_str(), "(x)", MISSING),
        (range.as_str(), "", UNSAID),
        (range.as_str(), "/ByteRange null", UNSAID),
        (range.as_str(), "/ByteRange []", UNSAID),
        (range.as_str(), "/ByteRange [0 0 0 0]", ELSEWHERE),
        (range.as_str(), "/ByteRange [0 -1 -1 0]", UNSAID),
        (range.as_str(), "/ByteRange [0 99999999 1 99999999]", TOO_MUCH),
    ] {
        let forged = Update::of(&signed).put(number, &dict.replace(from, to)).finish();
        let found = report(&forged).signatures;
        assert_eq!(found.len(), 1, "{to}");
        assert_failed(&found[0], words);
    }
    // What can't be read at all is no reason to say that there is no signature.
    let without_value = dict.replace(&format!("/Contents {contents}"), "/Contents");
    assert_failed(&first(&Update::of(&signed).put(number, &without_value).finish()), "can't be read as a signature");
    assert_failed(&first(&Update::of(&signed).put(number, "<< /Type /Sig ").finish()), "can't be read as a signature");
    // In the signed bytes themselves.
    for (from, to, words) in [("/Contents", "/Kontents", MISSING), ("/ByteRange", "/BiteRange", UNSAID)] {
        let mut forged = signed.clone();
        let at = memchr::memmem::rfind(&forged, from.as_bytes()).unwrap();
        forged[at..at + from.len()].copy_from_slice(to.as_bytes());
        assert_failed(&first(&forged), words);
    }
}

/// Incremental saving: an update with other content, in all degrees of completeness.
#[test]
fn content_that_is_saved_later_fails() {
    let signed = fixture("approval");
    let other = || Update::of(&signed).stream(4, "", "BT /F 18 Tf 30 150 Td (Pay 900 euros) Tj ET");
    let complete = first(&other().finish());
    assert_failed(&complete, "The content of a page was changed (page 1).");
    assert!(complete.intact && !complete.covers_whole_document);
    assert_eq!(kinds(&complete), [(ChangeKind::ContentChanged, false)]);
    // Readers that repair files find the object without a table, or without a trailer.
    assert_failed(&first(&other().without_table()), "can't be read");
    assert_failed(&first(&other().raw("trailer\n<< /Root 1 0 R >>\n").without_table()), "can't be read");
    let start = table(&signed);
    // An update that does not say where the document begins.
    let nameless = other().finish();
    let at = memchr::memmem::rfind(&nameless, b"/Root").unwrap();
    let nameless = [&nameless[..at], b"/Toor".as_slice(), &nameless[at + 5..]].concat();
    assert_failed(&first(&nameless), "can't be read: it does not say where the document begins");
    let old_end = format!("trailer\n<< /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    assert_failed(&first(&other().raw(&old_end).without_table()), "something follows after the last update");
    assert_failed(&first(&Update::of(&signed).raw("4 0 obj\n<< >>\nendobj\n").finish()), "table does not list");
    assert_failed(&first(&Update::of(&signed).raw("% 4 0 obj << >> endobj\n").finish()), "comment hides");
    // The signature is copied into the update.
    let (number, _) = signature(&signed);
    let copied = other().put(40, &object(&signed, number));
    assert_failed(&first(&copied.finish()), "The content of a page was changed");
}

/// Wrapping: the signed end is moved behind other content, and the byte range says so.
#[test]
fn wrapped_signatures_fail() {
    let signed = fixture("approval");
    let (number, gap) = signature(&signed);
    let start = table(&signed);
    let moved = |padding: usize, file: &[u8]| {
        let dict = object(&signed, number);
        let from = dict.find("/ByteRange").unwrap();
        let to = from + dict[from..].find(']').unwrap() + 1;
        let tail = signed.len() - gap.end;
        let range = format!("/ByteRange [0 {} {} {tail}]", gap.start, file.len() + padding);
        dict.replace(&dict[from..to], &range)
    };
    let content = "<< /Length 43 >>\nstream\nBT /F 18 Tf 30 150 Td (Pay 900 euros) Tj ET\nendstream";
    let unsigned = fixture("unsigned");
    // What the signed end says is the table's place is where the attacker's table must be; the objects follow after it.
    let mut file = signed[..gap.end].to_vec();
    file.resize(start, b' ');
    let known = |number: &u32| {
        memchr::memmem::find(&signed[unsigned.len() - 1..], format!("\n{number} 0 obj").as_bytes()).is_some()
    };
    let copies = (1..30).filter(known).filter(|other| *other != number).map(|other| (other, object(&signed, other)));
    let all: Vec<(u32, String)> = copies.chain([(4, content.to_owned())]).collect();
    let table = |from: usize, range: &str| {
        let (mut text, mut objects) = ("xref\n".to_owned(), String::new());
        for (number, object) in all.iter().cloned().chain([(number, range.to_owned())]) {
            text += &format!("{number} 1\n{:010} 00000 n \n", from + objects.chars().count());
            objects += &format!("{number} 0 obj\n{object}\nendobj\n");
        }
        text += &format!("trailer\n<< /Size 99 /Root 1 0 R /Prev {} >>\n", crate::update::table(&unsigned));
        (text, objects)
    };
    // The lengths do not depend on the numbers, which are as long each time.
    let range = moved(99_999 - signed.len(), &signed);
    let (text, objects) = table(start, &range);
    let after = start + text.len() + objects.chars().count();
    let range = moved(0, &vec![0; after]).replace(&format!(" {after} "), &format!(" {after:05} "));
    let (text, objects) = table(start + text.len(), &range);
    file.extend((text + &objects).chars().map(|char| char as u8));
    assert_eq!(file.len(), after);
    file.extend(&signed[gap.end..]);
    let found = first(&file);
    assert_wrapped(&found);
    assert!(!found.intact);
    // The same with the signature in an update of its own.
    let moved = Update::of(&signed).put(number, &moved(100, &signed)).finish();
    assert_wrapped(&first(&moved));
}

/// The signed revision can't be read, and the one before it has no signature.
#[test]
fn signatures_that_were_wrapped_out_of_reach_fail() {
    let signed = "\n10 0 obj\n<< /Type /Sig /ByteRange [0 100 200 100] /Contents <00> >>\nendobj\nxref\n10 1\n/ByteRange\n%%EOF\n";
    let found = report(&[&fixture("unsigned")[..], signed.as_bytes()].concat()).signatures;
    assert_eq!(found.len(), 1);
    assert_failed(&found[0], "The file has a signature and can't be read without doubt");
}

/// Asserts that a signature has failed since it is not where it says.
fn assert_wrapped(signature: &Signature) {
    let reasons = [ELSEWHERE, NO_PART, "is not a whole PDF of its own", TOO_MUCH];
    assert!(reasons.iter().any(|reason| signature.sentence.contains(reason)), "{}", signature.sentence);
    assert_failed(signature, "The signature is not valid.");
}

/// Shadow documents, hide: what covers the real content is taken away.
#[test]
fn content_that_is_uncovered_later_fails() {
    let signed = fixture("shadow");
    assert_failed(&first(&Update::of(&signed).free(4).finish()), "The content of a page was changed");
    assert_failed(&first(&Update::of(&signed).free(5).finish()), "A part that pages or the document use was changed");
    let field = object(&signed, 7);
    assert_failed(&first(&Update::of(&signed).free(7).finish()), "not only filled in");
    let hidden = field.replace("/F 4", "/F 2");
    assert_failed(&first(&Update::of(&signed).put(7, &hidden).finish()), "not only filled in (amount)");
}

/// Shadow documents, replace: a font, or the look of a field whose value stays.
#[test]
fn content_that_is_replaced_later_fails() {
    let signed = fixture("approval");
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [49 /nine] >> >>";
    assert_failed(&first(&Update::of(&signed).put(5, font).finish()), "object 5");
    let head = "/Type /XObject /Subtype /Form /BBox [0 0 170 20] /Resources << /Font << /F 5 0 R >> >>";
    let look = Update::of(&signed).stream(9, head, "/Tx BMC BT /F 12 Tf 2 5 Td (900) Tj ET EMC");
    assert_doubtful(&first(&look.finish()), "A field shows something else, and its value is the same (amount).");
    let other = object(&signed, 7).replace("(100)", "(900)").replace("9 0 R", "50 0 R");
    let value = Update::of(&signed).put(7, &other).stream(50, head, "/Tx BMC BT /F 12 Tf 2 5 Td (900) Tj ET EMC");
    assert_doubtful(&first(&value.finish()), "now has another value (amount)");
}

/// Shadow documents, hide and replace: a table brings up what lies hidden in the signed bytes.
#[test]
fn hidden_content_that_is_brought_up_fails() {
    let signed = fixture("shadow");
    let hidden = memchr::memmem::find(&signed, b"4 0 obj").unwrap();
    let found = first(&Update::of(&signed).at(4, hidden).finish());
    assert_failed(&found, CHANGED);
    assert!(kinds(&found).contains(&(ChangeKind::ObjectChanged, false)), "{found:?}");
    // Another catalog, with pages of its own.
    let catalog = object(&signed, 1);
    assert_failed(&first(&Update::of(&signed).put(60, &catalog).finish_with("60 0 R")), "Another document was put");
}

#[test]
fn everything_else_that_changes_a_document_fails() {
    let signed = fixture("approval");
    let catalog = object(&signed, 1);
    let with = |entry: &str| Update::of(&signed).put(1, &catalog.replacen("<<", &format!("<< {entry}"), 1)).finish();
    for entry in
        ["/OpenAction << /S /JavaScript /JS (x) >>", "/AA << >>", "/OCProperties << >>", "/Names << >>", "/Perms << >>"]
    {
        assert_failed(&first(&with(entry)), "A property of the whole document was changed");
    }
    let pages = object(&signed, 2).replace("/Count 1", "/Count 2");
    assert_failed(&first(&Update::of(&signed).put(2, &pages).finish()), "Pages were added, removed");
    let page = object(&signed, 3);
    let rotated = page.replacen("<<", "<< /Rotate 180", 1);
    assert_failed(&first(&Update::of(&signed).put(3, &rotated).finish()), "The content of a page was changed");
    let script = object(&signed, 6).replacen("<<", "<< /AA << /F << /S /JavaScript /JS (x) >> >>", 1);
    assert_failed(&first(&Update::of(&signed).put(6, &script).finish()), "not only filled in (name)");
    let twice = Update::of(&signed).put(3, &page.replacen("<<", "<< /Contents 4 0 R", 1)).finish();
    assert_failed(&first(&twice), CHANGED);
}

#[test]
fn a_byte_that_is_changed_fails() {
    let signed = fixture("approval");
    let (_, gap) = signature(&signed);
    let mut tried = 0;
    for at in (0..signed.len()).filter(|at| !gap.contains(at)).step_by(17) {
        let mut changed = signed.clone();
        changed[at] ^= 1;
        let time = Timestamp::parse("2026-11-28T00:00:00Z").unwrap();
        let options = Options { password: "", roots: &roots(), time, check_revocation: false };
        if let Ok(report) = verify(&changed, &options) {
            assert!(report.signatures.iter().all(|each| each.indication != Indication::TotalPassed), "byte {at}");
        }
        tried += 1;
    }
    assert!(tried > 100);
}
