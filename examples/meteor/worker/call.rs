//! One turn at a room: who calls, with what, and what is there.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::fault::Fault;
use super::seeds::number;
use super::table::{Operation, Table};
use super::world::{Record, Room};

/// Who calls, as the headers say.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    pub(super) workspace: String,
    pub(super) subject: String,
    pub(super) plan: String,
    pub(super) features: String,
    /// Energía that is left; none where nobody counts it.
    pub(super) credits: Option<i64>,
    /// True for a test key.
    pub(super) test: bool,
}

/// A call under way.
pub(super) struct Call<'a> {
    pub(super) table: &'a Table,
    pub(super) operation: &'a Operation,
    pub(super) caller: &'a Caller,
    pub(super) arguments: Arguments,
    pub(super) room: &'a mut Room,
    pub(super) next: &'a mut u64,
    pub(super) now: String,
}

impl Call<'_> {
    /// The thing that an argument names.
    pub(super) fn named(&self, argument: &str, kind: &str) -> Result<&Record, Fault> {
        self.find(kind, self.arguments.id(argument))
    }

    /// A thing by its id.
    pub(super) fn find(&self, kind: &str, id: &str) -> Result<&Record, Fault> {
        let record = self.number(kind, id).and_then(|own| self.room.kinds.get(kind)?.get(&own));
        record.ok_or_else(|| Fault::Absent(kind.to_owned(), id.to_owned()))
    }

    /// A thing by its id, to be changed.
    pub(super) fn find_mut(&mut self, kind: &str, id: &str) -> Result<&mut Record, Fault> {
        let number = self.number(kind, id);
        let record = number.and_then(|own| self.room.kinds.get_mut(kind)?.get_mut(&own));
        record.ok_or_else(|| Fault::Absent(kind.to_owned(), id.to_owned()))
    }

    fn number(&self, kind: &str, id: &str) -> Option<u64> {
        let prefix = &self.table.kinds.get(kind)?.prefix;
        let rest = id.strip_prefix(prefix.as_str())?.strip_prefix('_')?;
        // One spelling of every id: `con_01` is not `con_1`.
        number(id).filter(|number| number.to_string() == rest)
    }

    /// Keeps a new thing; gives it with its id.
    pub(super) fn insert(&mut self, kind: &str, members: Record) -> Record {
        let prefix = self.table.kinds.get(kind).map_or("", |own| own.prefix.as_str());
        *self.next += 1;
        let mut record = Record::new();
        record.insert("id".to_owned(), format!("{prefix}_{}", self.next).into());
        record.extend(members);
        record.insert("created_at".to_owned(), self.now.clone().into());
        self.room.kinds.entry(kind.to_owned()).or_default().insert(*self.next, record.clone());
        record
    }

    /// Deletes a thing and whatever belongs to it.
    pub(super) fn remove(&mut self, kind: &str, id: &str) {
        if let Some(number) = self.number(kind, id)
            && let Some(records) = self.room.kinds.get_mut(kind)
        {
            records.remove(&number);
        }
        let owner = format!("{kind}_id");
        let belongs = |record: &Record| record.get(&owner).is_some_and(|own| own == id);
        let orphans: Vec<(String, String)> = self
            .room
            .kinds
            .iter()
            .flat_map(|(kind, records)| records.values().map(move |record| (kind, record)))
            .filter(|(_, record)| belongs(record))
            .map(|(kind, record)| (kind.clone(), id_of(record).to_owned()))
            .collect();
        for (kind, id) in orphans {
            self.remove(&kind, &id);
        }
        let list = format!("{kind}_ids");
        for record in self.room.kinds.values_mut().flat_map(|records| records.values_mut()) {
            if let Some(Value::Array(ids)) = record.get_mut(&list) {
                ids.retain(|own| own != id);
            }
        }
    }

    /// A thing as it is shown: without what is kept to itself.
    pub(super) fn shown(&self, kind: &str, record: &Record) -> Value {
        let hidden = self.table.kinds.get(kind).map(|own| own.hidden.as_slice()).unwrap_or_default();
        let mut record = record.clone();
        record.retain(|name, _| !hidden.contains(name));
        Value::Object(record)
    }

    /// Writes down what has happened.
    pub(super) fn log(&mut self, what: &str, id: &str) {
        let event = json!({ "type": what, "resource_id": id, "operation": self.operation.id });
        if let Value::Object(event) = event {
            self.insert("event", event);
        }
    }
}

/// The id of a thing.
pub(super) fn id_of(record: &Record) -> &str {
    record.get("id").and_then(Value::as_str).unwrap_or_default()
}
