//! Where tools are listed, according to their settings.

use docmill_domain::catalogue::Tool;
use docmill_domain::tool::{AccessTier, Definition, PageVisibility, ToolSettings, ToolState};

use crate::session::SignedIn;
use crate::state::AppState;
use crate::viewer::Viewer;

/// A listed tool: its file and the administrators' settings.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The tool itself.
    pub tool: &'a Tool,
    /// What its file says.
    pub definition: &'a Definition,
    /// What administrators say.
    pub settings: &'a ToolSettings,
    /// For people.
    pub name: &'a str,
}

impl<'a> Listing<'a> {
    /// All tools that are not disabled.
    pub fn all(state: &'a AppState, viewer: &'a Viewer) -> impl Iterator<Item = Self> {
        state.context.catalogue.tools().iter().filter_map(|tool| {
            let settings = viewer.settings.tool(tool);
            let definition = &tool.definition;
            (settings.state != ToolState::Disabled).then_some(Self {
                tool,
                definition,
                settings,
                name: &definition.name,
            })
        })
    }

    /// Tools that the account may use now, as the API decides for a key without restrictions.
    pub fn usable(state: &'a AppState, viewer: &'a Viewer, user: &SignedIn) -> Vec<Self> {
        let (plan, key) = (viewer.settings.plan(&user.profile.plan), user.own_key());
        let is_usable = |listing: &Self| listing.settings.admits(&listing.definition.slug, &plan, &key);
        Self::all(state, viewer).filter(is_usable).collect()
    }

    /// The tools that a switch of their visibility shows.
    pub fn shown(state: &'a AppState, viewer: &'a Viewer, switch: fn(&PageVisibility) -> bool) -> Vec<Self> {
        Self::all(state, viewer).filter(|listing| switch(&listing.settings.page_visibility)).collect()
    }

    pub(crate) fn in_navigation(state: &'a AppState, viewer: &'a Viewer) -> Vec<Self> {
        Self::shown(state, viewer, |visibility| visibility.navigation)
    }

    /// The tool's public page, or else the playground for those who may use it.
    pub fn path(&self) -> String {
        let slug = &self.definition.slug;
        if self.settings.page_visibility.public {
            format!("/tools/{slug}")
        } else {
            format!("/app/playground?tool={slug}")
        }
    }

    /// Administrators' or the file's.
    pub fn category(&self) -> &'a str {
        self.settings.category.as_ref().unwrap_or(&self.definition.category)
    }

    /// Administrators' or the file's.
    pub fn description(&self) -> &'a str {
        self.settings.description.as_ref().unwrap_or(&self.definition.description)
    }

    /// In words: `2 credits per document`.
    pub fn price(&self) -> String {
        match self.settings.credit_cost {
            0 => "free".to_owned(),
            1 => "1 credit per document".to_owned(),
            cost => format!("{cost} credits per document"),
        }
    }
}

/// For people.
pub fn tier_name(tier: AccessTier) -> &'static str {
    match tier {
        AccessTier::Free => "free",
        AccessTier::Starter => "starter",
        AccessTier::Pro => "pro",
        AccessTier::Enterprise => "enterprise",
    }
}

/// A category's name in URLs: lower case with hyphens.
pub fn category_slug(category: &str) -> String {
    let letters = category.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' });
    letters.collect::<String>().to_lowercase()
}

/// For people: with a capital letter.
pub fn category_title(category: &str) -> String {
    let mut letters = category.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The tools by category, in the order of each category's first tool.
pub fn by_category<'a>(tools: &[Listing<'a>]) -> Vec<(&'a str, Vec<Listing<'a>>)> {
    let mut groups: Vec<(&str, Vec<Listing<'a>>)> = Vec::new();
    for listing in tools {
        match groups.iter_mut().find(|(category, _)| *category == listing.category()) {
            Some((_, members)) => members.push(*listing),
            None => groups.push((listing.category(), vec![*listing])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_has_an_address() {
        assert_eq!(category_slug("Office & Web"), "office---web");
        assert_eq!(category_title("office"), "Office");
        assert_eq!(category_title(""), "");
    }
}
