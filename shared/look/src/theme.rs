//! The choice between light, dark and the system's theme.

use maud::{Markup, html};

/// `page.js` shows it, and keeps the choice in the browser's storage. Without scripts, pages follow the system.
pub fn choice() -> Markup {
    html! {
        p hidden {
            label.quiet for="theme-choice" { "Theme" }
            select #theme-choice autocomplete="off" {
                option value="system" { "System theme" }
                option value="light" { "Light" }
                option value="dark" { "Dark" }
            }
        }
    }
}
