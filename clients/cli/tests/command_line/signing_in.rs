//! `docmill login` and `docmill logout`.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use reqwest::redirect;
use tokio::process::Child;
use url::Url;

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
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
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

/// A `docmill login` that waits for its browser, and the query of the page that it opened.
async fn with_browser(user: &User) -> (Child, HashMap<String, String>) {
    let (browser, opened) = (user.home().join("browser"), user.home().join("opened"));
    let script = format!("#!/bin/sh\nprintf %s \"$1\" > {0}.part\n/bin/mv {0}.part {0}\n", opened.display());
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut login = user.stranger(&["login", "--browser", "--url", &user.service.url]);
    let login = login.env("BROWSER", &browser).spawn().unwrap();
    let page = loop {
        match std::fs::read_to_string(&opened) {
            Ok(page) => break Url::parse(&page).unwrap(),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    assert_eq!(page.path(), "/app/connect");
    (login, page.query_pairs().into_owned().collect())
}

/// What the browser gets from the command: status, location and text.
async fn bring(query: &HashMap<String, String>, answer: &[(&str, &str)]) -> (u16, String, String) {
    let url = Url::parse_with_params(&format!("http://127.0.0.1:{}/", query["port"]), answer).unwrap();
    let client = reqwest::Client::builder().redirect(redirect::Policy::none()).build().unwrap();
    let answer = client.get(url).send().await.unwrap();
    let location = answer.headers().get("location").map_or("", |value| value.to_str().unwrap()).to_owned();
    (answer.status().as_u16(), location, answer.text().await.unwrap())
}

#[tokio::test]
async fn a_browser_brings_a_code_for_which_the_command_gets_its_key() {
    let user = User::new(Manners::default()).await;
    let (login, page) = with_browser(&user).await;
    assert!(!page["device"].is_empty());
    // Only the answer to this very request counts.
    for state in ["", "guess"] {
        assert_eq!(bring(&page, &[("code", &page["challenge"]), ("state", state)]).await.0, 404);
    }
    let (status, location, _) = bring(&page, &[("code", &page["challenge"]), ("state", &page["state"])]).await;
    assert_eq!((status, location), (303, format!("{}/app/connect/done", user.service.url)));
    let ran = Ran::of(login.wait_with_output().await.unwrap()).ends_with(0);
    assert!(ran.stdout.contains("88 credits left") && !(ran.stdout + &ran.stderr).contains(KEY));
    Ran::of(user.stranger(&["usage"]).output().await.unwrap()).ends_with(0);
}

#[tokio::test]
async fn a_refusal_or_a_wrong_code_ends_without_a_key_and_says_so_in_the_browser_too() {
    let user = User::new(Manners::default()).await;
    for (name, value, expected) in
        [("error", "access_denied", "was refused in the browser"), ("code", "wrong", "connection_refused")]
    {
        std::fs::remove_file(user.home().join("opened")).ok();
        let (login, page) = with_browser(&user).await;
        let (status, _, text) = bring(&page, &[(name, value), ("state", &page["state"])]).await;
        assert_eq!(status, 400, "{text}");
        let ran = Ran::of(login.wait_with_output().await.unwrap()).ends_with(3);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    assert!(!user.home().join(".config/docmill").exists());
}
