//! The example systems that the demo serves: their files, and the workers behind them.

#[path = "../../examples/becoming/worker/mod.rs"]
pub mod becoming;
#[path = "../../examples/inversion-consciente/worker/mod.rs"]
pub mod inversion_consciente;
#[path = "../../examples/mico/worker/mod.rs"]
pub mod mico;

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;

/// The owner of the sample data in every example.
pub const OWNER: &str = "ana";

/// A worker at its work, until it is dropped.
type Running = Pin<Box<dyn Future<Output = io::Result<()>>>>;

/// One of the examples.
pub struct Example {
    /// Its folder under `examples/`; its first service's id as well.
    pub id: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its configuration.
    pub toml: &'static str,
    /// The files beside that, by name.
    pub files: &'static [(&'static str, &'static str)],
    /// Serves its tools.
    pub worker: fn(TcpListener) -> Running,
}

/// Every example. The first one has the root forms of the discovery documents.
pub const ALL: [Example; 3] = [
    Example {
        id: "mico",
        about: "a meeting recorder: eight tools that read",
        toml: include_str!("../../examples/mico/portero.toml"),
        files: &[("mico-tools.json", include_str!("../../examples/mico/mico-tools.json"))],
        worker: |listener| Box::pin(mico::serve(listener)),
    },
    Example {
        id: "becoming",
        about: "a library of highlights: twenty tools, eleven permissions, resources, credits",
        toml: include_str!("../../examples/becoming/portero.toml"),
        files: &[("becoming-tools.json", include_str!("../../examples/becoming/becoming-tools.json"))],
        worker: |listener| Box::pin(becoming::Worker::default().serve(listener)),
    },
    Example {
        id: "inversion-consciente",
        about: "a magazine: public tools beside the reader's own, tokens of another issuer",
        toml: include_str!("../../examples/inversion-consciente/portero.toml"),
        files: &[(
            "inversion-consciente-tools.json",
            include_str!("../../examples/inversion-consciente/inversion-consciente-tools.json"),
        )],
        worker: |listener| Box::pin(inversion_consciente::Worker::default().serve(listener)),
    },
];
