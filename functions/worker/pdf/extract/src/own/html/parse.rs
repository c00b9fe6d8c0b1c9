//! Parses pages whose elements are not too deep in each other: the time that parsing takes grows with the square of their depth.

use docmill_pdf_request::{ErrorCode, Failure};
use html5ever::driver::{self, ParseOpts, Parser};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{QualName, local_name, ns};
use scraper::{Html, HtmlTreeSink};

/// Most elements in each other.
const DEPTH: usize = 5_000;
/// After so many bytes, the depth is looked at.
const STEP: usize = 16 << 10;

pub(super) fn document(html: &str) -> Result<Html, Failure> {
    let sink = HtmlTreeSink::new(Html::new_document());
    parse(driver::parse_document(sink, ParseOpts::default()), html)
}

/// A part of a page's body.
pub(super) fn fragment(html: &str) -> Result<Html, Failure> {
    let sink = HtmlTreeSink::new(Html::new_fragment());
    let body = QualName::new(None, ns!(html), local_name!("body"));
    parse(driver::parse_fragment(sink, ParseOpts::default(), body, Vec::new(), false), html)
}

fn parse(mut parser: Parser<HtmlTreeSink>, html: &str) -> Result<Html, Failure> {
    let mut rest = html;
    while !rest.is_empty() {
        let (step, after) = rest.split_at(rest.floor_char_boundary(STEP));
        parser.process(StrTendril::from_slice(step));
        // The newest node stands where the page is at.
        let depth = {
            let page = parser.tokenizer.sink.sink.0.borrow();
            page.tree.nodes().next_back().map_or(0, |node| node.ancestors().count())
        };
        if depth > DEPTH {
            let message = format!(
                "The HTML has more than {DEPTH} elements inside each other, and is too complex to be read. Remove elements that are \
                 not closed."
            );
            return Err(Failure::new(ErrorCode::RenderFailed, message, "HTML too deep"));
        }
        rest = after;
    }
    Ok(parser.finish())
}
