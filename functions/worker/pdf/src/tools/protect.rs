//! protect-pdf and unlock-pdf: qpdf changes the encryption, and nothing else.

use std::fs;
use std::path::Path;

use docmill_pdf_core::pages::too_many;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_pdf_structure::{Assembly, open_deferring};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{options, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";
const REBUILT: &str = "rebuilt.pdf";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct Protect {
    user_password: Option<String>,
    owner_password: Option<String>,
    permissions: Permissions,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Permissions {
    print: bool,
    copy: bool,
    modify: bool,
    annotate: bool,
    forms: bool,
    assemble: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self { print: true, copy: true, modify: true, annotate: true, forms: true, assemble: true }
    }
}

impl Permissions {
    const fn restrict(&self) -> bool {
        !(self.print && self.copy && self.modify && self.annotate && self.forms && self.assemble)
    }

    /// qpdf's settings for 256-bit keys. Screen readers are always allowed.
    fn to_job(&self) -> Value {
        let flag = |allowed: bool| if allowed { "y" } else { "n" };
        json!({
            "print": if self.print { "full" } else { "none" }, "extract": flag(self.copy),
            "modifyOther": flag(self.modify), "annotate": flag(self.annotate), "form": flag(self.forms),
            "assemble": flag(self.assemble), "accessibility": "y",
        })
    }
}

pub(super) fn protect(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Protect = options(request)?;
    let user = options.user_password.filter(|password| !password.is_empty());
    let owner = options.owner_password.filter(|password| !password.is_empty());
    if user.is_none() && owner.is_none() {
        return Err(refuse(
            "Give a `userPassword`, which opens the document, or an `ownerPassword`, which lifts its restrictions.",
        ));
    }
    if options.permissions.restrict() && (owner.is_none() || owner == user) {
        return Err(refuse(
            "`permissions` need an `ownerPassword` that is not the `userPassword`: who has it is not restricted.",
        ));
    }
    let owner = owner.or_else(|| user.clone()).unwrap_or_default();
    let source = source(request)?;
    let mut job = job(source, &request.directory.join(RESULT));
    let encrypt = json!({
        "userPassword": user.unwrap_or_default(), "ownerPassword": owner, "256bit": options.permissions.to_job(),
    });
    job.insert("encrypt".to_owned(), encrypt);
    finish(libraries, request, source, source.password.as_deref(), job)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Unlock {
    password: Option<String>,
}

pub(super) fn unlock(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Unlock = options(request)?;
    let source = source(request)?;
    let password = options.password.or_else(|| source.password.clone());
    let result = request.directory.join(RESULT);
    let is_encrypted = libraries.qpdf()?.is_encrypted(&source.path);
    if !is_encrypted && let Counted { pages, is_sound: true } = count(libraries, request, source, None)? {
        fs::copy(&source.path, &result).map_err(|error| Failure::io(&error))?;
        let warning = Warning::new("not_protected", "The document was not protected. The result is the same file.");
        return Ok(Outcome { artifacts: vec![pdf(RESULT, pages)], report: None, warnings: vec![warning] });
    }
    let mut job = job(source, &result);
    job.extend(["decrypt", "deterministicId"].map(|switch| (switch.to_owned(), json!(""))));
    job.extend(password.iter().map(|password| ("password".to_owned(), json!(password))));
    let mut outcome = finish(libraries, request, source, password.as_deref(), job)?;
    if !is_encrypted {
        outcome.warnings.push(Warning::new("not_protected", "The document was not protected."));
    }
    Ok(outcome)
}

fn source(request: &Request) -> Result<&Source, Failure> {
    request.sources.first().ok_or_else(|| Failure::internal("no source"))
}

fn refuse(message: &str) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "protection: options do not fit together")
}

/// Streams stay compressed: unpacking one could take any amount of memory.
fn job(source: &Source, result: &Path) -> Map<String, Value> {
    let members = [
        ("inputFile", json!(source.path)),
        ("outputFile", json!(result)),
        ("decodeLevel", json!("none")),
        ("compressStreams", json!("n")),
        ("objectStreams", json!("generate")),
    ];
    let password = source.password.iter().map(|password| ("password", json!(password)));
    members.into_iter().chain(password).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn finish(
    libraries: &Libraries,
    request: &Request,
    source: &Source,
    password: Option<&str>,
    mut job: Map<String, Value>,
) -> Result<Outcome, Failure> {
    let pages = count(libraries, request, source, password)?.pages;
    let mut warnings = Vec::new();
    if libraries.qpdf()?.run(&json!(job))?.repaired {
        // qpdf repairs what it needs for reading, and leaves other damage as it is.
        let rebuilt = request.directory.join(REBUILT);
        warnings = rebuild(libraries, request, password, &rebuilt)?;
        job.insert("inputFile".to_owned(), json!(rebuilt));
        job.remove("password");
        libraries.qpdf()?.run(&json!(job))?;
        fs::remove_file(&rebuilt).map_err(|error| Failure::io(&error))?;
    }
    Ok(Outcome { artifacts: vec![pdf(RESULT, pages)], report: None, warnings })
}

/// Rebuilds a damaged document, without protection.
fn rebuild(
    libraries: &Libraries,
    request: &Request,
    password: Option<&str>,
    path: &Path,
) -> Result<Vec<Warning>, Failure> {
    let mut request = request.clone();
    if let Some(source) = request.sources.first_mut() {
        source.password = password.map(str::to_owned);
    }
    let opened = open_deferring(libraries, &request, 0)?;
    let mut document =
        docmill_pdf_structure::assembly::Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let assembled = Assembly::whole(path, &request.limits, &mut document)?;
    let warnings = opened.warnings.into_iter().chain(assembled.warnings);
    Ok(warnings.filter(|warning| warning.code != "encryption_removed").collect())
}

/// qpdf's findings about a file.
struct Counted {
    pages: u32,
    /// Whether nothing had to be repaired: only then is the file a result as it is.
    is_sound: bool,
}

fn count(
    libraries: &Libraries,
    request: &Request,
    source: &Source,
    password: Option<&str>,
) -> Result<Counted, Failure> {
    let (pages, repaired) = libraries.qpdf()?.pages(&source.path, password)?;
    if pages > request.limits.pages {
        return Err(too_many(request.limits.pages));
    }
    Ok(Counted { pages, is_sound: !repaired })
}
