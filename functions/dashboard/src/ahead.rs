//! What a page reads before it is known who is there: for the account that the signed cookie names, while its session is looked up. So the
//! session takes no round of reads of its own. What was read for a session that is over, or for another account, is never shown.

use std::any::Any;
use std::sync::Arc;

/// What was read for one account.
#[derive(Clone, Debug)]
pub struct Ahead {
    account: String,
    read: Arc<dyn Any + Send + Sync>,
}

impl Ahead {
    pub fn new<T: Any + Send + Sync>(account: &str, read: T) -> Self {
        Self { account: account.to_owned(), read: Arc::new(read) }
    }

    /// What was read, if it is of this account and of this type.
    pub fn of<T: Any + Send + Sync>(&self, account: &str) -> Option<Arc<T>> {
        if self.account == account { self.read.clone().downcast().ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_for_another_account_is_not_shown() {
        let ahead = Ahead::new("acc_1", vec![1, 2]);
        assert_eq!(ahead.of::<Vec<i32>>("acc_1").as_deref(), Some(&vec![1, 2]));
        assert_eq!(ahead.of::<Vec<i32>>("acc_2"), None);
        assert_eq!(ahead.of::<String>("acc_1"), None);
    }
}
