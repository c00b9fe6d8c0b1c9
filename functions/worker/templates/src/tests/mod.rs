//! Templates as their users write them, filled and looked into.

mod docx;
mod fixture;
mod formats;
mod hostile;
mod locales;
mod mistakes;
mod schema;
mod sheets;
