//! The results as Markdown for people and as JSON for programs.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::Problem;
use crate::creates::Creates;
use crate::figures::{Series, Summary, milliseconds};
use crate::measuring::{Backend, Measured, binary};
use crate::requests::{Case, HELLO_WORLD};
use crate::stub::CALL_TIME;

/// The targets, in milliseconds and as a multiple of the baseline's start.
const INIT_TIMES_BASELINE: f64 = 2.0;
const WARM_CPU_MS: f64 = 1.0;
const WARM_BEYOND_CALLS_MS: f64 = 2.0;

#[derive(Debug, Serialize)]
pub struct Report {
    machine: Value,
    call_ms: f64,
    functions: Vec<FunctionReport>,
    pub creates: Vec<Creates>,
}

#[derive(Debug, Serialize)]
struct FunctionReport {
    name: &'static str,
    binary_bytes: u64,
    backends: Vec<BackendReport>,
}

#[derive(Debug, Serialize)]
struct BackendReport {
    backend: &'static str,
    init_ms: Summary,
    first_ms: Summary,
    first_cpu_ms: Summary,
    warm_ms: Summary,
    warm_cpu_ms: Summary,
    peak_memory_bytes: u64,
    calls: Option<usize>,
    serial_calls: Option<usize>,
}

impl Report {
    pub fn new(
        binaries: &Path,
        cases: &[Case],
        backends: &[Backend],
        results: &[Vec<Measured>],
    ) -> Result<Self, Problem> {
        let mut functions = Vec::new();
        for (case, measured) in cases.iter().zip(results) {
            functions.push(FunctionReport {
                name: case.name,
                binary_bytes: std::fs::metadata(binary(binaries, case))?.len(),
                backends: backends
                    .iter()
                    .zip(measured)
                    .map(|(backend, measured)| BackendReport::new(backend.name, measured))
                    .collect::<Result<_, _>>()?,
            });
        }
        Ok(Self { machine: machine(), call_ms: milliseconds(CALL_TIME), functions, creates: Vec::new() })
    }

    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n", self.machine);
        let names: Vec<&str> = self
            .functions
            .first()
            .map_or_else(Vec::new, |first| first.backends.iter().map(|backend| backend.backend).collect());
        for (position, name) in names.into_iter().enumerate() {
            let rows: Vec<_> = self.functions.iter().filter_map(|f| Some((f, f.backends.get(position)?))).collect();
            text += &start_table(name, &rows);
            text += &warm_table(name, &rows, self.call_ms);
        }
        text += &creates_table(&self.creates);
        text += &self.bars_table();
        text
    }

    /// Whether the targets are met with the plain stub. Empty if it was not among the backends.
    fn bars_table(&self) -> String {
        let plain: Vec<_> = self
            .functions
            .iter()
            .filter_map(|f| Some((f.name, f.backends.iter().find(|backend| backend.backend == "plain")?)))
            .collect();
        let Some((_, hello)) = plain.iter().find(|(name, _)| *name == HELLO_WORLD) else { return String::new() };
        let mut text = format!(
            "\n### Bars, with the plain stub: init at most {INIT_TIMES_BASELINE} × {HELLO_WORLD}'s, warm CPU at most \
             {WARM_CPU_MS} ms, warm wall at most {WARM_BEYOND_CALLS_MS} ms beyond its serial calls\n\n\
             | function | init, × | warm CPU, ms | beyond its calls, ms | met |\n|---|---|---|---|---|\n"
        );
        for (name, backend) in plain.iter().filter(|(name, _)| *name != HELLO_WORLD) {
            let init = backend.init_ms.median / hello.init_ms.median;
            let (cpu, beyond) = (backend.warm_cpu_ms.median, backend.beyond_calls(self.call_ms));
            let met = init <= INIT_TIMES_BASELINE && cpu <= WARM_CPU_MS && beyond <= WARM_BEYOND_CALLS_MS;
            let met = if met { "yes" } else { "NO" };
            row(&mut text, &[(*name).to_owned(), two(init), two(cpu), two(beyond), met.to_owned()]);
        }
        text
    }
}

