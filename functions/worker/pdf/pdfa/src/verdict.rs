//! Repairs, and the rules that remain broken.

use std::collections::{BTreeMap, BTreeSet};

use docmill_pdf_request::Warning;
use serde::Deserialize;
use serde_json::{Value, json};

/// A conformance level of PDF/A.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Level {
    /// PDF/A-1b: as PDF 1.4, without transparency.
    #[serde(rename = "1b")]
    One,
    /// PDF/A-2b.
    #[default]
    #[serde(rename = "2b")]
    Two,
    /// PDF/A-3b: with attachments of any kind.
    #[serde(rename = "3b")]
    Three,
}

impl Level {
    /// As options and reports name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::One => "1b",
            Self::Two => "2b",
            Self::Three => "3b",
        }
    }

    /// The part of ISO 19005.
    pub const fn part(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Three => "3",
        }
    }
}

/// Rules that can remain broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    FontNotEmbedded,
    FontProgram,
    FontGlyphs,
    FontWidths,
    FontEncoding,
    Content,
    Profile,
    Separation,
    Filter,
    External,
    PostScript,
    Image,
    Transparency,
    Attachment,
    AnnotationKind,
    Appearance,
    Limits,
}

impl Rule {
    #[cfg(test)]
    const ALL: [Self; 17] = [
        Self::FontNotEmbedded,
        Self::FontProgram,
        Self::FontGlyphs,
        Self::FontWidths,
        Self::FontEncoding,
        Self::Content,
        Self::Profile,
        Self::Separation,
        Self::Filter,
        Self::External,
        Self::PostScript,
        Self::Image,
        Self::Transparency,
        Self::Attachment,
        Self::AnnotationKind,
        Self::Appearance,
        Self::Limits,
    ];

    /// Its clause in ISO 19005-1, and in parts 2 and 3, which have the same numbers.
    const fn clauses(self) -> (&'static str, &'static str) {
        match self {
            Self::FontNotEmbedded => ("6.3.4", "6.2.11.4.1"),
            Self::FontProgram => ("6.3.2", "6.2.11.2"),
            Self::FontGlyphs => ("6.3.5", "6.2.11.8"),
            Self::FontWidths => ("6.3.6", "6.2.11.5"),
            Self::FontEncoding => ("6.3.7", "6.2.11.6"),
            Self::Content => ("6.2.10", "6.2.2"),
            Self::Profile => ("6.2.3", "6.2.4"),
            Self::Separation => ("6.2.3", "6.2.4.4"),
            Self::Filter => ("6.1.10", "6.1.7.2"),
            Self::External => ("6.1.7", "6.1.7.1"),
            Self::PostScript => ("6.2.7", "6.2.9"),
            Self::Image => ("6.2.4", "6.2.8"),
            Self::Transparency => ("6.4", "6.2.10"),
            Self::Attachment => ("6.1.11", "6.8"),
            Self::AnnotationKind => ("6.5.2", "6.3.1"),
            Self::Appearance => ("6.5.3", "6.3.3"),
            Self::Limits => ("6.1.12", "6.1.13"),
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::FontNotEmbedded => "A font is not embedded, and no font of the same widths is available.",
            Self::FontProgram => "An embedded font is damaged, or of a kind that is not supported.",
            Self::FontGlyphs => "A font lacks glyphs that the document shows.",
            Self::FontWidths => "Widths in the document and in an embedded font differ.",
            Self::FontEncoding => "The encoding of a font is not allowed, or not supported.",
            Self::Content => "The content of a page or form cannot be read completely.",
            Self::Profile => "A color profile or color space is not allowed.",
            Self::Separation => "A spot color is defined in different ways.",
            Self::Filter => "Data is compressed in a way that is not allowed.",
            Self::External => "Data is outside the document.",
            Self::PostScript => "The document contains PostScript code.",
            Self::Image => "An image has a form that is not allowed.",
            Self::Transparency => "Content is transparent. Levels 2b and 3b allow that.",
            Self::Attachment => "Files are attached. Level 3b allows that.",
            Self::AnnotationKind => "An annotation is of a kind that is not allowed, such as video.",
            Self::Appearance => "An annotation has no appearance.",
            Self::Limits => "A page is too large or too small, or content is nested too deeply.",
        }
    }
}

/// A repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    FontEmbedded,
    FontRewritten,
    FontEntries,
    ColorsCalibrated,
    ProfileReplaced,
    StreamRecoded,
    ImageEntries,
    ContentCleaned,
    ActionRemoved,
    ScriptRemoved,
    HiddenAnnotationRemoved,
    AnnotationChanged,
    FormEntries,
    LayerEntries,
    AttachmentEntries,
    SignatureRemoved,
    CatalogEntries,
    OutlineEntries,
    GroupRemoved,
}

