//! Puts what proves for long that the certificates of a signature were good into the signed file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Source};
use docmill_pdf_signatures::make::Dossier;
use docmill_pdf_signatures::sign::Draft;
use serde::Deserialize;

use super::{RESULT, refused, write};

/// As the signer writes it.
#[derive(Deserialize)]
struct Evidence {
    certificates: Vec<String>,
    lists: Vec<String>,
    responses: Vec<String>,
}

/// The sources are the signed file, and the evidence as JSON.
pub(in crate::tools) fn keep_evidence(request: &Request) -> Result<Outcome, Failure> {
    let [signed, evidence] = request.sources.as_slice() else { return Err(Failure::internal("no evidence")) };
    let dossier = read(evidence)?;
    let bytes = std::fs::read(&signed.path).map_err(|error| Failure::io(&error))?;
    let password = signed.password.as_deref().unwrap_or_default();
    let update = Draft::open(&bytes, password).and_then(|draft| draft.keep(&dossier)).map_err(refused)?;
    crate::tools::within_output((bytes.len() + update.len()) as u64, &request.limits)?;
    write(request, &[&bytes, &update]).map_err(|error| Failure::io(&error))?;
    let artifact = Artifact::new(RESULT, docmill_formats::Format::Pdf);
    Ok(Outcome { artifacts: vec![artifact], report: None, warnings: Vec::new() })
}

fn read(source: &Source) -> Result<Dossier, Failure> {
    let unreadable = || Failure::internal("evidence that can't be read");
    let bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let read: Evidence = serde_json::from_slice(&bytes).map_err(|_| unreadable())?;
    let all = |list: Vec<String>| -> Result<Vec<Vec<u8>>, Failure> {
        list.iter().map(|text| STANDARD.decode(text).map_err(|_| unreadable())).collect()
    };
    Ok(Dossier { certificates: all(read.certificates)?, lists: all(read.lists)?, responses: all(read.responses)? })
}
