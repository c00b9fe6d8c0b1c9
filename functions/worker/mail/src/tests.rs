use std::io::{Cursor, Write};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use cfb::CompoundFile;

use super::*;

const PIXEL: &[u8] = include_bytes!("../../../../tests/fixtures/office/pixel.png");

fn read(bytes: impl AsRef<[u8]>, format: MessageFormat) -> Email {
    Email::read(bytes.as_ref(), format).unwrap()
}

fn page(eml: &str) -> Page {
    render(&read(eml.replace('\n', "\r\n"), MessageFormat::Eml), false)
}

fn body_of(html: &str) -> Page {
    page(&format!("From: a@example.com\nContent-Type: text/html; charset=utf-8\n\n{html}"))
}

fn names(page: &Page) -> Vec<&str> {
    page.attachments.iter().map(|(_, name)| name.as_str()).collect()
}

#[track_caller]
fn assert_has(page: &Page, expected: &[&str]) {
    for part in expected {
        assert!(page.html.contains(part), "{part} is not in {}", page.html);
    }
}

/// The content of the shadow trees, without the page around them.
fn inner(page: &Page) -> &str {
    page.html.split_once("<div class=\"mail-body\">").map_or("", |(_, body)| body)
}

#[test]
fn headers_are_shown_decoded_and_escaped() {
    let page = page(
        "From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>\nTo: \"B, <script>\" <b@example.com>, c@example.com\n\
         Cc: Team: d@example.com, e@example.com;\nDate: Sun, 22 Nov 2026 10:00:00 +0100\n\
         Subject: =?iso-8859-1?q?Gr=FC=DFe?= <b>bold</b>\n\nText",
    );
    assert_has(
        &page,
        &[
            "<dd>Jörg &lt;joerg@example.com&gt;</dd>",
            "B, &lt;script&gt; &lt;b@example.com&gt;, c@example.com",
            "<dt>Cc</dt><dd>d@example.com, e@example.com</dd>",
            "<dt>Date</dt><dd>Sun, 22 Nov 2026 10:00:00 +0100</dd>",
            "<h1 dir=\"auto\">Grüße &lt;b&gt;bold&lt;/b&gt;</h1>",
            "<title>Grüße &lt;b&gt;bold&lt;/b&gt;</title>",
            "<pre class=\"mail-text\" dir=\"auto\">Text</pre>",
        ],
    );
    assert!(!page.html.contains("Attachments") && !page.html.contains("Bcc"));
}

#[test]
fn html_comes_before_text_and_pictures_are_part_of_it() {
    let picture = BASE64.encode(PIXEL);
    let page = page(&format!(
        "From: a@example.com\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=m\n\n\
         --m\nContent-Type: multipart/related; boundary=r\n\n\
         --r\nContent-Type: multipart/alternative; boundary=x\n\n\
         --x\nContent-Type: text/plain\n\nOnly text\n\
         --x\nContent-Type: text/html\n\n<p>Page <img src=\"cid:A%40b\"><img src='cid:gone'></p>\n--x--\n\
         --r\nContent-Type: image/png\nContent-ID: <a@b>\nContent-Transfer-Encoding: base64\n\n{picture}\n--r--\n\
         --m\nContent-Type: application/pdf; name=\"x.pdf\"\nContent-Disposition: attachment; filename*=utf-8''%C3%84.pdf\n\nPDF\n\
         --m\nContent-Type: message/rfc822\n\nSubject: Within\nFrom: b@example.com\n\nInner text\n--m--\n"
    ));
    assert_has(
        &page,
        &[&format!("<p>Page <img src=\"data:image/png;base64,{picture}\"><img></p>"), "Ä.pdf", "(3 bytes)"],
    );
    assert!(!page.html.contains("Only text") && !page.html.contains("Inner text"));
    assert_eq!((names(&page).as_slice(), page.missing), (["Ä.pdf", "Within.eml"].as_slice(), 1));
}

