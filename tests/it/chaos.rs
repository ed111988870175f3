//! Races, kills and floods: the short version of what `scripts/chaos` runs.

use crate::support::chaos::{Database, flood, kill, races};

/// A moment that no two runs share: a fault that only some moments show is found sooner or later, with its seed.
fn seed() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn all_races(database: Database, nodes: usize) {
    let nodes = database.nodes(nodes);
    let person = nodes.person("ana");
    for racers in [2, 4, 16, 64] {
        races::refreshes(&nodes, &person, racers, 1).assert();
        races::redemptions(&nodes, &person, racers, 1).assert();
    }
    races::refresh_or_revoke(&nodes, &person, 2).assert();
    races::refresh_or_revoke_pat(&nodes, &person, 2).assert();
    races::decisions(&nodes, &person, 2).assert();
}

#[test]
fn races_over_the_real_program_on_sqlite() {
    all_races(Database::Sqlite, 1);
}

#[test]
fn races_over_the_real_program_on_postgres() {
    all_races(Database::Postgres, 1);
}

#[test]
fn races_over_two_nodes() {
    all_races(Database::Postgres, 2);
}

#[test]
fn ten_kills_lose_nothing_on_sqlite() {
    kill::kills(&Database::Sqlite.nodes(1), 10, seed()).assert();
}

#[test]
fn ten_kills_lose_nothing_on_postgres() {
    kill::kills(&Database::Postgres.nodes(1), 10, seed()).assert();
}

#[test]
fn a_program_that_registers_at_every_start_is_one_client() {
    for database in [Database::Sqlite, Database::Postgres] {
        flood::identical(&database.nodes(1), 50).assert();
    }
}

#[test]
fn live_clients_do_not_notice_registrations_in_number() {
    let nodes = Database::Sqlite.nodes_with(1, "trusted_proxies = [\"127.0.0.1/32\"]");
    let person = nodes.person("ana");
    flood::different(&nodes, &person, 200, 20).assert();
}
