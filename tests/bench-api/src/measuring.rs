//! Interleaved rounds: every function once with every backend, then again, so that a busy moment affects all equally.

use std::path::{Path, PathBuf};

use crate::Problem;
use crate::figures::{Series, milliseconds};
use crate::function::Function;
use crate::requests::Case;
use crate::stub::{Call, Stub, serial_calls};
use crate::world::World;

/// The service that a function calls.
#[derive(Debug)]
pub struct Backend {
    pub name: &'static str,
    pub world: World,
    pub stub: Option<Stub>,
}

#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub rounds: usize,
    /// Invocations after a process's first.
    pub warm: usize,
}

/// One function with one backend. Times in milliseconds, memory in bytes.
#[derive(Debug, Default)]
pub struct Measured {
    pub init: Series,
    pub first: Series,
    pub first_cpu: Series,
    pub warm: Series,
    pub warm_cpu: Series,
    pub peak_memory: u64,
    /// For a warm invocation: the number of calls, and of those that waited for each other. Only known with stubs.
    pub calls: Option<(usize, usize)>,
}

/// The results in the order of `cases`, each with one entry per backend.
pub async fn measure(
    binaries: &Path,
    cases: &[Case],
    backends: &[Backend],
    extent: Extent,
) -> Result<Vec<Vec<Measured>>, Problem> {
    let empty = || backends.iter().map(|_| Measured::default()).collect::<Vec<_>>();
    let mut results: Vec<Vec<Measured>> = cases.iter().map(|_| empty()).collect();
    for _ in 0..extent.rounds {
        for (case, results) in cases.iter().zip(&mut results) {
            for (backend, result) in backends.iter().zip(results) {
                let round = round(binaries, case, backend, extent.warm, result).await;
                round.map_err(|problem| format!("{} on {}: {problem}", case.name, backend.name))?;
            }
        }
    }
    Ok(results)
}

async fn round(
    binaries: &Path,
    case: &Case,
    backend: &Backend,
    warm: usize,
    result: &mut Measured,
) -> Result<(), Problem> {
    let mut function = Function::start(&binary(binaries, case), &backend.world.environment).await?;
    let first = function.invoke(&case.event(&backend.world)).await?;
    case.check(&first.answer)?;
    take_calls(backend);
    let (mut walls, mut cpus) = (Vec::with_capacity(warm), Vec::with_capacity(warm));
    for _ in 0..warm {
        let invocation = function.invoke(&case.event(&backend.world)).await?;
        case.check(&invocation.answer)?;
        walls.push(milliseconds(invocation.wall));
        cpus.push(milliseconds(invocation.cpu));
        let calls = take_calls(backend);
        result.calls = calls.map(|calls| (calls.len(), serial_calls(&calls))).max(result.calls);
    }
    result.init.add_round(vec![milliseconds(function.init)]);
    result.first.add_round(vec![milliseconds(first.wall)]);
    result.first_cpu.add_round(vec![milliseconds(first.cpu)]);
    result.warm.add_round(walls);
    result.warm_cpu.add_round(cpus);
    result.peak_memory = result.peak_memory.max(function.peak_memory()?);
    function.stop().await
}

fn take_calls(backend: &Backend) -> Option<Vec<Call>> {
    backend.stub.as_ref().map(Stub::take_calls)
}

pub fn binary(binaries: &Path, case: &Case) -> PathBuf {
    binaries.join(case.binary)
}
