//! How tools share their work among engines: steps, each of which says what it takes from which other. Pure.
//!
//! Most tools are one step of one engine. Those that need other tools say so here, and only here: no engine calls another.

mod attachment;
mod fields;
mod message;
mod metadata;
mod picture;
mod run;

use docmill_domain::job::Warning;
use docmill_domain::page_range::PageRange;
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::{Failure, Operation, without_effect};
use docmill_formats::Format;
use message::Attachments;
use picture::Picture;
pub use run::Runner;
use serde_json::{Map, Value, json};

/// The steps of a tool, in the order in which they run. The result is that of the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    steps: Vec<Step>,
    /// What is known before the first step.
    warnings: Vec<Warning>,
    report: Report,
    /// The step that mends tags, whose report is part of the job's.
    tags: Option<Place>,
}

/// A step: an operation of one engine.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    operation: Operation,
    takes: Takes,
    options: Options,
    /// What the step's failures call an option, and what the user calls it.
    renames: Option<(&'static str, &'static str)>,
    /// A warning that is not passed on.
    hushed: Option<&'static str>,
}

/// A step's place in its recipe.
type Place = usize;

/// Where a step's sources come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    /// The sources of the call.
    Sources,
    /// The files that a step has made.
    FilesOf(Place),
    /// The page that a step has made, if it has at most so many bytes.
    PageOf(Place, u64),
    /// A message as PDF, and each of its attachments as one. Without any, the step is left out. `within`: how many messages it is
    /// attached within.
    Printed { pdf: Place, message: Place, within: usize },
    /// A message as PDF, and its attachments as they are.
    Attached { pdf: Place, message: Place },
}

/// What a step's options are.
#[derive(Clone, Debug, PartialEq)]
enum Options {
    Given(Value),
    /// Metadata from the front matter that a step has reported. Without any, the step is left out.
    FrontMatter(Place),
    /// Metadata from the headers of a message, and a description of the attachments that are embedded.
    Headers {
        message: Place,
        embeds: bool,
    },
    /// These, and what a step reports of what it has prepared.
    Prepared {
        by: Place,
        given: Value,
    },
}

/// What the job reports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Report {
    /// What the last step reports.
    OfTool,
    /// What an earlier one does.
    Of(Place),
    /// What became of a message's attachments.
    Attachments { message: Place, handling: Attachments },
}

/// Pages are at most so large: 48 MiB for a message, with its pictures.
const MOST_MESSAGE_BYTES: u64 = 48 << 20;
const PAGE_RANGE: &str = "pageRange";
/// The option with the key that signs, and all that the signer reads.
const KEY: &str = "key";
const OF_SIGNER: [&str; 3] = [KEY, LEVEL, "timestampUrl"];
const LEVEL: &str = "level";
/// The level that needs a step after the signature.
const LONG_TERM: &str = "B-LT";

impl Recipe {
    /// The steps of a tool with these options, which are valid.
    ///
    /// # Errors
    /// If the options can't be read.
    pub fn of(tool: Slug, options: &Value) -> Result<Self, Failure> {
        let recipe = match selected_pages(tool, options) {
            Some((pages, rest)) => Self::of_all_pages(tool, &rest)?.then_select(&pages),
            None => Self::of_all_pages(tool, options)?,
        };
        Ok(if is_accessible(tool, options) { recipe.then_mend_tags() } else { recipe })
    }

    /// The engines of all steps.
    pub fn engines(&self) -> impl Iterator<Item = EngineKind> {
        self.steps.iter().map(|step| {
            let options = match &step.options {
                Options::Given(options) => options,
                Options::FrontMatter(_) | Options::Headers { .. } | Options::Prepared { .. } => &Value::Null,
            };
            step.operation.engine(options.get("renderMode").and_then(Value::as_str))
        })
    }

    fn of_all_pages(tool: Slug, options: &Value) -> Result<Self, Failure> {
        match tool {
            Slug::MARKDOWN_TO_PDF => Ok(Self::of_markdown(options)),
            Slug::EMAIL_TO_PDF => Self::of_message(options),
            Slug::CONVERT_OFFICE => Self::of_office(options),
            Slug::TAG_PDF => Ok(Self::of_tags(options)),
            Slug::READ_INVOICE | Slug::VALIDATE_INVOICE | Slug::CHECK_ACCESSIBILITY => Ok(Self::of_page(tool, options)),
            Slug::SIGN_PDF => Ok(Self::of_signature(options)),
            Slug::RENDER_TEMPLATE if fields::is_wanted(options) => Ok(Self::of_template(options)),
            tool => Ok(Self::single(Operation::Tool(tool), options.clone())),
        }
    }

