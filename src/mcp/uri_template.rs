//! URI templates (RFC 6570) read backwards: does a URI come from this template? The globs of policies are read
//! the same way.
//!
//! A pattern is walked over the URI once, all its possibilities at a time, so the work is bounded by the product of
//! the two lengths whatever a client sends.

use super::uri::is_unreserved;

/// A template, or a policy's pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// The text without the names of variables, which say nothing.
    shape: String,
}

/// How well a pattern fits; the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fit {
    exact: bool,
    literal: usize,
    template: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Byte(u8),
    Run(Run),
}

/// Any number of bytes of a class, the empty text included; behind `lead` if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    lead: Option<u8>,
    class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// What a variable's value holds: unreserved characters and escapes; a list has commas.
    Simple,
    /// The same with more expressions of its own operator behind it: `/a/b`, `.a.b`.
    Joined(u8),
    /// `name=value` pairs.
    Pairs(u8),
    /// Reserved characters too.
    Reserved,
    /// Anything: a glob.
    Any,
}

impl Class {
    fn has(self, byte: u8) -> bool {
        let simple = is_unreserved(byte) || matches!(byte, b'%' | b',');
        match self {
            Self::Any | Self::Reserved => true,
            Self::Simple => simple,
            Self::Joined(joint) => simple || byte == joint,
            Self::Pairs(joint) => simple || byte == b'=' || byte == joint,
        }
    }
}

impl Pattern {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn template(text: &str) -> Result<Self, &'static str> {
        Self::read(text, false)
    }

    /// Reads the pattern of a policy: a URI, a template or a glob.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn policy(text: &str) -> Result<Self, &'static str> {
        Self::read(text, true)
    }

    fn read(text: &str, globs: bool) -> Result<Self, &'static str> {
        let (mut pieces, mut shape, mut rest) = (Vec::new(), String::new(), text);
        while let Some((literal, after)) = rest.split_once('{') {
            push_literal(&mut pieces, &mut shape, literal, globs)?;
            let (expression, after) = after.split_once('}').ok_or("has a { without its }")?;
            let run = run_of(expression)?;
            shape.push('{');
            shape.extend(run.lead.map(char::from));
            shape.push_str(if run.class == Class::Reserved { "+}" } else { "}" });
            pieces.push(Piece::Run(run));
            rest = after;
        }
        push_literal(&mut pieces, &mut shape, rest, globs)?;
        Ok(Self { pieces, shape })
    }

    /// True if the URI could come from it.
    pub fn matches(&self, uri: &str) -> bool {
        // two places to a piece: before it, and within it (a run whose lead has been seen)
        let mut at = vec![false; self.pieces.len() * 2 + 1];
        let mut next = at.clone();
        self.enter(&mut at, 0);
        for byte in uri.bytes() {
            next.fill(false);
            for (index, piece) in self.pieces.iter().enumerate() {
                let here = |place: usize| at.get(index * 2 + place) == Some(&true);
                match *piece {
                    Piece::Byte(own) if here(0) && own == byte => self.enter(&mut next, index + 1),
                    Piece::Run(run)
                        if (here(0) && run.lead == Some(byte)) || (here(1) && run.class.has(byte)) =>
                    {
                        mark(&mut next, index * 2 + 1);
                        self.enter(&mut next, index + 1);
                    }
                    _ => {}
                }
            }
            std::mem::swap(&mut at, &mut next);
        }
        at.last() == Some(&true)
    }

    /// Marks where one may be before the piece at `index`: runs may be empty.
    fn enter(&self, places: &mut [bool], index: usize) {
        for at in index.. {
            mark(places, at * 2);
            match self.pieces.get(at) {
                Some(Piece::Run(run)) => {
                    if run.lead.is_none() {
                        mark(places, at * 2 + 1);
                    }
                }
                _ => return,
            }
        }
    }

    /// How well it fits a URI that it matches.
    pub fn fit(&self) -> Fit {
        let runs = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Run(run) => Some(run.class),
            Piece::Byte(_) => None,
        });
        let (mut count, mut globs) = (0, 0);
        for class in runs {
            count += 1;
            globs += usize::from(class == Class::Any);
        }
        Fit { exact: count == 0, literal: self.pieces.len() - count, template: globs == 0 }
    }

    /// How well it fits another template, if it does.
    pub fn fit_of(&self, template: &Self) -> Option<Fit> {
        if self.shape == template.shape {
            return Some(Fit { exact: true, ..self.fit() });
        }
        self.matches(&template.sample()).then(|| Fit { exact: false, ..self.fit() })
    }

    /// True for a template that differs at most in the names of its variables.
    pub fn is_same(&self, other: &Self) -> bool {
        self.shape == other.shape
    }

    /// A URI that comes from it.
    pub fn sample(&self) -> String {
        let mut bytes = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match piece {
                Piece::Byte(byte) => bytes.push(*byte),
                Piece::Run(run) => {
                    bytes.extend(run.lead);
                    bytes.push(b'x');
                }
            }
        }
        String::from_utf8(bytes).unwrap_or_default()
    }
}

