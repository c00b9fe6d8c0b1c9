//! Prompts: what people do most with documents, as commands of their assistant.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};

/// A command, with what it asks for and the words that the assistant gets.
struct Command {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// `{name}` stands for an argument; `{source}` says how a document is named.
    text: &'static str,
}

struct Argument {
    name: &'static str,
    description: &'static str,
    /// What stands for an argument that is not given; `None`: it must be given.
    default: Option<&'static str>,
}

const DOCUMENT: Argument =
    Argument { name: "document", description: "Its address (URL), or the id of an upload or a job", default: None };

const COMMANDS: [Command; 5] = [
    Command {
        name: "read-document",
        title: "Read a document",
        description: "Answers a question about a document, or summarizes it.",
        arguments: &[
            DOCUMENT,
            Argument {
                name: "question",
                description: "What you want to know",
                default: Some("Summarize it, with its most important figures and dates."),
            },
        ],
        text: "Read the document {document} with run_tool: the tool extract-document with the options {\"format\": \"markdown\"}. {source} \
               If the text is long, go on with read_result, or search in it. Then answer from the document alone, and say under \
               which heading it stands: {question}",
    },
    Command {
        name: "convert-document",
        title: "Convert a document",
        description: "Converts a document into another format.",
        arguments: &[
            DOCUMENT,
            Argument {
                name: "format",
                description: "The format, such as pdf, docx, xlsx, png or md",
                default: Some("pdf"),
            },
        ],
        text: "Convert the document {document} into the format {format} with run_tool. {source} Choose the tool with list_tools, and \
               name further tools in `then` if there is no direct way. Give me the link of the result, and tell me its warnings.",
    },
    Command {
        name: "redact-document",
        title: "Redact a document",
        description: "Removes what nobody else should read, and proves that it is gone.",
        arguments: &[
            DOCUMENT,
            Argument {
                name: "what",
                description: "What to remove",
                default: Some(
                    "names of people, addresses, telephone numbers, e-mail addresses, and numbers of accounts and identity cards",
                ),
            },
        ],
        text: "Redact the PDF {document}. First read it with extract-document and the options {\"format\": \"markdown\"}, and list exactly \
               what you would remove: {what}. {source} Ask me whether the list is right. Then run redact-pdf with the list as `text` and \
               `nothingFound` as `fail`, and tell me for each entry how often it was removed, and what the proof in the report says.",
    },
    Command {
        name: "compare-documents",
        title: "Compare two documents",
        description: "Says what differs between two versions of a document.",
        arguments: &[
            Argument { name: "before", description: "The address (URL) or id of the earlier version", default: None },
            Argument { name: "after", description: "The address (URL) or id of the later version", default: None },
        ],
        text: "Compare {before} (the earlier version) with {after} (the later one): run_tool with compare-documents and both as \
               `sources`, in this order. {source} Tell me what changed, in the order of the document, the most important changes first, and \
               give me the link of the result.",
    },
    Command {
        name: "fill-template",
        title: "Fill in a template",
        description: "Fills in a Word, Excel, PowerPoint, HTML or Markdown template with data.",
        arguments: &[
            Argument { name: "template", description: "The address (URL) or upload id of the template", default: None },
            Argument { name: "data", description: "What to fill in, in your own words or as JSON", default: None },
        ],
        text: "Fill in the template {template} with run_tool and render-template. {source} Read first with extract-document which \
               names it has in braces, and ask me for what is missing. The data: {data}",
    },
];

