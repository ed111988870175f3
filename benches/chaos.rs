//! Races, kills and floods against the program itself, as a table. `scripts/chaos` runs it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

#[expect(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "shared with the black-box suite, which uses all of it"
)]
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::process::ExitCode;

use clap::Parser;
use support::chaos::{Database, Row, flood, kill, races};

/// Races, kills and floods against the program itself, on SQLite and PostgreSQL.
#[derive(Debug, Parser)]
struct Options {
    /// Only these rows: R1, R2, R3, R4, R6
    #[arg(long, value_delimiter = ',')]
    rows: Vec<String>,
    /// Only this database: sqlite or postgres
    #[arg(long)]
    database: Option<String>,
    /// How often each race is run
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How often the server is killed
    #[arg(long, default_value_t = 100)]
    kills: u64,
    /// What the kills are drawn from; one of its own each time if it is not given
    #[arg(long)]
    seed: Option<u64>,
    /// How many different registrations
    #[arg(long, default_value_t = 100_000)]
    registrations: usize,
    /// What `cargo bench` says to every program it runs
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    fn wants(&self, row: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|own| own.eq_ignore_ascii_case(row))
    }
}

/// The table in the making.
#[derive(Default)]
struct Table {
    missed: u32,
}

impl Table {
    fn add(&mut self, database: Database, nodes: usize, row: &Row) {
        let holds = if row.holds() { "held" } else { "MISSED" };
        let Row { id, what, counts, faults } = row;
        println!("{id}  {database:<10}  {nodes}  {what:<52}  {holds:<6}  {counts}");
        for fault in faults.iter().take(20) {
            println!("      {fault}");
        }
        self.missed += u32::from(!row.holds());
    }
}

fn races(options: &Options, table: &mut Table, database: Database, count: usize) {
    let nodes = database.nodes(count);
    let person = nodes.person("ana");
    let rounds = options.rounds;
    for racers in [2, 4, 16, 64] {
        if options.wants("R1") {
            table.add(database, count, &races::refreshes(&nodes, &person, racers, rounds));
        }
    }
    for racers in [2, 4, 16, 64] {
        if options.wants("R2") {
            table.add(database, count, &races::redemptions(&nodes, &person, racers, rounds));
        }
    }
    if options.wants("R3") {
        table.add(database, count, &races::refresh_or_revoke(&nodes, &person, rounds));
        table.add(database, count, &races::refresh_or_revoke_pat(&nodes, &person, rounds));
        table.add(database, count, &races::decisions(&nodes, &person, rounds));
    }
}

fn floods(options: &Options, table: &mut Table, database: Database) {
    let nodes = database.nodes(1);
    table.add(database, 1, &flood::identical(&nodes, 1000));
    for addresses in [1, options.registrations] {
        let nodes = database.nodes_with(1, "trusted_proxies = [\"127.0.0.1/32\"]");
        let person = nodes.person("ana");
        table.add(database, 1, &flood::different(&nodes, &person, options.registrations, addresses));
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let seed = options.seed.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().unwrap().as_secs());
    let mut table = Table::default();
    println!("row database  nodes what");
    for database in [Database::Sqlite, Database::Postgres] {
        if options.database.as_ref().is_some_and(|own| !database.to_string().to_lowercase().starts_with(own))
        {
            continue;
        }
        if ["R1", "R2", "R3"].iter().any(|row| options.wants(row)) {
            races(&options, &mut table, database, 1);
            // Several nodes need PostgreSQL.
            if database == Database::Postgres {
                races(&options, &mut table, database, 2);
            }
        }
        if options.wants("R4") {
            table.add(database, 1, &kill::kills(&database.nodes(1), options.kills, seed));
        }
        if options.wants("R6") {
            floods(&options, &mut table, database);
        }
    }
    if table.missed > 0 {
        println!("{} rows do not hold", table.missed);
        return ExitCode::FAILURE;
    }
    println!("every row holds");
    ExitCode::SUCCESS
}
