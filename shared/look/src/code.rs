//! Code to read and to copy.

use maud::{Markup, html};

use crate::icons;

/// One version of an example: in a language, or for a tool.
#[derive(Clone, Debug)]
pub struct Tab {
    pub label: &'static str,
    pub code: String,
}

/// A text with a button that copies it. `id` must be unique on the page.
pub fn copyable(id: &str, text: &str) -> Markup {
    html! {
        div.code {
            pre tabindex="0" { code id=(id) { (text) } }
            (copy_button(id))
        }
    }
}

fn copy_button(id: &str) -> Markup {
    html! { button.copy type="button" data-copy=(id) { (icons::copy()) span { "Copy" } } }
}

/// The same example in several languages. Without scripts all are shown one below the other; `page.js` makes tabs of
/// them, and remembers which language was chosen.
pub fn tabs(id: &str, label: &str, tabs: &[Tab]) -> Markup {
    html! {
        div.code-tabs data-tabs=(label) {
            @for (index, tab) in tabs.iter().enumerate() {
                @let code = format!("{id}-{index}");
                section.code-tab data-label=(tab.label) aria-label=(tab.label) {
                    p.code-label { (tab.label) }
                    (copyable(&code, &tab.code))
                }
            }
        }
    }
}
