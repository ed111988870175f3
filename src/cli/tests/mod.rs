//! Every command, from its words to what it prints, against an embedded database.

mod bench;

use std::path::Path;

use clap::{CommandFactory, Parser};
use serde_json::Value;

use super::console::{Console, Table};
use super::context::{Context, block_on};
use super::{Cli, Outcome, run_on};
use crate::app::brand::Brand;
use crate::domain::secret::recognise;
use crate::identity::password::SignIn;
use crate::oauth::introspect::SECRET_PREFIX;
use bench::{Bench, CONFIG, CREATE, PASSWORD, ids, make_client, text};

#[test]
fn the_words_are_consistent() {
    Cli::command().debug_assert();
    let wrong = [
        &["portero", "user", "password", "ana@example.com"][..],
        &["portero", "user", "create", "--email", "ana", "--name", "Ana"],
        &["portero", "user", "create", "--email", "a@b.c", "--name", " "],
        &["portero", "token", "create", "--user", "a", "--name", "b", "--mode", "other"],
        &["portero", "token", "create", "--user", "a", "--name", "b", "--expires", "soon"],
        &["portero", "workspace", "set-status", "w", "overdue"],
        &["portero", "client", "create", "--name", "a"],
    ];
    for words in wrong {
        let error = Cli::try_parse_from(words).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{words:?}");
    }
}

#[test]
fn every_command_has_an_example() {
    fn look(command: &clap::Command, path: &str) {
        let path = format!("{path} {}", command.get_name());
        assert!(command.get_about().is_some(), "{path} says nothing of itself");
        let more = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(command.has_subcommands() || more.contains("Example:\n  "), "{path} has no example");
        command.get_subcommands().for_each(|below| look(below, &path));
    }
    look(&Cli::command(), "");
}

#[test]
fn without_a_configuration_it_says_what_to_do() {
    let bench = Bench::new();
    std::fs::remove_file(bench.config()).unwrap();
    let reason = bench.usage(&["user", "list"]);
    assert!(reason.contains("run `portero init` or `portero demo`"), "{reason}");
    std::fs::write(bench.config(), "listen = 1\nbody_limit = 2\n").unwrap();
    let reason = bench.usage(&["user", "list"]);
    assert_eq!(reason.lines().count(), 3, "all faults at once: {reason}");
}

#[test]
fn a_user_comes_with_a_workspace_on_its_plan() {
    let bench = Bench::new();
    let user = bench.json(&[CREATE, &["--plan", "flow", "--external-id", "42"]].concat());
    let members: Vec<&str> = user.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["id", "email", "workspace"]);
    let shown = bench.json(&["user", "show", "ana@EXAMPLE.com"]);
    assert_eq!((text(&shown["external_id"]), &shown["has_password"]), ("42", &Value::Bool(true)));
    assert_eq!(shown["workspaces"][0]["id"], user["workspace"]);
    assert_eq!(
        (&shown["workspaces"][0]["plan"], &shown["workspaces"][0]["personal"]),
        (&"flow".into(), &true.into())
    );
    assert!(bench.refused(CREATE).contains("there is a user"));
    let other = ["user", "create", "--email", "bea@example.com", "--name", "Bea"];
    assert!(bench.refused(&[&other[..], &["--external-id", "42"]].concat()).contains("external id"));
    assert!(bench.usage(&[&other[..], &["--plan", "gold"]].concat()).contains("flow, free"));
    assert_eq!(ids(&bench.json(&["user", "list"])), [text(&user["id"])], "a refusal makes nothing");
    assert_eq!(ids(&bench.json(&["workspace", "list"])).len(), 1);
}

