//! The domain, pure: values in, values out.

pub mod api_key;
pub mod job;
pub mod quota;
pub mod time;
