//! Signatures with proof that no certificate was revoked, from authorities of the tests' own.

use docmill_pdf_signatures::make::Dossier;
use docmill_pdf_signatures::{Report, Revocation};

use super::*;
use crate::tests::hierarchy::{Hierarchy, State};

/// Signs at the level B-LT. Returns the file with its proof, and the job's report.
async fn sign(hierarchy: &Hierarchy) -> Result<(Vec<u8>, Value), Failure> {
    let (_, gap) = prepared();
    let options = json!({
        "key": {"pkcs12": STANDARD.encode(hierarchy.key()), "password": "secret"}, "level": "B-LT",
        "timestampUrl": hierarchy.address("tsa"), "prepared": {"field": "Signature1", "gap": gap},
    });
    let made = convert(options, Some(hierarchy.port)).await?;
    let [signed, proof] = made.files.as_slice() else { panic!("{} files", made.files.len()) };
    let proof: Value = serde_json::from_slice(proof).unwrap();
    let all = |name: &str| -> Vec<Vec<u8>> {
        proof[name].as_array().unwrap().iter().map(|der| STANDARD.decode(der.as_str().unwrap()).unwrap()).collect()
    };
    let dossier = Dossier { certificates: all("certificates"), lists: all("lists"), responses: all("responses") };
    let update = Draft::open(signed, "").unwrap().keep(&dossier).unwrap();
    Ok(([signed.as_slice(), &update].concat(), made.report))
}

fn judged_with(hierarchy: &Hierarchy, file: &[u8]) -> Report {
    let roots = roots_of(&hierarchy.root()).unwrap();
    let options =
        docmill_pdf_signatures::Options { password: "", roots: &roots, time: clock::now(), check_revocation: true };
    verify(file, &options).unwrap()
}

#[tokio::test]
async fn a_signature_is_kept_with_proof_for_its_whole_chain_and_that_of_its_time_stamp() {
    let hierarchy = Hierarchy::start(State::Good);
    let (file, report) = sign(&hierarchy).await.unwrap();
    assert_eq!((&report["level"], &report["signer"]), (&json!("B-LT"), &json!("Long Lived")));
    let found = judged_with(&hierarchy, &file).signatures.remove(0);
    assert_eq!(found.indication, Indication::TotalPassed, "{}", found.sentence);
    assert_eq!((found.level, found.revocation, found.covers_whole_document), (Some("B-LT"), Revocation::Good, false));
    assert!(found.changes_after.iter().all(|change| change.allowed), "{:?}", found.changes_after);
    let asked = hierarchy.asked();
    // The key file has the signer's certificate alone; the authority's certificate names a list, the others responders.
    for path in ["issuing.der", "root.der", "ocsp-issuing", "ocsp-root", "issuing.crl"] {
        assert_eq!(asked.iter().filter(|each| *each == path).count(), 1, "{path}: {asked:?}");
    }
}

#[tokio::test]
async fn what_is_not_proven_good_is_not_claimed() {
    for (state, words) in [
        (State::SignerRevoked, "Long Lived was revoked on 2026-01-02"),
        (State::IssuerRevoked, "Issuing was revoked on 2026-01-02"),
        (State::Silent, "nothing that can be reached says whether the certificate of"),
        (State::Forged, "nothing that can be reached says whether the certificate of"),
        (State::WithoutIssuer, "the issuer of Long Lived is missing"),
    ] {
        let hierarchy = Hierarchy::start(state);
        let failure = sign(&hierarchy).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::SigningFailed, "{state:?}");
        assert!(failure.message.starts_with("The level B-LT can't be reached: "), "{}", failure.message);
        assert!(failure.message.contains(words), "{state:?}: {}", failure.message);
    }
}
