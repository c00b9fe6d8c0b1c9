//! Scripted name resolution, for the tests of crates that connect through the guard.

use std::collections::VecDeque;
use std::io;
use std::net::{AddrParseError, IpAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::policy::Lookup;

/// Answers each look-up with the next of its answers, and then with none.
#[derive(Debug)]
pub struct Scripted(Mutex<VecDeque<Vec<IpAddr>>>);

impl Scripted {
    /// Answers in this order, each a list of addresses.
    ///
    /// # Errors
    /// If a text is not an address.
    pub fn new<const N: usize>(answers: [&[&str]; N]) -> Result<Arc<Self>, AddrParseError> {
        let parse = |answer: &[&str]| answer.iter().map(|text| text.parse()).collect();
        Ok(Arc::new(Self(Mutex::new(answers.into_iter().map(parse).collect::<Result<_, _>>()?))))
    }

    /// How many answers are left.
    pub fn unused(&self) -> usize {
        self.answers().len()
    }

    fn answers(&self) -> MutexGuard<'_, VecDeque<Vec<IpAddr>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Lookup for Scripted {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        Ok(self.answers().pop_front().unwrap_or_default())
    }
}