#[test]
fn a_message_within_is_a_file_of_its_own() {
    let whole = "From: a@example.com\nContent-Type: multipart/mixed; boundary=m\n\n--m\n\nx\n\
        --m\nContent-Type: message/rfc822\n\nSubject: Within\nFrom: b@example.com\n\nInner text\n--m--\n";
    let email = read(whole, MessageFormat::Eml);
    let within = read(&email.files[0].bytes, MessageFormat::Eml);
    assert_eq!(within.headers.subject.as_deref(), Some("Within"));
    assert!(matches!(&within.bodies[..], [Body::Text(text)] if text.trim() == "Inner text"), "{:?}", within.bodies);
}

#[test]
fn pictures_between_texts_are_shown_and_flowed_lines_are_joined() {
    let picture = BASE64.encode(PIXEL);
    let page = page(&format!(
        "From: a@example.com\nContent-Type: multipart/mixed; boundary=m\n\n\
         --m\nContent-Type: text/plain; format=flowed\n\nOne \ntwo\nthree\n\
         --m\nContent-Type: image/png\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\n{picture}\n\
         --m\nContent-Type: text/plain\n\nAfter\n--m--\n"
    ));
    assert_has(
        &page,
        &["One two\nthree", &format!("<img class=\"mail-picture\" src=\"data:image/png;base64,{picture}\""), "After"],
    );
    assert_eq!(names(&page), Vec::<&str>::new());
}

#[test]
fn texts_are_read_in_their_encoding_even_if_it_is_called_otherwise() {
    let mail = |kind: &str, bytes: &[u8]| {
        let head = format!("From: a@example.com\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n");
        render(&read([head.as_bytes(), bytes].concat(), MessageFormat::Eml), false)
    };
    assert_has(&mail("text/plain; charset=iso-2022-jp", b"\x1b$BF|K\\\x1b(B"), &["日本"]);
    assert_has(&mail("text/plain; charset=windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2"), &["Привет"]);
    assert_has(&mail("text/plain; charset=us-ascii", "Grüße".as_bytes()), &["Grüße"]);
    assert_has(&mail("text/plain; charset=utf-8", b"Gr\xfc\xdfe aus K\xf6ln"), &["Grüße aus Köln"]);
    assert_has(&mail("text/plain; charset=nonsense", "Grüße".as_bytes()), &["Grüße"]);
    assert_has(&mail("text/plain", b"na\xefve caf\xe9"), &["naïve café"]);
}

#[test]
fn nothing_runs_and_nothing_leaves_its_place() {
    let page = body_of(
        "<html><head><title>no</title><meta http-equiv=refresh content='0;url=http://x.example'><base href='http://x.example'>\
         <link rel=stylesheet href='http://x.example/a.css'><style>body { color: red } p { background: url(http://x.example/b) }\
         @import 'http://y.example/c.css'; </style></head><body style='margin: 9px' onload='alert(1)'><script>alert(1)</script>\
         <img src=x onerror=alert(1)><a href='javascript:alert(1)'>link</a><a href='https://ok.example/?a=1&amp;b'>ok</a>\
         <iframe src='http://x.example'></iframe><form action='http://x.example'><input value=x><button>Press</button></form>\
         <svg><script>alert(1)</script></svg><template shadowrootmode=open>t</template></div></div></template><p title='</style><style>'>end",
    );
    let inner = inner(&page);
    for absent in [
        "script",
        "alert",
        "refresh",
        "base href",
        "link rel",
        "iframe",
        "<form",
        "<input",
        "<svg",
        "x.example",
        "onerror",
        "onload",
        "<title",
    ] {
        assert!(!inner.contains(absent), "{absent} is in {inner}");
    }
    for present in [
        "<style>.mail-body { color: red } p { background: none }",
        "<div style=\"margin: 9px\">",
        "<a href=\"https://ok.example/?a=1&amp;b\">ok</a>",
        "Press",
        "end",
    ] {
        assert!(inner.contains(present), "{present} is not in {inner}");
    }
    // The page only closes the one template that it opens.
    assert_eq!((page.html.matches("<template").count(), page.html.matches("</template").count()), (1, 1));
    assert_has(&page, &["default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"]);
}

