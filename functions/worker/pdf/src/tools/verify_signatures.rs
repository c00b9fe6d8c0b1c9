//! verify-signatures: who signed a PDF, whether it was changed afterwards, and whether that was allowed. Reads nothing but the file.

use docmill_domain::time::Timestamp;
use docmill_formats::Format;
use docmill_pdf_core::Libraries;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request};
use docmill_pdf_signatures::{Indication, Report, Signature, roots_of, verify};
use serde::Deserialize;
use serde_json::{Value, json};

const RESULT: &str = "signatures.json";
/// Of so many signatures, the job says a sentence for people.
const SENTENCES: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    trusted_roots: Option<String>,
    time: Option<String>,
    check_revocation: bool,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let source = super::only_source(request)?;
    let roots = match &options.trusted_roots {
        None => Vec::new(),
        Some(pem) => roots_of(pem).ok_or_else(|| {
            refuse("`trustedRoots` has no certificate, or one that can't be read. Send certificates as PEM.")
        })?,
    };
    let time = match &options.time {
        None => request.now,
        Some(text) => Timestamp::parse(text).ok_or_else(|| refuse("`time` is not a time."))?,
    };
    let password = source.password.as_deref();
    let bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    // qpdf says what is wrong with a password.
    if memchr::memmem::find(&bytes, b"/Encrypt").is_some() {
        match libraries.qpdf()?.pages(&source.path, password) {
            Err(failure) if is_about_password(&failure) => return Err(failure),
            Ok(_) | Err(_) => {}
        }
    }
    let verification = docmill_pdf_signatures::Options {
        password: password.unwrap_or_default(),
        roots: &roots,
        time,
        check_revocation: options.check_revocation,
    };
    let report = verify(&bytes, &verification).map_err(|error| {
        let message = "This PDF is damaged, so its signatures can't be checked.";
        Failure::new(ErrorCode::CorruptDocument, message, format!("signatures: {error}"))
    })?;
    let text = serde_json::to_vec_pretty(&report).map_err(|_| Failure::internal("json"))?;
    super::within_output(text.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(RESULT), text).map_err(|error| Failure::io(&error))?;
    let artifact = Artifact::new(RESULT, Format::Json);
    Ok(Outcome { artifacts: vec![artifact], report: Some(summary(&report)), ..Outcome::default() })
}

fn refuse(message: &str) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "options of verify-signatures")
}

fn is_about_password(failure: &Failure) -> bool {
    matches!(failure.code, ErrorCode::PasswordRequired | ErrorCode::WrongPassword)
}

/// What the job shows.
fn summary(report: &Report) -> Value {
    let count = |is: &dyn Fn(&Signature) -> bool| report.signatures.iter().filter(|each| is(each)).count();
    let sentence = |signature: &Signature| match &signature.field {
        Some(field) => format!("{field}: {}", signature.sentence),
        None => signature.sentence.clone(),
    };
    json!({
        "signatures": report.signatures.len(),
        "intact": count(&|each| each.intact),
        "valid": count(&|each| each.indication == Indication::TotalPassed),
        "failed": count(&|each| each.indication == Indication::TotalFailed),
        "sentences": report.signatures.iter().take(SENTENCES).map(sentence).collect::<Vec<_>>(),
    })
}
