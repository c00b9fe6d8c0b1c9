//! Hostile documents: each gives a result or a typed failure in time and within the memory limit.

use docmill_pdf_request::ErrorCode;

use super::*;
use fixture::{plain, plain_document, rich, save};
use lopdf::{Stream, dictionary};

const TOOLS: [Tool; 11] = [
    Tool::MergePdf,
    Tool::SplitPdf,
    Tool::OrganizePdf,
    Tool::WatermarkPdf,
    Tool::EditMetadata,
    Tool::FlattenPdf,
    Tool::FillForm,
    Tool::OcrPdf,
    Tool::PdfToPdfa,
    Tool::ProtectPdf,
    Tool::MarkTest,
];

fn options(tool: Tool) -> Value {
    match tool {
        Tool::WatermarkPdf => json!({"text": "MARK {page}"}),
        Tool::ProtectPdf => json!({"userPassword": "a"}),
        Tool::EditMetadata => json!({"set": {"title": "New"}}),
        Tool::OrganizePdf => json!({"nUp": 2}),
        Tool::SplitPdf => json!({"mode": "bookmarks", "level": 3}),
        Tool::FlattenPdf => json!({"layers": true}),
        Tool::FillForm => json!({"fields": {"name": "Zoë 山田"}}),
        Tool::OcrPdf => json!({"mode": "redo", "dpi": 100}),
        Tool::PdfToPdfa => json!({"level": "3b", "onUnsupported": "warn"}),
        _ => json!({}),
    }
}

fn every_tool(content: &[u8]) -> Vec<Result<Outcome, Failure>> {
    let run = Run::new().with(content);
    let beside = Run::new().with(content).with(&plain("two", 2));
    let compared = beside.run(Tool::CompareDocuments, json!({}));
    TOOLS.iter().map(|tool| run.run(*tool, options(*tool))).chain([compared]).collect()
}

/// A failure of the document, not of the service.
fn answered(results: &[Result<Outcome, Failure>]) {
    for failure in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_ne!(failure.code, ErrorCode::Internal, "{failure}");
    }
}

#[test]
fn fuzz_mutants_are_answered() {
    let seeds = [rich("one", 3), plain("two", 2)];
    let run_all = |content: &[u8], state: u32| {
        let run = Run::new().with(content);
        let tool = TOOLS[state as usize % TOOLS.len()];
        match run.run(tool, options(tool)) {
            Ok(outcome) => {
                for artifact in outcome.artifacts {
                    // A result opens, or asks for the password that it was given.
                    let path = run.path(&artifact.file);
                    let password = (tool == Tool::ProtectPdf).then_some("a");
                    let (pages, repaired) = engines().libraries.qpdf().unwrap().pages(&path, password).unwrap();
                    assert!(pages > 0 && !repaired, "{tool:?}");
                }
            }
            Err(failure) => assert_ne!(failure.code, ErrorCode::Internal, "{tool:?}: {failure}"),
        }
    };
    let rounds = if std::env::var_os("FUZZ_SECONDS").is_some() { 20_000 } else { 400 };
    let mut state = 7_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for round in 0..rounds {
        let mut content = seeds[round as usize % seeds.len()].clone();
        for _ in 0..=random() % 6 {
            let at = random() as usize % content.len();
            match random() % 4 {
                0 => content[at] = random() as u8,
                1 => content[at] = b"0123456789/[]<>() R"[random() as usize % 19],
                2 => drop(content.remove(at)),
                _ => content.insert(at, b"0123456789/[]<>() R"[random() as usize % 19]),
            }
        }
        if random() % 16 == 0 {
            content.truncate(random() as usize % content.len());
        }
        run_all(&content, round);
    }
}

#[test]
fn a_circular_page_tree_is_answered() {
    let mut document = plain_document("one", 2, (300.0, 400.0));
    let root = catalog(&document).get(b"Pages").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().get_mut(b"Kids").unwrap().as_array_mut().unwrap().push(root.into());
    answered(&every_tool(&save(&mut document)));
}

#[test]
fn an_update_that_leads_to_itself_hides_no_pages() {
    let mut document = plain_document("one", 2, (300.0, 400.0));
    let mut content = save(&mut document);
    let pages = catalog(&document).get(b"Pages").unwrap().as_reference().unwrap().0;
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap().0;
    let object = content.len();
    content.extend(format!("{root} 0 obj\n<< /Type /Catalog /Pages {pages} 0 R >>\nendobj\n").bytes());
    let table = content.len();
    let (size, entry) = (document.max_id + 1, format!("{root} 1\n{object:010} 00000 n \n"));
    let trailer = format!("<< /Size {size} /Root {root} 0 R /Prev {table} >>");
    content.extend(
        format!("xref\n0 1\n0000000000 65535 f \n{entry}trailer\n{trailer}\nstartxref\n{table}\n%%EOF\n").bytes(),
    );
    let (outcome, results) = Run::new().with(&content).results(Tool::OrganizePdf, json!({"pages": "z-1"}));
    assert_eq!(page_texts(&results[0]), ["one 2", "one 1"]);
    assert_eq!(outcome.warnings[0].code, "repaired");
}

