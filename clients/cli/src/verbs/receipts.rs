//! `docmill receipt` and `docmill verify-receipt`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use docmill_domain::hex;
use docmill_signing::receipt::verify;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{api, id, text};
use crate::api::Call;
use crate::args::{Globals, VerifyReceiptArgs};
use crate::config;
use crate::failure::{Doing, Failure, Outcome, cause};
use crate::report;

/// Where a service publishes the keys of its receipts.
const KEYS: &str = "/.well-known/docmill-receipts.json";
const TIMEOUT: Duration = Duration::from_secs(30);

/// Prints a job's receipt.
pub async fn show(job: &str, globals: &Globals) -> Outcome<()> {
    let answer = api(globals)?.call(Call::get(format!("/v1/jobs/{}/receipt", id(job)?))).await?;
    let receipt = &answer.body["receipt"];
    report::to_stdout(&if globals.json { receipt.to_string() } else { format!("{receipt:#}") });
    Ok(())
}

/// Checks a receipt, and whether these documents are in it.
pub async fn check(args: &VerifyReceiptArgs, globals: &Globals) -> Outcome<()> {
    let mut receipt = read(&args.receipt)?;
    // The whole answer of the API will do.
    if receipt["receipt"].is_object() {
        receipt = receipt["receipt"].take();
    }
    let keys = match &args.keys {
        Some(path) => read(path)?,
        None => published(globals).await?,
    };
    let statement = verify(&receipt, &keys).map_err(|why| {
        let message = format!("{}: the receipt cannot be verified: {why}.", args.receipt.display());
        Failure::document("receipt_unverified", message)
    })?;
    let found = args.documents.iter().map(|path| Ok((path, place_of(path, statement)?)));
    let found = found.collect::<Outcome<Vec<_>>>()?;
    if globals.json {
        let documents: Vec<_> =
            found.iter().map(|(path, place)| json!({"path": path.display().to_string(), "is": place})).collect();
        report::to_stdout(&json!({"type": "receipt", "statement": statement, "documents": documents}).to_string());
    } else {
        report::to_stdout(&format!(
            "The receipt is genuine: job {}, {}, created {}, signed by the key {}.",
            text(statement, "jobId"),
            text(statement, "status"),
            text(statement, "createdAt"),
            text(&receipt["signature"], "keyId"),
        ));
        for (path, place) in &found {
            report::to_stdout(&format!("{}: {}", path.display(), place.unwrap_or("not in the receipt")));
        }
    }
    match found.iter().filter(|(_, place)| place.is_none()).count() {
        0 => Ok(()),
        missing => {
            let message = format!("{missing} of {} documents are not in the receipt.", found.len());
            Err(Failure::document("document_not_in_receipt", message))
        }
    }
}

fn read(path: &Path) -> Outcome<Value> {
    let text = std::fs::read_to_string(path).doing(format!("Reading {}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("it is not JSON: {error}")).of_file(path))
}

/// The keys of the service. They are public, and asked for without a key.
async fn published(globals: &Globals) -> Outcome<Value> {
    let url = format!("{}{KEYS}", config::service(globals.url.as_deref())?);
    let unanswered = |error: reqwest::Error| {
        Failure::unavailable(format!("No keys from {url}: {}", cause(&error)))
            .with_hint("Save them once, and name the file with --keys.")
    };
    let client = reqwest::Client::builder().timeout(TIMEOUT).build().doing("Preparing requests")?;
    let answer = client.get(&url).send().await.and_then(reqwest::Response::error_for_status).map_err(unanswered)?;
    let text = answer.text().await.map_err(unanswered)?;
    serde_json::from_str(&text).map_err(|_| Failure::usage(format!("{url} has no keys: it is not a Docmill service.")))
}

/// What the document with this content is in the statement.
fn place_of(path: &Path, statement: &Value) -> Outcome<Option<&'static str>> {
    let reading = || format!("Reading {}", path.display());
    let mut file = BufReader::new(File::open(path).doing(reading())?);
    let mut digest = Sha256::new();
    loop {
        let piece = file.fill_buf().doing(reading())?;
        let length = piece.len();
        if length == 0 {
            break;
        }
        digest.update(piece);
        file.consume(length);
    }
    let digest = hex(&digest.finalize());
    let lists = |files: &Value| files.as_array().into_iter().flatten().any(|file| file["sha256"] == *digest);
    let result = &statement["result"];
    Ok(if lists(&statement["sources"]) {
        Some("a source")
    } else if lists(&result["files"]) {
        Some("a result")
    } else if result["archive"]["sha256"] == *digest {
        Some("the archive of all results")
    } else {
        None
    })
}
