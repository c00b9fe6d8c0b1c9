//! Tool settings.

use clap::{Subcommand, ValueEnum};
use docmill_app::context::Context;
use docmill_domain::tool::{AccessTier, ToolState};
use serde_json::json;

use super::{Switch, author, written};
use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the tools and their settings.
    List,
    /// Change a tool's settings. Settings that are not given stay unchanged.
    Set {
        slug: String,
        #[arg(long)]
        credit_cost: Option<u64>,
        #[arg(long)]
        state: Option<State>,
        #[arg(long)]
        access_tier: Option<Tier>,
        #[arg(long)]
        api: Option<Switch>,
        #[arg(long)]
        public: Option<Switch>,
        #[arg(long)]
        category_pages: Option<Switch>,
        #[arg(long)]
        navigation: Option<Switch>,
        #[arg(long)]
        homepage: Option<Switch>,
        #[arg(long)]
        description: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum State {
    Live,
    Beta,
    Maintenance,
    Disabled,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Tier {
    Free,
    Starter,
    Pro,
    Enterprise,
}

impl From<State> for ToolState {
    fn from(state: State) -> Self {
        match state {
            State::Live => Self::Live,
            State::Beta => Self::Beta,
            State::Maintenance => Self::Maintenance,
            State::Disabled => Self::Disabled,
        }
    }
}

impl From<Tier> for AccessTier {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Free => Self::Free,
            Tier::Starter => Self::Starter,
            Tier::Pro => Self::Pro,
            Tier::Enterprise => Self::Enterprise,
        }
    }
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let current = context.settings.fresh().await?;
    match command {
        Command::List => {
            let tools = context.catalogue.tools().iter().map(|tool| json!(tool.list_view(current.tool(tool))));
            Ok(Output::new("tools", tools.collect()))
        }
        Command::Set {
            slug,
            credit_cost,
            state,
            access_tier,
            api,
            public,
            category_pages,
            navigation,
            homepage,
            description,
        } => {
            let Some(tool) = context.catalogue.find(&slug) else { return refuse(format!("there is no tool {slug}")) };
            let before = current.versioned_tool(tool);
            let mut settings = before.value.clone();
            settings.credit_cost = credit_cost.unwrap_or(settings.credit_cost);
            settings.state = state.map_or(settings.state, ToolState::from);
            settings.access_tier = access_tier.map_or(settings.access_tier, AccessTier::from);
            settings.description = description.or(settings.description);
            let visibility = &mut settings.page_visibility;
            let switches = [
                (&mut visibility.api, api),
                (&mut visibility.public, public),
                (&mut visibility.category, category_pages),
                (&mut visibility.navigation, navigation),
                (&mut visibility.homepage, homepage),
            ];
            for (value, switch) in switches {
                *value = switch.map_or(*value, Switch::is_on);
            }
            let settings = written(context.settings.change_tool(&slug, &before, &settings, &author(None)).await?)?;
            Ok(Output::new("tool", json!({"slug": slug, "settings": settings})))
        }
    }
}
