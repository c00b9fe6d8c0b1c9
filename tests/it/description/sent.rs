//! Which optional properties of the description's schemas answers have: what nothing sends is a promise that nobody keeps.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Description;
use crate::contract::file;

/// Optional properties that the answers here don't have, by the file whose tests send them.
const ELSEWHERE: [(&str, &[&str]); 13] = [
    (
        "shared/app/src/batches/results.rs",
        &["BatchResult.contentType", "BatchResult.errorMessage", "BatchResult.expiresAt", "BatchResult.sha256"],
    ),
    (
        "shared/domain/src/job/view.rs",
        &[
            "Job.deletedAt",
            "Job.error",
            "Job.outputs",
            "Job.progress",
            "Job.report",
            "Job.steps",
            "Job.then",
            "Job.webhook",
            "Output.height",
            "Output.width",
            "OutputFile.filename",
            "OutputFile.height",
            "OutputFile.pages",
            "OutputFile.sha256",
            "OutputFile.width",
            "Step.report",
            "Step.warnings",
            "TemplatePlace.line",
            "Warning.pages",
        ],
    ),
    ("tests/it/account_usage.rs", &["UsageOfDays.rows.day", "UsageOfDays.rows.keyId", "UsageOfDays.rows.toolSlug"]),
    ("tests/it/batch_journeys.rs", &["Batch.archive", "Batch.finishedAt", "BatchResultsResponse.archive"]),
    (
        "tests/it/batch_lists.rs",
        &[
            "BatchJobsResponse.nextCursor",
            "BatchResult.bytes",
            "BatchResult.errorCode",
            "BatchResult.filename",
            "BatchResult.url",
            "BatchResultsResponse.nextCursor",
            "BatchesResponse.nextCursor",
        ],
    ),
    ("tests/it/batches.rs", &["RefusedItem.error.details"]),
    ("tests/it/credits.rs", &["Error.available", "Error.required"]),
    ("tests/it/job_list.rs", &["JobsResponse.nextCursor"]),
    ("tests/it/source_jobs/mod.rs", &["Job.waitingFor"]),
    ("tests/it/stored_templates.rs", &["Template.delimiters", "TemplateVersion.delimiters"]),
    (
        "tests/it/templates.rs",
        &[
            "JobError.details",
            "TemplateMistake.suggestion",
            "TemplatePlace.page",
            "TemplatePlace.part",
            "TemplatePlace.row",
            "TemplatePlace.text",
        ],
    ),
    (
        "tests/it/webhook_deliveries.rs",
        &["Delivery.jobId", "Webhook.disabled", "WebhookAttempt.error", "WebhookTest.attempt"],
    ),
    (
        "tests/it/webhook_destinations.rs",
        &[
            "Webhook.destination",
            "WebhookDestination.busArn",
            "WebhookDestination.externalId",
            "WebhookDestination.queueArn",
        ],
    ),
];

/// Those that no test has seen yet: they need a destination, a page of many entries, or a workbook.
const UNSEEN: [&str; 5] = [
    "DeliveriesResponse.nextCursor",
    "Delivery.droppedBecause",
    "ReplayResponse.nextCursor",
    "TemplatePlace.cell",
    "TemplatePlace.sheet",
];

/// All of both. A file that does not mention a property can't send it.
pub fn elsewhere() -> Vec<String> {
    let plain = |text: &str| text.to_lowercase().replace('_', "");
    let mut all: BTreeSet<_> = UNSEEN.map(str::to_owned).into();
    for (name, properties) in ELSEWHERE {
        let text = plain(&file(name));
        for property in properties {
            let own = property.rsplit('.').next().unwrap();
            assert!(text.contains(&plain(own)), "{name} does not mention {property}");
            all.insert((*property).to_owned());
        }
    }
    all.into_iter().collect()
}

impl Description {
    /// Notes the properties that a value of this JSON content has.
    pub fn note(&self, content: &Value, value: &Value) {
        let mut seen = BTreeSet::new();
        self.walk(&content["application/json"]["schema"], None, value, &mut seen);
        self.1.lock().unwrap().extend(seen);
    }

    /// The optional properties of the schemas of responses that no noted value had.
    pub fn unsent(&self) -> Vec<String> {
        let mut optional = BTreeSet::new();
        for (_, operation) in self.operations() {
            for (_, response) in operation["responses"].as_object().unwrap() {
                let content = &self.resolve(response)["content"];
                self.optional_of(&content["application/json"]["schema"], None, &mut optional, &mut BTreeSet::new());
            }
        }
        let seen = self.1.lock().unwrap();
        optional.difference(&seen).cloned().collect()
    }

    /// The schema that a reference leads to, with its name.
    fn named<'a>(&'a self, schema: &'a Value, name: Option<&'a str>) -> (&'a Value, Option<&'a str>) {
        match schema["$ref"].as_str() {
            Some(reference) => (self.resolve(schema), reference.rsplit('/').next()),
            None => (schema, name),
        }
    }

    fn walk(&self, schema: &Value, name: Option<&str>, value: &Value, seen: &mut BTreeSet<String>) {
        let (schema, name) = self.named(schema, name);
        for part in parts(schema) {
            self.walk(part, name, value, seen);
        }
        for (property, inner) in properties(schema) {
            if let Some(value) = value.get(property) {
                seen.insert(format!("{}.{property}", name.unwrap_or_default()));
                self.walk(inner, Some(&format!("{}.{property}", name.unwrap_or_default())), value, seen);
            }
        }
        for value in value.as_array().into_iter().flatten() {
            self.walk(&schema["items"], name, value, seen);
        }
    }

    fn optional_of(
        &self,
        schema: &Value,
        name: Option<&str>,
        optional: &mut BTreeSet<String>,
        known: &mut BTreeSet<String>,
    ) {
        if schema.is_null() {
            return;
        }
        let (target, name) = self.named(schema, name);
        if schema["$ref"].is_string() && !known.insert(name.unwrap_or_default().to_owned()) {
            return;
        }
        for part in parts(target).chain([&target["items"]]) {
            self.optional_of(part, name, optional, known);
        }
        let required: Vec<_> = target["required"].as_array().into_iter().flatten().collect();
        for (property, inner) in properties(target) {
            let path = format!("{}.{property}", name.unwrap_or_default());
            if !required.iter().any(|required| *required == property) {
                optional.insert(path.clone());
            }
            self.optional_of(inner, Some(&path), optional, known);
        }
    }
}

fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|name| schema[name].as_array().into_iter().flatten())
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}
