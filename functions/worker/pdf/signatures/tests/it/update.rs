//! Writes updates of files as text.

/// The last version of an object: what is between `obj` and `endobj`.
pub(crate) fn object(file: &[u8], number: u32) -> String {
    let head = format!("\n{number} 0 obj");
    let at = memchr::memmem::rfind(file, head.as_bytes()).unwrap() + head.len();
    let end = memchr::memmem::find(&file[at..], b"endobj").unwrap();
    file[at..at + end].iter().map(|byte| char::from(*byte)).collect::<String>().trim().to_owned()
}

/// Where the last table begins.
pub(crate) fn table(file: &[u8]) -> usize {
    let at = memchr::memmem::rfind(file, b"startxref").unwrap();
    let text: String = file[at + 9..].iter().map(|byte| char::from(*byte)).collect();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// An update of a file: objects, and a table for them.
pub(crate) struct Update {
    file: Vec<u8>,
    entries: Vec<(u32, usize)>,
    freed: Vec<u32>,
    previous: usize,
}

impl Update {
    pub(crate) fn of(file: &[u8]) -> Self {
        let mut copy = file.to_vec();
        copy.push(b'\n');
        Self { file: copy, entries: Vec::new(), freed: Vec::new(), previous: table(file) }
    }

    pub(crate) fn put(mut self, number: u32, text: &str) -> Self {
        self.entries.push((number, self.file.len()));
        let text = format!("{number} 0 obj\n{text}\nendobj\n");
        self.file.extend(text.chars().map(|char| char as u8));
        self
    }

    /// An object with data.
    pub(crate) fn stream(self, number: u32, head: &str, content: &str) -> Self {
        let text = format!("<< {head} /Length {} >>\nstream\n{content}\nendstream", content.len());
        self.put(number, &text)
    }

    /// Bytes that are no object of the table.
    pub(crate) fn raw(mut self, text: &str) -> Self {
        self.file.extend(text.bytes());
        self
    }

    /// An object that lies here.
    pub(crate) fn at(mut self, number: u32, offset: usize) -> Self {
        self.entries.push((number, offset));
        self
    }

    pub(crate) fn free(mut self, number: u32) -> Self {
        self.freed.push(number);
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.finish_with("1 0 R")
    }

    pub(crate) fn finish_with(mut self, root: &str) -> Vec<u8> {
        let start = self.file.len();
        let mut text = "xref\n".to_owned();
        for (number, offset) in &self.entries {
            text += &format!("{number} 1\n{offset:010} 00000 n \n");
        }
        for number in &self.freed {
            text += &format!("{number} 1\n0000000000 00001 f \n");
        }
        let id = "<00112233445566778899aabbccddeeff>";
        text += &format!(
            "trailer\n<< /Size 99 /Root {root} /Info 10 0 R /ID [{id} {id}] /Prev {} >>\nstartxref\n{start}\n%%EOF\n",
            self.previous
        );
        self.file.extend(text.bytes());
        self.file
    }

    /// The file without a table for the update.
    pub(crate) fn without_table(self) -> Vec<u8> {
        self.file
    }
}
