//! Code boxes with buttons to copy them.

use maud::{Markup, html};

use crate::highlight::{Syntax, highlighted};
use crate::icons;

/// An example in one language or for one tool.
#[derive(Clone, Debug)]
pub struct Tab {
    /// What to choose it by.
    pub label: &'static str,
    /// How it is colored.
    pub syntax: Syntax,
    /// The whole text.
    pub code: String,
}

/// A text with a button to copy it, such as a secret. Long lines are wrapped. `id` must be unique on the page.
pub fn copyable(id: &str, text: &str) -> Markup {
    code_box(id, true, html! { (text) })
}

/// A code with a button to copy it. `id` must be unique on the page.
pub fn copyable_code(id: &str, syntax: Syntax, code: &str) -> Markup {
    code_box(id, false, highlighted(code, syntax))
}

fn code_box(id: &str, wraps: bool, content: Markup) -> Markup {
    html! {
        div.code {
            pre.wrap[wraps] tabindex="0" { code id=(id) { (content) } }
            (copy_button(id))
        }
    }
}

fn copy_button(id: &str) -> Markup {
    html! { button.copy type="button" data-copy=(id) { (icons::copy()) span { "Copy" } } }
}

/// An example in several languages. Without scripts they are stacked; `page.js` turns them into tabs and remembers the chosen
/// language.
pub fn tabs(id: &str, label: &str, tabs: &[Tab]) -> Markup {
    html! {
        div.code-tabs data-tabs=(label) {
            @for (index, tab) in tabs.iter().enumerate() {
                @let code = format!("{id}-{index}");
                section.code-tab data-label=(tab.label) aria-label=(tab.label) {
                    p.code-label { (tab.label) }
                    (copyable_code(&code, tab.syntax, &tab.code))
                }
            }
        }
    }
}
