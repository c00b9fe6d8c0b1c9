//! `docmill receipt` and `docmill verify-receipt`.

use serde_json::Value;

use crate::service::Manners;
use crate::{Ran, User};

const JOB: &str = "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90";

async fn with_receipt() -> User {
    let user = User::new(Manners::default()).await;
    let ran = user.run(&["receipt", JOB]).await.ends_with(0);
    user.write("receipt.json", &ran.stdout);
    for (name, content) in [("report.docx", "source"), ("report.pdf", "result"), ("other.pdf", "other")] {
        user.write(name, content);
    }
    user
}

#[tokio::test]
async fn a_receipt_is_checked_with_its_documents_and_without_a_key() {
    let user = with_receipt().await;
    let words = ["verify-receipt", "receipt.json", "report.docx", "report.pdf", "--url", &user.service.url];
    let ran = Ran::of(user.stranger(&words).output().await.unwrap()).ends_with(0);
    assert!(ran.stdout.contains("genuine") && ran.stdout.contains(JOB), "{}", ran.stdout);
    assert!(ran.stdout.contains("report.docx: a source\nreport.pdf: a result"), "{}", ran.stdout);
    let ran = user.run(&["verify-receipt", "receipt.json", "other.pdf"]).await.ends_with(7);
    assert!(ran.stdout.contains("other.pdf: not in the receipt") && ran.stderr.contains("1 of 1"), "{}", ran.stderr);
}

#[tokio::test]
async fn saved_keys_check_it_without_the_service_and_a_forgery_is_found() {
    let user = with_receipt().await;
    let keys = reqwest::get(format!("{}/.well-known/docmill-receipts.json", user.service.url)).await.unwrap();
    user.write("keys.json", &keys.text().await.unwrap());
    // What the API answers will do, too.
    let receipt: Value = serde_json::from_str(&user.read("receipt.json")).unwrap();
    user.write("answer.json", &serde_json::json!({"ok": true, "receipt": receipt}).to_string());
    for file in ["receipt.json", "answer.json"] {
        let words = ["verify-receipt", file, "--keys", "keys.json", "--json"];
        let ran = Ran::of(user.stranger(&words).output().await.unwrap()).ends_with(0);
        let said: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(said["statement"]["jobId"], JOB, "{file}");
    }
    user.write("forged.json", &user.read("receipt.json").replace("completed", "failed"));
    let ran = user.run(&["verify-receipt", "forged.json", "--keys", "keys.json"]).await.ends_with(7);
    assert!(
        ran.stderr.contains("the signature does not match the statement") && ran.stdout.is_empty(),
        "{}",
        ran.stderr
    );
    user.write("keys.json", "{}");
    let ran = user.run(&["verify-receipt", "receipt.json", "--keys", "keys.json"]).await.ends_with(7);
    assert!(ran.stderr.contains("is not among the keys"), "{}", ran.stderr);
    user.run(&["verify-receipt", "report.pdf", "--keys", "keys.json"]).await.ends_with(2);
}