    /// One step of one engine.
    fn single(operation: Operation, options: Value) -> Self {
        let report = Report::OfTool;
        Self {
            steps: vec![Step::new(operation, Takes::Sources, Options::Given(options))],
            warnings: Vec::new(),
            report,
            tags: None,
        }
    }

    /// Markdown becomes a page, the browser prints the page, and the front matter becomes the PDF's metadata.
    fn of_markdown(options: &Value) -> Self {
        Self::single(Operation::RenderMarkdown, options.clone())
            .then(
                Operation::Tool(Slug::HTML_TO_PDF),
                Takes::PageOf(0, docmill_engine::page::MOST_PAGE_BYTES),
                Options::Given(page_of_markdown(options)),
            )
            .then(Operation::Tool(Slug::EDIT_METADATA), Takes::FilesOf(1), Options::FrontMatter(0))
    }

    /// A message becomes a page, the browser prints the page, and attachments are appended or embedded.
    fn of_message(options: &Value) -> Result<Self, Failure> {
        let handling = Attachments::read(options)?;
        let recipe = match handling {
            Attachments::Convert => Self::message_and_attachments(options, 0),
            Attachments::List | Attachments::Embed => Self::message_alone(options),
        };
        let (pdf, message) = (recipe.steps.len() - 1, 0);
        let embeds = handling == Attachments::Embed;
        let takes = if embeds { Takes::Attached { pdf, message } } else { Takes::FilesOf(pdf) };
        let recipe = recipe.then(Operation::Tool(Slug::EDIT_METADATA), takes, Options::Headers { message, embeds });
        Ok(Self { report: Report::Attachments { message, handling }, ..recipe })
    }

    /// A message, or a text that is printed like one, without its attachments.
    fn message_alone(options: &Value) -> Self {
        let page = Options::Given(message::page_options(options));
        Self::single(Operation::RenderMessage, options.clone()).then(
            Operation::PrintMessage,
            Takes::PageOf(0, MOST_MESSAGE_BYTES),
            page,
        )
    }

    /// A message, followed by its attachments as pages.
    fn message_and_attachments(options: &Value, within: usize) -> Self {
        let merge = Options::Given(json!({"bookmarks": "titles"}));
        let takes = Takes::Printed { pdf: 1, message: 0, within };
        Self::message_alone(options).then(Operation::Tool(Slug::MERGE_PDF), takes, merge)
    }

    /// A filled template whose fields are brought up to date.
    fn of_template(options: &Value) -> Self {
        let recipe = Self::single(Operation::Tool(Slug::RENDER_TEMPLATE), options.clone()).then_update_fields();
        Self { report: Report::Of(0), ..recipe }
    }

    /// LibreOffice writes all formats but pictures, which are drawn from its PDF of the page.
    fn of_office(options: &Value) -> Result<Self, Failure> {
        let updates = fields::is_wanted(options);
        let is_docx = options["format"] == Format::Docx.extension();
        let idle = (updates && !is_docx).then(|| without_effect(fields::UPDATE, Format::Docx.extension()));
        let Some(picture) = Picture::wanted(options)? else {
            let recipe = Self::single(Operation::Tool(Slug::CONVERT_OFFICE), options.clone());
            let recipe = if updates && is_docx { recipe.then_update_fields() } else { recipe };
            return Ok(Self { warnings: idle.into_iter().collect(), ..recipe });
        };
        let mut recipe = Self::single(Operation::Tool(Slug::OFFICE_TO_PDF), picture.print());
        recipe.rename(PAGE_RANGE, "page");
        let draw = Options::Given(picture.draw());
        let recipe = recipe.then(Operation::Tool(Slug::PDF_TO_IMAGES), Takes::FilesOf(0), draw);
        Ok(Self { warnings: picture.without_effect().into_iter().chain(idle).collect(), ..recipe })
    }

