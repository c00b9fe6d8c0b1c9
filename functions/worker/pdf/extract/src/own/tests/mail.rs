use docmill_formats::Format;

use super::*;

#[test]
fn messages_have_their_headers_text_and_attachments() {
    let picture = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(PIXEL)
    };
    let message = format!(
        "From: Ann <ann@example.com>\r\nTo: b@example.com, c@example.com\r\nDate: Thu, 26 Nov 2026 12:00:00 +0000\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Hello <b>you</b><img src=\"cid:i\" alt=\"A dot\"></p><span style=\"display:none\">preview</span>\r\n\
--x\r\nContent-Type: image/png\r\nContent-ID: <i>\r\nContent-Transfer-Encoding: base64\r\n\r\n{picture}\r\n\
--x\r\nContent-Type: application/pdf; name=\"bill.pdf\"\r\nContent-Disposition: attachment; filename=\"bill.pdf\"\r\n\r\n%PDF\r\n--x--\r\n"
    );
    let read = document(Format::Eml, message.as_bytes());
    assert_eq!(
        blocks(&read),
        [
            "title: Gr\u{fc}\u{df}e",
            "table: From\tAnn <ann@example.com>\nTo\tb@example.com, c@example.com\nDate\tThu, 26 Nov 2026 12:00:00 +0000",
            "paragraph: Hello you",
            "figure: A dot",
            "h2: Attachments",
            "item 1.0: bill.pdf",
        ]
    );
    assert_eq!(read.title.as_deref(), Some("Gr\u{fc}\u{df}e"));
    assert!(read.figures[0].data.is_some());
    assert_eq!(hidden(&read), ["preview"]);
}

#[test]
fn plain_messages_have_paragraphs_and_damaged_ones_are_refused() {
    let read = document(Format::Eml, b"Subject: x\r\n\r\nOne\r\ntwo\r\n\r\n> three\r\n");
    assert_eq!(blocks(&read), ["title: x", "paragraph: One\ntwo", "paragraph: > three"]);
    let failure = try_read(Format::Msg, b"nothing", &LIMITS).unwrap_err();
    assert_eq!(failure.code, ErrorCode::CorruptDocument);
}
