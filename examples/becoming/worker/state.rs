//! The worker's one lock: every call is one turn at the world, after all that has happened to the caller's library.

use std::io;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::fault::Fault;
use super::world::{Call, Done, Library, World};
use super::{Clock, Worker, generations, imports, resources, seeds, sweep, tools};

/// Who calls, as the headers say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller<'a> {
    /// Whose library it is about; nobody in particular owns an empty one.
    pub(super) owner: &'a str,
    /// True if the person's plan includes La Academia.
    pub(super) academy: bool,
    /// The credits that are left; none where nobody counts them.
    pub(super) credits: Option<i64>,
}

/// What the routes share.
pub(super) struct State {
    clock: Clock,
    world: Mutex<World>,
}

impl State {
    pub(super) fn new(worker: &Worker) -> io::Result<Self> {
        let world = seeds::world((worker.clock)()).map_err(io::Error::other)?;
        Ok(Self { clock: worker.clock.clone(), world: Mutex::new(world) })
    }

    /// Answers one call.
    pub(super) fn call(
        &self,
        caller: Caller<'_>,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Done, Fault> {
        let tool = tools::find(tool).ok_or_else(|| Fault::Absent("tool", tool.to_owned()))?;
        self.with(caller.owner, |world, now| {
            let empty = || Library { night: sweep::night_of(now), ..Library::default() };
            let library = world.libraries.entry(caller.owner.to_owned()).or_insert_with(empty);
            let shared = &mut world.shared;
            let Caller { academy, credits, .. } = caller;
            tool(&mut Call { library, shared, now, academy, credits, arguments: Arguments(arguments) })
        })
    }

    /// Reads one resource.
    pub(super) fn read(&self, owner: &str, uri: &str) -> Result<Value, Fault> {
        self.with(owner, |world, _| match world.libraries.get(owner) {
            Some(library) => resources::read(library, uri),
            None => resources::read(&Library::default(), uri),
        })
    }

    fn with<T>(&self, owner: &str, work: impl FnOnce(&mut World, i64) -> T) -> T {
        let now = (self.clock)();
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let World { libraries, shared } = &mut *world;
        if let Some(library) = libraries.get_mut(owner) {
            imports::catch_up(library, shared, now);
            generations::catch_up(library, shared, now);
        }
        work(&mut world, now)
    }
}