    /// Scanned pages get text, which the tags then are for.
    fn of_tags(options: &Value) -> Self {
        if options["ocr"] == "never" {
            return Self::single(Operation::Tool(Slug::TAG_PDF), options.clone());
        }
        let languages = options.get("languages").map_or_else(|| json!({}), |languages| json!({"languages": languages}));
        let mut recipe = Self::single(Operation::Tool(Slug::OCR_PDF), languages);
        recipe.hush("nothing_recognized");
        recipe.then(Operation::Tool(Slug::TAG_PDF), Takes::FilesOf(0), Options::Given(options.clone()))
    }

    /// A page for people is printed if it should be a PDF.
    fn of_page(tool: Slug, options: &Value) -> Self {
        if options["format"] != "pdf" {
            return Self::single(Operation::Tool(tool), options.clone());
        }
        let mut page = options.as_object().cloned().unwrap_or_default();
        page.insert("format".to_owned(), json!("html"));
        let print = with_margins(&json!({"renderMode": "basic"}), "15mm", []);
        let takes = Takes::PageOf(0, docmill_engine::page::MOST_PAGE_BYTES);
        let recipe = Self::single(Operation::Tool(tool), Value::Object(page));
        Self { report: Report::Of(0), ..recipe.then(Operation::Tool(Slug::HTML_TO_PDF), takes, Options::Given(print)) }
    }

    /// The PDF tools read the document, and the signer has the key.
    fn of_signature(options: &Value) -> Self {
        let (mut prepare, mut seal) = (Map::new(), Map::new());
        for (name, value) in options.as_object().into_iter().flatten() {
            if OF_SIGNER.contains(&name.as_str()) {
                seal.insert(name.clone(), value.clone());
            }
            if name != KEY {
                prepare.insert(name.clone(), value.clone());
            }
        }
        let sealed = Options::Prepared { by: 0, given: Value::Object(seal) };
        let recipe = Self::single(Operation::Tool(Slug::SIGN_PDF), Value::Object(prepare)).then(
            Operation::Seal,
            Takes::FilesOf(0),
            sealed,
        );
        if options[LEVEL] != LONG_TERM {
            return recipe;
        }
        let recipe = recipe.then(Operation::KeepEvidence, Takes::FilesOf(1), Options::Given(json!({})));
        Self { report: Report::Of(1), ..recipe }
    }

    /// The same with some pages of the result only.
    fn then_select(self, pages: &str) -> Self {
        let last = self.steps.len() - 1;
        let select = Options::Given(json!({"pages": pages}));
        let mut recipe = self.then(Operation::Tool(Slug::ORGANIZE_PDF), Takes::FilesOf(last), select);
        recipe.rename("pages", PAGE_RANGE);
        recipe
    }

    /// The same with the tags mended that the engine has made of the document's own structure.
    fn then_mend_tags(self) -> Self {
        let last = self.steps.len() - 1;
        let mend = Options::Given(json!({"existing": "repair"}));
        let recipe = self.then(Operation::Tool(Slug::TAG_PDF), Takes::FilesOf(last), mend);
        Self { tags: Some(last + 1), ..recipe }
    }

    #[must_use]
    fn then(mut self, operation: Operation, takes: Takes, options: Options) -> Self {
        self.steps.push(Step::new(operation, takes, options));
        self
    }

    /// A warning of the last step means nothing to the user.
    fn hush(&mut self, code: &'static str) {
        if let Some(step) = self.steps.last_mut() {
            step.hushed = Some(code);
        }
    }

    /// An option of the last step has another name for the user.
    fn rename(&mut self, own: &'static str, users: &'static str) {
        if let Some(step) = self.steps.last_mut() {
            step.renames = Some((own, users));
        }
    }
}

impl Step {
    const fn new(operation: Operation, takes: Takes, options: Options) -> Self {
        Self { operation, takes, options, renames: None, hushed: None }
    }
}

/// Whether a tool that prints is to make a PDF for assistive technology.
fn is_accessible(tool: Slug, options: &Value) -> bool {
    let prints = [Slug::OFFICE_TO_PDF, Slug::HTML_TO_PDF, Slug::MARKDOWN_TO_PDF].contains(&tool);
    prints && (options["accessible"] == true || options["pdfVersion"] == "pdfua")
}

/// The pages to select from the whole document, and the other options. Engines that print know ascending page numbers only.
fn selected_pages(tool: Slug, options: &Value) -> Option<(String, Value)> {
    let render_mode = options.get("renderMode").and_then(Value::as_str);
    let prints = EngineKind::of(tool.as_str(), render_mode) != EngineKind::PdfTools;
    let written = options.get(PAGE_RANGE).filter(|_| prints)?.as_str()?;
    let range: PageRange = written.parse().ok()?;
    let mut rest = options.clone();
    rest.as_object_mut().filter(|_| !range.is_plain())?.remove(PAGE_RANGE);
    Some((written.to_owned(), rest))
}

