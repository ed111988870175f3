//! Portero: parse, run, exit code.

fn main() {}
