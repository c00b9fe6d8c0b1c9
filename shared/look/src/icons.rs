//! The icons: drawn in the color of the text, and hidden from screen readers, since each has a label.

use maud::{Markup, PreEscaped};

fn icon(class: &str, inner: &str) -> Markup {
    PreEscaped(format!(
        "<svg class=\"icon {class}\" viewBox=\"0 0 24 24\" width=\"20\" height=\"20\" fill=\"none\" stroke=\"currentColor\" \
         stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\" aria-hidden=\"true\">{inner}</svg>"
    ))
}

/// The logo.
pub fn mark() -> Markup {
    icon("mark", "<path d=\"M6 3h8l4 4v14H6z\"/><path d=\"M14 3v4h4\"/><path d=\"M2 14h13m-3-3 3 3-3 3\"/>")
}

/// Three lines.
pub fn menu() -> Markup {
    icon("", "<path d=\"M4 7h16M4 12h16M4 17h16\"/>")
}

/// Head and shoulders.
pub fn person() -> Markup {
    icon("", "<circle cx=\"12\" cy=\"8\" r=\"4\"/><path d=\"M4 21c1-4 4-6 8-6s7 2 8 6\"/>")
}

/// Two sheets, one on the other.
pub fn copy() -> Markup {
    icon("", "<rect x=\"9\" y=\"9\" width=\"11\" height=\"11\" rx=\"2\"/><path d=\"M5 15H4V4h11v1\"/>")
}

/// To the right.
pub fn arrow() -> Markup {
    icon("", "<path d=\"M5 12h14m-5-5 5 5-5 5\"/>")
}
