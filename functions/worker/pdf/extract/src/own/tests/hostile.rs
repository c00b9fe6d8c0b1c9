use docmill_formats::Format;

use super::*;

/// Bytes as the main part of a document of each format, and as a document themselves.
#[test]
fn fuzz_documents_by_their_own_structure() {
    docmill_fuzz::fuzz("own-structure", &["seeds/html", "seeds/markdown", "seeds/mail"], |bytes| {
        for media in [Format::Html, Format::Markdown, Format::Txt, Format::Eml, Format::Msg] {
            let _ = try_read(media, bytes, &LIMITS);
        }
        let office = [
            (Format::Docx, vec!["word/document.xml", "word/styles.xml", "word/numbering.xml", "word/footnotes.xml"]),
            (Format::Xlsx, vec!["xl/workbook.xml", "xl/sheet.xml", "xl/styles.xml", "xl/strings.xml"]),
            (Format::Pptx, vec!["ppt/presentation.xml", "ppt/slide.xml", "ppt/layout.xml"]),
            (Format::Odt, vec!["content.xml", "styles.xml"]),
            (Format::Ods, vec!["content.xml"]),
            (Format::Odp, vec!["content.xml"]),
            (Format::Csv, vec![]),
        ];
        let relations = relations_of(
            r#"<Relationship Id="a" Type="/styles" Target="styles.xml"/><Relationship Id="b" Type="/numbering" Target="numbering.xml"/>
<Relationship Id="c" Type="/footnotes" Target="footnotes.xml"/><Relationship Id="r1" Type="/worksheet" Target="sheet.xml"/><Relationship Id="d" Type="/sharedStrings" Target="strings.xml"/>
<Relationship Id="r2" Type="/slide" Target="slide.xml"/><Relationship Id="e" Type="/slideLayout" Target="layout.xml"/>"#,
        );
        for (file, names) in office {
            let _ = try_read(file, bytes, &LIMITS);
            if names.is_empty() {
                continue;
            }
            // One of its parts is odd, the others are sound or not there.
            let odd = bytes.len() % names.len();
            let part = |(at, name): (usize, &&'static str)| {
                (*name, if at == odd { bytes.to_vec() } else { sound(name).as_bytes().to_vec() })
            };
            let mut parts: Vec<_> = names.iter().enumerate().map(part).collect();
            let own = names[0].rsplit_once('/').map(|(folder, file)| format!("{folder}/_rels/{file}.rels"));
            parts.extend(own.as_deref().map(|own| (own, relations.clone().into_bytes())));
            parts.push(("ppt/_rels/slide.xml.rels", relations.clone().into_bytes()));
            if let Err(failure) = try_read(file, &packed(&parts), &LIMITS) {
                assert_ne!(failure.code, ErrorCode::Internal, "{file:?}: {}", failure.cause);
            }
        }
    });
}

fn sound(part: &str) -> &'static str {
    match part {
        "word/document.xml" => {
            "<w:document xmlns:w='w'><w:body><w:p><w:pPr><w:pStyle w:val='a'/><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>x</w:t><w:footnoteReference w:id='1'/></w:r></w:p></w:body></w:document>"
        }
        "xl/workbook.xml" => "<workbook xmlns:r='r'><sheets><sheet name='a' r:id='r1'/></sheets></workbook>",
        "xl/sheet.xml" => {
            "<worksheet><sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' s='1'><v>45000.5</v></c></row></sheetData></worksheet>"
        }
        "ppt/presentation.xml" => "<p xmlns:r='r'><sldIdLst><sldId id='1' r:id='r2'/></sldIdLst></p>",
        "ppt/slide.xml" => {
            "<s><cSld><spTree><sp><nvSpPr><nvPr><ph type='body'/></nvPr></nvSpPr><txBody><p><r><t>x</t></r></p></txBody></sp></spTree></cSld></s>"
        }
        _ => "<none/>",
    }
}

#[test]
fn damaged_bytes_of_real_documents_are_refused_or_read() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../tests/fixtures/office");
    for (name, file) in [
        ("letter.docx", Format::Docx),
        ("table.xlsx", Format::Xlsx),
        ("talk.pptx", Format::Pptx),
        ("letter.odt", Format::Odt),
        ("table.ods", Format::Ods),
        ("talk.odp", Format::Odp),
    ] {
        let whole = fs::read(fixtures.join(name)).unwrap();
        assert!(!document(file, &whole).blocks.is_empty(), "{name}");
        for cut in 1..20 {
            let mut damaged = whole.clone();
            let at = whole.len() * cut / 20;
            damaged.iter_mut().skip(at).take(40).for_each(|byte| *byte ^= 0x5a);
            for bytes in [&damaged[..], &whole[..at]] {
                if let Err(failure) = try_read(file, bytes, &LIMITS) {
                    assert_ne!(failure.code, ErrorCode::Internal, "{name}: {}", failure.cause);
                }
            }
        }
    }
}

#[test]
fn encrypted_documents_are_told_apart() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../tests/fixtures/office");
    for (name, file) in
        [("protected-form.docx", Format::Docx), ("protected.xlsx", Format::Xlsx), ("protected-form.odt", Format::Odt)]
    {
        let failure = try_read(file, &fs::read(fixtures.join(name)).unwrap(), &LIMITS).unwrap_err();
        assert_eq!(failure.code, ErrorCode::PasswordRequired, "{name}");
    }
}
