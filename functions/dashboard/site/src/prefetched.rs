//! Reads a page's data before the visitor is known: for the account in the signed cookie, in parallel with the look-up of its
//! session, which saves a round trip. Data is never shown if the session is over or belongs to another account.

use std::any::Any;
use std::sync::Arc;

/// Data read for an account.
#[derive(Clone, Debug)]
pub struct Prefetched {
    account: String,
    read: Arc<dyn Any + Send + Sync>,
}

impl Prefetched {
    /// What was read for this account.
    pub fn new<T: Any + Send + Sync>(account: &str, read: T) -> Self {
        Self { account: account.to_owned(), read: Arc::new(read) }
    }

    /// The data, if it has this type and belongs to this account.
    pub fn of<T: Any + Send + Sync>(&self, account: &str) -> Option<Arc<T>> {
        if self.account == account { self.read.clone().downcast().ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_another_account_is_not_shown() {
        let ahead = Prefetched::new("acc_1", vec![1, 2]);
        assert_eq!(ahead.of::<Vec<i32>>("acc_1").as_deref(), Some(&vec![1, 2]));
        assert_eq!(ahead.of::<Vec<i32>>("acc_2"), None);
        assert_eq!(ahead.of::<String>("acc_1"), None);
    }
}
