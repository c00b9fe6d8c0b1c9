//! `docmill events`.

use std::collections::VecDeque;

use serde_json::Value;

use super::{api, print_json, text};
use crate::api::{Api, Call, WAIT_SECONDS, encoded};
use crate::args::{EventsArgs, Globals};
use crate::failure::{Failure, Outcome};
use crate::report;

/// A position in the account's events.
#[derive(Debug)]
pub struct Reader<'a> {
    api: &'a Api,
    filter: String,
    after: Option<String>,
}

/// A page of events, oldest first.
#[derive(Debug)]
pub struct Page {
    pub events: Vec<Value>,
    pub has_more: bool,
}

impl<'a> Reader<'a> {
    pub fn new(api: &'a Api, kind: Option<&str>, job: Option<&str>, after: Option<String>) -> Self {
        let mut filter = String::new();
        for (name, value) in [("type", kind), ("jobId", job)] {
            if let Some(value) = value {
                filter.push_str(&format!("&{name}={}", encoded(value)));
            }
        }
        Self { api, filter, after }
    }

    /// The next events. `waits`: for the next one, if there is none yet.
    pub async fn next(&mut self, waits: bool) -> Outcome<Page> {
        let mut path = format!("/v1/events?limit=100{}", self.filter);
        if let Some(after) = &self.after {
            path.push_str(&format!("&after={}", encoded(after)));
        }
        if waits {
            path.push_str(&format!("&wait={WAIT_SECONDS}"));
        }
        let mut answer = self.api.call(Call::get(path)).await?;
        if let Some(cursor) = answer.body["nextCursor"].as_str() {
            self.after = Some(cursor.to_owned());
        }
        let has_more = answer.body["hasMore"] == true;
        if waits && !has_more && !answer.has("preference-applied") {
            tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        }
        let Value::Array(events) = answer.body["events"].take() else {
            return Err(Failure::unavailable("The answer has no events."));
        };
        Ok(Page { events, has_more })
    }

    /// Goes to the end of the list.
    pub async fn skip_all(&mut self) -> Outcome<()> {
        while self.next(false).await?.has_more {}
        Ok(())
    }
}

pub async fn run(args: &EventsArgs, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    let mut reader = Reader::new(&api, args.kind.as_deref(), args.job.as_deref(), args.after.clone());
    let print = |event: &Value| {
        if globals.json { print_json("event", event) } else { report::to_stdout(&describe(event)) }
    };
    if !args.follow {
        newest(&mut reader, args.limit).await?.iter().for_each(print);
        return Ok(());
    }
    loop {
        reader.next(true).await?.events.iter().for_each(print);
    }
}

/// The last events, newest first. The service lists them from the oldest on.
async fn newest(reader: &mut Reader<'_>, most: usize) -> Outcome<VecDeque<Value>> {
    let mut newest = VecDeque::new();
    loop {
        let page = reader.next(false).await?;
        page.events.into_iter().for_each(|event| newest.push_front(event));
        newest.truncate(most);
        if !page.has_more {
            return Ok(newest);
        }
    }
}

/// An event in one line.
pub fn describe(event: &Value) -> String {
    let job = &event["data"]["job"];
    let about = match job["id"].as_str() {
        Some(id) => format!("  {id}  {}", text(job, "toolSlug")),
        None => String::new(),
    };
    format!("{}  {}  {:16}{about}", text(event, "timestamp"), text(event, "id"), text(event, "type"))
}
