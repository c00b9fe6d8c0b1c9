//! What operators see of ended jobs: how many failed, whose fault it was, and why.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::job::JobErrorCode;

/// The end of a job, without any data about its owner or document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The slug of the tool.
    pub tool: String,
    /// `None`: it ended before an engine started, or the engine is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// `None`: it was completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<JobErrorCode>,
}

/// Where to look for the cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The source, the document or the request.
    Source,
    /// The service. A timeout or an engine crash does not prove whose fault it is, but operators should look.
    Service,
}

impl JobErrorCode {
    /// Where operators look for the cause.
    pub const fn fault(self) -> Fault {
        match self {
            Self::SourceUnreachable
            | Self::SourceForbidden
            | Self::SourceTooLarge
            | Self::SourceTimeout
            | Self::UnsupportedFormat
            | Self::CorruptDocument
            | Self::PasswordRequired
            | Self::WrongPassword
            | Self::PageLimitExceeded
            | Self::RenderFailed
            | Self::RedactionIncomplete
            | Self::DocumentSigned
            | Self::SigningFailed
            | Self::InvalidSignatureKey
            | Self::TemplateError
            | Self::SourceJobFailed
            | Self::DeliveryFailed => Fault::Source,
            Self::ConversionTimeout | Self::EngineCrashed | Self::Internal => Fault::Service,
        }
    }
}

/// The outcomes of one tool's jobs in one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The slug of the tool.
    pub tool: String,
    /// As in [`Outcome::engine`].
    pub engine: Option<String>,
    /// All jobs that ended, completed ones included.
    pub jobs: usize,
    /// The number of jobs per error code, most frequent first.
    pub errors: Vec<(JobErrorCode, usize)>,
}

impl Tally {
    /// How many failed.
    pub fn failed(&self) -> usize {
        self.errors.iter().map(|(_, count)| count).sum()
    }

    /// How many failed because of this fault.
    pub fn failed_through(&self, fault: Fault) -> usize {
        self.errors.iter().filter(|(code, _)| code.fault() == fault).map(|(_, count)| count).sum()
    }
}

/// Counts outcomes by tool and engine, sorted by these names.
pub fn tally<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Vec<Tally> {
    let mut tallies: BTreeMap<(&str, Option<&str>), Tally> = BTreeMap::new();
    for Outcome { tool, engine, error } in outcomes {
        let empty = || Tally { tool: tool.clone(), engine: engine.clone(), jobs: 0, errors: Vec::new() };
        let tally = tallies.entry((tool, engine.as_deref())).or_insert_with(empty);
        tally.jobs += 1;
        let Some(code) = error else { continue };
        match tally.errors.iter_mut().find(|(known, _)| known == code) {
            Some((_, count)) => *count += 1,
            None => tally.errors.push((*code, 1)),
        }
    }
    let mut tallies: Vec<_> = tallies.into_values().collect();
    for tally in &mut tallies {
        tally.errors.sort_by_key(|(code, count)| (Reverse(*count), code.as_str()));
    }
    tallies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tool: &str, engine: Option<&str>, error: Option<JobErrorCode>) -> Outcome {
        Outcome { tool: tool.to_owned(), engine: engine.map(str::to_owned), error }
    }

    #[test]
    fn outcomes_are_counted_by_tool_and_engine_with_the_commonest_error_first() {
        use JobErrorCode::{ConversionTimeout, CorruptDocument, SourceUnreachable};
        let outcomes = [
            outcome("office-to-pdf", Some("libreoffice"), None),
            outcome("html-to-pdf", Some("chromium"), Some(ConversionTimeout)),
            outcome("office-to-pdf", Some("libreoffice"), Some(ConversionTimeout)),
            outcome("office-to-pdf", None, Some(SourceUnreachable)),
            outcome("office-to-pdf", Some("libreoffice"), Some(CorruptDocument)),
            outcome("office-to-pdf", Some("libreoffice"), Some(CorruptDocument)),
        ];
        let tallies = tally(&outcomes);
        let names: Vec<_> = tallies.iter().map(|tally| (tally.tool.as_str(), tally.engine.as_deref())).collect();
        let (office, html) = ("office-to-pdf", "html-to-pdf");
        assert_eq!(names, [(html, Some("chromium")), (office, None), (office, Some("libreoffice"))]);
        let libreoffice = &tallies[2];
        assert_eq!((libreoffice.jobs, libreoffice.failed()), (4, 3));
        assert_eq!(libreoffice.errors, [(CorruptDocument, 2), (ConversionTimeout, 1)]);
        let through = |fault| libreoffice.failed_through(fault);
        assert_eq!((through(Fault::Source), through(Fault::Service)), (2, 1));
    }

    #[test]
    fn a_fault_of_ours_is_retryable_and_no_jobs_at_all_give_no_rate() {
        for code in JobErrorCode::ALL.into_iter().filter(|code| code.fault() == Fault::Service) {
            assert!(code.is_retryable(), "{code:?}");
        }
        assert_eq!(tally([]), []);
    }
}
