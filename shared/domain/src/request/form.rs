//! A request for a job as a form: files, and everything else as fields.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{JobRequest, schema_of};
use crate::breach::Breach;
use crate::job::source::{SOURCES, SourceKind, SourceProperty};
use crate::tool::Definition;
use crate::tool::intake::Section;
use crate::upload::{UploadId, is_media_type, is_usable_name};

/// The field of a file. A tool that takes several files gets them in the order of these fields.
pub const FILE: &str = "file";
const ANY_TYPE: &str = "application/octet-stream";

/// A part of a form as it was sent.
pub struct Part {
    /// The field's name.
    pub name: String,
    /// Only of a file.
    pub filename: Option<String>,
    /// As its client says, unchecked.
    pub content_type: Option<String>,
    /// The file, or the field's text.
    pub bytes: Vec<u8>,
}

/// A file to convert, which came with the request.
#[derive(Clone, PartialEq, Eq)]
pub struct FormFile {
    /// Stands for the upload that the file will be. Equal files have the same one, so that a repeated request is equal too.
    pub stand_in: UploadId,
    /// What the client calls it.
    pub filename: Option<String>,
    /// As its client says, or that of any bytes.
    pub content_type: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// A request's body as JSON, which names the files by their stand-ins.
#[derive(PartialEq)]
pub struct Form {
    /// As if it had been sent as JSON.
    pub body: Map<String, Value>,
    /// In the order of their fields.
    pub files: Vec<FormFile>,
}

/// Files and fields may be secret.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for FormFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormFile").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Form {
    /// Reads the parts as a request for a job of this tool. The body is checked later, as any other.
    ///
    /// # Errors
    /// All parts that can't be read.
    pub fn read(parts: Vec<Part>, definition: &Definition) -> Result<Self, Vec<Breach>> {
        let mut reader = Reader { definition, body: Map::new(), options: Map::new(), breaches: Vec::new() };
        let mut files = Vec::new();
        for part in parts {
            if part.name == FILE {
                files.extend(reader.file(part));
            } else {
                reader.field(part);
            }
        }
        reader.place(&files);
        let Reader { mut body, options, breaches, .. } = reader;
        if !options.is_empty() {
            body.insert(Section::Options.as_str().to_owned(), Value::Object(options));
        }
        if breaches.is_empty() { Ok(Self { body, files }) } else { Err(breaches) }
    }
}

struct Reader<'a> {
    definition: &'a Definition,
    body: Map<String, Value>,
    options: Map<String, Value>,
    breaches: Vec<Breach>,
}

