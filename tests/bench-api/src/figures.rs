//! Figures of repeated measurements.

use std::time::Duration;

use serde::Serialize;

/// All samples of a quantity, by round.
#[derive(Clone, Debug, Default)]
pub struct Series(Vec<Vec<f64>>);

/// A series summarised. `lowest` and `highest` are the medians of its extreme rounds, which show how reliable the rest is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub samples: usize,
    pub median: f64,
    pub p99: f64,
    pub max: f64,
    pub lowest: f64,
    pub highest: f64,
}

impl Series {
    pub fn add_round(&mut self, samples: Vec<f64>) {
        self.0.push(samples);
    }

    /// `None` without samples.
    pub fn summary(&self) -> Option<Summary> {
        let all = sorted(self.0.iter().flatten().copied().collect());
        let medians: Vec<f64> = self.0.iter().filter_map(|round| quantile(&sorted(round.clone()), 0.5)).collect();
        Some(Summary {
            samples: all.len(),
            median: quantile(&all, 0.5)?,
            p99: quantile(&all, 0.99)?,
            max: *all.last()?,
            lowest: medians.iter().copied().fold(f64::INFINITY, f64::min),
            highest: medians.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn sorted(mut samples: Vec<f64>) -> Vec<f64> {
    samples.sort_by(f64::total_cmp);
    samples
}

/// The nearest rank, which is always a measured value.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_measured_values_and_rounds_show_the_spread() {
        let mut series = Series::default();
        assert_eq!(series.summary(), None);
        series.add_round((1..=99).map(f64::from).collect());
        series.add_round(vec![1000.0]);
        let expected = Summary { samples: 100, median: 50.0, p99: 99.0, max: 1000.0, lowest: 50.0, highest: 1000.0 };
        assert_eq!(series.summary(), Some(expected));
    }
}
