//! The report as a page for people, with pictures of the places: HTML of its own, without anything to fetch.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{Finding, Place, Report};

const STYLE: &str = include_str!("page.css");
/// How many places of a rule or question are listed.
const LISTED: usize = 20;
/// How many of them have a picture.
const SHOWN: usize = 3;

/// Gives the data URL of a place's picture. `None`: it has no picture.
pub(crate) type Picture<'p> = &'p dyn Fn(u32, [f32; 4]) -> Option<String>;

impl Report {
    /// The places that a picture helps to find, a few of each rule and question.
    pub fn shown_places(&self) -> Vec<(u32, [f32; 4])> {
        let failed = self.failed.iter().flat_map(|finding| with_box(&finding.places));
        let asked = self.questions.iter().flat_map(|question| with_box(&question.places));
        let pale = self.contrast.places.iter().map(|place| (place.page, place.corners)).take(SHOWN);
        failed.chain(pale).chain(asked).collect()
    }

    /// The page.
    pub fn page(&self, picture: Picture<'_>) -> String {
        let title = format!("Accessibility: {} {}", self.standard, if self.passed { "passed" } else { "not passed" });
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (title) }
                    p { (self.summary()) }
                    @if !self.unread_pages.is_empty() { p { "The content of these pages can't be read: " (numbers(&self.unread_pages)) "." } }
                    @if !self.failed.is_empty() { h2 { "To mend" } }
                    @for finding in &self.failed { (broken(finding, picture)) }
                    (self.pale(picture))
                    h2 { "To judge" }
                    p { "A program can't answer these questions." }
                    @for question in &self.questions {
                        h3 { (question.question) }
                        (places(&question.places, picture))
                    }
                }
            }
        };
        page.into_string()
    }

    fn summary(&self) -> String {
        match self.failed.len() {
            0 => format!("All {} rules that a program can check are met.", self.rules),
            1 => format!("One of {} rules that a program can check is broken.", self.rules),
            broken => format!("{broken} of {} rules that a program can check are broken.", self.rules),
        }
    }

    /// Text with too little contrast.
    fn pale(&self, picture: Picture<'_>) -> Markup {
        let contrast = &self.contrast;
        html! {
            @if contrast.low > 0 {
                h2 { "Text with too little contrast (" (contrast.low) ")" }
                p { "WCAG 2 asks for a contrast of 4.5 to 1, and of 3 to 1 for large text. Make the text darker, or what is behind it lighter." }
                @for (index, place) in contrast.places.iter().take(LISTED).enumerate() {
                    figure {
                        @if index < SHOWN && let Some(address) = picture(place.page, place.corners) {
                            img src=(address) alt={ "The text on page " (place.page) };
                        }
                        figcaption {
                            "Page " (place.page) ": " (place.color) " on " (place.background) ", " (place.ratio) " instead of "
                            (place.required)
                        }
                    }
                }
            }
        }
    }
}

fn with_box(places: &[Place]) -> impl Iterator<Item = (u32, [f32; 4])> {
    places.iter().filter_map(|place| place.page.zip(place.corners)).take(SHOWN)
}

fn broken(finding: &Finding, picture: Picture<'_>) -> Markup {
    html! {
        h3 { (finding.rule.id()) ": " (finding.message) @if finding.count > 1 { " (" (finding.count) ")" } }
        p { (with_code(finding.remedy)) }
        (places(&finding.places, picture))
    }
}

/// A text whose names between backquotes are code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn places(places: &[Place], picture: Picture<'_>) -> Markup {
    let shown: Vec<_> = with_box(places).collect();
    html! {
        @for (page, corners) in &shown {
            @if let Some(address) = picture(*page, *corners) {
                figure { img src=(address) alt={ "The place on page " (page) }; figcaption { "Page " (page) } }
            }
        }
        @let listed: Vec<String> = places.iter().map(told).filter(|text| !text.is_empty()).take(LISTED).collect();
        @if !listed.is_empty() {
            ul {
                @for place in &listed { li { (place) } }
                @if places.len() > LISTED { li { "and " (places.len() - LISTED) " more" } }
            }
        }
    }
}

/// A place in words.
fn told(place: &Place) -> String {
    let page = place.page.map(|page| format!("page {page}"));
    let font = place.font.as_ref().map(|font| format!("font {font}"));
    [page, place.element.clone(), font].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn numbers(pages: &[u32]) -> String {
    pages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
