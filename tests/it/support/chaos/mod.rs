//! Reliability under races, kills and floods: the program itself over real HTTP, on either database.
//!
//! `scripts/chaos` runs all of it and prints a table, a line a [`Row`]; the black-box suite runs a short version of
//! each row (`tests/it/chaos.rs`), so that none is lost between two such runs.
//!
//! | row | what |
//! |---|---|
//! | R1 | concurrent refreshes of one token (`races`) |
//! | R2 | concurrent redemptions of one code (`races`) |
//! | R3 | what is revoked or decided while others act (`races`) |
//! | R4 | `kill -9` at any moment of a flow (`kill`) |
//! | R6 | registrations by the thousand (`flood`) |
//!
//! Several nodes need PostgreSQL (`[cluster]` of the configuration); an SQLite file has one node.

pub mod flood;
pub mod kill;
pub mod races;

use std::fmt;

use crate::support::{Nodes, Site, TestApp};

/// Which database servers run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    /// Servers of their own over a new database.
    pub fn nodes(self, count: usize) -> Nodes {
        self.nodes_with(count, "")
    }

    /// The same with more lines at the top of the configuration.
    pub fn nodes_with(self, count: usize, top: &str) -> Nodes {
        let builder = TestApp::builder().with("top", top);
        match self {
            Self::Sqlite => builder.nodes(count),
            Self::Postgres => builder.on_postgres().nodes(count),
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub id: &'static str,
    pub what: String,
    /// What was counted.
    pub counts: String,
    /// What should not have been. The row holds if there is nothing.
    pub faults: Vec<String>,
}

impl Row {
    pub fn new(id: &'static str, what: &str) -> Self {
        Self { id, what: what.to_owned(), counts: String::new(), faults: Vec::new() }
    }

    /// Notes a fault unless `right`.
    pub fn check(&mut self, right: bool, fault: impl FnOnce() -> String) {
        if !right {
            self.faults.push(fault());
        }
    }

    pub fn holds(&self) -> bool {
        self.faults.is_empty()
    }

    /// For tests: fails with what was wrong.
    pub fn assert(&self) {
        assert!(self.holds(), "{} {}: {}\n{}", self.id, self.what, self.counts, self.faults.join("\n"));
    }
}

/// What no database may hold, whenever the server was killed: `(what, how many there are)`. Each is zero, always.
const BROKEN: [(&str, &str); 9] = [
    (
        "live grants without exactly one live refresh token",
        "SELECT COUNT(*) FROM grants g WHERE g.activated_at IS NOT NULL AND (SELECT COUNT(*) FROM refresh_tokens r
         WHERE r.grant_id = g.id AND r.consumed_at IS NULL) <> 1",
    ),
    (
        "live grants without an access token",
        "SELECT COUNT(*) FROM grants g WHERE g.activated_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM access_tokens a WHERE a.grant_id = g.id)",
    ),
    (
        "live grants without their consumed code",
        "SELECT COUNT(*) FROM grants g WHERE g.activated_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM codes c WHERE c.grant_id = g.id AND c.consumed_at IS NOT NULL)",
    ),
    (
        "consumed codes without a live grant",
        "SELECT COUNT(*) FROM codes c WHERE c.consumed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.id = c.grant_id AND g.activated_at IS NOT NULL)",
    ),
    (
        "grants that wait for a code that is not there",
        "SELECT COUNT(*) FROM grants g WHERE NOT EXISTS (SELECT 1 FROM codes c WHERE c.grant_id = g.id)",
    ),
    (
        "tokens without an activated grant",
        "SELECT COUNT(*) FROM (SELECT grant_id FROM refresh_tokens UNION ALL SELECT grant_id FROM access_tokens) t
         WHERE NOT EXISTS (SELECT 1 FROM grants g WHERE g.id = t.grant_id AND g.activated_at IS NOT NULL)",
    ),
    (
        "consumed refresh tokens without the salt of their successor",
        "SELECT COUNT(*) FROM refresh_tokens WHERE consumed_at IS NOT NULL AND salt IS NULL",
    ),
    (
        "consents without their grant",
        "SELECT ABS((SELECT COUNT(*) FROM transactions WHERE decision = 'allow') - (SELECT COUNT(*) FROM grants))",
    ),
    (
        "ended grants that no node was told of",
        "SELECT COUNT(*) FROM grants g WHERE g.ended_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.kind = 'grant' AND c.id = g.id)",
    ),
];

/// Whatever is half done in the database.
pub fn broken(site: &Site) -> Vec<String> {
    let counted = BROKEN.iter().map(|(what, sql)| (what, site.sql_number(sql)));
    counted.filter(|(_, count)| *count != 0).map(|(what, count)| format!("{count} {what}")).collect()
}
