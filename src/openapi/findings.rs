//! Faults and warnings as they are found, each once, with its file and pointer.

use std::collections::HashSet;

/// So many lines of a kind are kept; of the rest it is told how many there are.
const SHOWN: usize = 100;

/// What was found in a document.
#[derive(Debug, Default)]
pub(super) struct Findings {
    faults: Lines,
    warnings: Lines,
}

#[derive(Debug, Default)]
struct Lines {
    lines: Vec<String>,
    seen: HashSet<String>,
}

impl Lines {
    fn add(&mut self, line: String) {
        if self.seen.contains(&line) {
            return;
        }
        if self.lines.len() < SHOWN {
            self.lines.push(line.clone());
        }
        self.seen.insert(line);
    }

    fn finish(mut self) -> Vec<String> {
        let more = self.seen.len() - self.lines.len();
        if more > 0 {
            self.lines.push(format!("and {more} more of this kind"));
        }
        self.lines
    }
}

impl Findings {
    /// Something for which the document cannot be taken.
    pub(super) fn fault(&mut self, at: &str, says: impl AsRef<str>) {
        self.faults.add(format!("{at}: {}", says.as_ref()));
    }

    /// Something that is read otherwise than it is written.
    pub(super) fn warn(&mut self, at: &str, says: impl AsRef<str>) {
        self.warnings.add(format!("{at}: {}", says.as_ref()));
    }

    /// The warnings, if there is no fault; else the faults.
    pub(super) fn finish(self) -> Result<Vec<String>, Vec<String>> {
        if self.faults.lines.is_empty() { Ok(self.warnings.finish()) } else { Err(self.faults.finish()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_kept_once_and_long_lists_end() {
        let mut findings = Findings::default();
        for number in 0..150 {
            findings.warn("a#/b", number.to_string());
            findings.warn("a#/b", "twice");
        }
        let warnings = findings.finish().unwrap();
        assert_eq!(warnings[0], "a#/b: 0");
        assert_eq!(warnings.iter().filter(|line| line.ends_with("twice")).count(), 1);
        assert_eq!(warnings.last().unwrap(), "and 51 more of this kind");
        let mut findings = Findings::default();
        findings.warn("a", "w");
        findings.fault("a", "f");
        assert_eq!(findings.finish(), Err(vec!["a: f".to_owned()]));
    }
}
