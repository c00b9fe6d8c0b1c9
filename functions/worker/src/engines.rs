//! All engines of a worker. To add one, add a crate beside this one and a line here.

use std::io;
use std::path::Path;
use std::sync::Arc;

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_confine::Launcher;
use docmill_domain::tool::EngineKind;
use docmill_egress::EgressPolicy;
use docmill_engine::Engines;
use docmill_fetch::Fetcher;
use docmill_html_basic::HtmlBasic;
use docmill_office::OfficeEngine;
use docmill_pdf_engine::PdfTools;
use docmill_signer::{KeyService, Signer};

/// All engines. `keys`: a service that signs. `libreoffice` is its program directory. Fails if LibreOffice is not there.
pub(crate) fn all(
    launcher: &Launcher,
    policy: EgressPolicy,
    fetcher: Fetcher,
    keys: Option<KeyService>,
    libreoffice: &Path,
) -> io::Result<Engines> {
    let pdf_tools = Arc::new(PdfTools::new(launcher.clone()));
    let browser = HtmlBrowser::new(BrowserSettings::default(), launcher.clone(), policy);
    Ok(Engines::default()
        .with(EngineKind::LibreOffice, Arc::new(OfficeEngine::new(libreoffice, launcher.clone())?))
        .with(EngineKind::Sghtmltopdf, Arc::new(HtmlBasic::new(launcher.clone(), fetcher.clone())))
        .with(EngineKind::Chromium, Arc::new(browser))
        .with(EngineKind::PdfTools, pdf_tools.clone())
        .with(EngineKind::Signer, Arc::new(Signer::new(fetcher, keys)))
        .checked_by(pdf_tools))
}
