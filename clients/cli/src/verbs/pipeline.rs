//! `docmill run`: the steps of a file.

use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::args::{Globals, JobArgs, RunArgs};
use crate::catalogue;
use crate::failure::{Doing, Failure, Outcome};
use crate::plan::inputs;
use crate::plan::recipe::{Recipe, Step};
use crate::plan::{Plan, assign, route};
use crate::run;

/// A pipeline file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pipeline {
    /// Files, patterns, folders and addresses, unless the command line names some.
    #[serde(default)]
    inputs: Vec<String>,
    /// As the option `--output`.
    output: Option<String>,
    /// Tags of the jobs.
    #[serde(default)]
    tags: Map<String, Value>,
    /// The steps, in their order.
    #[serde(rename = "step")]
    steps: Vec<PipelineStep>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PipelineStep {
    /// A tool, by its verb or slug. The first step may name a format instead.
    tool: Option<String>,
    /// The format that the first step makes, by the tool that fits each source.
    to: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
}

pub async fn run(args: &RunArgs, globals: &Globals) -> Outcome<()> {
    let doing = format!("Reading {}", args.pipeline.display());
    let text = std::fs::read_to_string(&args.pipeline).doing(&doing)?;
    let wrong = |error: toml::de::Error| Failure::usage(format!("{}: {error}", args.pipeline.display()));
    let pipeline: Pipeline = toml::from_str(&text).map_err(wrong)?;
    let job = JobArgs { output: args.job.output.clone().or_else(|| pipeline.output.clone()), ..args.job.clone() };
    let job = with_tags(job, &pipeline.tags);
    let plan = plan(&pipeline, args, &job).map_err(|failure| failure.of_file(&args.pipeline))?;
    run::run(plan, globals, &job).await
}

fn with_tags(mut job: JobArgs, tags: &Map<String, Value>) -> JobArgs {
    let own = tags.iter().map(|(name, value)| format!("{name}={}", crate::args::value::plain(value)));
    job.tag = own.chain(job.tag).collect();
    job
}

fn plan(pipeline: &Pipeline, args: &RunArgs, job: &JobArgs) -> Outcome<Plan> {
    let given = if args.files.is_empty() { &pipeline.inputs } else { &args.files };
    let password = args.password.as_ref();
    if given.is_empty() {
        return Err(Failure::usage("The pipeline has no `inputs`, and the command line names no files."));
    }
    let (first, rest) = pipeline.steps.split_first().ok_or_else(|| Failure::usage("The pipeline has no [[step]]."))?;
    let rest = rest.iter().map(step).collect::<Outcome<Vec<_>>>()?;
    match (&first.tool, &first.to) {
        (Some(_), None) => {
            let first = step(first)?;
            let sources = &first.tool.definition.sources;
            let found = inputs::expand(given, |format| catalogue::accepts(sources, format))?;
            let takes_all = sources.are_alike() || sources.least > 1;
            let inputs::Found { inputs: found, passed_over } = if takes_all { found } else { found.once() };
            let recipe = Recipe::new(first.tool, first.options, job)?.with_password(password).with_steps(rest);
            let recipe = Rc::new(recipe);
            let groups = if takes_all { vec![found] } else { found.into_iter().map(|input| vec![input]).collect() };
            let plan = assign(groups.into_iter().map(|group| (group, Rc::clone(&recipe))).collect(), job)?;
            Ok(plan.without(passed_over))
        }
        (None, Some(to)) => {
            let to = catalogue::format_of(to);
            let found = inputs::expand(given, |format| route::route(format, &to).is_some())?.once();
            let wish = route::Wish { from: None, to: &to, options: &first.options, set: &[], then: rest, password };
            Ok(route::of_inputs(found.inputs, &wish, job)?.without(found.passed_over))
        }
        _ => Err(Failure::usage("The first [[step]] needs either `tool` or `to`.")),
    }
}

fn step(step: &PipelineStep) -> Outcome<Step> {
    let name = step.tool.as_deref().ok_or_else(|| Failure::usage("A [[step]] needs `tool`."))?;
    let tool = catalogue::named(name)?;
    Ok(Step { tool, options: step.options.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn planned(text: &str, files: &[&str]) -> Outcome<Vec<crate::plan::Task>> {
        let pipeline: Pipeline = toml::from_str(text).map_err(|error| Failure::usage(error.to_string()))?;
        let job = JobArgs { output: Some("out/".into()), ..JobArgs::default() };
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let args = RunArgs { pipeline: "pipeline.toml".into(), files, password: None, job: job.clone() };
        plan(&pipeline, &args, &job).map(|plan| plan.tasks)
    }

    #[test]
    fn steps_become_one_job_for_each_file() {
        let text = "[[step]]\nto = 'pdf'\n[[step]]\ntool = 'watermark'\noptions = { text = 'Draft', opacity = 0.5 }";
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.docx", "b.md"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let tasks = planned(text, &[&at("a.docx"), &at("b.md")]).unwrap();
        let slugs: Vec<Vec<_>> = tasks.iter().map(|task| task.recipe.slugs().collect()).collect();
        assert_eq!(slugs, [["office-to-pdf", "watermark-pdf"], ["markdown-to-pdf", "watermark-pdf"]]);
        assert_eq!(json!(tasks[0].recipe.then[0].options), json!({"text": "Draft", "opacity": 0.5}));
        let merged =
            planned("[[step]]\ntool = 'merge'\n[[step]]\ntool = 'compress'", &[&at("a.docx"), &at("b.md")]).unwrap();
        assert_eq!(
            (merged.len(), merged[0].inputs.len(), merged[0].target.text()),
            (1, 2, "out/merged.pdf".to_owned())
        );
    }

    #[test]
    fn a_wrong_pipeline_is_refused_before_anything_is_sent() {
        for (text, expected) in [
            ("step = []", "no `inputs`"),
            ("inputs = ['https://a.example/x.docx']\nstep = []", "no [[step]]"),
            ("inputs = ['https://a.example/x.docx']\n[[step]]\ntool = 'nope'", "no tool"),
            (
                "inputs = ['https://a.example/x.docx']\n[[step]]\nto = 'pdf'\n[[step]]\ntool = 'watermark'\noptions = {opacity = 7}",
                "opacity",
            ),
            (
                "inputs = ['https://a.example/x.docx']\n[[step]]\ntool = 'office-to-pdf'\noptions = {pageRnge = '1'}",
                "--page-rnge is not a known property. Did you mean `pageRange`?",
            ),
            ("steps = []", "unknown field"),
        ] {
            let said = planned(text, &[]).unwrap_err().to_string();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }
}
