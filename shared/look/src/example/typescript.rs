//! A call with the package for TypeScript.

use super::call::{Call, Place, Source, template};
use super::literal::{Style, invocation};

const STYLE: Style = Style::TypeScript;
const TAB: &str = "  ";
/// Longer lines are broken.
const MOST: usize = 100;

pub(super) fn code(call: &Call<'_>) -> String {
    let mut links: Vec<_> = call
        .steps
        .iter()
        .map(|step| {
            let mut arguments = vec![STYLE.string(step.slug())];
            arguments.extend(STYLE.options(&step.options, TAB));
            format!(".step({})", arguments.join(", "))
        })
        .collect();
    links.push(match &call.file {
        Some(file) => format!(".save({})", STYLE.string(file)),
        None => ".wait()".to_owned(),
    });
    let program = match &call.file {
        Some(_) => format!("await {};", chain(call, &links)),
        None => format!(
            "const job = await {};\nconst {{ filename }} = await job.link();\nawait job.save(filename);",
            chain(call, &links)
        ),
    };
    format!("import {{ Docmill }} from \"docmill\";\n\nconst docmill = new Docmill();\n{program}")
}

/// On one line, or with each link on a line of its own.
fn chain(call: &Call<'_>, links: &[String]) -> String {
    let line = format!("docmill.{}{}", run(call, ""), links.concat());
    if line.len() <= MOST && !line.contains('\n') {
        return line;
    }
    let links: String = links.iter().map(|link| format!("\n{TAB}{link}")).collect();
    format!("docmill\n{TAB}.{}{links}", run(call, TAB))
}

fn run(call: &Call<'_>, indent: &str) -> String {
    let mut arguments = vec![STYLE.string(&call.tool.definition.slug), sources(call, indent)];
    arguments.extend(STYLE.options(&call.options, &format!("{indent}{TAB}")));
    invocation("run", &arguments, MOST, indent, TAB)
}

fn sources(call: &Call<'_>, indent: &str) -> String {
    if let Some(only) = call.only_source() {
        return source(only, call);
    }
    let sources: Vec<_> = call.sources.iter().map(|each| source(each, call)).collect();
    STYLE.list(&sources, MOST - TAB.len(), indent)
}

fn source(source: &Source, call: &Call<'_>) -> String {
    let properties = |first: String| {
        let rest = source.properties.iter();
        let rest: String = rest.map(|(name, value)| format!(", {name}: {}", STYLE.line(value))).collect();
        format!("{{ {first}{rest} }}")
    };
    match &source.place {
        Place::File(name) if source.properties.is_empty() => STYLE.string(name),
        Place::File(name) => properties(format!("uploadId: await docmill.uploads.create({})", STYLE.string(name))),
        Place::Given(kind, address) if *kind == call.kind_of_address() && source.properties.is_empty() => {
            STYLE.string(address)
        }
        Place::Given(kind, value) => properties(format!("{}: {}", kind.as_str(), STYLE.string(value))),
        Place::Stored { name, version } => properties(format!("template: {}", STYLE.line(&template(name, *version)))),
    }
}
