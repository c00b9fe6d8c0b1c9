//! edit-metadata: changes a document's metadata and attachments, or makes it a Factur-X invoice.

use std::collections::BTreeMap;
use std::fs;

use docmill_pdf_pdfa::Level;
use docmill_pdf_pdfa::invoice::{Invoice, Profile};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::attachments::{self, Relationship};
use docmill_pdf_structure::metadata::{self, Information, Statement};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::{Assembly, open_deferring};
use lopdf::Document;
use serde::Deserialize;
use serde_json::json;

use super::archive::{self, Archive, OnUnsupported, RESULT};
use super::{options, pdf};
use docmill_pdf_core::Libraries;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    set: Set,
    remove: Remove,
    attachments: Vec<Attachment>,
    #[serde(rename = "facturX")]
    factur_x: Option<FacturX>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Set {
    title: Option<String>,
    author: Option<String>,
    subject: Option<String>,
    keywords: Option<String>,
    custom: BTreeMap<String, String>,
}

/// `"all"`, or names.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Remove {
    All(All),
    Names(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum All {
    All,
}

impl Default for Remove {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attachment {
    /// The number of the source, where 1 is the first after the PDF.
    source: usize,
    #[serde(default)]
    filename: Option<String>,
    #[serde(default)]
    relationship: Relationship,
    #[serde(default)]
    description: Option<String>,
}

/// An invoice to put into the PDF, which becomes PDF/A-3.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct FacturX {
    /// The source's number, as in `attachments`.
    source: Option<usize>,
    /// The invoice itself.
    xml: Option<String>,
    level: Option<Profile>,
    relationship: Option<Relationship>,
    on_unsupported: OnUnsupported,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let invoice = options.factur_x.as_ref().map(|factur_x| invoice(request, factur_x)).transpose()?;
    let mut opened = open_deferring(libraries, request, 0)?;
    let statement = change(&mut opened, &options, invoice.is_some())?;
    for attachment in &options.attachments {
        attach(request, &mut opened.document, attachment)?;
    }
    if let (Some(invoice), Some(factur_x)) = (invoice, &options.factur_x) {
        return with_invoice(libraries, request, opened, &invoice, factur_x);
    }
    let Opened { document, held, mut warnings } = opened;
    let mut source = Source::read(document, request.limits.pages)?.deferring(held);
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    if statement.pdfa().is_some_and(|(part, _)| part == "1") {
        archive::unpack(libraries, request)?;
    }
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

/// Changes the metadata. Returns the statements besides the document's information.
fn change(opened: &mut Opened, options: &Options, becomes_archive: bool) -> Result<Statement, Failure> {
    let Opened { document, warnings, .. } = opened;
    let old = metadata::statement(document);
    let removes_all = matches!(options.remove, Remove::All(_));
    let mut statement = if removes_all { Statement::default() } else { old.clone() };
    if !options.attachments.is_empty() && !becomes_archive && !may_have_files(&statement) {
        statement.claim_pdfa(None);
    }
    if old.has_claims() && old.pdfa() != statement.pdfa() && !becomes_archive {
        let message = if removes_all {
            "The document said that it is PDF/A or PDF/UA. It does not say so without its metadata."
        } else {
            "The document said that it is PDF/A of a kind that allows no attachments. The result does not say so."
        };
        warnings.push(Warning::new("conformance_removed", message));
    }
    let information = information(document, options)?;
    if removes_all {
        metadata::remove_all(document);
    }
    let is_changed = information.is_some() || statement != old;
    if let Some(information) = information.or_else(|| is_changed.then(|| metadata::read(document)))
        && !(removes_all && information.is_empty())
    {
        if !becomes_archive && !removes_all {
            warnings.extend(old.lost());
        }
        metadata::write(document, &information, &statement);
    }
    Ok(statement)
}

/// Whether a document may have attachments without breaking its claim: only some kinds of PDF/A allow any files.
fn may_have_files(statement: &Statement) -> bool {
    statement.pdfa().is_none_or(|(part, level)| part == "3" || part == "4" && matches!(level.as_str(), "e" | "f"))
}

/// The entries of the result, if the options change any.
fn information(document: &Document, options: &Options) -> Result<Option<Information>, Failure> {
    let mut information = match &options.remove {
        Remove::All(All::All) => Information::new(),
        Remove::Names(names) => {
            let mut information = metadata::read(document);
            information.retain(|key, _| !names.iter().any(|name| name.eq_ignore_ascii_case(key)));
            information
        }
    };
    let set = &options.set;
    let standard =
        [("Title", &set.title), ("Author", &set.author), ("Subject", &set.subject), ("Keywords", &set.keywords)];
    for (key, value) in standard {
        if let Some(value) = value {
            information.insert(key.to_owned(), value.clone());
        }
    }
    for (key, value) in &set.custom {
        if metadata::is_standard(key) {
            return Err(refuse(format!(
                "`set.custom` cannot set `{key}`, which has a meaning of its own: leave it out."
            )));
        }
        information.insert(key.clone(), value.clone());
    }
    let is_untouched = matches!(&options.remove, Remove::Names(names) if names.is_empty())
        && standard.iter().all(|(_, value)| value.is_none())
        && set.custom.is_empty();
    Ok((!is_untouched).then_some(information))
}

fn refuse(message: String) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "metadata: options do not fit")
}

