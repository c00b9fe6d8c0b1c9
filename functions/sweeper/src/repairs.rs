//! The result of a run.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use docmill_domain::job::JobId;
use docmill_telemetry::line::Line;
use docmill_telemetry::{field, metric};
use tracing::Level;

use crate::Obstacle;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    pub resent: u32,
    pub released: u32,
    pub failed: u32,
    pub expired: u32,
    /// Counted creations and ends of jobs.
    pub counted: u32,
    /// Jobs that had changed in the meantime, or were not due yet.
    pub untouched: u32,
    /// Jobs that could not be repaired now. The next run tries again.
    pub errors: u32,
}

/// The repair of one job.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Repair {
    Resent,
    Released,
    Failed,
    Expired,
    None,
}

impl Repairs {
    pub(crate) fn of(id: JobId, repaired: Result<Repair, Obstacle>) -> Self {
        let mut repairs = Self::default();
        match repaired {
            Ok(Repair::Resent) => repairs.resent = 1,
            Ok(Repair::Released) => repairs.released = 1,
            Ok(Repair::Failed) => repairs.failed = 1,
            Ok(Repair::Expired) => repairs.expired = 1,
            Ok(Repair::None) => repairs.untouched = 1,
            Err(error) => {
                tracing::error!(job_id = %id, %error, "a job could not be repaired");
                repairs.errors = 1;
            }
        }
        repairs
    }

    pub(crate) fn line(&self) -> Line {
        let Self { resent, released, failed, expired, counted: _, untouched, errors } = *self;
        let counted = [
            (metric::REPAIRS_RESENT, resent),
            (metric::REPAIRS_RELEASED, released),
            (metric::REPAIRS_FAILED, failed),
            (metric::REPAIRS_EXPIRED, expired),
            (metric::REPAIR_ERRORS, errors),
        ];
        let line = Line::new(Level::INFO, "sweep finished").with(field::UNTOUCHED, untouched);
        counted.into_iter().fold(line, |line, (metric, count)| line.count(metric, count.into()))
    }
}

impl Add for Repairs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            resent: self.resent + other.resent,
            released: self.released + other.released,
            failed: self.failed + other.failed,
            expired: self.expired + other.expired,
            counted: self.counted + other.counted,
            untouched: self.untouched + other.untouched,
            errors: self.errors + other.errors,
        }
    }
}

impl AddAssign for Repairs {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Repairs {
    fn sum<I: Iterator<Item = Self>>(repairs: I) -> Self {
        repairs.fold(Self::default(), Self::add)
    }
}
