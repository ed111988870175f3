//! Imports: what goes on in the background after a source was added. They advance by the clock alone, whether
//! anybody asks or not.

use serde_json::json;

use super::fault::Fault;
use super::sweep;
use super::time::stamp;
use super::world::{Call, Done, Highlight, Library, Shared};

/// How long a step takes: waiting, then one for every fragment.
pub(super) const STEP: i64 = 10;
/// Seconds of a video in one fragment.
const FRAGMENT: i64 = 900;

/// What an import is going to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// It reads so many fragments, and leaves so many to wait for credits.
    Reads { fragments: i64, waiting: i64 },
    /// It finds nothing to read.
    Fails(&'static str),
}

/// One import. What it came to is what it says for ever.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub(super) id: i64,
    /// None where nothing could be read.
    pub(super) source: Option<i64>,
    pub(super) started: i64,
    pub(super) plan: Plan,
    /// The first fragment of the source that it reads.
    first: i64,
    /// Fragments that it has made highlights of.
    done: i64,
}

/// How far an import has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Processing,
    Completed,
    Failed(&'static str),
}

impl Import {
    /// Fragments read by now.
    fn read(&self, now: i64) -> i64 {
        match self.plan {
            Plan::Reads { fragments, .. } => ((now - self.started) / STEP - 1).clamp(0, fragments),
            Plan::Fails(_) => 0,
        }
    }

    /// When it ends.
    fn ends(&self) -> i64 {
        let fragments = match self.plan {
            Plan::Reads { fragments, .. } => fragments,
            Plan::Fails(_) => 0,
        };
        self.started + STEP * (1 + fragments.max(1))
    }

    /// How far it has got by now.
    pub(super) fn state(&self, now: i64) -> State {
        match self.plan {
            _ if now < self.started + STEP => State::Pending,
            _ if now < self.ends() => State::Processing,
            Plan::Reads { waiting: 0, .. } => State::Completed,
            Plan::Reads { .. } => State::Failed("out_of_credits"),
            Plan::Fails(why) => State::Failed(why),
        }
    }
}

/// Begins an import; its id. Source 0 is none.
pub(super) fn start(call: &mut Call<'_>, source: i64, plan: Plan) -> i64 {
    begin(call.library, call.shared, source, call.now, plan)
}

/// Begins an import at some moment.
pub(super) fn begin(library: &mut Library, shared: &mut Shared, source: i64, at: i64, plan: Plan) -> i64 {
    let id = shared.id();
    let mut first = 0;
    if let (Some(source), Plan::Reads { fragments, waiting }) = (library.sources.get_mut(&source), plan) {
        first = source.read;
        source.read += fragments;
        source.waiting = waiting;
    }
    let source = library.sources.contains_key(&source).then_some(source);
    library.imports.insert(id, Import { id, source, started: at, plan, first, done: 0 });
    id
}

/// Lets everything happen that has happened by now.
pub(super) fn catch_up(library: &mut Library, shared: &mut Shared, now: i64) {
    sweep::nights(library, shared, now);
    let mut imports = std::mem::take(&mut library.imports);
    for import in imports.values_mut() {
        let Some(source) = import.source else { continue };
        while import.done < import.read(now) {
            let at = import.started + STEP * (import.done + 2);
            keep(library, shared, source, import.first + import.done, at);
            import.done += 1;
        }
    }
    library.imports = imports;
}

/// The highlight of a fragment.
fn keep(library: &mut Library, shared: &mut Shared, source: i64, fragment: i64, at: i64) {
    let id = shared.id();
    let video = library.sources.get(&source).is_some_and(|source| source.kind == "Video");
    let count = shared.web.passages.len().max(1);
    let index = usize::try_from(source + fragment).unwrap_or_default() % count;
    let content = shared.web.passages.get(index).cloned().unwrap_or_default();
    let highlight = Highlight {
        id,
        source_id: source,
        content,
        location: (!video).then(|| format!("párrafo {}", fragment + 1)),
        timestamp_seconds: video.then_some(fragment * FRAGMENT),
        highlighted_at: stamp(at),
    };
    library.highlights.insert(id, highlight);
}

/// `get_import`: where one stands.
pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("id")?;
    let import = call.library.imports.get(&id).ok_or_else(|| Fault::absent("import", id))?;
    let (status, reason) = match import.state(call.now) {
        State::Pending => ("pending", None),
        State::Processing => ("processing", None),
        State::Completed => ("completed", None),
        State::Failed(reason) => ("failed", Some(reason)),
    };
    let ended = matches!(status, "completed" | "failed").then(|| stamp(import.ends()));
    Ok(json!({
        "id": import.id,
        "status": status,
        "source_id": import.source,
        "counts": { "sources": i64::from(import.source.is_some()), "highlights": import.done },
        "failure_reason": reason,
        "started_at": stamp(import.started),
        "finished_at": ended,
    })
    .into())
}
