//! `docmill login` and `docmill logout`.

use crate::service::{KEY, Manners};
use crate::{Ran, User, with_input};

#[tokio::test]
async fn a_key_is_kept_for_the_service_until_it_is_forgotten() {
    let user = User::new(Manners::default()).await;
    let url = user.service.url.clone();
    let missing = Ran::of(user.stranger(&["usage", "--url", &url]).output().await.unwrap()).ends_with(3);
    assert!(missing.stderr.contains("docmill login"), "{}", missing.stderr);
    let ran = with_input(user.stranger(&["login", "--url", &url]), &format!("{KEY}\n")).await.ends_with(0);
    assert!(ran.stdout.contains("88 credits left") && !ran.stdout.contains(KEY), "{}", ran.stdout);
    let file = user.home().join(".config/docmill/credentials.json");
    assert!(std::fs::read_to_string(&file).unwrap().contains(KEY));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Neither the address nor the key is needed now.
    let ran = Ran::of(user.stranger(&["usage"]).output().await.unwrap()).ends_with(0);
    assert!(ran.stdout.contains("demo"), "{}", ran.stdout);
    Ran::of(user.stranger(&["logout"]).output().await.unwrap()).ends_with(0);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));
    Ran::of(user.stranger(&["usage", "--url", &url]).output().await.unwrap()).ends_with(3);
}

#[tokio::test]
async fn a_key_that_does_not_work_is_not_kept() {
    let user = User::new(Manners::default()).await;
    for key in ["dm_live_unknown", "not a key"] {
        let login = user.stranger(&["login", "--url", &user.service.url]);
        with_input(login, key).await.ends_with(3);
    }
    assert!(!user.home().join(".config/docmill").exists());
}
