//! Tests that every function of `make build` answers its request with the stubs. Times are not checked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what is wrong by panicking")]

use std::collections::BTreeSet;
use std::io::Write as _;

use bench_api::function::Function;
use bench_api::measuring::{Backend, Extent, measure};
use bench_api::report::Report;
use bench_api::requests::{CASES, Case, HELLO_WORLD};
use bench_api::stub::Stub;
use bench_api::world::Seed;
use docmill_domain::job::OpenShards;
use tempfile::{NamedTempFile, TempDir};

/// A folder of the cases' binaries: links to those in the folder of debug binaries, which contains this test's own `deps`.
fn binaries() -> TempDir {
    let built = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
    let functions = built.join("local-functions");
    assert!(functions.is_file(), "the functions are not built: run `make build`");
    let folder = TempDir::new().unwrap();
    for binary in CASES.map(|case| case.binary).into_iter().collect::<BTreeSet<_>>() {
        let program = if binary == HELLO_WORLD { built.join(binary) } else { functions.clone() };
        std::os::unix::fs::symlink(program, folder.path().join(binary)).unwrap();
    }
    folder
}

fn case(name: &str) -> Case {
    CASES.into_iter().find(|case| case.name == name).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_function_answers_and_is_measured() {
    let binaries = binaries();
    let seed = Seed::new().unwrap();
    let stub = Stub::plain(seed.items()).await.unwrap();
    let backends = [Backend { name: "plain", world: seed.with_stub(&stub, None), stub: Some(stub) }];
    let results = measure(binaries.path(), &CASES, &backends, Extent { rounds: 1, warm: 2 }).await.unwrap();
    let calls = |name: &str| {
        let position = CASES.iter().position(|case| case.name == name).unwrap();
        results[position][0].calls.unwrap()
    };
    // All calls of a create wait for each other. It is warm here, so it reads no settings.
    assert_eq!(calls("create-job"), (3, 3));
    assert_eq!(calls("get-job"), (2, 2));
    assert_eq!(calls("route-fallback"), (0, 0));
    // At least one query for each shard of the open index.
    assert!(calls("sweeper").0 >= usize::from(OpenShards::default().count()));
    let markdown = Report::new(binaries.path(), &CASES, &backends, &results).unwrap().markdown();
    for case in CASES {
        assert!(markdown.contains(&format!("| {} |", case.name)), "{} is not in the report", case.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_only_call_trusted_servers_over_tls() {
    let binaries = binaries();
    let seed = Seed::new().unwrap();
    let stub = Stub::tls(seed.items()).await.unwrap();
    let mut authority = NamedTempFile::new().unwrap();
    authority.write_all(stub.authority.as_ref().unwrap().as_bytes()).unwrap();
    let case = case("list-tools");

    let world = seed.with_stub(&stub, authority.path().to_str());
    let mut function = Function::start(&binaries.path().join(case.binary), &world.environment).await.unwrap();
    let first = function.invoke(&case.event(&world)).await.unwrap();
    case.check(&first.answer).unwrap();
    // The key in parallel with the three kinds of settings.
    let calls = stub.take_calls();
    assert_eq!(calls.len(), 4, "{calls:?}");

    let world = seed.with_stub(&stub, None);
    let mut function = Function::start(&binaries.path().join(case.binary), &world.environment).await.unwrap();
    let refused = function.invoke(&case.event(&world)).await.unwrap();
    assert_eq!(refused.answer["statusCode"], 503);
    assert!(stub.take_calls().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_cannot_start_is_reported_with_its_log() {
    let binaries = binaries();
    let seed = Seed::new().unwrap();
    let stub = Stub::plain(seed.items()).await.unwrap();
    let mut world = seed.with_stub(&stub, None);
    world.environment.remove("JOBS_TABLE");
    let problem = Function::start(&binaries.path().join("list-tools"), &world.environment).await.unwrap_err();
    assert!(problem.to_string().contains("JOBS_TABLE"), "{problem}");
}
