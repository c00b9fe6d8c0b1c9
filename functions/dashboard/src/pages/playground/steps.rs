//! Further tools, each for the result of the one before: their menus, which only list tools that fit, and their options.

use docmill_domain::catalogue::Tool;
use docmill_domain::steps::mismatch;
use docmill_site::form::select;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::body::{MOST_STEPS, Step, step_scope, steps};
use super::controls::{Place, option_fields};
use super::data_form::options;
use super::panel::credits;
use super::shown::Shown;

/// The chosen steps, and a menu for one more. Without scripts, a button shows the options of the chosen tools.
pub fn step_fields(shown: &Shown<'_>) -> Markup {
    let chosen = steps(&shown.state.context.catalogue, shown.data);
    let is_open = !chosen.is_empty() || shown.messages.has_below("step.");
    let own = options(&shown.tool.definition, shown.data);
    // The tool and options before each step; `None` after an unknown tool.
    let made: Vec<_> = std::iter::once(Some((shown.tool, own)))
        .chain(chosen.iter().map(|step| step.tool.map(|tool| (tool, step.options()))))
        .collect();
    html! {
        details.options #steps open[is_open] {
            summary { "Further steps" }
            p.muted { "Each step gets the result of the one before." }
            ol.chain {
                @for (number, before) in made.iter().enumerate().take(MOST_STEPS) {
                    (one(shown, number, chosen.get(number), before.as_ref()))
                }
            }
            noscript { button.button type="submit" name="show" value="on" { "Show the options of these steps" } }
        }
    }
}

fn one(
    shown: &Shown<'_>,
    number: usize,
    step: Option<&Step<'_>>,
    before: Option<&(&Tool, Map<String, Value>)>,
) -> Markup {
    let (name, scope) = (format!("step.{number}"), step_scope(number));
    let label = format!("Step {}", number + 2);
    let slug = step.map_or("", |step| step.slug);
    let reason = |tool: &Tool| before.and_then(|(earlier, options)| mismatch(earlier, (1, options), tool));
    let fits = |tool: &&&Tool| tool.definition.slug == slug || (before.is_some() && reason(tool).is_none());
    let mut tools = vec![("", if step.is_some() { "Remove this step" } else { "No further step" })];
    let fitting = shown.tools.iter().filter(fits);
    tools.extend(fitting.map(|tool| (tool.definition.slug.as_str(), tool.definition.name.as_str())));
    let misfit =
        step.and_then(|step| step.tool).and_then(reason).map(|reason| format!("This step does not fit: {reason}."));
    let menu = select(&name, &label, tools).value(slug).unmarked();
    let menu = shown.messages.at(&name, menu);
    let menu = if shown.messages.of(&name).is_some() { menu } else { menu.error(misfit.as_deref()) };
    html! {
        li {
            (menu)
            @if let Some((step, tool)) = step.and_then(|step| Some((step, step.tool?))) {
                input type="hidden" name={ (scope) "tool" } value=(step.slug);
                (option_fields(&tool.definition, &Place { scope: &scope, data: &step.data, messages: &shown.messages }))
            }
        }
    }
}

/// What the job costs in live mode: the sum of its steps.
pub fn cost(shown: &Shown<'_>) -> u64 {
    let of = |tool: &Tool| shown.viewer.settings.tool(tool).credit_cost;
    let further = steps(&shown.state.context.catalogue, shown.data);
    of(shown.tool) + further.iter().filter_map(|step| step.tool).map(of).sum::<u64>()
}

/// The price on the button, which follows the steps and the mode.
pub fn price(shown: &Shown<'_>) -> Markup {
    let cost = cost(shown);
    html! {
        span.price.live { " · " @if cost == 0 { "free" } @else { (credits(cost)) } }
        span.price.test { " · free" }
    }
}
