//! Plans.

use std::num::NonZeroU32;

use clap::Subcommand;
use docmill_app::context::Context;
use docmill_domain::offer::Offer;
use docmill_domain::tool::AccessTier;
use serde_json::json;

use super::limits::LimitArgs;
use super::tool::Tier;
use super::{author, written};
use crate::output::{Failure, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a plan.
    Show { id: String },
    /// Create or change a plan. Settings that are not given stay unchanged.
    Set {
        id: String,
        /// Credits per UTC month.
        #[arg(long)]
        included_credits: Option<u64>,
        /// Tools up to this tier.
        #[arg(long)]
        tier: Option<Tier>,
        /// Only this tool (repeatable).
        #[arg(long = "tool", conflicts_with = "all_tools")]
        tools: Vec<String>,
        /// All tools.
        #[arg(long)]
        all_tools: bool,
        /// Only requests from this origin (repeatable).
        #[arg(long = "origin", conflicts_with = "any_origin")]
        origins: Vec<String>,
        /// Requests from any origin, or without one.
        #[arg(long)]
        any_origin: bool,
        /// Creates per minute of new keys.
        #[arg(long)]
        create_limit: Option<NonZeroU32>,
        #[arg(long)]
        create_burst: Option<NonZeroU32>,
        /// Reads per minute of new keys.
        #[arg(long)]
        read_limit: Option<NonZeroU32>,
        #[arg(long)]
        read_burst: Option<NonZeroU32>,
        /// List the plan on the public page with this title; requires a price.
        #[arg(long, requires = "offer_price")]
        offer_title: Option<String>,
        /// The price as text, such as "€29 per month".
        #[arg(long, requires = "offer_title")]
        offer_price: Option<String>,
        /// Do not list the plan on the public page.
        #[arg(long, conflicts_with = "offer_title")]
        no_offer: bool,
        #[command(flatten)]
        limits: LimitArgs,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let current = context.settings.fresh().await?;
    match command {
        Command::Show { id } => Ok(Output::new("plan", json!(current.plan(&id)))),
        Command::Set {
            id,
            included_credits,
            tier,
            tools,
            all_tools,
            origins,
            any_origin,
            create_limit,
            create_burst,
            read_limit,
            read_burst,
            offer_title,
            offer_price,
            no_offer,
            limits,
        } => {
            let before = current.versioned_plan(&id);
            let mut plan = before.value.clone();
            plan.included_credits = included_credits.unwrap_or(plan.included_credits);
            if all_tools || !tools.is_empty() {
                plan.allowed_tools = (!all_tools).then_some(tools);
            }
            if any_origin || !origins.is_empty() {
                plan.allowed_origins = origins;
            }
            plan.tier = tier.map_or(plan.tier, AccessTier::from);
            limits.change(&mut plan.limits);
            if no_offer {
                plan.offer = None;
            }
            if let (Some(title), Some(price)) = (offer_title, offer_price) {
                let offer = Offer::new(&title, &price);
                let most = (Offer::TITLE_LENGTH, Offer::PRICE_LENGTH);
                let told = format!("a title has 1 to {} characters, a price 1 to {}", most.0, most.1);
                plan.offer = Some(offer.ok_or(Failure::Refused(told))?);
            }
            let rates = [
                (&mut plan.create_limit.per_minute, create_limit),
                (&mut plan.create_limit.burst, create_burst),
                (&mut plan.read_limit.per_minute, read_limit),
                (&mut plan.read_limit.burst, read_burst),
            ];
            for (value, wanted) in rates {
                *value = wanted.map_or(*value, NonZeroU32::get);
            }
            let plan = written(context.settings.change_plan(&before, &plan, &author(None)).await?)?;
            Ok(Output::new("plan", json!(plan)))
        }
    }
}
