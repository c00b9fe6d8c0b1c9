//! The pages, a module each: routes, handlers, and markup as functions of data.

pub mod admin;
pub mod jobs;
pub mod keys;
pub mod overview;
pub mod parts;
pub mod plans;
pub mod playground;
pub mod public;
pub mod tools;
pub mod webhooks;
