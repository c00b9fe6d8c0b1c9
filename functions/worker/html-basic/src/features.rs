//! Features that the layout engine renders wrongly or not at all. A page that uses them must not silently look different.

use std::collections::BTreeSet;

use docmill_domain::job::Warning;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    Script,
    Embedded,
    RightToLeft,
    JoinedEmoji,
    Gradient,
    MultiColumn,
    ClipPath,
    Mask,
    Filter,
    BlendMode,
    WritingMode,
    ImportantBackground,
    StringSet,
    TargetCounter,
    Footnote,
    /// Rendered correctly, but it overrides the paper that the request names.
    PageSize,
}

impl Feature {
    /// The feature's name in warnings. It is stable, because clients may look for it.
    const fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Embedded => "embedded content",
            Self::RightToLeft => "right-to-left text",
            Self::JoinedEmoji => "joined emoji",
            Self::Gradient => "gradient",
            Self::MultiColumn => "multi-column",
            Self::ClipPath => "clip-path",
            Self::Mask => "mask",
            Self::Filter => "filter",
            Self::BlendMode => "mix-blend-mode",
            Self::WritingMode => "writing-mode",
            Self::ImportantBackground => "background !important",
            Self::StringSet => "string-set",
            Self::TargetCounter => "target-counter",
            Self::Footnote => "footnote",
            Self::PageSize => "@page size",
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Script | Self::Embedded => "unsupported_html",
            Self::RightToLeft | Self::JoinedEmoji => "unsupported_text",
            Self::PageSize => "page_size_from_css",
            Self::Gradient
            | Self::MultiColumn
            | Self::ClipPath
            | Self::Mask
            | Self::Filter
            | Self::BlendMode
            | Self::WritingMode
            | Self::ImportantBackground
            | Self::StringSet
            | Self::TargetCounter
            | Self::Footnote => "unsupported_css",
        }
    }

    fn warning(self) -> Warning {
        if self == Self::PageSize {
            let message = "The page's CSS sets a page size. With `renderMode: basic` it overrides the requested one.";
            return Warning::new(self.code(), message).with_detail(self.name());
        }
        let message =
            format!("`renderMode: basic` does not render this correctly: {}. Use `renderMode: browser`.", self.name());
        Warning::new(self.code(), message).with_detail(self.name())
    }

    pub(super) fn of_property(property: &str) -> Option<Self> {
        match property.strip_prefix("-webkit-").unwrap_or(property) {
            "columns" | "column-count" | "column-width" | "column-span" | "column-rule" => Some(Self::MultiColumn),
            "clip-path" => Some(Self::ClipPath),
            "mask" | "mask-image" | "mask-border" => Some(Self::Mask),
            "filter" | "backdrop-filter" => Some(Self::Filter),
            "mix-blend-mode" | "background-blend-mode" => Some(Self::BlendMode),
            "writing-mode" | "text-orientation" => Some(Self::WritingMode),
            "string-set" => Some(Self::StringSet),
            // Only valid in `@page`.
            "size" => Some(Self::PageSize),
            _ => None,
        }
    }

    pub(super) fn of_function(function: &str) -> Option<Self> {
        match function {
            "string" => Some(Self::StringSet),
            "target-counter" | "target-counters" | "target-text" => Some(Self::TargetCounter),
            _ if function.ends_with("-gradient") => Some(Self::Gradient),
            _ => None,
        }
    }

    /// The feature of `keyword` as the value of `property`.
    pub(super) fn of_value(property: &str, keyword: &str) -> Option<Self> {
        match (property, keyword) {
            ("float", "footnote") => Some(Self::Footnote),
            ("direction", "rtl") => Some(Self::RightToLeft),
            _ if keyword == "important" && property.starts_with("background") => Some(Self::ImportantBackground),
            _ => None,
        }
    }

    pub(super) fn of_text(text: &str) -> impl Iterator<Item = Self> {
        let is_joined =
            text.contains(KEYCAP) || text.char_indices().any(|(at, letter)| letter == JOINER && joins(text, at));
        let right_to_left = text.chars().any(is_right_to_left).then_some(Self::RightToLeft);
        right_to_left.into_iter().chain(is_joined.then_some(Self::JoinedEmoji))
    }
}

/// What makes one emoji of several (a family), and of a digit.
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// Whether emoji are on both sides of a joiner. Letters of Indic and Arabic have joiners, too.
fn joins(text: &str, at: usize) -> bool {
    let is_emoji = |letter: char| matches!(letter, '\u{fe0f}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}');
    let (before, after) = text.split_at(at);
    before.chars().next_back().is_some_and(is_emoji) && after.chars().nth(1).is_some_and(is_emoji)
}

/// Hebrew, Arabic and other right-to-left scripts, with their presentation forms.
fn is_right_to_left(letter: char) -> bool {
    matches!(letter,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

pub(super) fn warnings(features: &BTreeSet<Feature>) -> impl Iterator<Item = Warning> {
    features.iter().map(|feature| feature.warning())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_to_left_letters_are_known() {
        let of = |text| Feature::of_text(text).collect::<Vec<_>>();
        assert_eq!(of("price: שלום"), [Feature::RightToLeft]);
        assert_eq!(of("مرحبا"), [Feature::RightToLeft]);
        assert_eq!(of("Grüße, 你好, привет, \u{feff}"), []);
    }

    #[test]
    fn joined_emoji_are_known() {
        let of = |text| Feature::of_text(text).collect::<Vec<_>>();
        assert_eq!(of("👨\u{200d}👩\u{200d}👧"), [Feature::JoinedEmoji]);
        assert_eq!(of("1\u{fe0f}\u{20e3}"), [Feature::JoinedEmoji]);
        assert_eq!(of("👍🏽 🇨🇭 क्\u{200d}ष"), []);
    }

    #[test]
    fn a_warning_points_to_the_browser() {
        let warning = warnings(&BTreeSet::from([Feature::Gradient])).next().unwrap();
        assert_eq!((warning.code.as_str(), warning.detail.as_deref()), ("unsupported_css", Some("gradient")));
        assert!(warning.message.contains("renderMode: browser"));
    }
}