/// Options of the page: those of html-to-pdf, with defaults for documents.
fn page_of_markdown(options: &Value) -> Value {
    let outline = ("outline".to_owned(), json!(options["tagged"] != false));
    with_margins(options, "20mm", [outline])
}

/// The sides of a page, as its options name them.
const MARGINS: [&str; 4] = ["marginTop", "marginRight", "marginBottom", "marginLeft"];

/// Options with other defaults than those of html-to-pdf.
fn with_margins(options: &Value, margin: &str, more: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut page = Map::from_iter(more);
    page.extend(MARGINS.map(|name| (name.to_owned(), json!(margin))));
    page.extend(options.as_object().cloned().unwrap_or_default());
    Value::Object(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(tool: Slug, options: Value) -> Vec<Operation> {
        Recipe::of(tool, &options).unwrap().steps.iter().map(|step| step.operation).collect()
    }

    #[test]
    fn tools_that_need_others_say_so() {
        use Operation::{PrintMessage, RenderMarkdown, RenderMessage, Tool};
        assert_eq!(operations(Slug::COMPRESS_PDF, json!({})), [Tool(Slug::COMPRESS_PDF)]);
        let metadata = Tool(Slug::EDIT_METADATA);
        assert_eq!(operations(Slug::MARKDOWN_TO_PDF, json!({})), [RenderMarkdown, Tool(Slug::HTML_TO_PDF), metadata]);
        assert_eq!(operations(Slug::EMAIL_TO_PDF, json!({})), [RenderMessage, PrintMessage, metadata]);
        assert_eq!(
            operations(Slug::EMAIL_TO_PDF, json!({"attachments": "convert"})),
            [RenderMessage, PrintMessage, Tool(Slug::MERGE_PDF), metadata]
        );
        assert_eq!(operations(Slug::TAG_PDF, json!({})), [Tool(Slug::OCR_PDF), Tool(Slug::TAG_PDF)]);
        assert_eq!(operations(Slug::TAG_PDF, json!({"ocr": "never"})), [Tool(Slug::TAG_PDF)]);
        assert_eq!(operations(Slug::READ_INVOICE, json!({"format": "html"})), [Tool(Slug::READ_INVOICE)]);
        assert_eq!(
            operations(Slug::READ_INVOICE, json!({"format": "pdf"})),
            [Tool(Slug::READ_INVOICE), Tool(Slug::HTML_TO_PDF)]
        );
        assert_eq!(
            operations(Slug::CHECK_ACCESSIBILITY, json!({"format": "pdf"})),
            [Tool(Slug::CHECK_ACCESSIBILITY), Tool(Slug::HTML_TO_PDF)]
        );
        assert_eq!(operations(Slug::CONVERT_OFFICE, json!({"format": "odt"})), [Tool(Slug::CONVERT_OFFICE)]);
        assert_eq!(
            operations(Slug::RENDER_TEMPLATE, json!({"updateFields": true})),
            [Tool(Slug::RENDER_TEMPLATE), Operation::UpdateFields]
        );
        let idle = Recipe::of(Slug::CONVERT_OFFICE, &json!({"format": "odt", "updateFields": true})).unwrap();
        assert_eq!((idle.steps.len(), idle.warnings.len()), (1, 1));
        assert_eq!(
            operations(Slug::CONVERT_OFFICE, json!({"format": "png", "page": 2})),
            [Tool(Slug::OFFICE_TO_PDF), Tool(Slug::PDF_TO_IMAGES)]
        );
    }

    #[test]
    fn tags_of_accessible_results_are_mended_last() {
        use Operation::{RenderMarkdown, Tool};
        let options = json!({"accessible": true, "pageRange": "z,1"});
        let (organize, tag) = (Tool(Slug::ORGANIZE_PDF), Tool(Slug::TAG_PDF));
        assert_eq!(operations(Slug::OFFICE_TO_PDF, options.clone()), [Tool(Slug::OFFICE_TO_PDF), organize, tag]);
        let (page, metadata) = (Tool(Slug::HTML_TO_PDF), Tool(Slug::EDIT_METADATA));
        assert_eq!(operations(Slug::MARKDOWN_TO_PDF, options), [RenderMarkdown, page, metadata, organize, tag]);
        let standard = Recipe::of(Slug::OFFICE_TO_PDF, &json!({"pdfVersion": "pdfua"})).unwrap();
        assert_eq!((standard.steps.len(), standard.tags), (2, Some(1)));
        let basic = json!({"accessible": true, "renderMode": "basic"});
        assert_eq!(operations(Slug::HTML_TO_PDF, basic), [page, tag]);
        assert_eq!(operations(Slug::HTML_TO_PDF, json!({"accessible": false})), [page]);
    }

    #[test]
    fn the_pdf_tools_never_get_the_key() {
        let options = json!({"key": {"pkcs12": "AAAA", "password": "b"}, "level": "B-T", "reason": "c"});
        let [prepare, seal] = <[Step; 2]>::try_from(Recipe::of(Slug::SIGN_PDF, &options).unwrap().steps).unwrap();
        assert_eq!(prepare.operation.engine(None), EngineKind::PdfTools);
        assert_eq!(prepare.options, Options::Given(json!({"level": "B-T", "reason": "c"})));
        assert_eq!((seal.operation, seal.operation.engine(None)), (Operation::Seal, EngineKind::Signer));
        let given = json!({"key": {"pkcs12": "AAAA", "password": "b"}, "level": "B-T"});
        assert_eq!(seal.options, Options::Prepared { by: 0, given });
    }

    #[test]
    fn proof_is_put_into_the_signed_file_and_the_signer_reports() {
        let recipe = Recipe::of(Slug::SIGN_PDF, &json!({"key": {}, "level": "B-LT"})).unwrap();
        let last = recipe.steps.last().unwrap();
        assert_eq!((last.operation, last.takes), (Operation::KeepEvidence, Takes::FilesOf(1)));
        assert_eq!((recipe.steps.len(), recipe.report), (3, Report::Of(1)));
        assert_eq!(last.options, Options::Given(json!({})));
    }

    #[test]
    fn every_step_takes_what_an_earlier_one_makes() {
        let options = [
            json!({"format": "png"}),
            json!({"format": "pdf"}),
            json!({"attachments": "convert"}),
            json!({"attachments": "embed"}),
        ];
        for tool in Slug::ALL {
            for options in &options {
                let Ok(recipe) = Recipe::of(*tool, options) else { continue };
                for (place, step) in recipe.steps.iter().enumerate() {
                    let earlier = match step.takes {
                        Takes::Sources => None,
                        Takes::FilesOf(of) | Takes::PageOf(of, _) => Some(of),
                        Takes::Printed { pdf, message, .. } | Takes::Attached { pdf, message } => {
                            Some(pdf.max(message))
                        }
                    };
                    assert_eq!(earlier.is_none(), place == 0, "{tool}");
                    assert!(earlier.is_none_or(|earlier| earlier < place), "{tool}");
                }
            }
        }
    }

    #[test]
    fn engines_that_print_get_ascending_page_numbers_only() {
        let recipe = |range: &str| Recipe::of(Slug::OFFICE_TO_PDF, &json!({"pageRange": range})).unwrap().steps;
        assert_eq!(recipe("1-3,5").len(), 1);
        let [print, select] = <[Step; 2]>::try_from(recipe("z,1")).unwrap();
        assert_eq!((print.operation, print.options), (Operation::Tool(Slug::OFFICE_TO_PDF), Options::Given(json!({}))));
        assert_eq!(select.operation.engine(None), EngineKind::PdfTools);
        assert_eq!(select.options, Options::Given(json!({"pages": "z,1"})));
        assert_eq!(Recipe::of(Slug::PDF_TO_TEXT, &json!({"pageRange": "z,1"})).unwrap().steps.len(), 1);
    }

    #[test]
    fn pages_have_document_margins_and_bookmarks_by_default() {
        let page = page_of_markdown(&json!({"marginLeft": 12, "css": "x"}));
        assert_eq!(
            (&page["marginTop"], &page["marginLeft"], &page["outline"]),
            (&json!("20mm"), &json!(12), &json!(true))
        );
        assert_eq!(page_of_markdown(&json!({"tagged": false}))["outline"], json!(false));
        assert_eq!(page_of_markdown(&Value::Null)["marginRight"], json!("20mm"));
    }
}
