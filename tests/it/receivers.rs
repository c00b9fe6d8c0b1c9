//! Receivers in four languages, each with the official library of Standard Webhooks, get an event and refuse a forged one.
//!
//! Costs the compilation of the receivers in Rust and Go once, and then two seconds.

use std::path::PathBuf;
use std::process::Stdio;

use docmill_config::clock;
use docmill_domain::event::EventKind;
use docmill_store::events::StoredEvent;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::clients::{node, root, rust_example};
use crate::support::hooks::Deliveries;
use crate::support::world::World;

/// A running receiver.
struct Receiver {
    language: &'static str,
    url: String,
    secret: ChildStdin,
    accepted: Lines<BufReader<ChildStdout>>,
    /// Ends with this value.
    _process: Child,
}

impl Receiver {
    async fn start(language: &'static str, mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{language}: {error}"));
        let mut accepted = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = accepted.next_line().await.unwrap().unwrap_or_else(|| panic!("{language}: no port"));
        let secret = process.stdin.take().unwrap();
        Self { language, url: format!("http://127.0.0.1:{port}/"), secret, accepted, _process: process }
    }

    async fn all() -> Vec<Self> {
        let folder = root().join("tests/receivers");
        let mut python = Command::new(prepared(&["python", "receivers"]).await);
        python.arg(folder.join("receiver.py"));
        let rust = Command::new(rust_example("receiver", "tests/receivers/receiver.rs").await);
        let go = Command::new(go_program().await);
        vec![
            Self::start("Python", python).await,
            Self::start("TypeScript", typescript().await).await,
            Self::start("Go", go).await,
            Self::start("Rust", rust).await,
        ]
    }
}

/// What `infra/setup.sh` prints: where something is.
pub async fn prepared(what: &[&str]) -> PathBuf {
    let output = Command::new(root().join("infra/setup.sh")).args(what).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Node looks for modules beside the program, so that it runs from where they are installed.
async fn typescript() -> Command {
    let folder = root().join("tests/receivers/typescript");
    let modules = prepared(&["node", folder.to_str().unwrap()]).await;
    let program = modules.with_file_name("receiver.ts");
    std::fs::copy(folder.join("receiver.ts"), &program).unwrap();
    let mut command = Command::new(node().await);
    command.arg(program);
    command
}

async fn go_program() -> PathBuf {
    let program = std::env::temp_dir().join(format!("docmill-receiver-{}", std::process::id()));
    let folder = root().join("tests/receivers/go");
    let mut build = Command::new(prepared(&["go"]).await);
    let built = build.args(["build", "-o"]).arg(&program).arg(".").current_dir(folder).output().await.unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    program
}

#[tokio::test]
async fn the_libraries_of_four_languages_verify_events_and_refuse_forged_ones() {
    let (world, receivers) = (World::with_own_events().await, Receiver::all().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    let mut ready = Vec::new();
    for mut receiver in receivers {
        let endpoint = hooks.endpoint(&account, &receiver.url, json!({})).await;
        let secret = endpoint["secret"].as_str().unwrap();
        receiver.secret.write_all(format!("{secret}\n").as_bytes()).await.unwrap();
        ready.push(receiver);
    }
    let event = StoredEvent::new(&account.id, EventKind::JobCompleted, clock::now(), json!({"note": "größer"}));
    world.context.events.record(&event).await.unwrap();
    hooks.announce(&account, &event.id).await;
    for mut receiver in ready {
        let accepted = receiver.accepted.next_line().await.unwrap();
        assert_eq!(accepted, Some(format!("{} job.completed", event.id)), "{}", receiver.language);
        let forged = reqwest::Client::new().post(&receiver.url).body(event.body().replace("größer", "kleiner"));
        let forged = forged.header("webhook-id", &event.id).header("webhook-signature", "v1,AAAA");
        let forged = forged.header("webhook-timestamp", (clock::now().as_millis() / 1000).to_string());
        assert_eq!(forged.send().await.unwrap().status(), 400, "{}", receiver.language);
    }
    world.remove_events().await;
}