impl Repair {
    const fn message(self) -> &'static str {
        match self {
            Self::FontEmbedded => "Fonts embedded that have the same widths.",
            Self::FontRewritten => {
                "Embedded fonts rewritten: their widths, glyphs and encoding are now those that the document uses."
            }
            Self::FontEntries => "Entries of fonts corrected.",
            Self::ColorsCalibrated => "CMYK colors given a profile.",
            Self::ProfileReplaced => "Color profiles that are not allowed replaced.",
            Self::StreamRecoded => "Data compressed again.",
            Self::ImageEntries => "Entries of images and forms removed that are not allowed.",
            Self::ContentCleaned => "Unknown operators removed from content.",
            Self::ActionRemoved => "Actions removed that are not allowed.",
            Self::ScriptRemoved => "Scripts removed.",
            Self::HiddenAnnotationRemoved => "Hidden annotations removed.",
            Self::AnnotationChanged => "Entries of annotations corrected.",
            Self::FormEntries => "Entries of the form removed that are not allowed.",
            Self::LayerEntries => "Entries of layers corrected.",
            Self::AttachmentEntries => "Entries of attached files corrected.",
            Self::SignatureRemoved => "Signatures removed, which were no longer valid.",
            Self::CatalogEntries => "Entries of the document removed that are not allowed.",
            Self::OutlineEntries => "Entries of bookmarks corrected.",
            Self::GroupRemoved => "Transparency groups removed that had no effect.",
        }
    }
}

/// What was repaired, and what could not be.
#[derive(Debug)]
pub struct Verdict {
    /// What the document was measured by.
    pub level: Level,
    broken: BTreeMap<Rule, usize>,
    mended: BTreeMap<Repair, usize>,
    stood_in: BTreeSet<String>,
}

impl Verdict {
    pub(super) fn new(level: Level) -> Self {
        Self { level, broken: BTreeMap::new(), mended: BTreeMap::new(), stood_in: BTreeSet::new() }
    }

    pub(super) fn fail(&mut self, rule: Rule) {
        *self.broken.entry(rule).or_default() += 1;
    }

    pub(super) fn mend(&mut self, repair: Repair) {
        *self.mended.entry(repair).or_default() += 1;
    }

    /// Another font was embedded for this one.
    pub(super) fn stand_in(&mut self, name: String) {
        self.stood_in.insert(name);
    }

    /// The fonts that the document does not have, and for which others were embedded.
    pub fn stood_in(&self) -> impl Iterator<Item = &str> {
        self.stood_in.iter().map(String::as_str)
    }

    /// Whether no rule is broken any more.
    pub fn conforms(&self) -> bool {
        self.broken.is_empty()
    }

    /// Whether the result has fewer annotations, which tags may refer to.
    pub(super) fn has_removed_annotations(&self) -> bool {
        self.mended.contains_key(&Repair::HiddenAnnotationRemoved)
    }

    /// Whether font programs are others than before.
    pub fn has_rewritten_fonts(&self) -> bool {
        self.mended.contains_key(&Repair::FontRewritten)
    }

    /// The clauses of the broken rules, and what is wrong.
    pub fn broken(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.broken.keys().map(|rule| (self.clause(*rule), rule.message()))
    }

    /// The broken rules as text for a message.
    pub fn summary(&self) -> String {
        let rules = self.broken.keys().map(|rule| format!("{} (clause {})", rule.message(), self.clause(*rule)));
        rules.collect::<Vec<_>>().join(" ")
    }

    /// Only the numbers of the clauses, for the log.
    pub fn clauses(&self) -> String {
        self.broken.keys().map(|rule| self.clause(*rule)).collect::<Vec<_>>().join(" ")
    }

    fn clause(&self, rule: Rule) -> &'static str {
        let (first, later) = rule.clauses();
        if self.level == Level::One { first } else { later }
    }

    /// `{"level", "conforms", "failed": [{"clause", "message", "count"}], "repaired": [{"message", "count"}]}`
    pub fn report(&self) -> Value {
        let failed: Vec<Value> = self
            .broken
            .iter()
            .map(|(rule, count)| json!({ "clause": self.clause(*rule), "message": rule.message(), "count": count }))
            .collect();
        let repaired: Vec<Value> =
            self.mended.iter().map(|(repair, count)| json!({ "message": repair.message(), "count": count })).collect();
        json!({ "level": self.level.as_str(), "conforms": self.conforms(), "failed": failed, "repaired": repaired })
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let removed = [Repair::ActionRemoved, Repair::ScriptRemoved, Repair::HiddenAnnotationRemoved];
        if removed.iter().any(|repair| self.mended.contains_key(repair)) {
            warnings.push(Warning::new(
                "content_removed",
                "PDF/A does not allow scripts, some actions and hidden annotations. They were removed: see the report.",
            ));
        }
        if !self.conforms() {
            warnings.push(Warning::new(
                "not_conforming",
                format!("The result is not PDF/A, and does not claim to be. {}", self.summary()),
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_every_rule() {
        let guide = include_str!("../../../../api-docs/guides/archives.md");
        for rule in Rule::ALL {
            let (first, later) = rule.clauses();
            let row = format!("| {first} | {later} | {} |", rule.message());
            assert!(guide.contains(&row), "{row}");
        }
    }
}
