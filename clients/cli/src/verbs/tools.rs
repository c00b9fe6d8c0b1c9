//! `docmill tools`.

use docmill_mcp::outline;
use serde_json::{Value, json};

use super::{api, card, print_json, text, with_header};
use crate::api::Call;
use crate::args::{Globals, ToolsArgs};
use crate::catalogue;
use crate::failure::Outcome;
use crate::report;

pub async fn run(args: &ToolsArgs, globals: &Globals) -> Outcome<()> {
    if let Some(name) = &args.tool {
        return show(name, globals).await;
    }
    if globals.local {
        let rows = catalogue::tools().iter().map(|tool| {
            let definition = &tool.definition;
            vec![catalogue::verb(tool).to_owned(), definition.description.clone()]
        });
        report::table(&with_header(&["TOOL", "WHAT IT DOES"], rows.collect()));
        return Ok(());
    }
    let answer = api(globals)?.call(Call::get("/v1/tools")).await?;
    let tools = answer.body["tools"].as_array().cloned().unwrap_or_default();
    if globals.json {
        tools.iter().for_each(|tool| print_json("tool", tool));
        return Ok(());
    }
    let rows = tools.iter().map(|tool| {
        let slug = text(tool, "slug");
        let verb = catalogue::find(&slug).map_or(slug.clone(), |tool| catalogue::verb(tool).to_owned());
        vec![verb, text(tool, "creditCost"), text(tool, "state"), text(tool, "description")]
    });
    report::table(&with_header(&["TOOL", "CREDITS", "STATE", "WHAT IT DOES"], rows.collect()));
    Ok(())
}

async fn show(name: &str, globals: &Globals) -> Outcome<()> {
    let tool = catalogue::named(name)?;
    let answer = api(globals)?.call(Call::get(format!("/v1/tools/{}/schema", tool.definition.slug))).await?;
    if globals.json {
        print_json("tool", &answer.body["tool"]);
    } else {
        report::to_stdout(&described(&answer.body));
    }
    Ok(())
}

/// What a tool takes and makes, and its options, a line each.
fn described(answer: &Value) -> String {
    let mut outline = match outline::of_tool(answer, None) {
        Ok(outline) => outline,
        Err(message) => return message,
    };
    let options = outline["options"].take();
    let about = json!({"tool": answer["tool"]["slug"], "takes": outline["formats"], "makes": outline["result"]});
    format!("{}\n\nOptions\n{}", card::of(&about), options.as_str().unwrap_or_default())
}
