//! A call of the API in each language: with the clients, and with curl alone. Tests run every example on the pages.

pub mod body;
pub mod call;
mod command;
mod curl;
mod go;
mod literal;
mod python;
mod rust;
pub mod shell;
mod typescript;

use docmill_domain::catalogue::Tool;
use maud::{Markup, html};
use serde_json::Value;

use self::call::Call;
use crate::code::Tab;
use crate::highlight::Syntax;

/// A language that examples are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Without a client.
    Curl,
    /// The client `docmill`.
    CommandLine,
    /// With our package.
    Python,
    /// With our package.
    TypeScript,
    /// With our package.
    Go,
    /// With our crate.
    Rust,
}

impl Language {
    /// In the order of the tabs.
    pub const ALL: [Self; 6] = [Self::Curl, Self::CommandLine, Self::Python, Self::TypeScript, Self::Go, Self::Rust];

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::CommandLine => "Command line",
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
            Self::Go => "Go",
            Self::Rust => "Rust",
        }
    }

    /// The guide to its client.
    pub const fn guide(self) -> Option<&'static str> {
        match self {
            Self::Curl => None,
            Self::CommandLine => Some("command-line"),
            Self::Python => Some("python"),
            Self::TypeScript => Some("typescript"),
            Self::Go => Some("go"),
            Self::Rust => Some("rust"),
        }
    }

    const fn syntax(self) -> Syntax {
        match self {
            Self::Curl | Self::CommandLine => Syntax::Shell,
            Self::Python => Syntax::Python,
            Self::TypeScript => Syntax::TypeScript,
            Self::Go => Syntax::Go,
            Self::Rust => Syntax::Rust,
        }
    }

    /// The code under the language's name.
    pub fn tab(self, code: String) -> Tab {
        Tab { label: self.name(), syntax: self.syntax(), code }
    }

    /// The call with the language's client, if it has one that can express it.
    pub fn client_code(self, call: &Call<'_>) -> Option<String> {
        match self {
            Self::Curl => None,
            Self::CommandLine => command::code(call),
            Self::Python => Some(python::code(call)),
            Self::TypeScript => Some(typescript::code(call)),
            Self::Go => go::code(call),
            Self::Rust => rust::code(call),
        }
    }
}

/// A program in each language.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// As guides refer to it.
    pub name: &'static str,
    codes: [&'static str; 6],
}

impl Program {
    /// The codes are in the order of [`Language::ALL`].
    pub const fn new(name: &'static str, codes: [&'static str; 6]) -> Self {
        Self { name, codes }
    }

    /// The whole file.
    pub const fn code(self, language: Language) -> &'static str {
        let [curl, command, python, typescript, go, rust] = self.codes;
        match language {
            Language::Curl => curl,
            Language::CommandLine => command,
            Language::Python => python,
            Language::TypeScript => typescript,
            Language::Go => go,
            Language::Rust => rust,
        }
    }

    /// One for each language.
    pub fn tabs(self) -> Vec<Tab> {
        Language::ALL.map(|language| language.tab(self.code(language).trim_end().to_owned())).into()
    }
}

/// A conversion that waits for its result and saves it.
#[derive(Clone, Debug)]
pub struct Example<'a> {
    body: Value,
    call: Call<'a>,
}

impl<'a> Example<'a> {
    /// A typical request to a tool, based on its schema.
    pub fn of(tool: &'a Tool) -> Self {
        Self::with(tool, body::sample(&tool.definition))
    }

    /// A request to a tool with this body, without further steps.
    pub fn with(tool: &'a Tool, body: Value) -> Self {
        let given = body.as_object().cloned().unwrap_or_default();
        let mut call = Call::new(tool, &given, &[], None);
        if !tool.definition.several_outputs.with(&call.options, call.sources.len()) {
            call.file = Some(format!("result.{}", tool.definition.output(&call.options)));
        }
        Self { body, call }
    }

    /// The same with another name for the file, where the example chooses it.
    pub fn saved_as(mut self, name: &str) -> Self {
        self.call.file = self.call.file.map(|_| name.to_owned());
        self
    }

    /// `None` if the language's client can't express the call.
    pub fn code(&self, language: Language) -> Option<String> {
        let Call { tool, options, file, .. } = &self.call;
        match language {
            Language::Curl => {
                let definition = &tool.definition;
                let named = || format!("/v1/tools/{}/jobs", definition.slug);
                let endpoint = definition.short_endpoint.clone().unwrap_or_else(named);
                Some(curl::code(&endpoint, &self.body, file.as_deref(), definition.output(options)))
            }
            Language::CommandLine | Language::Python | Language::TypeScript | Language::Go | Language::Rust => {
                language.client_code(&self.call)
            }
        }
    }

    /// One for each language that can express the call.
    pub fn tabs(&self) -> Vec<Tab> {
        Language::ALL.into_iter().filter_map(|language| Some(language.tab(self.code(language)?))).collect()
    }
}

/// Where to get the clients that examples use. `link` is the address of a path.
pub fn clients(link: impl Fn(&str) -> String) -> Markup {
    let guides: Vec<_> =
        Language::ALL.into_iter().filter_map(|language| Some((language.name(), language.guide()?))).collect();
    html! {
        p.muted {
            "How to install the clients: "
            @for (index, (name, guide)) in guides.iter().enumerate() {
                @if index > 0 { ", " }
                a href=(link(&format!("/docs/{guide}"))) { (name) }
            }
            "."
        }
    }
}

/// What to set before an example runs. `address` is the API's.
pub fn environment(address: &str) -> String {
    format!("export DOCMILL_URL={address}\nexport DOCMILL_KEY=dm_test_…")
}

#[cfg(test)]
mod tests;
