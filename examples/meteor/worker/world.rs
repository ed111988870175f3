//! What there is: a room for each workspace, and one for each partner.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

/// A thing.
pub(super) type Record = Map<String, Value>;

/// Everything of one workspace or partner, by kind and number.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pub(super) kinds: BTreeMap<String, BTreeMap<u64, Record>>,
}

/// All rooms.
#[derive(Debug)]
pub(super) struct World {
    rooms: HashMap<(bool, String), Room>,
    /// Whose sample data has found its room.
    settled: HashSet<(bool, String)>,
    /// The last id that was given.
    next: u64,
}

impl World {
    pub(super) fn new(last: u64) -> Self {
        Self { rooms: HashMap::new(), settled: HashSet::new(), next: last }
    }

    /// The room of a workspace, or of a partner, and the counter of ids. The sample data of a person goes to the
    /// first workspace that the person calls from.
    pub(super) fn room(
        &mut self,
        partner: bool,
        workspace: &str,
        subject: &str,
        samples: &HashMap<(bool, &'static str), Room>,
    ) -> (&mut Room, &mut u64) {
        let key = (partner, workspace.to_owned());
        if !self.rooms.contains_key(&key) {
            let sample = samples.get(&(partner, subject));
            let sample = sample.filter(|_| self.settled.insert((partner, subject.to_owned())));
            self.rooms.insert(key.clone(), sample.cloned().unwrap_or_default());
        }
        (self.rooms.entry(key).or_default(), &mut self.next)
    }
}

impl Room {
    pub(super) fn of(&self, kind: &str) -> impl DoubleEndedIterator<Item = (u64, &Record)> {
        self.kinds.get(kind).into_iter().flatten().map(|(number, record)| (*number, record))
    }
}
