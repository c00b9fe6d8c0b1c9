//! What is wrong in a document, and where.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::rules::Rule;

/// Most places that are told of a rule. All are counted.
const PLACES: usize = 100;

/// A place in the document that breaks a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// Counted from 1. `None`: it has none, or it is about the whole document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The tag, by its path in the structure: `Document/Table[2]/TR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Left, top, right and bottom on the page as it is shown, in points from its upper left corner.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub corners: Option<[f32; 4]>,
    /// The font.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font: Option<String>,
    /// What the tag's box is measured by once the page is drawn, if the tag names none: numbers of marked content on the page.
    #[serde(skip)]
    pub(crate) marks: Vec<u32>,
}

/// A broken rule.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Its id.
    pub rule: Rule,
    /// What is wrong.
    pub message: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// How often.
    pub count: usize,
    /// The first hundred places.
    pub places: Vec<Place>,
}

/// Collects what is wrong.
#[derive(Debug, Default)]
pub(crate) struct Findings(BTreeMap<Rule, (usize, Vec<Place>)>);

impl Findings {
    /// Whether a place of this rule would still be told.
    pub(crate) fn has_room(&self, rule: Rule) -> bool {
        self.0.get(&rule).is_none_or(|(_, places)| places.len() < PLACES)
    }

    /// Counts a place that is not told.
    pub(crate) fn count(&mut self, rule: Rule) {
        self.0.entry(rule).or_default().0 += 1;
    }

    pub(crate) fn add(&mut self, rule: Rule, place: Place) {
        let (count, places) = self.0.entry(rule).or_default();
        *count += 1;
        if places.len() < PLACES && !places.contains(&place) {
            places.push(place);
        }
    }

    /// Something about the whole document.
    pub(crate) fn add_if(&mut self, is_broken: bool, rule: Rule) {
        if is_broken {
            self.add(rule, Place::default());
        }
    }

    /// In the order of the standard.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let finding = |(rule, (count, places)): (Rule, (usize, Vec<Place>))| {
            let places = places.into_iter().filter(|place| *place != Place::default()).collect();
            Finding { rule, message: rule.problem(), remedy: rule.remedy(), count, places }
        };
        self.0.into_iter().map(finding).collect()
    }
}
