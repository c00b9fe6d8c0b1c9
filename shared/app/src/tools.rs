//! The tools that a caller may use.

use docmill_domain::catalogue::{Catalogue, Published, Tool};
use docmill_domain::nearest::nearest;
use docmill_domain::quota::RatePolicy;
use docmill_domain::tool::{ToolSchemaView, ToolView};

use crate::caller::Caller;
use crate::context::Context;

/// Why a tool can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// No tool has this name. With the name that was probably meant.
    #[error("there is no such tool")]
    Unknown(Option<String>),
    /// The tool is not enabled for the key or its plan.
    #[error("the caller may not use this tool")]
    NotAllowed,
}

/// The tools that the caller may use, as the list shows them.
pub fn visible(context: &Context, caller: &Caller) -> Vec<ToolView> {
    let plan = caller.plan();
    let visible = context.catalogue.tools().iter().filter_map(|tool| {
        let settings = caller.settings.tool(tool);
        settings.admits(&tool.definition.slug, &plan, &caller.key).then(|| tool.list_view(settings))
    });
    visible.collect()
}

/// The input and options of a tool's jobs, with the caller's limits.
///
/// # Errors
/// If there is no such tool, or the caller may not use it.
pub fn schema(context: &Context, caller: &Caller, slug: &str) -> Result<ToolSchemaView, ToolError> {
    let tool = find(&context.catalogue, slug)?;
    if !caller.settings.tool(tool).admits(slug, &caller.plan(), &caller.key) {
        return Err(ToolError::NotAllowed);
    }
    let published = Published {
        limits: &caller.limits(&context.config.limits),
        create: caller.key.limiter.limit(RatePolicy::Create),
        read: caller.key.limiter.limit(RatePolicy::Read),
        output_retention_hours: context.config.output_retention_hours(),
    };
    Ok(tool.schema_view(published))
}

/// The tool with this name.
///
/// # Errors
/// If there is none: with the name that was probably meant.
pub fn find<'a>(catalogue: &'a Catalogue, slug: &str) -> Result<&'a Tool, ToolError> {
    catalogue.find(slug).ok_or_else(|| ToolError::Unknown(meant_tool(catalogue, slug).map(str::to_owned)))
}

/// The name of the tool that was probably meant.
pub fn meant_tool<'a>(catalogue: &'a Catalogue, slug: &str) -> Option<&'a str> {
    nearest(slug, catalogue.tools().iter().map(|tool| tool.definition.slug.as_str()))
}
