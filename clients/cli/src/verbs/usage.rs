//! `docmill usage`.

use super::{api, print_json, text};
use crate::api::Call;
use crate::args::Globals;
use crate::failure::Outcome;
use crate::report;

pub async fn run(globals: &Globals) -> Outcome<()> {
    let answer = api(globals)?.call(Call::get("/v1/account/usage")).await?;
    let usage = &answer.body["usage"];
    if globals.json {
        print_json("usage", usage);
        return Ok(());
    }
    let (credits, jobs) = (&usage["credits"], &usage["jobs"]);
    let mut rows = vec![
        row("Plan", text(usage, "plan")),
        row(
            "Credits left",
            format!("{} (this month's included ones lapse at {})", credits["remaining"], text(credits, "resetsAt")),
        ),
        row("Credits used", credits["used"].to_string()),
        row(
            "Jobs",
            format!("{} completed, {} failed, {} canceled", jobs["completed"], jobs["failed"], jobs["canceled"]),
        ),
        row(
            "Requests",
            format!(
                "{} that create and {} others a minute",
                usage["rateLimit"]["create"]["limit"], usage["rateLimit"]["read"]["limit"]
            ),
        ),
    ];
    for tool in usage["byTool"].as_array().into_iter().flatten() {
        rows.push(row(&text(tool, "toolSlug"), format!("jobs: {}, credits: {}", tool["jobs"], tool["credits"])));
    }
    report::table(&rows);
    Ok(())
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}
