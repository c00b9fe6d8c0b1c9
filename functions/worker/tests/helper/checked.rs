//! The converter's checks of results, for tests of single engines.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_engine::{Conversion, Failure, Limits};
use docmill_pdf_engine::PdfTools;
use docmill_plan::checker::Checker;

thread_local! {
    /// One for each test: a test has its own thread and runtime.
    static TOOLS: Rc<PdfTools> = Rc::new(PdfTools::new(Launcher::new(env!("CARGO_BIN_EXE_worker"))));
}

pub(crate) async fn checked(conversion: Conversion, scratch: &Path, limits: &Limits) -> Result<Conversion, Failure> {
    let tools = TOOLS.with(Rc::clone);
    let scratch = scratch.join("check");
    std::fs::create_dir_all(&scratch).unwrap();
    let checker = Checker { tools: &*tools, limits, deadline: Instant::now() + Duration::from_secs(100) };
    checker.check(conversion, None, &scratch).await
}