#[test]
fn a_million_pages_are_refused() {
    let mut document = plain_document("one", 1, (300.0, 400.0));
    let root = catalog(&document).get(b"Pages").unwrap().as_reference().unwrap();
    let page = document.get_pages()[&1];
    let mut kids: Vec<Object> = vec![page.into(); 1000];
    for _ in 0..2 {
        let node = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1000 };
        let node = document.add_object(node);
        kids = vec![node.into(); 1000];
    }
    document.get_dictionary_mut(root).unwrap().set("Kids", kids);
    let results = every_tool(&save(&mut document));
    answered(&results);
}

#[test]
fn objects_beyond_the_memory_are_refused() {
    // Half a million empty arrays compress to a few KiB.
    let mut document = plain_document("one", 1, (300.0, 400.0));
    let bomb = vec![Object::Array(Vec::new()); 500_000];
    let bomb = document.add_object(Object::Array(bomb));
    document.trailer.set("Bomb", bomb);
    let mut run = Run::new().with(&save(&mut document));
    run.limits.memory_bytes = 64 << 20;
    let failure = run.run(Tool::MergePdf, json!({})).unwrap_err();
    assert_eq!((failure.code, failure.cause.as_str()), (ErrorCode::RenderFailed, "objects beyond the memory allowed"));
}

#[test]
fn a_stream_that_unpacks_to_gigabytes_is_not_unpacked() {
    let mut document = plain_document("one", 2, (300.0, 400.0));
    let page = document.get_pages()[&1];
    let zeros = vec![b' '; 80 << 20];
    let mut bomb = Stream::new(Dictionary::new(), zeros);
    bomb.compress().unwrap();
    let packed = bomb.content.clone();
    // Compressed twice more, each byte stands for a million.
    let mut bomb = Stream::new(dictionary! { "Filter" => "FlateDecode" }, packed);
    bomb.dict.set("Filter", "FlateDecode");
    let bomb = document.add_object(bomb);
    document.get_dictionary_mut(page).unwrap().set("Contents", vec![bomb.into(), bomb.into()]);
    let run = Run::new().with(&save(&mut document));
    let failure = run.run(Tool::OrganizePdf, json!({"nUp": 2})).unwrap_err();
    assert_eq!(failure.cause, "content beyond the limit");
    answered(&every_tool(&save(&mut document)));
}

#[test]
fn forms_that_draw_themselves_and_10_000_layers_are_answered() {
    let mut document = plain_document("one", 1, (300.0, 400.0));
    let form = document.new_object_id();
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        "Resources" => dictionary! { "XObject" => dictionary! { "X" => form } },
    };
    document.objects.insert(form, Stream::new(head, b"/X Do".to_vec()).into());
    let groups: Vec<Object> = (0..10_000)
        .map(|number| {
            let name = Object::string_literal(format!("layer {number}"));
            document.add_object(dictionary! { "Type" => "OCG", "Name" => name }).into()
        })
        .collect();
    let page = document.get_pages()[&1];
    document
        .get_dictionary_mut(page)
        .unwrap()
        .set("Resources", dictionary! { "XObject" => dictionary! { "X" => form } });
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    let properties =
        dictionary! { "OCGs" => groups.clone(), "D" => dictionary! { "Order" => groups.clone(), "OFF" => groups } };
    document.get_dictionary_mut(root).unwrap().set("OCProperties", properties);
    let results = every_tool(&save(&mut document));
    // There are no bookmarks to split at, and no fields to fill in.
    assert!(results.iter().filter(|result| result.is_ok()).count() >= TOOLS.len() - 2);
    answered(&results);
}

#[test]
fn circular_references_of_every_kind_are_answered() {
    let mut document = fixture::rich_document("one", 2);
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    let ring = document.new_object_id();
    document.objects.insert(ring, dictionary! { "Kids" => vec![ring.into(), ring.into()], "Parent" => ring, "First" => ring, "Next" => ring, "P" => ring, "K" => ring, "D" => ring }.into());
    let itself = document.new_object_id();
    document.objects.insert(itself, Object::Reference(itself));
    for key in ["Outlines", "PageLabels", "StructTreeRoot", "AcroForm", "OCProperties", "Dests"] {
        for value in [ring, itself] {
            let mut broken = document.clone();
            broken.get_dictionary_mut(root).unwrap().set(key, value);
            answered(&every_tool(&save(&mut broken)));
        }
    }
}

#[test]
fn a_repaired_source_counts_with_the_bytes_that_were_sent() {
    let mut content = save(&mut plain_document("one", 2, (300.0, 400.0)));
    content.truncate(content.len() - 120);
    let (outcome, _) = Run::new().with(&content).results(Tool::CompressPdf, json!({}));
    assert_eq!(outcome.warnings[0].code, "repaired");
    assert_eq!(outcome.report.unwrap()["bytesBefore"], content.len());
}
