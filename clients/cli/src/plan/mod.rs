//! What a command line means: which jobs, from which sources, to which files. Nothing here talks to the service.

mod fit;
pub mod inputs;
pub mod outputs;
pub mod recipe;
pub mod route;

use std::collections::BTreeMap;
use std::rc::Rc;

use docmill_domain::catalogue::Tool;
use serde_json::json;

use self::inputs::{Found, Input, PassedOver};
use self::outputs::{Place, Target};
use self::recipe::Recipe;
use crate::args::JobArgs;
use crate::args::tool::{self, ToolArgs};
use crate::catalogue;
use crate::failure::{Failure, Outcome};

/// One job: what is made of which sources, and where it goes.
#[derive(Clone, Debug)]
pub struct Task {
    pub inputs: Vec<Input>,
    pub recipe: Rc<Recipe>,
    pub target: Target,
}

impl Task {
    /// Tells the sources from all others.
    pub fn origin(&self) -> String {
        self.inputs.iter().chain(&self.recipe.extra).map(Input::origin).collect::<Vec<_>>().join("\n")
    }

    /// Tells what is done with the sources from everything else: the tools and their options.
    pub fn command(&self) -> String {
        json!([self.recipe.slug(), self.recipe.first.options, self.recipe.steps()]).to_string()
    }

    /// The sources for people.
    pub fn name(&self) -> String {
        match self.inputs.as_slice() {
            [] => String::new(),
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }
}

/// All jobs of a command, and what it says about them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub tasks: Vec<Task>,
    /// What the command line names and no job takes.
    pub passed_over: Vec<PassedOver>,
    /// What was decided for the user.
    pub notes: Vec<String>,
}

impl Plan {
    #[must_use]
    pub fn without(self, passed_over: Vec<PassedOver>) -> Self {
        Self { passed_over, ..self }
    }
}

/// The tasks of a tool's verb. `stored`: the formats of the stored templates that it names.
pub fn of_tool(args: &ToolArgs, stored: &BTreeMap<String, String>) -> Outcome<Plan> {
    let sources = &args.tool.definition.sources;
    let takes_all = sources.are_alike() || sources.least > 1;
    let found = inputs::expand(&args.files, |format| catalogue::accepts(sources, format))?.with_formats(stored);
    // A file can be merged with itself; elsewhere it would be converted and paid twice.
    let Found { inputs: found, passed_over } = if takes_all { found } else { found.once() };
    let extra = inputs::expand(&args.extra, |_| true)?.inputs;
    for input in &found {
        check_format(args.tool, input)?;
    }
    let recipe = Recipe::new(args.tool, args.options.clone(), &args.job)?.with_sources(args.properties.clone(), extra);
    let recipe = Rc::new(recipe);
    let groups: Vec<Vec<Input>> =
        if takes_all { vec![found] } else { found.into_iter().map(|input| vec![input]).collect() };
    for group in &groups {
        check_count(args, group.len())?;
    }
    let plan = assign(groups.into_iter().map(|group| (group, Rc::clone(&recipe))).collect(), &args.job)?;
    Ok(plan.without(passed_over))
}

const VERIFY: &str = "verify-signatures";

/// A file of a kind that the tool does not take would be uploaded only to fail. A suffix that no tool knows says nothing.
fn check_format(tool: &'static Tool, input: &Input) -> Outcome<()> {
    let sources = &tool.definition.sources;
    let format = input.format().filter(|format| matches!(input, Input::File { .. }) && catalogue::is_format(format));
    let Some(format) = format.filter(|format| !catalogue::accepts(sources, format)) else { return Ok(()) };
    let verb = catalogue::verb(tool);
    // What was signed is not the converted file.
    let is_about_the_file = tool.definition.slug == VERIFY;
    let way = |to: &&str| !is_about_the_file && route::route(&format, to).is_some();
    let hint = match sources.extensions().into_iter().find(way) {
        // A picture has no text of its own.
        Some(to) if catalogue::is_picture(&format) && route::recognizes_only_if_asked(tool) => {
            format!("Convert it first: docmill convert {input} --to {to} --then '{verb} --ocr auto'")
        }
        Some(to) => format!("Convert it first: docmill convert {input} --to {to} --then {verb}"),
        None => format!("It takes {}.", sources.extensions().join(", ")),
    };
    Err(Failure::usage(format!("{input}: `{verb}` does not take {format} files.")).with_hint(hint))
}

fn check_count(args: &ToolArgs, count: usize) -> Outcome<()> {
    let sources = &args.tool.definition.sources;
    let wrong = |what: &str, limit: usize| {
        Failure::usage(format!("{} takes at {what} {limit} files, and there are {count}.", args.tool.definition.name))
    };
    match count {
        count if count < sources.least => Err(wrong("least", sources.least)),
        count if count > sources.most => Err(wrong("most", sources.most)),
        _ => Ok(()),
    }
}

/// Checks each request and gives each task its target.
pub fn assign(wanted: Vec<(Vec<Input>, Rc<Recipe>)>, job: &JobArgs) -> Outcome<Plan> {
    let place = Place::parse(job.output.as_deref())?;
    let (mut fitted, mut notes) = (Vec::new(), Vec::new());
    for (inputs, recipe) in wanted {
        let (recipe, note) = fit::to_name(&place, &inputs, recipe)?;
        notes.extend(note);
        fitted.push((inputs, recipe));
    }
    let wanted = fitted;
    let mut checked: Vec<*const Recipe> = Vec::new();
    for (inputs, recipe) in &wanted {
        // The requests of a recipe differ only in what the API knows.
        if !checked.contains(&Rc::as_ptr(recipe)) {
            recipe.check(inputs)?;
            checked.push(Rc::as_ptr(recipe));
        }
    }
    let targets = place.targets(&wanted)?;
    let tasks = wanted.into_iter().zip(targets);
    let tasks = tasks.map(|((inputs, recipe), target)| Task { inputs, recipe, target }).collect();
    Ok(Plan { tasks, passed_over: Vec::new(), notes })
}

/// The further steps of a command line.
pub fn steps(job: &JobArgs) -> Outcome<Vec<recipe::Step>> {
    job.then
        .iter()
        .map(|text| tool::read_step(text))
        .map(|step| step.map(|(tool, options)| recipe::Step { tool, options }))
        .collect()
}

/// The tags of a command line.
pub fn tags(job: &JobArgs) -> Outcome<serde_json::Map<String, serde_json::Value>> {
    let pair = |text: &String| {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Failure::usage(format!("--tag {text}: must be NAME=VALUE")))?;
        Ok((name.to_owned(), json!(value)))
    };
    job.tag.iter().map(pair).collect()
}