impl Command {
    fn prompt(&self) -> Prompt {
        let arguments = self.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.default.is_none())
        });
        Prompt::new(self.name, Some(self.description), Some(arguments.collect())).with_title(self.title)
    }

    /// The text with the arguments in their places. What they say is not read again.
    fn filled(&self, given: &JsonObject, has_files: bool) -> Result<String, String> {
        if let Some(unknown) = given.keys().find(|name| !self.arguments.iter().any(|known| known.name == name.as_str()))
        {
            return Err(format!("The prompt has no argument `{unknown}`."));
        }
        let mut text = String::new();
        let mut rest = self.text;
        while let Some((before, name, after)) = next_place(rest) {
            text.push_str(before);
            text.push_str(&self.value(name, given, has_files)?);
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }

    fn value(&self, name: &str, given: &JsonObject, has_files: bool) -> Result<String, String> {
        if name == "source" {
            return Ok(source(has_files).to_owned());
        }
        let Some(argument) = self.arguments.iter().find(|argument| argument.name == name) else {
            return Ok(format!("{{{name}}}"));
        };
        let value = given.get(name).and_then(|value| value.as_str()).map(str::trim).filter(|value| !value.is_empty());
        let value = value.or(argument.default).map(str::to_owned);
        value.ok_or_else(|| format!("The prompt needs the argument `{name}`."))
    }
}

/// The first `{name}` of a text, with what is before and after it. Braces around anything else are text.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find('{')?;
        let inner = text.get(start + 1..)?;
        let name = inner.split('}').next().unwrap_or_default();
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Some((text.get(..start)?, name, inner.get(name.len() + 1..)?));
        }
        from = start + 1;
    }
}

const fn source(has_files: bool) -> &'static str {
    if has_files {
        "A URL is a `sourceUrl`, a file of this machine a `path`, the id of a job a `jobId`."
    } else {
        "A URL is a `sourceUrl`, the id of an upload an `uploadId`, that of a job a `jobId`."
    }
}

pub(crate) fn list(ttl_ms: u64) -> ListPromptsResult {
    let prompts = COMMANDS.iter().map(Command::prompt).collect();
    ListPromptsResult::with_all_items(prompts).with_ttl_ms(ttl_ms).with_cache_scope(CacheScope::Public)
}

/// A prompt with its arguments filled in.
pub(crate) fn get(name: &str, given: Option<&JsonObject>, has_files: bool) -> Result<GetPromptResult, ErrorData> {
    let unknown = || ErrorData::invalid_params("There is no prompt with this name. prompts/list lists all.", None);
    let command = COMMANDS.iter().find(|command| command.name == name).ok_or_else(unknown)?;
    let text = command.filled(given.unwrap_or(&JsonObject::new()), has_files);
    let text = text.map_err(|message| ErrorData::invalid_params(message, None))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(command.description))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn text(name: &str, given: Value) -> Result<String, String> {
        let result = get(name, given.as_object(), false).map_err(|error| error.message.into_owned())?;
        let message =
            result.messages.first().and_then(|message| message.content.as_text()).map(|text| text.text.clone());
        message.ok_or_else(|| "no text".to_owned())
    }

    #[test]
    fn arguments_take_their_places_once() {
        let told = text("read-document", json!({"document": "https://x.example/{question}.pdf"})).unwrap();
        assert!(told.contains("https://x.example/{question}.pdf with run_tool"), "{told}");
        assert!(told.contains(r#"the options {"format": "markdown"}"#), "{told}");
        assert!(told.ends_with("Summarize it, with its most important figures and dates."), "{told}");
        assert!(told.contains("an `uploadId`"), "{told}");
    }

    #[test]
    fn missing_and_unknown_arguments_are_named() {
        let error = text("fill-template", json!({"template": "https://x.example/a.docx"})).unwrap_err();
        assert_eq!(error, "The prompt needs the argument `data`.");
        let error = text("convert-document", json!({"document": "a", "to": "pdf"})).unwrap_err();
        assert_eq!(error, "The prompt has no argument `to`.");
        assert_eq!(
            text("convert", json!({})).unwrap_err(),
            "There is no prompt with this name. prompts/list lists all."
        );
    }

    #[test]
    fn every_place_is_an_argument_and_every_argument_has_a_place() {
        for command in &COMMANDS {
            let mut places = Vec::new();
            let mut rest = command.text;
            while let Some((_, name, after)) = next_place(rest) {
                places.push(name);
                rest = after;
            }
            let known: Vec<_> = command.arguments.iter().map(|argument| argument.name).collect();
            assert!(
                places.iter().all(|name| *name == "source" || known.contains(name)),
                "{}: {places:?}",
                command.name
            );
            assert!(known.iter().all(|name| places.contains(name)), "{}: {known:?}", command.name);
        }
    }
}
