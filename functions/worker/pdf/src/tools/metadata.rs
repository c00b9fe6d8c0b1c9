//! edit-metadata: changes a document's metadata and attachments.

use std::collections::BTreeMap;
use std::fs;

use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use serde::Deserialize;

use super::{options, pdf};
use crate::structure::assembly::Source;
use crate::structure::metadata::{self, Information};
use crate::structure::objects::{Lookup, string, text, tree};
use crate::structure::open::io_failure;
use crate::structure::{Assembly, open_holding};
use crate::{Engines, ErrorCode, Failure, Outcome, Request, Warning};

const RESULT: &str = "result.pdf";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    set: Set,
    remove: Remove,
    attachments: Vec<Attachment>,
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
    /// The source's number: 1 is the one after the PDF.
    source: usize,
    #[serde(default)]
    filename: Option<String>,
    #[serde(default)]
    relationship: Relationship,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Relationship {
    Source,
    Data,
    Alternative,
    Supplement,
    #[default]
    Unspecified,
}

impl Relationship {
    const fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Data => "Data",
            Self::Alternative => "Alternative",
            Self::Supplement => "Supplement",
            Self::Unspecified => "Unspecified",
        }
    }
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open_holding(engines, request, 0)?;
    let mut warnings = opened.warnings;
    let mut document = opened.document;
    if matches!(options.remove, Remove::All(_)) && metadata::has_claims(&document) {
        warnings.push(Warning::new(
            "conformance_removed",
            "The document said that it is PDF/A or PDF/UA. It does not say so without its metadata.",
        ));
    }
    change(&mut document, &options)?;
    for attachment in &options.attachments {
        attach(request, &mut document, attachment)?;
    }
    let mut source = Source::read(document, request.limits.pages)?.holding(opened.held);
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

fn change(document: &mut Document, options: &Options) -> Result<(), Failure> {
    let mut information = match &options.remove {
        Remove::All(All::All) => {
            metadata::remove_all(document);
            Information::new()
        }
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
    let untouched = matches!(&options.remove, Remove::Names(names) if names.is_empty())
        && standard.iter().all(|(_, value)| value.is_none())
        && set.custom.is_empty();
    let nothing_left = information.is_empty() && matches!(options.remove, Remove::All(_));
    if !untouched && !nothing_left {
        metadata::write(document, &information);
    }
    Ok(())
}

fn refuse(message: String) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "metadata: options do not fit")
}

/// Attaches a file to the document.
fn attach(request: &Request, document: &mut Document, attachment: &Attachment) -> Result<(), Failure> {
    let source = request.sources.get(attachment.source).filter(|_| attachment.source > 0).ok_or_else(|| {
        refuse(format!(
            "`attachments` names source {}, which there is not: count from 1, after the PDF.",
            attachment.source
        ))
    })?;
    let content = fs::read(&source.path).map_err(|error| io_failure(&error))?;
    let name = attachment.filename.clone().or_else(|| source.name.clone());
    let name = name.unwrap_or_else(|| format!("attachment-{}.{}", attachment.source, source.media.extension()));
    let kind = source.media.content_type().split(';').next().unwrap_or_default();
    let size = content.len() as i64;
    let file = document.add_object(Stream::new(
        dictionary! {
            "Type" => "EmbeddedFile", "Subtype" => Object::Name(kind.as_bytes().to_vec()),
            "Params" => dictionary! { "Size" => size },
        },
        content,
    ));
    let mut specification = dictionary! {
        "Type" => "Filespec", "F" => text(&name), "UF" => text(&name),
        "EF" => dictionary! { "F" => file, "UF" => file },
        "AFRelationship" => attachment.relationship.name(),
    };
    if let Some(description) = &attachment.description {
        specification.set("Desc", text(description));
    }
    let specification = document.add_object(specification);
    let catalog = document.catalog().cloned().unwrap_or_default();
    let mut names = document.child(&catalog, b"Names").cloned().unwrap_or_default();
    let files = document.child(&names, b"EmbeddedFiles").map_or_else(Vec::new, |root| tree(document, root, b"Names"));
    let mut files: Vec<_> = files.into_iter().chain([(string(name.into_bytes()), specification.into())]).collect();
    // Readers search names by halves.
    files.sort_by(|(one, _), (other, _)| one.as_str().unwrap_or_default().cmp(other.as_str().unwrap_or_default()));
    let pairs: Vec<Object> = files.into_iter().flat_map(|(name, file)| [name, file]).collect();
    names.set("EmbeddedFiles", dictionary! { "Names" => pairs });
    let mut associated = document.array(&catalog, b"AF").to_vec();
    associated.push(specification.into());
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Names", Dictionary::from_iter(names));
        catalog.set("AF", associated);
    }
    Ok(())
}
