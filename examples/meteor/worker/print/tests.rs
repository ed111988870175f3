//! The files beside the worker are what the table comes to.

use super::{What, text};

const TOML: &str = include_str!("../../portero.toml");

#[test]
fn the_files_are_as_the_table_says() {
    for (what, file) in [
        (What::Catalog, include_str!("../../meteor-tools.json")),
        (What::Partners, include_str!("../../meteor-partners-tools.json")),
        (What::Openapi, include_str!("../../openapi.yaml")),
    ] {
        let printed = text(what).unwrap();
        assert!(printed == file, "--print {what:?} gives another file; write it anew");
    }
}

#[test]
fn the_configuration_has_the_tables_scopes_and_policies() {
    for what in [
        What::Scopes,
        What::Exclude,
        What::Policy,
        What::Operations,
        What::PartnerScopes,
        What::PartnerPolicy,
    ] {
        let printed = text(what).unwrap();
        assert!(TOML.contains(&printed), "portero.toml lacks what --print {what:?} gives");
    }
}