/// Attaches a source to the document.
fn attach(request: &Request, document: &mut Document, attachment: &Attachment) -> Result<(), Failure> {
    let source = further(request, attachment.source, "attachments")?;
    let content = fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let name = attachment.filename.clone().or_else(|| source.name.clone());
    let name = name.unwrap_or_else(|| format!("attachment-{}.{}", attachment.source, source.media.extension()));
    let file = attachments::Attachment {
        name: &name,
        content,
        content_type: attachments::content_type(source.media, &name),
        relationship: attachment.relationship,
        description: attachment.description.as_deref(),
        modified: None,
    };
    attachments::attach(document, file);
    Ok(())
}

/// The source with this number, counted from the one after the PDF.
fn further<'a>(request: &'a Request, number: usize, option: &str) -> Result<&'a docmill_pdf_request::Source, Failure> {
    request.sources.get(number).filter(|_| number > 0).ok_or_else(|| {
        refuse(format!("`{option}` names source {number}, which does not exist: count from 1, after the PDF."))
    })
}

fn invoice(request: &Request, factur_x: &FacturX) -> Result<Invoice, Failure> {
    let content = match (&factur_x.xml, factur_x.source) {
        (Some(xml), None) => xml.clone().into_bytes(),
        (None, number) => {
            let source = further(request, number.unwrap_or(1), "facturX")?;
            fs::read(&source.path).map_err(|error| Failure::io(&error))?
        }
        (Some(_), Some(_)) => return Err(refuse("Give `facturX.source` or `facturX.xml`, not both.".to_owned())),
    };
    Invoice::read(content, factur_x.level, factur_x.relationship)
}

/// The document as PDF/A-3 with the invoice in it.
fn with_invoice(
    libraries: &Libraries,
    request: &Request,
    mut opened: Opened,
    invoice: &Invoice,
    factur_x: &FacturX,
) -> Result<Outcome, Failure> {
    invoice.embed(&mut opened.document, &request.now.day());
    let archive = Archive {
        level: Level::Three,
        on_unsupported: factur_x.on_unsupported,
        option: "facturX.onUnsupported",
        schema: Some(invoice.schema()),
    };
    let outcome = archive::make(libraries, request, opened, archive)?;
    let told = json!({ "level": invoice.profile.as_str(), "filename": invoice.profile.file_name() });
    Ok(Outcome { report: archive::with(outcome.report, "facturX", told), ..outcome })
}