fn mark(places: &mut [bool], at: usize) {
    if let Some(place) = places.get_mut(at) {
        *place = true;
    }
}

fn push_literal(
    pieces: &mut Vec<Piece>,
    shape: &mut String,
    literal: &str,
    globs: bool,
) -> Result<(), &'static str> {
    if literal.contains('}') {
        return Err("has a } without its {");
    }
    shape.push_str(literal);
    pieces.extend(literal.bytes().map(|byte| match byte {
        b'*' if globs => Piece::Run(Run { lead: None, class: Class::Any }),
        byte => Piece::Byte(byte),
    }));
    Ok(())
}

/// The operators of RFC 6570 §2.2.
fn run_of(expression: &str) -> Result<Run, &'static str> {
    let (lead, class, names) = match expression.as_bytes().first() {
        Some(b'+') => (None, Class::Reserved, 1),
        Some(b'#') => (Some(b'#'), Class::Reserved, 1),
        Some(b'.') => (Some(b'.'), Class::Joined(b'.'), 1),
        Some(b'/') => (Some(b'/'), Class::Joined(b'/'), 1),
        Some(b';') => (Some(b';'), Class::Pairs(b';'), 1),
        Some(b'?') => (Some(b'?'), Class::Pairs(b'&'), 1),
        Some(b'&') => (Some(b'&'), Class::Pairs(b'&'), 1),
        _ => (None, Class::Simple, 0),
    };
    let names = expression.get(names..).unwrap_or_default();
    let is_name = |name: &str| {
        let name = name.strip_suffix('*').unwrap_or(name).split(':').next().unwrap_or_default();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-%".contains(&byte))
    };
    if names.split(',').all(is_name) { Ok(Run { lead, class }) } else { Err("has a variable without a name") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_and_globs() {
        for (pattern, uri, good) in [
            ("b://highlights/{id}", "b://highlights/1", true),
            ("b://highlights/{id}", "b://highlights/", true),
            ("b://highlights/{id}", "b://highlights", false),
            ("b://highlights/{id}", "b://highlights/1/2", false),
            ("b://highlights/{id}", "b://highlights/1?x", false),
            ("b://highlights/{id}", "b://highlights/1%2F2", true),
            ("b://{a}/{b}", "b://x/y", true),
            ("b://{+path}", "b://x/y?z", true),
            ("b://x{/path*}", "b://x/y/z", true),
            ("b://x{/path*}", "b://x", true),
            ("b://x{/path*}", "b://xy", false),
            ("b://x{?q,page}", "b://x?q=1&page=2", true),
            ("b://x{?q,page}", "b://x/1", false),
            ("b://x{.kind}", "b://x.json", true),
            ("b://x{#part}", "b://x#a/b", true),
            ("b://{a}{b}c", "b://xyc", true),
            ("b://*", "b://x/y?z", true),
            ("*://notes/*", "b://notes/1", true),
            ("b://notes", "b://notes", true),
            ("b://notes", "b://notes/", false),
            ("b://ñ/{id}", "b://ñ/é", true),
        ] {
            assert_eq!(Pattern::policy(pattern).unwrap().matches(uri), good, "{pattern} {uri}");
        }
        assert!(!Pattern::template("b://*").unwrap().matches("b://x"), "a template has no globs");
        for bad in ["b://{", "b://}", "b://{}", "b://{+}", "b://{a,}", "b://{a b}", "b://{{a}}"] {
            assert!(Pattern::template(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_longest_wins_and_a_name_beats_every_pattern() {
        let fit = |text: &str| Pattern::policy(text).unwrap().fit();
        let order = ["*", "{+a}", "b://*", "b://notes/*", "b://notes/{id}", "b://notes/1"];
        assert!(order.is_sorted_by(|one, other| fit(one) < fit(other)));
        assert!(fit("b:") > fit("b://notes/{id}"), "exact");
        let template = Pattern::template("b://notes/{note_id}").unwrap();
        let own = |text: &str| Pattern::policy(text).unwrap().fit_of(&template);
        assert!(own("b://notes/{id}") > own("b://notes/*") && own("b://notes/*").is_some());
        assert_eq!((own("b://notes/1"), own("b://notes/{+id}").is_some()), (None, true));
    }

    #[test]
    fn work_is_bounded() {
        let pattern = Pattern::policy(&"{a}*".repeat(64)).unwrap();
        assert!(!Pattern::policy(&format!("{}#b", "{a}".repeat(64))).unwrap().matches(&"a".repeat(2048)));
        assert!(pattern.matches(&"a".repeat(2048)));
    }

    proptest::proptest! {
        #[test]
        fn a_sample_comes_from_its_pattern(text in "[a-c]://([a-c/]{0,4}(\\{[+#./;?&]?[a-c]\\})?){0,3}") {
            let pattern = Pattern::template(&text).unwrap();
            proptest::prop_assert!(pattern.matches(&pattern.sample()));
            proptest::prop_assert!(pattern.fit_of(&pattern).is_some_and(|fit| fit.exact));
        }
    }
}
