//! Keys, and the names of downloads.

use super::*;
use docmill_domain::job::JobId;
use docmill_domain::upload::UploadId;

#[test]
fn a_download_keeps_its_name_and_cannot_break_out_of_the_header() {
    assert_eq!(attachment("a b.pdf"), "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf");
    assert_eq!(
        attachment("März \"1\"\r\n.pdf"),
        "attachment; filename=\"M_rz _1___.pdf\"; filename*=UTF-8''M%C3%A4rz%20%221%22%0D%0A.pdf"
    );
}

#[test]
fn each_kind_of_object_has_its_own_prefix() {
    let job = JobId::NONE;
    assert!(ObjectKey::Input { account: "a", job }.to_string().starts_with("inputs/a/"));
    let output = |part| ObjectKey::Output { account: "a", job, attempt: 2, part, kept_for: KeptFor::Day }.to_string();
    assert!(output(OutputPart::File(7)).ends_with("/2/7") && output(OutputPart::Archive).ends_with("/2/all"));
    let week = ObjectKey::Output { account: "a", job, attempt: 2, part: OutputPart::Archive, kept_for: KeptFor::Week };
    assert!(
        output(OutputPart::Archive).starts_with("outputs/day/a/") && week.to_string().starts_with("outputs/week/a/")
    );
    let upload = UploadId::new();
    assert_eq!(ObjectKey::Upload { account: "a", upload }.to_string(), format!("uploads/a/{upload}"));
}