#[test]
fn passwords_come_from_one_line_and_are_long_enough() {
    let bench = Bench::new();
    for (line, good) in [("elevenchars\n", false), ("\n", false), ("twelve chars\r\n", true)] {
        let (outcome, _) = bench.run(CREATE, line);
        assert_eq!(matches!(outcome, Outcome::Done), good, "{line:?}: {outcome:?}");
    }
    let words = ["user", "password", "ana@example.com", "--password-stdin"];
    let (outcome, _) = bench.run(&words, &"x".repeat(5000));
    assert!(matches!(outcome, Outcome::Usage(_)));
    assert!(bench.text(&words).contains("new password"));
    block_on(async {
        let context = Context::open(Path::new(&bench.config())).await?;
        let signed = context.identity.sign_in("ana@example.com", PASSWORD.trim_end(), "test").await?;
        assert!(matches!(signed, SignIn::Ok(..)), "the line's end is not in it");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_token_is_shown_once_and_works() {
    let bench = Bench::new();
    let user = bench.json(CREATE);
    let create = ["token", "create", "--user", "ana@example.com", "--name", "laptop"];
    let made = bench.json(&create);
    assert_eq!(made["scopes"], serde_json::json!(["mico:read", "mico:write"]));
    assert_eq!((&made["user"], &made["workspace"]), (&user["id"], &user["workspace"]));
    let token = text(&made["token"]);
    assert!(recognise("mico_pat_", token).is_some());
    assert!(text(&made["expires_at"]).ends_with('Z'), "the brand allows no token without an end");
    let listed = bench.json(&["token", "list", "--user", "ana@example.com"]);
    assert!(!listed.to_string().contains(token) && !bench.text(&["token", "list"]).contains(token));
    assert_eq!((&listed[0]["id"], text(&listed[0]["status"])), (&made["id"], "active"));
    let usage = |more: &[&str]| bench.usage(&[&create[..], more].concat());
    assert!(usage(&["--scope", "mico:delete"]).contains("mico:read, mico:write"));
    assert!(usage(&["--brand", "meteor"]).contains("mico"));
    assert!(usage(&["--expires", "never"]).contains("pat_max_ttl"));
    assert!(usage(&["--expires", "0s"]).contains("--expires"));
    assert!(bench.refused(&[&create[..], &["--workspace", "wsp_x"]].concat()).contains("no member"));
}

#[test]
fn revoking_a_token_says_which_connections_ended() {
    let bench = Bench::new();
    let user = bench.json(CREATE);
    let made = bench.json(&["token", "create", "--user", "ana@example.com", "--name", "laptop"]);
    let (token, client) = (text(&made["id"]), make_client(&bench));
    let grant = bench.connect(&user, &client, Some(token));
    let other = bench.connect(&user, &client, None);
    assert_eq!(ids(&bench.json(&["grant", "list", "--token", token])), [grant.as_str()]);
    assert_eq!(bench.json(&["grant", "list", "--client", &client]).as_array().unwrap().len(), 2);
    let would = bench.json(&["token", "revoke", token, "--dry-run"]);
    assert_eq!((&would["ended"], ids(&would["grants"])), (&false.into(), vec![grant.as_str()]));
    let printed = bench.text(&["token", "revoke", token]);
    assert!(printed.contains("1 connection ends with it") && printed.contains(&grant), "{printed}");
    assert!(bench.refused(&["token", "revoke", token]).contains("already"));
    assert!(bench.refused(&["token", "rotate", token]).contains("has ended"));
    assert!(bench.refused(&["token", "revoke", "tok_x"]).contains("there is no token"));
    assert_eq!(bench.json(&["token", "list"])[0]["status"], "revoked");
    let ended = bench.json(&["grant", "revoke", &other]);
    assert_eq!(ids(&ended["grants"]), [other.as_str()]);
    let all = bench.json(&["grant", "list", "--user", "ana@example.com"]);
    assert!(all.as_array().unwrap().iter().all(|grant| grant["status"] == "ended"), "{all}");
}

#[test]
fn rotating_gives_another_secret_under_the_same_id() {
    let bench = Bench::new();
    bench.json(CREATE);
    let made = bench.json(&["token", "create", "--user", "ana@example.com", "--name", "laptop"]);
    let rotated = bench.json(&["token", "rotate", text(&made["id"]), "--overlap", "1h"]);
    assert_eq!((&made["id"], &made["scopes"]), (&rotated["id"], &rotated["scopes"]));
    assert_ne!(made["token"], rotated["token"]);
    block_on(async {
        let context = Context::open(Path::new(&bench.config())).await?;
        let tokens = Brand::new("mico", &context.config.brand["mico"]).tokens;
        for token in [&made["token"], &rotated["token"]] {
            let verified = context.identity.verify_for_brand(&tokens, text(token)).await;
            assert!(verified.is_ok(), "the old secret works for the overlap");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn locking_ends_what_a_user_has_and_unlocking_brings_nothing_back() {
    let bench = Bench::new();
    let user = bench.json(CREATE);
    bench.json(&["token", "create", "--user", "ana@example.com", "--name", "laptop"]);
    let grant = bench.connect(&user, &make_client(&bench), None);
    let locked = bench.json(&["user", "lock", "ana@example.com"]);
    assert_eq!(ids(&locked["grants"]), [grant.as_str()]);
    assert!(bench.refused(&["user", "lock", "ana@example.com"]).contains("already"));
    let refused = bench.refused(&["token", "create", "--user", "ana@example.com", "--name", "x"]);
    assert!(refused.contains("is locked"), "{refused}");
    bench.text(&["user", "unlock", "ana@example.com"]);
    assert!(bench.refused(&["user", "unlock", "ana@example.com"]).contains("not locked"));
    assert_eq!(bench.json(&["token", "list"])[0]["status"], "ended");
    bench.text(&["user", "delete", text(&user["id"])]);
    assert!(bench.refused(&["user", "show", "ana@example.com"]).contains("there is no user"));
}

#[test]
fn workspaces_have_plans_states_and_members() {
    let bench = Bench::new();
    let user = bench.json(CREATE);
    bench.json(&["user", "create", "--email", "bea@example.com", "--name", "Bea"]);
    let made = bench.json(&["workspace", "create", "--name", "Acme", "--owner", "ana@example.com"]);
    let id = text(&made["id"]);
    assert_eq!(bench.json(&["workspace", "set-plan", id, "free"])["plan"], "free");
    assert!(bench.usage(&["workspace", "set-plan", id, "gold"]).contains("flow, free"));
    assert_eq!(bench.json(&["workspace", "set-plan", id, "none"])["plan"], Value::Null);
    assert_eq!(bench.json(&["workspace", "set-status", id, "past_due"])["status"], "past_due");
    bench.text(&["workspace", "add-member", id, "bea@example.com"]);
    assert!(bench.refused(&["workspace", "add-member", id, "bea@example.com"]).contains("already"));
    let shown = bench.json(&["workspace", "show", id]);
    assert_eq!((shown["members"].as_array().unwrap().len(), text(&shown["status"])), (2, "past_due"));
    bench.text(&["workspace", "remove-member", id, "bea@example.com"]);
    assert!(bench.refused(&["workspace", "remove-member", id, "bea@example.com"]).contains("no member"));
    let own = text(&user["workspace"]);
    assert!(bench.refused(&["workspace", "remove-member", own, "ana@example.com"]).contains("personal"));
    assert!(bench.refused(&["workspace", "show", "wsp_x"]).contains("there is no workspace"));
}

#[test]
fn clients_are_made_disabled_and_cleared_away() {
    let bench = Bench::new();
    let create = ["client", "create", "--name", "Agent", "--redirect-uri"];
    assert!(bench.usage(&[&create[..], &["http://example.com/cb"]].concat()).contains("http is only"));
    let made = bench.json(&[&create[..], &["https://example.com/cb", "--confidential"]].concat());
    let (id, secret) = (text(&made["id"]), text(&made["secret"]));
    assert!(recognise("portero_ocs_", secret).is_some());
    let shown = bench.json(&["client", "show", id]);
    assert!(!shown.to_string().contains(secret));
    assert_eq!((text(&shown["kind"]), &shown["live_grants"]), ("operator", &0.into()));
    bench.text(&["client", "disable", id]);
    assert_eq!(bench.json(&["client", "list"])[0]["status"], "disabled");
    bench.text(&["client", "enable", id]);
    assert!(bench.refused(&["client", "enable", id]).contains("not disabled"));
    assert_eq!(bench.json(&["client", "prune", "--older-than", "0s"])["pruned"], 0, "operators' stay");
    bench.text(&["client", "delete", id]);
    assert!(bench.refused(&["client", "show", id]).contains("there is no client"));
}

#[test]
fn introspection_keys_are_shown_once_and_revoked() {
    let bench = Bench::new();
    let made = bench.json(&["introspection-key", "create", "--name", "billing"]);
    assert!(recognise(SECRET_PREFIX, text(&made["secret"])).is_some());
    let listed = bench.json(&["introspection-key", "list"]);
    assert_eq!((&listed[0]["id"], text(&listed[0]["status"])), (&made["id"], "active"));
    bench.text(&["introspection-key", "revoke", text(&made["id"])]);
    assert!(bench.refused(&["introspection-key", "revoke", text(&made["id"])]).contains("no live"));
    assert_eq!(bench.json(&["introspection-key", "list"])[0]["status"], "revoked");
}

#[test]
fn keys_plans_and_migrations() {
    let bench = Bench::new();
    assert_eq!(bench.json(&["migrate", "--status"])[0]["applied"], false);
    assert_eq!(bench.json(&["migrate"])[0]["applied"], true);
    assert!(bench.refused(&["keys", "rotate"]).contains("portero keys init"));
    bench.text(&["keys", "init"]);
    assert!(bench.refused(&["keys", "init"]).contains("keys rotate"));
    assert_eq!(bench.json(&["keys", "rotate"])["keys"], 2);
    let plans = bench.json(&["plan", "list"]);
    assert_eq!((ids(&plans), text(&plans[0]["name"])), (vec!["flow", "free"], "Flujo"));
    assert!(bench.text(&["plan", "show", "flow"]).contains("10/min per grant, burst 10"));
    assert!(bench.refused(&["plan", "show", "gold"]).contains("flow, free"));
}

#[test]
fn what_strangers_named_moves_no_cursor_and_columns_align() {
    let table = Table::new(["ID", "NAME"], "none")
        .rows([["1".to_owned(), "a\u{1b}[2Jb".to_owned()], ["100".to_owned(), "é".to_owned()]]);
    assert_eq!(table.to_string(), "ID   NAME\n1    a\u{fffd}[2Jb\n100  é");
}

#[test]
fn a_reader_who_has_read_enough_is_no_failure() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let bench = Bench::new();
    let cli = Cli::try_parse_from(["portero", "--config", &bench.config(), "user", "list"]).unwrap();
    let (mut input, mut output) = (&b""[..], Closed);
    assert_eq!(run_on(&cli, &mut Console::new(false, &mut input, &mut output)), Outcome::Done);
}

#[test]
fn a_database_that_cannot_be_reached_is_said_in_one_line() {
    let bench = Bench::new();
    let url = "postgres://portero:hunter2hunter2@127.0.0.1:1/portero";
    let config = format!("{CONFIG}\n[database]\nurl = \"{url}\"\n[keys]\nfile = \"k\"\n");
    std::fs::write(bench.config(), config).unwrap();
    let reason = bench.refused(&["user", "list"]);
    assert!(reason.contains("cannot be reached") && !reason.contains("hunter2"), "{reason}");
    assert_eq!(reason.lines().count(), 1);
}
