//! What a command reads and writes: one line of standard input, JSON or a table on standard output.

use std::{
    fmt::{self, Write as _},
    io::{BufRead, Read, Write},
};

use serde_json::Value;
use zeroize::Zeroizing;

use super::outcome::Failure;
use crate::domain::clock::Timestamp;
use crate::identity::password::{MAX_LENGTH, MIN_LENGTH};

/// No token is longer.
const LINE: usize = 8192;

/// Where a command reads and writes.
pub struct Console<'a> {
    json: bool,
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

impl fmt::Debug for Console<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Console")
    }
}

impl<'a> Console<'a> {
    /// Over these streams; `json` for programs, else for people.
    pub fn new(json: bool, input: &'a mut dyn BufRead, output: &'a mut dyn Write) -> Self {
        Self { json, input, output }
    }

    /// Answers: the value to a program, the text to a person.
    pub fn answer(&mut self, value: &Value, text: &dyn fmt::Display) -> Result<(), Failure> {
        if self.json {
            writeln!(self.output, "{value:#}")?;
        } else {
            writeln!(self.output, "{text}")?;
        }
        Ok(self.output.flush()?)
    }

    /// Reads a secret that is no password: one line, without its end or spaces around it.
    pub fn line(&mut self, what: &str) -> Result<Zeroizing<String>, Failure> {
        let mut line = Zeroizing::new(String::with_capacity(LINE));
        let limit = u64::try_from(LINE).unwrap_or(u64::MAX);
        let read = Read::take(&mut *self.input, limit).read_line(&mut line);
        read.map_err(|error| {
            Failure::usage(format!("the {what} on standard input cannot be read: {error}"))
        })?;
        let text = line.trim();
        if text.is_empty() {
            return Err(Failure::usage(format!("there is no {what} on standard input; one line is read")));
        }
        Ok(Zeroizing::new(text.to_owned()))
    }

    /// Reads a new password: one line, without its end.
    pub fn new_password(&mut self) -> Result<Zeroizing<String>, Failure> {
        // one more than allowed and the line's end, so that too long is seen without reading all of it
        let limit = u64::try_from(MAX_LENGTH + 3).unwrap_or(u64::MAX);
        let mut line = Zeroizing::new(String::with_capacity(MAX_LENGTH + 3));
        let unreadable =
            |error| Failure::usage(format!("the password on standard input cannot be read: {error}"));
        Read::take(&mut *self.input, limit).read_line(&mut line).map_err(unreadable)?;
        let password = line.strip_suffix('\n').map_or(line.as_str(), |text| text.trim_end_matches('\r'));
        if password.chars().count() < MIN_LENGTH {
            return Err(Failure::usage(format!(
                "the password on standard input is too short; at least {MIN_LENGTH} characters on one line are allowed"
            )));
        }
        if password.len() > MAX_LENGTH {
            return Err(Failure::usage(format!(
                "the password on standard input is too long; at most {MAX_LENGTH} bytes are allowed"
            )));
        }
        Ok(Zeroizing::new(password.to_owned()))
    }
}

/// A moment as JSON carries it and tables show it: RFC 3339, UTC.
pub fn time(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.millis()).map(|at| format!("{at:.3}")).unwrap_or_default()
}

/// A moment that may not be.
pub fn time_opt(at: Option<Timestamp>) -> Option<String> {
    at.map(time)
}

/// A text, or a dash where there is none.
pub fn or_dash(text: Option<impl fmt::Display>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// Aligned columns under a line of headings.
#[derive(Debug)]
pub struct Table<const N: usize> {
    headings: [&'static str; N],
    rows: Vec<[String; N]>,
    none: &'static str,
}

impl<const N: usize> Table<N> {
    /// An empty table, and what it says as long as it is empty.
    pub fn new(headings: [&'static str; N], none: &'static str) -> Self {
        Self { headings, rows: Vec::new(), none }
    }

    /// The table with these rows.
    #[must_use]
    pub fn rows(mut self, rows: impl IntoIterator<Item = [String; N]>) -> Self {
        self.rows.extend(rows.into_iter().map(|row| row.map(|cell| clean(&cell))));
        self
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return f.write_str(self.none);
        }
        let headings = self.headings.map(str::to_owned);
        let lines = || std::iter::once(&headings).chain(&self.rows);
        let mut widths = [0usize; N];
        for line in lines() {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for (index, line) in lines().enumerate() {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(widths) {
                write!(text, "{cell:width$}  ")?;
            }
            let end = if index == self.rows.len() { "" } else { "\n" };
            write!(f, "{}{end}", text.trim_end())?;
        }
        Ok(())
    }
}

/// One thing with its facts, a line each.
#[derive(Debug)]
pub struct Facts(Vec<(&'static str, String)>);

impl Facts {
    /// These facts.
    pub fn new(facts: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self(facts.into_iter().map(|(name, text)| (name, clean(&text))).collect())
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (index, (name, text)) in self.0.iter().enumerate() {
            let end = if index + 1 == self.0.len() { "" } else { "\n" };
            write!(f, "{name:width$}  {text}{end}")?;
        }
        Ok(())
    }
}

/// Names come from strangers: a control character in one would move the terminal's cursor.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