impl BackendReport {
    fn new(backend: &'static str, measured: &Measured) -> Result<Self, Problem> {
        let summary = |series: &Series| series.summary().ok_or("nothing was measured");
        Ok(Self {
            backend,
            init_ms: summary(&measured.init)?,
            first_ms: summary(&measured.first)?,
            first_cpu_ms: summary(&measured.first_cpu)?,
            warm_ms: summary(&measured.warm)?,
            warm_cpu_ms: summary(&measured.warm_cpu)?,
            peak_memory_bytes: measured.peak_memory,
            calls: measured.calls.map(|(calls, _)| calls),
            serial_calls: measured.calls.map(|(_, serial)| serial),
        })
    }

    fn beyond_calls(&self, call_ms: f64) -> f64 {
        self.warm_ms.median - call_ms * self.serial_calls.unwrap_or(0) as f64
    }
}

fn start_table(backend: &str, rows: &[(&FunctionReport, &BackendReport)]) -> String {
    let mut text = format!(
        "\n### {backend}: start and first invocation, ms: median / p99 / max\n\n\
         | function | binary, MB | init | first invocation | its CPU, median | peak memory, MB |\n|---|---|---|---|---|---|\n"
    );
    for (function, backend) in rows {
        row(
            &mut text,
            &[
                function.name.to_owned(),
                megabytes(function.binary_bytes),
                three(&backend.init_ms),
                three(&backend.first_ms),
                two(backend.first_cpu_ms.median),
                megabytes(backend.peak_memory_bytes),
            ],
        );
    }
    text
}

fn warm_table(backend: &str, rows: &[(&FunctionReport, &BackendReport)], call_ms: f64) -> String {
    let mut text = format!(
        "\n### {backend}: warm, ms: median / p99 / max (medians of the rounds)\n\n\
         | function | wall | calls, serial | beyond its serial calls | CPU |\n|---|---|---|---|---|\n"
    );
    for (function, backend) in rows {
        let (calls, beyond) = match (backend.calls, backend.serial_calls) {
            (Some(calls), Some(serial)) => (format!("{calls}, {serial}"), two(backend.beyond_calls(call_ms))),
            _ => ("–".to_owned(), "–".to_owned()),
        };
        row(
            &mut text,
            &[function.name.to_owned(), spread(&backend.warm_ms), calls, beyond, spread(&backend.warm_cpu_ms)],
        );
    }
    text
}

fn creates_table(creates: &[Creates]) -> String {
    if creates.is_empty() {
        return String::new();
    }
    let mut text = "\n### Jobs created a second\n\n\
         | backend | accounts | environments at once | a second | refused | longest, ms | cores of the functions | cores of the \
         whole machine |\n|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for each in creates {
        row(
            &mut text,
            &[
                each.backend.to_owned(),
                if each.one_account { "one" } else { "one each" }.to_owned(),
                each.environments.to_string(),
                format!("{:.0}", each.per_second),
                each.refused.to_string(),
                format!("{:.0}", each.longest_ms),
                two(each.cores_of_functions),
                two(each.cores_of_machine),
            ],
        );
    }
    text
}

fn row(text: &mut String, cells: &[String]) {
    *text += &format!("| {} |\n", cells.join(" | "));
}

fn three(summary: &Summary) -> String {
    format!("{:.2} / {:.2} / {:.2}", summary.median, summary.p99, summary.max)
}

fn spread(summary: &Summary) -> String {
    format!("{} ({:.2}–{:.2})", three(summary), summary.lowest, summary.highest)
}

fn two(figure: f64) -> String {
    format!("{figure:.2}")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// The machine of the measurements.
fn machine() -> Value {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map(|(_, name)| name);
    json!({
        "measured_at": docmill_config::clock::now().to_string(),
        "processor": processor.unwrap_or("unknown").trim(),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "load": load.split_whitespace().take(3).collect::<Vec<_>>().join(" "),
    })
}
