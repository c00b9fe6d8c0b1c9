//! Templates as their users write them, filled and looked into.

mod book;
mod codes;
mod docx;
mod fixture;
mod formats;
mod hostile;
mod locales;
mod mistakes;
mod pictures;
mod rich;
mod schema;
mod sheets;
mod sheets_limits;
mod sheets_references;
mod subtemplates;
