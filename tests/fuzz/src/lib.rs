//! Runs a fuzz target: code that takes untrusted bytes and must answer without a panic.
//!
//! A target is a test next to the code under test. With the other tests it runs briefly; with `FUZZ_SECONDS`, as in `make fuzz`,
//! for that long. Inputs are random changes of committed seeds, and random bytes. They are not guided by coverage, which needs an
//! unstable compiler.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

/// Inputs of a run with the other tests, and between two checks of the clock.
const BATCH: u32 = 256;
const MOST_RANDOM_BYTES: usize = 512;
const MOST_CHANGES: usize = 12;

/// A change of a seed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Insert(u8),
    Replace(u8),
    FlipBit(u8),
    Remove,
    Truncate,
    /// Repeats the following bytes, up to this many.
    Repeat(u8),
    /// Inserts a piece of another seed.
    Splice(u16),
}

/// Tests `target` with the seeds in `tests/fuzz/seeds/NAME/` (and `more` directories, relative to `tests/fuzz`) and with changes
/// of them. An input that causes a panic is reduced and saved as another seed.
pub fn fuzz(name: &str, more: &[&str], target: impl Fn(&[u8])) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = here.join("seeds").join(name);
    let mut seeds = read_seeds(&directory);
    for directory in more {
        seeds.extend(read_seeds(&here.join(directory)));
    }
    for (path, seed) in &seeds {
        // Shown if the test fails: the last one is the cause.
        eprintln!("fuzz {name}: {}", path.display());
        target(seed);
    }
    let started = Instant::now();
    let time = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    let mut executions = seeds.len() as u64;
    loop {
        let config = Config { cases: BATCH, failure_persistence: None, ..Config::default() };
        let inputs = inputs(seeds.iter().map(|(_, seed)| seed.clone()).collect());
        let outcome = TestRunner::new(config).run(&inputs, |input| {
            target(&input);
            Ok(())
        });
        if let Err(TestError::Fail(reason, input)) = outcome {
            let kept = keep(&directory, &input);
            panic!("{name}: {reason}; the input is {}", kept.display());
        }
        outcome.unwrap();
        executions += u64::from(BATCH);
        if time.is_none_or(|time| started.elapsed() >= time) {
            break;
        }
    }
    eprintln!("fuzz {name}: {executions} executions in {} s, none failed", started.elapsed().as_secs());
}

fn read_seeds(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("no seeds in {}: {error}", directory.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no seeds in {}", directory.display());
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn keep(directory: &Path, input: &[u8]) -> PathBuf {
    let path = directory.join(format!("found-{}-bytes", input.len()));
    fs::write(&path, input).unwrap();
    path
}

fn inputs(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let random = prop::collection::vec(any::<u8>(), 0..MOST_RANDOM_BYTES);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), changes()), 1..MOST_CHANGES);
    let changed = (any::<prop::sample::Index>(), changes).prop_map(move |(seed, changes)| {
        let mut content = seeds[seed.index(seeds.len())].clone();
        for (at, change) in changes {
            apply(change, at.index(content.len() + 1), &mut content, &seeds);
        }
        content
    });
    prop_oneof![1 => random, 4 => changed]
}

fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<u8>().prop_map(Change::Insert),
        any::<u8>().prop_map(Change::Replace),
        (0..8_u8).prop_map(Change::FlipBit),
        Just(Change::Remove),
        Just(Change::Truncate),
        any::<u8>().prop_map(Change::Repeat),
        any::<u16>().prop_map(Change::Splice),
    ]
}

/// `at` is a position in the content, or its end.
fn apply(change: Change, at: usize, content: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    match change {
        Change::Insert(byte) => content.insert(at, byte),
        Change::Replace(byte) => {
            if let Some(old) = content.get_mut(at) {
                *old = byte;
            }
        }
        Change::FlipBit(bit) => {
            if let Some(old) = content.get_mut(at) {
                *old ^= 1 << bit;
            }
        }
        Change::Remove => {
            if at < content.len() {
                content.remove(at);
            }
        }
        Change::Truncate => content.truncate(at),
        Change::Repeat(length) => {
            let end = content.len().min(at + usize::from(length));
            let piece = content[at..end].to_vec();
            content.splice(at..at, piece);
        }
        Change::Splice(number) => {
            let other = &seeds[usize::from(number) % seeds.len()];
            let from = usize::from(number) % (other.len() + 1);
            let end = other.len().min(from + 32);
            content.splice(at..at, other[from..end].iter().copied());
        }
    }
}
