//! Signatures by keys of KMS, on the emulator, which evaluates the trust policies of customers' roles.

use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_config::clock;
use docmill_domain::job::JobErrorCode;
use docmill_domain::limits::Limits;
use docmill_domain::webhook::destination::external_id;
use docmill_egress::EgressPolicy;
use docmill_engine::{Engine, Failure, Operation, Source, Task};
use docmill_fetch::Fetcher;
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_pdf_signatures::sign::{Certify, Draft, Position, Wanted};
use docmill_pdf_signatures::{Indication, Signature, roots_of, verify};
use docmill_signer::{KeyService, OwnKeys, Signer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::world::patient_aws;
use crate::webhook_destinations::role;

const UNSIGNED: &[u8] = include_bytes!("../../functions/worker/pdf/signatures/tests/fixtures/unsigned.pdf");
const ACCOUNT: &str = "acc_of_this_test";

/// A call of the emulator's KMS, as its operator makes it.
async fn kms(action: &str, body: Value) -> Value {
    let endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap();
    let scope = "AWS4-HMAC-SHA256 Credential=test/20261124/us-east-1/kms/aws4_request, SignedHeaders=host, Signature=0";
    let call = reqwest::Client::new().post(endpoint).header("authorization", scope);
    let call = call.header("x-amz-target", format!("TrentService.{action}"));
    let answer = call.header("content-type", "application/x-amz-json-1.1").body(body.to_string()).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// A key, and the certificate that an authority of the tests' own has made for it.
struct Key {
    arn: String,
    certificate: String,
    root: String,
}

fn openssl(folder: &TempDir, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

async fn key(spec: &str) -> Key {
    let made = kms("CreateKey", json!({"KeySpec": spec, "KeyUsage": "SIGN_VERIFY"})).await;
    let arn = made["KeyMetadata"]["Arn"].as_str().unwrap().to_owned();
    let public = kms("GetPublicKey", json!({"KeyId": arn})).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key.der"), STANDARD.decode(public["PublicKey"].as_str().unwrap()).unwrap())
        .unwrap();
    std::fs::write(folder.path().join("extensions"), "keyUsage=critical,nonRepudiation\n").unwrap();
    openssl(&folder, "pkey -pubin -inform DER -in key.der -out key.pem");
    openssl(&folder, "req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj /CN=Root -days 10");
    let issue = "x509 -new -subj /CN=Kay -force_pubkey key.pem -CA root.pem -CAkey root.key -set_serial 7 -days 9";
    openssl(&folder, &format!("{issue} -extfile extensions -out own.pem"));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    Key { arn, certificate: read("own.pem"), root: read("root.pem") }
}

fn prepared() -> (Vec<u8>, [usize; 2]) {
    let draft = Draft::open(UNSIGNED, "").unwrap();
    let wanted = Wanted {
        spot: draft.spot(None).unwrap(),
        position: Position { page: draft.page(0).unwrap(), rectangle: [0.0; 4] },
        look: None,
        certify: Certify::No,
        reason: None,
        location: None,
        contact: None,
        time: clock::now(),
        reserved: 16 << 10,
    };
    let made = draft.prepare(wanted).unwrap();
    ([UNSIGNED, &made.update].concat(), [made.gap.start, made.gap.end])
}

/// Signs as the worker of a job of `ACCOUNT` does, on a deployment with these keys of its own.
async fn sign(key: Value, own: OwnKeys) -> Result<Vec<u8>, Failure> {
    let endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap();
    let emulator = endpoint.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    let fetcher = Fetcher::new(EgressPolicy::new(emulator))?;
    let signer = Signer::new(fetcher.clone(), Some(KeyService::new(patient_aws(), fetcher, own)));
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("prepared.pdf");
    let (file, gap) = prepared();
    std::fs::write(&path, file).unwrap();
    let options = json!({"key": {"kms": key}, "prepared": {"field": "Signature1", "gap": gap}});
    let task = Task {
        operation: Operation::Seal,
        sources: vec![Source::File(docmill_pdf_request::Source::new(path, Format::Pdf))],
        options: &options,
        scratch: scratch.path(),
        deadline: Instant::now() + Duration::from_secs(30),
        limits: &Limits::default(),
        fonts: &NO_FONTS,
        account: Some(ACCOUNT),
    };
    let made = signer.convert(task).await?;
    Ok(std::fs::read(made.path()).unwrap())
}

fn judged(file: &[u8], root: &str) -> Signature {
    let roots = roots_of(root).unwrap();
    let options =
        docmill_pdf_signatures::Options { password: "", roots: &roots, time: clock::now(), check_revocation: false };
    verify(file, &options).unwrap().signatures.remove(0)
}

fn of_deployment(key: &Key) -> OwnKeys {
    OwnKeys::listed(&format!("arn:aws:kms:us-east-1:1:key/other, {}", key.arn), &format!("acc_other,{ACCOUNT}"))
}

#[tokio::test]
async fn a_key_of_the_deployment_signs_for_listed_accounts_by_each_algorithm() {
    for (spec, padding, algorithm) in [
        ("RSA_2048", "pkcs1", "RSA with SHA-256"),
        ("RSA_3072", "pss", "RSA-PSS with SHA-256"),
        ("ECC_NIST_P256", "pkcs1", "ECDSA with SHA-256"),
        ("ECC_NIST_P384", "pkcs1", "ECDSA with SHA-384"),
        ("ECC_NIST_P521", "pkcs1", "ECDSA with SHA-512"),
    ] {
        let key = key(spec).await;
        let wanted = json!({"keyArn": key.arn, "certificates": key.certificate, "padding": padding});
        let file = sign(wanted, of_deployment(&key)).await.unwrap();
        let found = judged(&file, &key.root);
        assert_eq!(found.indication, Indication::TotalPassed, "{spec}: {}", found.sentence);
        assert_eq!((found.signature_algorithm.as_deref(), found.level), (Some(algorithm), Some("B-B")), "{spec}");
    }
}

#[tokio::test]
async fn a_key_of_the_deployment_signs_for_nobody_else() {
    let key = key("ECC_NIST_P256").await;
    let wanted = json!({"keyArn": key.arn, "certificates": key.certificate});
    for own in [OwnKeys::default(), OwnKeys::listed(&key.arn, "acc_other"), OwnKeys::listed("arn:other", ACCOUNT)] {
        let failure = sign(wanted.clone(), own).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::InvalidSignatureKey);
        assert!(failure.message.starts_with("Your account may not sign with this key."), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_customers_key_signs_under_a_role_that_trusts_the_service_for_the_account() {
    let key = key("ECC_NIST_P256").await;
    let alias = format!("alias/{}", uuid::Uuid::now_v7().simple());
    kms("CreateAlias", json!({"AliasName": alias, "TargetKeyId": key.arn})).await;
    let by_alias = format!("{}:{alias}", key.arn.rsplit_once(':').unwrap().0);
    let own = role(&external_id(ACCOUNT), "kms:Sign").await;
    for arn in [&key.arn, &by_alias] {
        let wanted = json!({"keyArn": arn, "roleArn": own, "certificates": key.certificate});
        let found = judged(&sign(wanted, OwnKeys::default()).await.unwrap(), &key.root);
        assert_eq!(found.indication, Indication::TotalPassed, "{}", found.sentence);
    }
    for (role, code) in [
        (role(&external_id("acc_other"), "kms:Sign").await, "AccessDenied"),
        (role(&external_id(ACCOUNT), "kms:Verify").await, "AccessDenied"),
    ] {
        let wanted = json!({"keyArn": key.arn, "roleArn": role, "certificates": key.certificate});
        let failure = sign(wanted, of_deployment(&key)).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::InvalidSignatureKey);
        assert!(failure.message.contains("refused to sign") && failure.message.contains(code), "{}", failure.message);
    }
}

#[tokio::test]
async fn what_does_not_belong_together_is_refused() {
    let (one, other) = (key("ECC_NIST_P256").await, key("ECC_NIST_P256").await);
    let failure = async |wanted: Value| sign(wanted, of_deployment(&one)).await.unwrap_err();
    let mixed = failure(json!({"keyArn": one.arn, "certificates": other.certificate})).await;
    assert!(mixed.message.contains("does not belong to the first certificate"), "{}", mixed.message);
    let none = failure(json!({"keyArn": one.arn, "certificates": "no PEM"})).await;
    assert!(none.message.contains("no certificate that can be read"), "{}", none.message);
    let rsa = key("RSA_2048").await;
    let of_other_kind = failure(json!({"keyArn": one.arn, "certificates": rsa.certificate})).await;
    assert!(of_other_kind.message.starts_with("KMS refused to sign"), "{}", of_other_kind.message);
    kms("DisableKey", json!({"KeyId": one.arn})).await;
    let disabled = failure(json!({"keyArn": one.arn, "certificates": one.certificate})).await;
    assert!(disabled.message.contains("DisabledException"), "{}", disabled.message);
    for failure in [mixed, none, of_other_kind, disabled] {
        assert_eq!(failure.code, JobErrorCode::InvalidSignatureKey, "{}", failure.message);
    }
}
