//! `docmill webhooks`.

use docmill_domain::counted;
use serde_json::{Value, json};

use super::{api, id, print_json, text, with_header};
use crate::api::Call;
use crate::args::{Globals, WebhooksVerb};
use crate::failure::Outcome;
use crate::report;

pub async fn run(verb: WebhooksVerb, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    let path =
        |webhook: &str, end: &str| Ok::<_, crate::failure::Failure>(format!("/v1/webhooks/{}{end}", id(webhook)?));
    match verb {
        WebhooksVerb::List => {
            let answer = api.call(Call::get("/v1/webhooks")).await?;
            let webhooks = answer.body["webhooks"].as_array().cloned().unwrap_or_default();
            if globals.json {
                webhooks.iter().for_each(|webhook| print_json("webhook", webhook));
                return Ok(());
            }
            let rows = webhooks.iter().map(|webhook| {
                vec![text(webhook, "id"), text(webhook, "status"), text(webhook, "url"), text(webhook, "description")]
            });
            report::table(&with_header(&["WEBHOOK", "STATUS", "ADDRESS", "DESCRIPTION"], rows.collect()));
        }
        WebhooksVerb::Add { address, event, description } => {
            let mut wanted = json!({"url": address, "description": description});
            if !event.is_empty() {
                wanted["events"] = json!(event);
            }
            let answer = api.call(Call::post("/v1/webhooks", &wanted)).await?;
            show(&answer.body["webhook"], globals);
        }
        WebhooksVerb::Show { webhook } => {
            let answer = api.call(Call::get(path(&webhook, "")?)).await?;
            show(&answer.body["webhook"], globals);
        }
        WebhooksVerb::Enable { webhook } => {
            let wanted = json!({"status": "active"});
            let call = Call { method: docmill_client::Method::PATCH, ..Call::post(path(&webhook, "")?, &wanted) };
            show(&api.call(call.repeatable()).await?.body["webhook"], globals);
        }
        WebhooksVerb::Delete { webhook } => {
            api.call(Call::delete(path(&webhook, "")?)).await?;
            if !globals.json {
                report::to_stdout(&format!("{webhook} deleted"));
            }
        }
        WebhooksVerb::Rotate { webhook } => {
            let answer = api.call(Call::post(path(&webhook, "/rotate")?, &json!({}))).await?;
            show(&answer.body["webhook"], globals);
        }
        WebhooksVerb::Deliveries { webhook, limit } => {
            deliveries(&api, &path(&webhook, "/deliveries")?, limit, globals).await?
        }
        WebhooksVerb::Replay { webhook, since, event } => {
            let wanted = match (since, event) {
                (_, Some(event)) => json!({"eventId": event}),
                (Some(since), None) => json!({"since": since}),
                (None, None) => json!({"failed": true}),
            };
            let answer = api.call(Call::post(path(&webhook, "/replay")?, &wanted)).await?;
            if globals.json {
                print_json("replayed", &answer.body["replayed"]);
            } else {
                let more = if answer.body["hasMore"] == true { "; there are more: repeat the command" } else { "" };
                let count = answer.body["replayed"].as_u64().unwrap_or(0);
                report::to_stdout(&format!("{} sent again{more}.", counted(count, "event")));
                if count == 0 && wanted["failed"] == true {
                    report::to_stdout(
                        "Events that still wait for their next try have not failed: --since sends them now.",
                    );
                }
            }
        }
    }
    Ok(())
}

async fn deliveries(api: &crate::api::Api, path: &str, limit: usize, globals: &Globals) -> Outcome<()> {
    let mut rows = Vec::new();
    api.pages(&format!("{path}?limit={}", limit.clamp(1, 100)), "deliveries", limit, |delivery| {
        if globals.json {
            print_json("delivery", delivery);
            return Ok(());
        }
        let last = delivery["attempts"].as_array().and_then(|attempts| attempts.last()).cloned().unwrap_or_default();
        let answer = if last["status"].is_null() { text(&last, "error") } else { text(&last, "status") };
        rows.push(vec![
            text(delivery, "eventId"),
            text(delivery, "type"),
            text(delivery, "status"),
            text(delivery, "createdAt"),
            answer,
        ]);
        Ok(())
    })
    .await?;
    if !globals.json {
        report::table(&with_header(&["EVENT", "TYPE", "STATUS", "CREATED", "LAST ANSWER"], rows));
    }
    Ok(())
}

fn show(webhook: &Value, globals: &Globals) {
    if globals.json {
        return print_json("webhook", webhook);
    }
    let rows = webhook
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| vec![name.clone(), crate::args::value::plain(value)]);
    report::table(&rows.collect::<Vec<_>>());
    if webhook["secret"].is_string() {
        report::to_stdout("Keep the secret: it is not shown again.");
    }
}
