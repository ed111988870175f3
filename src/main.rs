//! The program `portero`.

fn main() {}
