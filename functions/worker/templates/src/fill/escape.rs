//! Characters of values as the formats of parts have them.

use super::{Filler, Writing};
use crate::problem::Failure;
use crate::tree::Target;

impl Filler<'_> {
    pub(crate) fn write_value(
        &mut self,
        writing: &mut Writing<'_>,
        text: &str,
        target: &Target,
    ) -> Result<(), Failure> {
        let mut after_space = false;
        let mut rest = text;
        while let Some(position) = rest.find(|c: char| !c.is_alphanumeric()) {
            let (plain, from) = rest.split_at_checked(position).unwrap_or((rest, ""));
            self.write(writing, plain)?;
            let mut characters = from.chars();
            let Some(sign) = characters.next() else { break };
            after_space = after_space && plain.is_empty();
            rest = characters.as_str();
            if sign == '\r' && rest.starts_with('\n') {
                continue;
            }
            let mut buffer = [0; 4];
            let sign = if sign == '\r' { '\n' } else { sign };
            let is_code = sign == '_' && target.is_of_sheet() && begins_code(rest);
            let sign_text = if is_code { "_x005F_" } else { escaped(sign, &mut buffer, target, after_space) };
            self.write(writing, sign_text)?;
            after_space = sign == ' ';
        }
        self.write(writing, rest)
    }
}

/// Whether an underline before this would begin a code for a character, such as `_x0041_`, in a workbook.
fn begins_code(rest: &str) -> bool {
    let digits = rest.strip_prefix('x').and_then(|rest| rest.split_once('_')).map(|(digits, _)| digits);
    digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A character that is no letter or digit, as it is written.
fn escaped<'t>(sign: char, buffer: &'t mut [u8; 4], target: &'t Target, after_space: bool) -> &'t str {
    match (target, sign) {
        (Target::Name, _) => sign.encode_utf8(buffer),
        (Target::Markdown, '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$') => {
            let length = sign.encode_utf8(buffer.split_at_mut(1).1).len();
            buffer[0] = b'\\';
            std::str::from_utf8(buffer.get(..=length).unwrap_or_default()).unwrap_or_default()
        }
        (Target::Markdown, '\n') => " ",
        (Target::HeaderFooter, '&') => "&amp;&amp;",
        (_, '&') => "&amp;",
        (_, '<') => "&lt;",
        (_, '>') => "&gt;",
        (Target::Html, '"') => "&quot;",
        (Target::Html, '\'') => "&#39;",
        (Target::Xml { breaks, .. }, '\n') => breaks,
        (Target::Xml { tab, .. }, '\t') => tab,
        (Target::Xml { spaces: Some(space), .. }, ' ') if after_space => space,
        (_, '\n' | '\t') => sign.encode_utf8(buffer),
        // XML can't have these.
        (_, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}') => "",
        _ => sign.encode_utf8(buffer),
    }
}
