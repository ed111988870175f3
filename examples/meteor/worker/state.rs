//! The worker's one lock: every call is one turn at the world.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::call::{Call, Caller};
use super::fault::Fault;
use super::table::{Operation, Table};
use super::time::stamp;
use super::world::{Room, World};
use super::{Clock, Worker, seeds};

/// What the routes share.
pub(super) struct State {
    clock: Clock,
    pub(super) table: Table,
    samples: HashMap<(bool, &'static str), Room>,
    world: Mutex<World>,
}

impl State {
    pub(super) fn new(worker: &Worker) -> io::Result<Self> {
        let table = Table::read().map_err(io::Error::other)?;
        let samples = seeds::rooms(&table).map_err(io::Error::other)?;
        let world = Mutex::new(World::new(seeds::LAST));
        Ok(Self { clock: worker.clock.clone(), table, samples, world })
    }

    /// Answers one call.
    pub(super) fn call(
        &self,
        caller: &Caller,
        operation: &Operation,
        sent: Map<String, Value>,
    ) -> Result<Value, Fault> {
        let arguments = Arguments::read(operation, sent)?;
        let partner = self.table.domains.iter().any(|own| own.id == operation.domain && own.partner);
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let (room, next) = world.room(partner, &caller.workspace, &caller.subject, &self.samples);
        let now = stamp((self.clock)());
        let table = &self.table;
        operation.does.run(&mut Call { table, operation, caller, arguments, room, next, now })
    }
}
