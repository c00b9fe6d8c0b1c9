//! Text of strangers as inline Markdown: nothing in it is read as markup, and only its links to pages and mail are links.

use url::Url;

/// A run of text in one style.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Styled<'t> {
    pub text: &'t str,
    pub bold: bool,
    pub italic: bool,
    pub code: bool,
    /// `sup` or `sub`.
    pub element: Option<&'static str>,
    pub link: Option<&'t str>,
    /// The name of the footnote whose mark it is.
    pub note: Option<&'t str>,
}

/// Writes runs of text, trimmed. If everything is emphasised, nothing is.
pub(super) fn inline(runs: &[Styled<'_>]) -> String {
    let (bold, italic) = (runs.iter().all(|run| run.bold), runs.iter().all(|run| run.italic));
    let mut text = String::new();
    for run in runs {
        let inner = run.text.trim();
        let start = run.text.len() - run.text.trim_start().len();
        text.push_str(run.text.get(..start).unwrap_or_default());
        if !inner.is_empty() {
            let plain = Styled { bold: run.bold && !bold, italic: run.italic && !italic, text: inner, ..*run };
            push(&mut text, plain);
            text.push_str(run.text.get(start + inner.len()..).unwrap_or_default());
        }
    }
    text.trim().to_owned()
}

fn push(text: &mut String, run: Styled<'_>) {
    if let Some(note) = run.note {
        return text.push_str(&format!("[^{note}]"));
    }
    let Some(address) = run.link.filter(|address| is_safe(address)) else { return text.push_str(&styled(run, escape)) };
    // After an exclamation mark, it would be a picture.
    if text.ends_with('!') {
        text.pop();
        text.push_str("\\!");
    }
    let inner = styled(run, |inner| escaped(inner, |c, _| matches!(c, '[' | ']')));
    text.push_str(&format!("[{inner}]({})", destination(address)));
}

fn styled(run: Styled<'_>, escape: impl Fn(&str) -> String) -> String {
    let mark = match (run.bold, run.italic) {
        (true, true) => "***",
        (true, false) => "**",
        (false, true) => "*",
        (false, false) => "",
    };
    let inner = match (run.code, run.text.chars().any(char::is_alphanumeric)) {
        (true, true) => format!("`{}`", run.text.replace('`', "")),
        (false, true) => format!("{mark}{}{mark}", escape(run.text)),
        (_, false) => escape(run.text),
    };
    match run.element {
        Some(element) => format!("<{element}>{inner}</{element}>"),
        None => inner,
    }
}

/// Whether a link leads to a page or to an address of e-mail. It is read as browsers do, which skip what hides a scheme.
pub fn is_safe(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"))
}

/// An address without what would end it.
fn destination(address: &str) -> String {
    let mut written = String::with_capacity(address.len());
    for c in address.chars() {
        match c {
            ' ' => written.push_str("%20"),
            '(' => written.push_str("%28"),
            ')' => written.push_str("%29"),
            '<' => written.push_str("%3C"),
            '>' => written.push_str("%3E"),
            '\\' => written.push_str("%5C"),
            c if c.is_control() => {}
            c => written.push(c),
        }
    }
    written
}

/// Escapes characters that Markdown would read as markup.
pub(super) fn escape(text: &str) -> String {
    // A bracket closes a link's text only before its address.
    escaped(text, |c, next| c == ']' && matches!(next, Some('(' | '[' | ':') | None))
}

/// `more`: what else is escaped, given a character and the next one.
fn escaped(text: &str, more: impl Fn(char, Option<char>) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let inside = before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric);
        if matches!(c, '*' | '`' | '<' | '\\') || c == '_' && !inside || more(c, next) {
            escaped.push('\\');
        }
        escaped.push(c);
        before = c;
    }
    escaped
}

/// Escapes a line that begins like a heading, an item or a quotation, or would be a rule, an underline or a fence.
pub(crate) fn guard_start(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let numbered = first.strip_suffix(['.', ')']).is_some_and(|digits| {
        !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if numbered {
        return format!("{}\\{}", &first[..first.len() - 1], &text[first.len() - 1..]);
    }
    let repeats = |c: char| first.starts_with(c) && first.chars().all(|other| other == c);
    let looks =
        first == "+" || ['#', '-', '='].into_iter().any(repeats) || first.starts_with('>') || first.starts_with("~~~");
    if looks { format!("\\{text}") } else { text.to_owned() }
}

/// Code between fences that are longer than any in it.
pub(crate) fn fenced(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{code}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Styled<'_> {
        Styled { text, ..Styled::default() }
    }

    fn link<'t>(text: &'t str, address: &'t str) -> Styled<'t> {
        Styled { text, link: Some(address), ..Styled::default() }
    }

    #[test]
    fn runs_keep_the_spaces_between_them() {
        let bold = |text| Styled { bold: true, ..plain(text) };
        assert_eq!(inline(&[plain("a"), bold(" b"), plain(" c ")]), "a **b** c");
        assert_eq!(inline(&[plain(" a"), plain("  "), bold("b ")]), "a  **b**");
        assert_eq!(inline(&[bold("all"), bold(" bold")]), "all bold");
        let raised = Styled { element: Some("sup"), ..plain("2") };
        assert_eq!(inline(&[plain("x"), raised]), "x<sup>2</sup>");
    }

    #[test]
    fn links_lead_to_pages_and_mail_only() {
        assert_eq!(inline(&[link("A", "https://a.example/A_(b) c")]), "[A](https://a.example/A_%28b%29%20c)");
        assert_eq!(inline(&[link("Ada", "mailto:ada@example.com")]), "[Ada](mailto:ada@example.com)");
        for address in ["javascript:x()", " java\nscript:x()", "data:text/html,x", "file:///etc/passwd", "other"] {
            assert_eq!(inline(&[link("A", address)]), "A", "{address}");
        }
        assert_eq!(inline(&[link("a](b)", "https://a.example/")]), "[a\\](b)](https://a.example/)");
        assert_eq!(inline(&[plain("See!"), link("a", "https://a.example/")]), "See\\![a](https://a.example/)");
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("[x](javascript:y) and [1], [2]: a"), "[x\\](javascript:y) and [1], [2\\]: a");
        assert_eq!(escape("*a* _b_ c_d `e` <f>"), "\\*a\\* \\_b\\_ c_d \\`e\\` \\<f>");
        assert_eq!(guard_start("1. a"), "1\\. a");
        for start in ["# a", "- a", "+ a", "> a", ">a", "---", "- - -", "===", "~~~~ a"] {
            assert_eq!(guard_start(start), format!("\\{start}"));
        }
        for other in ["#a", "-a", "+1", "a # b", "-1 - 2", "~ a", "1.5 a"] {
            assert_eq!(guard_start(other), other);
        }
        assert_eq!(fenced("a"), "```\na\n```");
        assert_eq!(fenced("```\n</x>"), "````\n```\n</x>\n````");
    }
}