#[test]
fn what_lies_elsewhere_is_counted_or_allowed() {
    let html = "<img src='http://a.example/1.png'><img src='HTTPS://a.example/2.png'><img src='http://a.example/1.png'>\
        <table><td background='//a.example/3.png'></table><p style=\"background: URL( 'https://a.example/4(1).png' ) no-repeat; color: blue\">";
    let page = body_of(html);
    assert_eq!(page.blocked, 4);
    assert!(
        !page.html.contains("a.example") && page.html.contains("background: none no-repeat; color: blue"),
        "{}",
        page.html
    );
    let eml = format!("From: a@example.com\r\nContent-Type: text/html\r\n\r\n{html}");
    let allowed = render(&read(eml, MessageFormat::Eml), true);
    assert_eq!(allowed.blocked, 0);
    assert_has(
        &allowed,
        &[
            "src=\"http://a.example/1.png\"",
            "url(&quot;https://a.example/4(1).png&quot;) no-repeat",
            "img-src data: http: https:",
        ],
    );
}

#[test]
fn style_sheets_cannot_end_their_element_or_the_template() {
    let page = body_of(
        "<style>p::after { content: '</p><template>' } </style x><p>a</p><style>b { content: \"<\\/style>\" }</style>",
    );
    assert_eq!(page.html.matches("<template").count(), 1);
    assert_has(&page, &["content: '\\3c /p>\\3c template>'", "<p>a</p>"]);
}

#[test]
fn hostile_messages_are_answered() {
    let nested: String = (0..2_000)
        .map(|depth| format!("--{depth}\nContent-Type: multipart/mixed; boundary={}\n\n", depth + 1))
        .collect();
    let deep = page(&format!("From: a@example.com\nContent-Type: multipart/mixed; boundary=0\n\n{nested}"));
    assert_has(&deep, &["a@example.com"]);
    let parts = "--m\nContent-Disposition: attachment; filename=a.txt\n\nx\n".repeat(20_000);
    let many = page(&format!("From: a@example.com\nContent-Type: multipart/mixed; boundary=m\n\n{parts}--m--\n"));
    assert_eq!((many.attachments.len(), many.omitted), (200, 19_800));
    assert_has(&many, &["a.txt", "a (200).txt", " and 19800 more"]);
    assert!(!many.html.contains("a (201).txt"));
    let unclosed = body_of(&format!("{}<p>end", "<div><table><tr><td>".repeat(2_000)));
    assert_has(&unclosed, &["end"]);
    let looping =
        body_of("<img src=cid:a><style>p { background: url(cid:a) url( 'x }</style><p style='background:url(data:,'>x");
    assert_eq!(looping.missing, 2);
}

#[test]
fn a_picture_that_is_referred_to_often_does_not_fill_the_page() {
    let picture = BASE64.encode(vec![0; 3 << 20]);
    let page = page(&format!(
        "From: a@example.com\nContent-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n{}\n\
         --r\nContent-Type: image/png\nContent-ID: <a>\nContent-Transfer-Encoding: base64\n\n{picture}\n--r--\n",
        "<img src=cid:a>".repeat(1_000)
    ));
    assert!(page.html.len() < 44 << 20);
    assert_eq!(page.too_large, 990);
}

#[test]
fn a_message_that_is_cut_off_has_its_text() {
    let cut = page(
        "From: a@example.com\nContent-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/html\n\n<p>No end",
    );
    assert_has(&cut, &["<p>No end</p>"]);
    assert!(cut.attachments.is_empty());
}

