//! Limits of jobs, which service, plans and keys can lower.

use clap::Args;
use docmill_domain::limits::{Ceilings, Limit};
use std::num::NonZeroU64;

#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// A limit on jobs, such as `pages=50` (repeatable). Names and units are those of a tool's `metadata.limits`. Limits above
    /// the service's have no effect.
    #[arg(long = "limit", value_name = "NAME=MOST", value_parser = ceiling)]
    set: Vec<(Limit, NonZeroU64)>,
    /// Remove this limit (repeatable).
    #[arg(long = "no-limit", value_name = "NAME", value_parser = limit)]
    removed: Vec<Limit>,
}

impl LimitArgs {
    pub(crate) fn change(&self, ceilings: &mut Ceilings) {
        for limit in &self.removed {
            ceilings.set(*limit, None);
        }
        for (limit, most) in &self.set {
            ceilings.set(*limit, Some(most.get()));
        }
    }
}

fn limit(name: &str) -> Result<Limit, String> {
    Limit::try_from(name.to_owned()).map_err(|_| {
        let known = Limit::ALL.map(Limit::as_str).join(", ");
        format!("use one of {known}")
    })
}

fn ceiling(text: &str) -> Result<(Limit, NonZeroU64), String> {
    let (name, most) = text.split_once('=').ok_or("use NAME=LIMIT, such as pages=50")?;
    let most = most.parse().map_err(|_| "the limit must be a whole number of at least 1".to_owned())?;
    Ok((limit(name)?, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_published_name_and_a_number() {
        let (limit, most) = ceiling("sourceBytes=1048576").unwrap();
        assert_eq!((limit, most.get()), (Limit::SourceBytes, 1 << 20));
        for wrong in ["pages", "pages=", "pages=0", "pages=-1", "glitter=1"] {
            assert!(ceiling(wrong).is_err(), "{wrong}");
        }
    }
}
