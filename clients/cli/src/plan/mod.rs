//! What a command line means: which jobs, from which sources, to which files. Nothing here talks to the service.

pub mod inputs;
pub mod outputs;
pub mod recipe;
pub mod route;

use std::rc::Rc;

use serde_json::json;

use self::inputs::Input;
use self::outputs::{Place, Target};
use self::recipe::Recipe;
use crate::args::JobArgs;
use crate::args::tool::{self, ToolArgs};
use crate::failure::{Failure, Outcome};

/// One job: what is made of which sources, and where it goes.
#[derive(Clone, Debug)]
pub struct Task {
    pub inputs: Vec<Input>,
    pub recipe: Rc<Recipe>,
    pub target: Target,
}

impl Task {
    /// The sources for people.
    pub fn name(&self) -> String {
        match self.inputs.as_slice() {
            [] => String::new(),
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }
}

/// The tasks of a tool's verb.
pub fn of_tool(args: &ToolArgs) -> Outcome<Vec<Task>> {
    let sources = &args.tool.definition.sources;
    let found = inputs::expand(&args.files, |format| sources.accepts(format))?;
    let extra = inputs::expand(&args.extra, |_| true)?;
    let recipe = Recipe::new(args.tool, args.options.clone(), &args.job)?.with_sources(args.properties.clone(), extra);
    let recipe = Rc::new(recipe);
    let takes_all = sources.are_alike() || sources.least > 1;
    let groups: Vec<Vec<Input>> =
        if takes_all { vec![found] } else { found.into_iter().map(|input| vec![input]).collect() };
    for group in &groups {
        check_count(args, group.len())?;
    }
    assign(groups.into_iter().map(|group| (group, Rc::clone(&recipe))).collect(), &args.job)
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
pub fn assign(wanted: Vec<(Vec<Input>, Rc<Recipe>)>, job: &JobArgs) -> Outcome<Vec<Task>> {
    let place = Place::parse(job.output.as_deref())?;
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
    Ok(tasks.map(|((inputs, recipe), target)| Task { inputs, recipe, target }).collect())
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
