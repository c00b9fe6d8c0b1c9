//! Faults of the service, which no use case can do anything about.

use docmill_aws::files::FilesError;
use docmill_store::StoreError;

/// The service is at fault. The texts are for operators.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Something did not answer in time, or was contended: the same request may succeed later.
    #[error("{0}")]
    Unavailable(String),
    /// A mistake of the service: the same request would fail again.
    #[error("{0}")]
    Internal(String),
}

impl Fault {
    /// A fault that a later request may not meet.
    pub fn unavailable(cause: impl ToString) -> Self {
        Self::Unavailable(cause.to_string())
    }

    /// A mistake of the service.
    pub fn internal(cause: impl ToString) -> Self {
        Self::Internal(cause.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => Self::Unavailable(cause),
            StoreError::Refused(cause) | StoreError::Malformed(cause) => Self::Internal(cause),
        }
    }
}

impl From<FilesError> for Fault {
    fn from(error: FilesError) -> Self {
        Self::unavailable(error)
    }
}

/// Makes faults of adapters errors of a use case, which has them as its variant `Fault`.
macro_rules! with_faults {
    ($error:ty) => {
        impl From<docmill_store::StoreError> for $error {
            fn from(error: docmill_store::StoreError) -> Self {
                Self::Fault(error.into())
            }
        }

        impl From<docmill_aws::files::FilesError> for $error {
            fn from(error: docmill_aws::files::FilesError) -> Self {
                Self::Fault(error.into())
            }
        }
    };
}
pub(crate) use with_faults;
