//! What several servers share, and what becomes of requests while it cannot be reached.

mod migrate;
mod nodes;
mod stalled;