#[test]
fn envelopes_are_known() {
    let is_enclosed = |kind: &str| {
        read(format!("From: a@example.com\r\nContent-Type: {kind}\r\n\r\nx"), MessageFormat::Eml).is_enclosed
    };
    assert!(is_enclosed("application/pkcs7-mime; smime-type=enveloped-data"));
    assert!(is_enclosed("multipart/encrypted; boundary=x"));
    assert!(!is_enclosed("multipart/signed; boundary=x") && !is_enclosed("text/plain"));
}

/// A storage of an Outlook message: fixed-size properties and others.
struct Storage<'a> {
    file: &'a mut CompoundFile<Cursor<Vec<u8>>>,
    path: &'a str,
    header: usize,
}

impl Storage<'_> {
    fn write(&mut self, fixed: &[(u32, u64)], streams: &[(u32, Vec<u8>)]) {
        let mut properties = vec![0; self.header];
        for (tag, value) in fixed {
            properties.extend_from_slice(&tag.to_le_bytes());
            properties.extend_from_slice(&[6, 0, 0, 0]);
            properties.extend_from_slice(&value.to_le_bytes());
        }
        self.file.create_storage_all(self.path).unwrap();
        self.stream("__properties_version1.0", &properties);
        for (tag, content) in streams {
            self.stream(&format!("__substg1.0_{tag:08X}"), content);
        }
    }

    fn stream(&mut self, name: &str, content: &[u8]) {
        let path = Path::new(self.path).join(name);
        self.file.create_stream(path).unwrap().write_all(content).unwrap();
    }
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A message as Outlook saves it: a page with a picture, a file, and a message within.
fn outlook() -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let sent = 134_398_152_000_000_000; // 2026-11-22 10:00 UTC
    let html = "<html><body dir=rtl><p>\u{5e9}\u{5dc}\u{5d5}\u{5dd} <img src=\"cid:logo@x\"></p></body></html>";
    let html = encoding_rs::WINDOWS_1255.encode(html).0.into_owned();
    Storage { file: &mut file, path: "/", header: 32 }.write(
        &[(0x3fde_0003, 1255), (0x0039_0040, sent)],
        &[
            (0x0037_001f, wide("Meeting in M\u{fc}nchen")),
            (0x0042_001f, wide("Ada Lovelace")),
            (0x5d02_001f, wide("ada@example.com")),
            (0x0e04_001f, wide("Bob")),
            (0x1000_001f, wide("Only text")),
            (0x1013_0102, html),
        ],
    );
    for (path, kind, name, address) in [
        ("/__recip_version1.0_#00000000", 1, "Bob", "bob@example.com"),
        ("/__recip_version1.0_#00000001", 2, "carol@example.com", "carol@example.com"),
    ] {
        let streams = [(0x3001_001f, wide(name)), (0x39fe_001f, wide(address))];
        Storage { file: &mut file, path, header: 8 }.write(&[(0x0c15_0003, kind)], &streams);
    }
    let picture = [(0x3701_0102, PIXEL.to_vec()), (0x370e_001f, wide("image/png")), (0x3712_001f, wide("logo@x"))];
    Storage { file: &mut file, path: "/__attach_version1.0_#00000000", header: 8 }.write(&[(0x3705_0003, 1)], &picture);
    let table = [(0x3701_0102, b"a;b\n1;2\n".to_vec()), (0x3707_001f, wide("Table.csv"))];
    Storage { file: &mut file, path: "/__attach_version1.0_#00000001", header: 8 }.write(&[(0x3705_0003, 1)], &table);
    let path = "/__attach_version1.0_#00000002";
    Storage { file: &mut file, path, header: 8 }.write(&[(0x3705_0003, 5)], &[(0x3001_001f, wide("Earlier"))]);
    let within = "/__attach_version1.0_#00000002/__substg1.0_3701000D";
    let streams = [(0x0037_001f, wide("Earlier")), (0x1000_001e, b"Caf\xe9".to_vec())];
    Storage { file: &mut file, path: within, header: 24 }.write(&[(0x3ffd_0003, 1252)], &streams);
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// The committed fixture equals this one; `UPDATE=1` writes it.
#[test]
fn outlooks_messages_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/email/meeting.msg");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, outlook()).unwrap();
    }
    for bytes in [outlook(), std::fs::read(&path).unwrap()] {
        let email = read(bytes, MessageFormat::Msg);
        let page = render(&email, false);
        assert_has(
            &page,
            &[
                "<h1 dir=\"auto\">Meeting in München</h1>",
                "<dt>From</dt><dd>Ada Lovelace &lt;ada@example.com&gt;</dd>",
                "<dt>To</dt><dd>Bob &lt;bob@example.com&gt;</dd>",
                "<dt>Cc</dt><dd>carol@example.com</dd>",
                "Sun, 22 Nov 2026 10:00:00 +0000",
                "<div dir=\"rtl\"><p>שלום <img src=\"data:image/png;base64,",
                "Table.csv",
            ],
        );
        assert_eq!((names(&page).as_slice(), page.missing), (["Table.csv", "Earlier.msg"].as_slice(), 0));
        let within = read(&email.files[2].bytes, MessageFormat::Msg);
        assert_eq!(within.headers.subject.as_deref(), Some("Earlier"));
        assert!(matches!(&within.bodies[..], [Body::Text(text)] if text == "Café"), "{:?}", within.bodies);
    }
}

