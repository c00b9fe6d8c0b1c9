//! What `extract-document` finds, put to use in further jobs.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::clients::root;
use crate::journeys::Traveller;
use crate::support::pdf;

#[tokio::test]
async fn a_table_is_redacted_by_the_boxes_of_its_blocks() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let survey = std::fs::read(root().join("samples/tree-survey.pdf")).unwrap();
    let upload = traveller.upload(&survey, "application/pdf", "tree-survey.pdf").await;
    let source = json!({"uploadId": upload});

    let extracted = traveller.result_of("extract-document", json!({"sources": [source]})).await;
    let document: Value = serde_json::from_slice(&extracted).unwrap();
    assert_eq!(document["hidden"][0]["why"], "sameColor");
    let blocks = document["blocks"].as_array().unwrap();
    let tables: HashSet<_> =
        blocks.iter().filter(|block| block["role"] == "table").map(|block| block["id"].as_str()).collect();
    let is_of_table = |block: &&Value| tables.contains(&block["id"].as_str()) || tables.contains(&block["of"].as_str());
    let regions: Vec<_> =
        blocks.iter().filter(is_of_table).flat_map(|block| block["places"].as_array().unwrap()).collect();
    assert_eq!(regions.len(), 2, "a table and its caption: {blocks:?}");

    let redacted = traveller.result_of("redact-pdf", json!({"input": source, "options": {"regions": regions}})).await;
    let (before, after) = (pdf::text(&survey), pdf::text(&redacted));
    for gone in ["Poplar", "212", "Table 1"] {
        assert!(before.contains(gone) && !after.contains(gone), "{gone}: {after}");
    }
    for kept in ["What was counted", "Six poplars are felled", "Figure 1"] {
        assert!(after.contains(kept), "{kept}: {after}");
    }
}