impl Reader<'_> {
    fn refuse(&mut self, name: &str, why: impl Into<String>) {
        let shown: String = name.chars().take(100).collect();
        self.breaches.push(Breach::new(format!("/{shown}"), why));
    }

    fn file(&mut self, part: Part) -> Option<FormFile> {
        // Some clients send whole paths (RFC 7578 § 4.2).
        let filename = part.filename.as_deref().and_then(|name| name.rsplit(['/', '\\']).next());
        let filename = filename.filter(|name| is_usable_name(name)).map(str::to_owned);
        if part.bytes.is_empty() {
            self.refuse(FILE, "is empty");
            return None;
        }
        // What `curl -F file=report.docx` sends is a name, which would become a document of one line.
        if part.filename.is_none() && part.content_type.is_none() {
            self.refuse(FILE, "is a text: send a file, with curl by `-F file=@report.docx`");
            return None;
        }
        Some(FormFile {
            stand_in: UploadId::standing_for(digest(filename.as_deref(), &part.bytes)),
            filename,
            content_type: part.content_type.filter(|given| is_media_type(given)).unwrap_or_else(|| ANY_TYPE.to_owned()),
            bytes: part.bytes,
        })
    }

    /// A member of the body, or else an option.
    fn field(&mut self, part: Part) {
        let Part { name, bytes, filename, .. } = part;
        let members = self.definition.parameters["properties"].as_object();
        let member = members.and_then(|members| members.get(&name));
        let option = schema_of(self.definition, Section::Options).and_then(|options| options.get(&name));
        if filename.is_some() && member.or(option).is_none() {
            return self.refuse(&name, format!("is a file: send files as `{FILE}`"));
        }
        let Ok(text) = String::from_utf8(bytes) else {
            return self.refuse(&name, "must be text in UTF-8");
        };
        let value = match value(member.or(option), text) {
            Ok(value) => value,
            Err(why) => return self.refuse(&name, why),
        };
        if name == Section::Options.as_str() {
            let Value::Object(options) = value else { return self.refuse(&name, "must be a JSON object") };
            options.into_iter().for_each(|(name, value)| self.option(name, value));
        } else if member.is_none() {
            self.option(name, value);
        } else if self.body.contains_key(&name) {
            self.refuse(&name, "is given more than once");
        } else {
            self.body.insert(name, value);
        }
    }

    fn option(&mut self, name: String, value: Value) {
        if self.options.contains_key(&name) {
            return self.refuse(&format!("options/{name}"), "is given more than once");
        }
        self.options.insert(name, value);
    }

    /// Makes the files the request's sources: the only one, or a list if there are several or the tool needs several.
    fn place(&mut self, files: &[FormFile]) {
        let sources = &self.definition.sources;
        // The name tells the job's owner which file it was, even if there is no result to name.
        let named =
            |file: &FormFile| file.filename.clone().filter(|_| sources.properties.contains(&SourceProperty::Filename));
        let upload = |file: &FormFile| {
            let mut source = json!({SourceKind::UploadId.as_str(): file.stand_in.to_string()});
            if let Some(name) = named(file) {
                source[SourceProperty::Filename.as_str()] = json!(name);
            }
            source
        };
        let (name, value) = match files {
            [] => return,
            [file] if sources.may_be_one() => {
                if let Some(name) = named(file).filter(|_| !sources.may_be_listed()) {
                    self.body.entry(SourceProperty::Filename.as_str()).or_insert_with(|| json!(name));
                }
                (SourceKind::UploadId.as_str(), json!(file.stand_in.to_string()))
            }
            [_, ..] if !sources.may_be_listed() => {
                let message = format!("This tool takes one file, and the form has {}.", files.len());
                return self.refuse(FILE, message + " `merge-pdf` joins several, and a batch converts each.");
            }
            _ => (SOURCES, files.iter().map(upload).collect()),
        };
        if self.body.contains_key(name) {
            return self.refuse(name, "contradicts the files: give either");
        }
        self.body.insert(name.to_owned(), value);
    }
}

/// A field's text as the value that its schema takes: text where it takes text, and JSON elsewhere.
fn value(schema: Option<&Value>, text: String) -> Result<Value, String> {
    if schema.is_some_and(|schema| schema["type"] == "string") {
        return Ok(Value::String(text));
    }
    if schema.is_some_and(lists_texts) && !text.trim_start().starts_with('[') {
        let is_object = text.trim_start().starts_with('{');
        let entry = if is_object { value(schema.map(|schema| &schema["items"]), text)? } else { Value::String(text) };
        return Ok(json!([entry]));
    }
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(_) if schema.is_none_or(takes_text) => Ok(Value::String(text)),
        Err(error) => {
            let example = schema.and_then(|schema| schema["examples"].get(0));
            let such = example.map_or_else(String::new, |example| format!(", such as {example}"));
            Err(format!("must be JSON{such}: {error}"))
        }
    }
}

/// Whether it takes a list of texts, so that a form can give a single one as it is: `eng` for `["eng"]`.
fn lists_texts(schema: &Value) -> bool {
    schema["type"] == "array" && schema.get("items").is_some_and(takes_text)
}

fn takes_text(schema: &Value) -> bool {
    let each = |name: &str| schema[name].as_array().into_iter().flatten();
    schema["type"] == "string"
        || each("type").any(|kind| kind == "string")
        || each("enum").any(Value::is_string)
        || each("anyOf").chain(each("oneOf")).any(takes_text)
}

/// What tells a file from others: a tool may judge it by its name.
fn digest(filename: Option<&str>, bytes: &[u8]) -> [u8; 32] {
    let name = filename.unwrap_or_default();
    Sha256::new().chain_update(name.len().to_be_bytes()).chain_update(name).chain_update(bytes).finalize().into()
}

