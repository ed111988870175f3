//! The sample world: what two owners recorded, and what others share with them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::transcript::{Transcript, Written};

/// The parts of a meeting that lists show. The order of the members is the order they are told in.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Facts {
    pub(super) id: String,
    pub(super) title: String,
    kind: String,
    status: String,
    created_at: String,
    updated_at: String,
    started_at: Option<String>,
    ended_at: Option<String>,
    pub(super) series_id: Option<String>,
    timezone: String,
    language: String,
}

/// A meeting without its words, which may be many and are asked for apart.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Meeting {
    #[serde(skip_serializing)]
    pub(super) owner: String,
    #[serde(flatten)]
    pub(super) facts: Facts,
    note: Option<Note>,
    pub(super) summaries: Vec<Summary>,
    participants: Vec<Participant>,
    pub(super) action_items: Vec<ActionItem>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Note {
    markdown: String,
    updated_at: String,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Summary {
    id: String,
    title: String,
    pub(super) markdown: String,
    created_at: String,
}

#[derive(Debug, Deserialize, Serialize)]
struct Participant {
    name: String,
    role: String,
}

/// Something that somebody said they would do.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ActionItem {
    id: String,
    text: String,
    pub(super) status: State,
    assignee: Option<String>,
    due_on: Option<String>,
    pub(super) created_at: String,
    updated_at: String,
}

/// How far an action item has got.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Todo,
    InProgress,
    Done,
    Cancelled,
}

/// A note or summary that its author let others read. Words spoken are no part of it.
#[derive(Debug, Deserialize)]
pub(super) struct SharedNote {
    pub(super) share_id: String,
    pub(super) title: String,
    pub(super) shared_by: String,
    pub(super) audience: Audience,
    pub(super) published_at: String,
    pub(super) text: String,
}

/// Whom a note is shared with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Audience {
    User(String),
    Team(String),
}

#[derive(Debug, Deserialize)]
pub(super) struct Shared {
    pub(super) teams: BTreeMap<String, Vec<String>>,
    pub(super) notes: Vec<SharedNote>,
}

/// Everything there is, meetings and shared notes newest first.
#[derive(Debug)]
pub(super) struct World {
    meetings: Vec<Meeting>,
    transcripts: BTreeMap<String, Transcript>,
    pub(super) shared: Shared,
}

impl World {
    fn read() -> serde_json::Result<Self> {
        let mut meetings: Vec<Meeting> = serde_json::from_str(include_str!("data/meetings.json"))?;
        let written: BTreeMap<String, Written> = serde_json::from_str(include_str!("data/transcripts.json"))?;
        let mut shared: Shared = serde_json::from_str(include_str!("data/shared.json"))?;
        // All times are UTC in one format, so they sort as text.
        meetings.sort_by(|a, b| b.facts.when().cmp(a.facts.when()));
        shared.notes.sort_by(|a, b| b.published_at.cmp(&a.published_at));
        let transcripts = written.into_iter().map(|(id, written)| (id, written.into())).collect();
        Ok(Self { meetings, transcripts, shared })
    }

    /// What `owner` recorded, newest first. There is no other way to a meeting.
    pub(super) fn meetings_of<'a, 'o>(
        &'a self,
        owner: &'o str,
    ) -> impl Iterator<Item = &'a Meeting> + use<'a, 'o> {
        self.meetings.iter().filter(move |meeting| meeting.owner == owner)
    }

    /// The words of a meeting, if it was transcribed.
    pub(super) fn transcript_of(&self, meeting: &Meeting) -> Option<&Transcript> {
        self.transcripts.get(&meeting.facts.id)
    }
}

impl Facts {
    fn when(&self) -> &str {
        self.started_at.as_deref().unwrap_or(&self.created_at)
    }
}

/// The sample world, read once; `None` if its files are damaged.
pub(super) fn world() -> Option<&'static World> {
    static WORLD: LazyLock<Option<World>> = LazyLock::new(|| World::read().ok());
    WORLD.as_ref()
}
