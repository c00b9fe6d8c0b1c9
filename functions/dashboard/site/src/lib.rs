//! What every page of the dashboard stands on: sign-in, sessions, forms, layout, answers to errors.
//!
//! Modules depend on each other in one direction: config, issuer, state, cookies, session, viewer, form, layout.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod actions;
pub mod assets;
pub mod chart;
pub mod config;
pub mod cookies;
pub mod csrf;
pub mod delivery;
pub mod error;
pub mod error_page;
pub mod flash;
pub mod form;
pub mod issuer;
pub mod label;
pub mod layout;
pub mod listing;
pub mod parts;
pub mod prefetched;
mod return_to;
pub mod security;
pub mod session;
pub mod sign_in;
pub mod state;
pub mod viewer;
