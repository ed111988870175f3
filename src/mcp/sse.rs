//! Server-sent events: writing them to clients, reading them from workers.

/// A comment that keeps proxies from closing a quiet stream.
pub const KEEP_ALIVE: &[u8] = b": \n\n";

/// Writes one event whose data is `json`. JSON may hold line breaks between its tokens, and a line break ends
/// a `data:` line, so each line becomes one of its own.
pub fn write_event(out: &mut Vec<u8>, json: &[u8]) {
    write_identified(out, None, json);
}

/// Writes one event with an id, after which its reader can ask for what comes next. An id is one line.
pub fn write_identified(out: &mut Vec<u8>, id: Option<&str>, json: &[u8]) {
    out.extend_from_slice(b"event: message\n");
    if let Some(id) = id {
        out.extend_from_slice(b"id: ");
        out.extend(id.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r' | 0)));
        out.push(b'\n');
    }
    for line in json.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// One event of a worker's.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its data lines, joined by line breaks.
    pub data: Vec<u8>,
    /// What it is called, if it says so itself.
    pub id: Option<String>,
}

/// Reads events from chunks as they come.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    name: String,
    data: Vec<u8>,
    has_data: bool,
    id: Option<String>,
    retry: Option<u64>,
    after_cr: bool,
}

impl Decoder {
    /// Takes a chunk and gives the events that it completes.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in chunk {
            let crlf = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                b'\n' if crlf => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// Bytes that wait for the end of their event.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// After how many milliseconds a stream that ends is to be opened again, if it has said so.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let event = Event {
                name: std::mem::take(&mut self.name),
                data: std::mem::take(&mut self.data),
                id: self.id.take(),
            };
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (line.get(..at)?, line.get(at + 1..)?),
            None => (line.as_slice(), &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // one with a NUL is none (WHATWG HTML, Server-sent events)
            b"id" if !value.contains(&0) => self.id = Some(String::from_utf8_lossy(value).into_owned()),
            b"retry" => self.retry = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&str]) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let all = chunks.iter().flat_map(|chunk| decoder.push(chunk.as_bytes())).collect::<Vec<_>>();
        all.into_iter().map(|e| (e.name, String::from_utf8_lossy(&e.data).into_owned())).collect()
    }

    #[test]
    fn events_come_whole_whatever_the_chunks_and_line_ends() {
        let text = ": hello\r\nevent: progress\rdata: {\"a\":\ndata:1}\r\n\r\n\ndata\n\nid: 7\n\ndata: x";
        let whole = events(&[text]);
        assert_eq!(whole, [("progress".into(), "{\"a\":\n1}".into()), (String::new(), String::new())]);
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        let single: Vec<&str> = bytes.iter().map(String::as_str).collect();
        assert_eq!(events(&single), whole);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\n \"a\":\r\n1}");
        let read = events(&[&String::from_utf8_lossy(&out)]);
        assert_eq!(read, [("message".into(), "{\n \"a\":\n\n1}".into())]);
    }

    #[test]
    fn an_event_keeps_its_id_and_a_stream_its_pause() {
        let mut decoder = Decoder::default();
        let read = decoder.push(b"retry: 1500\nid: 7\ndata: x\n\ndata: y\n\nid: a\0\ndata: z\n\n");
        let ids: Vec<_> = read.iter().map(|event| event.id.as_deref()).collect();
        assert_eq!((ids, decoder.retry()), (vec![Some("7"), None, None], Some(1500)));
        let mut out = Vec::new();
        write_identified(&mut out, Some("a\nb"), b"{}");
        assert_eq!(out, b"event: message\nid: ab\ndata: {}\n\n");
    }

    proptest::proptest! {
        #[test]
        fn no_input_panics(chunks in proptest::collection::vec(proptest::collection::vec(0u8..255, 0..20), 0..10)) {
            let mut decoder = Decoder::default();
            for chunk in chunks {
                decoder.push(&chunk);
            }
        }
    }
}