impl JobRequest {
    /// The same request for the uploads that its files have become. `stored`: by their stand-ins.
    #[must_use]
    pub fn with_uploads(&self, stored: &BTreeMap<String, UploadId>) -> Self {
        let mut request = self.clone();
        let replace = |source: &mut Map<String, Value>| {
            if let Some(Value::String(named)) = source.get_mut(SourceKind::UploadId.as_str())
                && let Some(upload) = stored.get(named)
            {
                *named = upload.to_string();
            }
        };
        replace(&mut request.input);
        let sources = request.input.get_mut(SOURCES).and_then(Value::as_array_mut);
        sources.into_iter().flatten().filter_map(Value::as_object_mut).for_each(replace);
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::source::Origin;
    use crate::tool::catalogue::Catalogue;

    fn part(name: &str, text: &str) -> Part {
        Part { name: name.to_owned(), filename: None, content_type: None, bytes: text.as_bytes().to_vec() }
    }

    fn file(filename: &str, text: &str) -> Part {
        Part { filename: Some(filename.to_owned()), ..part(FILE, text) }
    }

    fn read(slug: &str, parts: Vec<Part>) -> Result<Form, Vec<Breach>> {
        Form::read(parts, &Catalogue::load().unwrap().find(slug).unwrap().definition)
    }

    fn request(slug: &str, form: &Form) -> JobRequest {
        let catalogue = Catalogue::load().unwrap();
        JobRequest::parse(&catalogue, catalogue.find(slug).unwrap(), &form.body).unwrap().0
    }

    fn refused(slug: &str, parts: Vec<Part>) -> String {
        let breaches = read(slug, parts).unwrap_err();
        breaches.iter().map(|breach| format!("{} {}", breach.path, breach.message)).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn fields_are_options_in_the_types_of_their_schema() {
        let fields = [
            ("landscape", "true"),
            ("pageRange", "1"),
            ("marginTop", "12.5"),
            ("marginLeft", "12mm"),
            ("metadata", r#"{"order": "7"}"#),
            ("options", r#"{"scale": 2}"#),
            ("renderMode", "browser"),
        ];
        let parts = fields.iter().map(|(name, text)| part(name, text)).chain([file("page.html", "<p>")]).collect();
        let form = read("html-to-pdf", parts).unwrap();
        let request = request("html-to-pdf", &form);
        let expected = json!({"landscape": true, "marginLeft": "12mm", "marginTop": 12.5, "pageRange": "1",
            "renderMode": "browser", "scale": 2});
        assert_eq!(json!(request.options), expected);
        assert_eq!(request.metadata["order"], "7");
        assert_eq!(request.input, Map::from_iter([("uploadId".to_owned(), json!(form.files[0].stand_in.to_string()))]));
        assert_eq!(form.files[0].filename.as_deref(), Some("page.html"));
    }

    #[test]
    fn one_text_is_a_list_of_one_where_a_list_is_wanted() {
        let options = |slug: &str, name: &str, text: &str| {
            read(slug, vec![file("a.pdf", "x"), part(name, text)]).unwrap().body["options"][name].clone()
        };
        assert_eq!(options("ocr-pdf", "languages", "eng"), json!(["eng"]));
        assert_eq!(options("ocr-pdf", "languages", r#"["eng", "deu"]"#), json!(["eng", "deu"]));
        assert_eq!(options("split-pdf", "ranges", "1-2"), json!(["1-2"]));
        assert_eq!(options("split-pdf", "ranges", "3"), json!(["3"]));
        assert_eq!(options("redact-pdf", "text", "Jane Doe"), json!(["Jane Doe"]));
        assert_eq!(options("redact-pdf", "text", "4711"), json!(["4711"]));
        assert_eq!(options("redact-pdf", "text", r#"{"literal": "Jane"}"#), json!([{"literal": "Jane"}]));
        let regions = refused("redact-pdf", vec![part("regions", "1,2")]);
        assert!(regions.starts_with("/regions must be JSON"), "{regions}");
    }

    #[test]
    fn a_source_keeps_the_name_of_its_file_if_the_tool_takes_names() {
        let form = read("office-to-pdf", vec![file("report.docx", "x")]).unwrap();
        assert_eq!(request("office-to-pdf", &form).input["filename"], "report.docx");
        let form = read("merge-pdf", vec![file("a.pdf", "a"), file("b.pdf", "b")]).unwrap();
        assert_eq!(request("merge-pdf", &form).input["sources"][1]["filename"], "b.pdf");
    }

    #[test]
    fn several_files_keep_their_order_wherever_the_fields_stand() {
        let parts = vec![file("b.pdf", "b"), part("filename", "all.pdf"), file("a.pdf", "a"), file("b.pdf", "b")];
        let form = read("merge-pdf", parts).unwrap();
        let names: Vec<_> = form.files.iter().map(|file| file.filename.as_deref().unwrap()).collect();
        assert_eq!(names, ["b.pdf", "a.pdf", "b.pdf"]);
        assert_eq!(form.files[0].stand_in, form.files[2].stand_in);
        let stored: BTreeMap<_, _> =
            form.files.iter().map(|file| (file.stand_in.to_string(), UploadId::new())).collect();
        let request = request("merge-pdf", &form);
        let uploads: Vec<_> = request.with_uploads(&stored).sources().into_iter().map(|source| source.origin).collect();
        let expected = form.files.iter().map(|file| Origin::Upload(stored[&file.stand_in.to_string()].to_string()));
        assert!(uploads.into_iter().eq(expected));
    }

    #[test]
    fn a_single_file_is_a_list_only_where_several_are_needed() {
        assert!(read("merge-pdf", vec![file("a.pdf", "a")]).unwrap().body.contains_key("uploadId"));
        assert!(read("compare-documents", vec![file("a.pdf", "a")]).unwrap().body.contains_key("sources"));
        assert!(read("html-to-pdf", vec![part("html", "<p>")]).unwrap().body.contains_key("html"));
    }

    #[test]
    fn equal_requests_are_equal_and_others_are_not() {
        let fingerprint =
            |parts| request("office-to-pdf", &read("office-to-pdf", parts).unwrap()).canonical().fingerprint();
        let one = fingerprint(vec![file("a.csv", "1"), part("pageRange", "1")]);
        assert_eq!(fingerprint(vec![part("pageRange", "1"), file("a.csv", "1")]), one);
        for other in [
            vec![file("a.csv", "2"), part("pageRange", "1")],
            vec![file("a.txt", "1"), part("pageRange", "1")],
            vec![file("a.csv", "1"), part("pageRange", "2")],
        ] {
            assert_ne!(fingerprint(other), one);
        }
    }

    #[test]
    fn what_can_not_be_read_is_named() {
        let twice = vec![part("scale", "1"), part("options", r#"{"scale": 1}"#)];
        assert_eq!(refused("html-to-pdf", twice), "/options/scale is given more than once");
        let members = vec![part("metadata", "{}"), part("metadata", "{}")];
        assert_eq!(refused("html-to-pdf", members), "/metadata is given more than once");
        assert_eq!(refused("html-to-pdf", vec![part("options", "[]")]), "/options must be a JSON object");
        let broken = refused("render-template", vec![part("data", "{\"canary\":}")]);
        assert!(
            broken.starts_with("/data must be JSON, such as {\"customer\":") && !broken.contains("canary"),
            "{broken}"
        );
        assert!(broken.contains(": expected value at line 1"), "{broken}");
        let misnamed = Part { name: "files".to_owned(), ..file("a.html", "<p>") };
        assert_eq!(refused("html-to-pdf", vec![misnamed]), "/files is a file: send files as `file`");
        assert_eq!(refused("html-to-pdf", vec![file("a.html", "")]), "/file is empty");
        let text = refused("office-to-pdf", vec![part(FILE, "report.docx")]);
        assert!(text.starts_with("/file is a text: send a file"), "{text}");
        let two = refused("office-to-pdf", vec![file("a.docx", "a"), file("b.docx", "b")]);
        assert!(two.starts_with("/file This tool takes one file, and the form has 2. `merge-pdf`"), "{two}");
        let both = vec![part("uploadId", "upl_1"), file("a.html", "x")];
        assert_eq!(refused("html-to-pdf", both), "/uploadId contradicts the files: give either");
        let binary = Part { bytes: vec![0xff], ..part("title", "") };
        assert_eq!(refused("html-to-pdf", vec![binary]), "/title must be text in UTF-8");
    }

    #[test]
    fn names_and_types_of_files_are_used_only_if_they_are_clean() {
        let name = |given: &str| read("html-to-pdf", vec![file(given, "x")]).unwrap().files.remove(0).filename;
        assert_eq!(name("C:\\fakepath\\März.html").as_deref(), Some("März.html"));
        assert_eq!(name("../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(name("a\r\nb"), None);
        let typed = |given: &str| {
            let part = Part { content_type: Some(given.to_owned()), ..file("a", "x") };
            read("html-to-pdf", vec![part]).unwrap().files.remove(0).content_type
        };
        assert_eq!(typed("text/html; charset=utf-8"), "text/html; charset=utf-8");
        assert_eq!(typed("nonsense\r\nx: y"), "application/octet-stream");
    }

    #[test]
    fn nothing_of_a_form_is_shown_by_debug() {
        let form = read("html-to-pdf", vec![file("canary.html", "canary"), part("title", "canary")]).unwrap();
        assert!(!format!("{form:?} {:?}", part("canary", "canary")).contains("canary"));
    }
}
