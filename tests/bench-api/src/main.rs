//! `bench-api --binaries DIR`: measures the functions with stubs and, if `AWS_ENDPOINT_URL` is set, with an emulator.

#![allow(clippy::print_stdout, reason = "the tables are what this prints")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use bench_api::Problem;
use bench_api::creates::{self, Creates};
use bench_api::measuring::{Backend, Extent, measure};
use bench_api::report::Report;
use bench_api::requests::{CASES, Case};
use bench_api::stub::Stub;
use bench_api::world::Seed;
use clap::Parser;
use tempfile::NamedTempFile;

/// This machine's certificate authorities: functions load as many on AWS.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// How many environments create jobs in parallel.
const ENVIRONMENTS: [usize; 5] = [1, 2, 4, 8, 16];

#[derive(Debug, Parser)]
struct Arguments {
    /// Folder with the functions' binaries.
    #[arg(long)]
    binaries: PathBuf,
    /// File for the results.
    #[arg(long)]
    json: Option<PathBuf>,
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Invocations after the first one of each process.
    #[arg(long, default_value_t = 20)]
    warm: usize,
    /// Only functions whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Problem> {
    let arguments = Arguments::parse();
    let wanted = |case: &Case| case.name.contains(&arguments.only);
    let cases: Vec<Case> = CASES.into_iter().filter(wanted).collect();
    let seed = Seed::new()?;
    let authorities = NamedTempFile::new()?;
    let backends = backends(&seed, &authorities).await?;
    let extent = Extent { rounds: arguments.rounds, warm: arguments.warm };
    let results = measure(&arguments.binaries, &cases, &backends, extent).await?;
    let mut report = Report::new(&arguments.binaries, &cases, &backends, &results)?;
    if let Some(case) = cases.iter().find(|case| case.name == "create-job") {
        report.creates = creates(&arguments.binaries, case, &seed).await?;
    }
    println!("{}", report.markdown());
    if let Some(file) = arguments.json {
        std::fs::write(&file, serde_json::to_string_pretty(&report)?)?;
        println!("The same as JSON: {}", file.display());
    }
    Ok(())
}

async fn backends(seed: &Seed, authorities: &NamedTempFile) -> Result<Vec<Backend>, Problem> {
    let plain = Stub::plain(seed.items()).await?;
    let tls = Stub::tls(seed.items()).await?;
    let mut file = authorities.as_file();
    file.write_all(&std::fs::read(SYSTEM_AUTHORITIES)?)?;
    file.write_all(tls.authority.as_deref().unwrap_or_default().as_bytes())?;
    let authorities = authorities.path().to_str();
    let mut backends = vec![
        Backend { name: "plain", world: seed.with_stub(&plain, None), stub: Some(plain) },
        Backend { name: "TLS", world: seed.with_stub(&tls, authorities), stub: Some(tls) },
    ];
    if has_emulator() {
        backends.push(Backend { name: "emulator", world: seed.store().await?, stub: None });
    }
    Ok(backends)
}

fn has_emulator() -> bool {
    std::env::var("AWS_ENDPOINT_URL").is_ok_and(|endpoint| !endpoint.is_empty())
}

async fn creates(binaries: &Path, case: &Case, seed: &Seed) -> Result<Vec<Creates>, Problem> {
    let binary = binaries.join(case.binary);
    let stub = Stub::with_conflicts(seed.items()).await?;
    let mut rows = Vec::new();
    for environments in ENVIRONMENTS {
        let worlds: Vec<_> = (0..environments).map(|_| seed.with_stub(&stub, None)).collect();
        rows.push(creates::run(&binary, case, "stub with conflicts", &worlds, true).await?);
    }
    for environments in ENVIRONMENTS.into_iter().filter(|_| has_emulator()) {
        for one_account in [true, false] {
            let mut worlds = Vec::new();
            for _ in 0..environments {
                // Each environment has its own key, because limits apply per key.
                worlds.push(seed.another(one_account)?.store().await?);
            }
            rows.push(creates::run(&binary, case, "emulator", &worlds, one_account).await?);
        }
    }
    Ok(rows)
}