/// A message is complete, reported as damaged, or refused.
#[test]
fn outlooks_messages_that_are_cut_off_say_so() {
    let whole = outlook();
    let content = |email: &Email| format!("{:?}{:?}{:?}", email.headers, email.bodies, email.files);
    let expected = content(&read(whole.clone(), MessageFormat::Msg));
    let mut damaged = 0;
    for end in (0..whole.len()).step_by(256) {
        let Ok(email) = super::msg::read(&whole[..end]) else { continue };
        assert!(email.is_damaged || content(&email) == expected, "cut at {end} of {}", whole.len());
        damaged += usize::from(email.is_damaged);
    }
    assert!(damaged > 0);
}

#[test]
fn what_outlook_signed_is_read_as_it_was_sent() {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let class = wide("IPM.Note.SMIME.MultipartSigned");
    let streams = [(0x001a_001f, class), (0x0037_001f, wide("Signed"))];
    Storage { file: &mut file, path: "/", header: 32 }.write(&[], &streams);
    let signed = b"Content-Type: multipart/signed; boundary=m\r\n\r\n--m\r\nContent-Type: text/plain\r\n\r\nThe text\r\n--m--\r\n";
    let path = "/__attach_version1.0_#00000000";
    Storage { file: &mut file, path, header: 8 }.write(&[], &[(0x3701_0102, signed.to_vec())]);
    file.flush().unwrap();
    let page = render(&read(file.into_inner().into_inner(), MessageFormat::Msg), false);
    assert_has(&page, &["<h1 dir=\"auto\">Signed</h1>", "The text"]);
    assert!(page.attachments.is_empty());
}

#[test]
fn broken_files_are_reported_as_broken() {
    assert!(Email::read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", MessageFormat::Msg).is_err());
    let mut other = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    other.create_stream("WordDocument").unwrap();
    assert!(Email::read(&other.into_inner().into_inner(), MessageFormat::Msg).is_err());
    assert!(Email::read(b"", MessageFormat::Eml).is_err());
}

#[test]
fn fuzz_mail() {
    docmill_fuzz::fuzz("mail", &[], |bytes| {
        for allow_remote in [false, true] {
            if let Ok(email) = Email::read(bytes, MessageFormat::Eml) {
                render(&email, allow_remote);
            }
        }
    });
}

#[test]
fn fuzz_mail_of_outlook() {
    docmill_fuzz::fuzz("outlook", &[], |bytes| {
        if let Ok(email) = Email::read(bytes, MessageFormat::Msg) {
            render(&email, false);
        }
    });
}
