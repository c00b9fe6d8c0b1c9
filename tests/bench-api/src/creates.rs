//! How many jobs a second can be created: for one account, whose creates contend for one item, and for many.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use serde::Serialize;

use crate::Problem;
use crate::function::Function;
use crate::requests::Case;
use crate::world::World;

const TIME: Duration = Duration::from_secs(4);

/// Several environments in parallel, each creating one job after the other.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Creates {
    pub backend: &'static str,
    pub environments: usize,
    pub one_account: bool,
    pub per_second: f64,
    /// Requests that were not accepted.
    pub refused: usize,
    pub longest_ms: f64,
    /// The functions' processor time per second.
    pub cores_of_functions: f64,
    /// The whole machine's processor time per second.
    pub cores_of_machine: f64,
}

#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    longest: Duration,
    cpu: Duration,
}

/// One environment for each of `worlds`, all running for [`TIME`].
pub async fn run(
    binary: &Path,
    case: &Case,
    backend: &'static str,
    worlds: &[World],
    one_account: bool,
) -> Result<Creates, Problem> {
    let mut functions = Vec::new();
    for world in worlds {
        let mut function = Function::start(binary, &world.environment).await?;
        // The first invocation connects and reads the settings.
        case.check(&function.invoke(&case.event(world)).await?.answer)?;
        functions.push(function);
    }
    let (started, machine_before) = (Instant::now(), machine_cpu()?);
    let at_work =
        functions.iter_mut().zip(worlds).map(|(function, world)| create(function, case, world, started + TIME));
    let tallies = try_join_all(at_work).await?;
    let seconds = started.elapsed().as_secs_f64();
    let machine = machine_cpu()?.saturating_sub(machine_before);
    for function in functions {
        function.stop().await?;
    }
    Ok(Creates {
        backend,
        environments: worlds.len(),
        one_account,
        per_second: tallies.iter().map(|tally| tally.accepted).sum::<usize>() as f64 / seconds,
        refused: tallies.iter().map(|tally| tally.refused).sum(),
        longest_ms: tallies.iter().map(|tally| tally.longest.as_secs_f64() * 1000.0).fold(0.0, f64::max),
        cores_of_functions: tallies.iter().map(|tally| tally.cpu.as_secs_f64()).sum::<f64>() / seconds,
        cores_of_machine: machine.as_secs_f64() / seconds,
    })
}

async fn create(function: &mut Function, case: &Case, world: &World, until: Instant) -> Result<Tally, Problem> {
    let mut tally = Tally::default();
    let cpu_before = function.cpu()?;
    while Instant::now() < until {
        let invocation = function.invoke(&case.event(world)).await?;
        match case.check(&invocation.answer) {
            Ok(()) => tally.accepted += 1,
            Err(_) => tally.refused += 1,
        }
        tally.longest = tally.longest.max(invocation.wall);
    }
    tally.cpu = function.cpu()?.saturating_sub(cpu_before);
    Ok(tally)
}

/// The processor time of all cores since the machine started.
fn machine_cpu() -> Result<Duration, Problem> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    let [user, nice, system, _idle, _waiting, interrupts, soft_interrupts, ..] = ticks[..] else {
        return Err("/proc/stat has no processor times".into());
    };
    // A tick is 10 ms for all processes (USER_HZ).
    Ok(Duration::from_millis(10 * (user + nice + system + interrupts + soft_interrupts)))
}
