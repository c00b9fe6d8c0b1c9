//! A call with the package for Python.

use serde_json::json;

use super::call::{Call, Place, Source, template};
use super::literal::{Style, invocation};

const STYLE: Style = Style::Python;
const TAB: &str = "    ";
/// Longer lines are broken.
const MOST: usize = 100;

pub(super) fn code(call: &Call<'_>) -> String {
    let steps = call.steps.iter().map(|step| {
        let mut arguments = vec![STYLE.string(step.slug())];
        arguments.extend(STYLE.options(&step.options, ""));
        format!(".then({})", arguments.join(", "))
    });
    let mut links: Vec<_> = steps.collect();
    let program = match &call.file {
        Some(file) => {
            links.push(format!(".save({})", STYLE.string(file)));
            chain("", call, &links)
        }
        None => {
            links.push(".wait()".to_owned());
            format!("{}\njob.save(job.link()[\"filename\"])", chain("job = ", call, &links))
        }
    };
    format!("from docmill import Docmill\n\ndocmill = Docmill()\n{program}")
}

/// On one line, with the arguments on lines of their own, or with each link on a line of its own.
fn chain(start: &str, call: &Call<'_>, links: &[String]) -> String {
    let end = links.concat();
    let line = format!("{start}{}{end}", run(call, MOST, ""));
    if line.len() <= MOST && !line.contains('\n') {
        return line;
    }
    if links.len() == 1 {
        return format!("{start}{}{end}", run(call, 0, ""));
    }
    let links: String = links.iter().map(|link| format!("{TAB}{link}\n")).collect();
    format!("{start}(\n{TAB}{}\n{links})", run(call, MOST, TAB))
}

fn run(call: &Call<'_>, most: usize, indent: &str) -> String {
    let mut arguments = vec![STYLE.string(&call.tool.definition.slug), sources(call, indent)];
    arguments.extend(STYLE.options(&call.options, &format!("{indent}{TAB}")));
    invocation("docmill.run", &arguments, most, indent, TAB)
}

fn sources(call: &Call<'_>, indent: &str) -> String {
    if let Some(only) = call.only_source() {
        return source(only, call);
    }
    let sources: Vec<_> = call.sources.iter().map(|each| source(each, call)).collect();
    STYLE.list(&sources, MOST - 2 * TAB.len(), indent)
}

fn source(source: &Source, call: &Call<'_>) -> String {
    let properties = |first: String| {
        let rest = source.properties.iter();
        let rest: String =
            rest.map(|(name, value)| format!(", {}: {}", STYLE.string(name), STYLE.line(value))).collect();
        format!("{{{first}{rest}}}")
    };
    match &source.place {
        Place::File(name) if source.properties.is_empty() => STYLE.string(name),
        Place::File(name) => properties(format!("\"uploadId\": docmill.uploads.create({})", STYLE.string(name))),
        Place::Given(kind, address) if *kind == call.kind_of_address() && source.properties.is_empty() => {
            STYLE.string(address)
        }
        Place::Given(kind, value) => properties(format!("{}: {}", json!(kind.as_str()), STYLE.string(value))),
        Place::Stored { name, version } => {
            properties(format!("\"template\": {}", STYLE.line(&template(name, *version))))
        }
    }
}
