//! The tools for sources: listing, showing, adding.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::cursor::List;
use super::fault::{Fault, conflict, invalid};
use super::imports::{self, Plan};
use super::seeds::KINDS;
use super::text::{fold, holds};
use super::time::stamp;
use super::world::{Call, Done, Library, Source, Video};

/// A title, an author or an address is no longer than this.
pub(super) const LONGEST: usize = 2000;
/// Minutes of a transcript that cost one credit.
const MINUTES: i64 = 15;

/// `list_sources`: the newest first.
pub(super) fn list(call: &mut Call<'_>) -> Result<Done, Fault> {
    let arguments = call.arguments;
    let part = arguments.text("q")?.unwrap_or_default();
    let kind = arguments.word("type", &KINDS)?;
    let limit = arguments.limit(20)?;
    let list = List::of("list_sources", &json!([part, kind]));
    let before = list.start(arguments)?.unwrap_or(i64::MAX);
    let library = &*call.library;
    let mut found = library.sources.range(..before).rev().map(|(_, source)| source).filter(|source| {
        kind.is_none_or(|kind| source.kind == kind)
            && (holds(&source.title, part)
                || source.author.as_deref().is_some_and(|author| holds(author, part)))
    });
    let page: Vec<&Source> = found.by_ref().take(limit).collect();
    let next = found.next().and(page.last()).map(|last| last.id);
    let shown: Vec<Value> = page.iter().map(|source| shown(library, source)).collect();
    Ok(json!({ "sources": shown, "meta": list.meta(limit, page.len(), next) }).into())
}

/// `get_source`: one of them with its highlights.
pub(super) fn get(call: &mut Call<'_>) -> Result<Done, Fault> {
    let id = call.arguments.id("id")?;
    Ok(whole(call.library, id)?.into())
}

/// A source with the person's highlights of it.
pub(super) fn whole(library: &Library, id: i64) -> Result<Value, Fault> {
    let source = library.sources.get(&id).ok_or_else(|| Fault::absent("source", id))?;
    let highlights: Vec<Value> = library
        .highlights_of(id)
        .map(|highlight| {
            json!({
                "id": highlight.id,
                "content": highlight.content,
                "location": highlight.location,
                "timestamp_seconds": highlight.timestamp_seconds,
                "highlighted_at": highlight.highlighted_at,
                "notes_count": library.notes_of(highlight.id).count(),
            })
        })
        .collect();
    Ok(json!({ "source": shown(library, source), "highlights": highlights }))
}

/// A source as every list shows it.
pub(super) fn shown(library: &Library, source: &Source) -> Value {
    json!({
        "id": source.id,
        "type": source.kind,
        "title": source.title,
        "author": source.author,
        "url": source.url,
        "cover_url": format!("https://covers.example.com/{}.jpg", source.id),
        "language": source.language,
        "added_at": source.added_at,
        "highlights_count": library.highlights_of(source.id).count(),
    })
}

/// `add_source`: a link or a book. The source is there at once, its highlights come later.
pub(super) fn add(call: &mut Call<'_>) -> Result<Done, Fault> {
    let arguments = call.arguments;
    match (arguments.said("url", LONGEST)?, arguments.object("book")?) {
        (Some(url), None) => add_link(call, url),
        (None, Some(book)) => add_book(call, book),
        _ => invalid("either url or book is required, and not both"),
    }
}

fn add_book(call: &mut Call<'_>, book: Arguments<'_>) -> Result<Done, Fault> {
    let new = New {
        kind: "Book",
        title: book.saying("title", LONGEST)?,
        author: Some(book.saying("author", LONGEST)?),
        url: None,
        language: book.said("language", 35)?,
    };
    refuse_known(call.library, &new)?;
    let source = new.keep(call);
    Ok(started(imports::start(call, source, Plan::Reads { fragments: 0, waiting: 0 }), 0))
}

fn add_link(call: &mut Call<'_>, url: &str) -> Result<Done, Fault> {
    let link = Link::read(url)?;
    let (title, author, kind, fragments) = match &link {
        Link::Page(title) => (title.clone(), None, "Article", 1),
        Link::Video(id) => {
            let known = call.shared.web.videos.iter().find(|video| video.id == *id).cloned();
            let Some(Video { title, author, minutes, .. }) = known else {
                // Without a transcript there is nothing to read, to keep or to pay for.
                let reason = "the video has no transcript";
                return Ok(started(imports::start(call, 0, Plan::Fails(reason)), 0));
            };
            (title, Some(author), "Video", fragments_of(minutes))
        }
    };
    let new = New { kind, title: &title, author: author.as_deref(), url: Some(url), language: None };
    refuse_known(call.library, &new)?;
    let paid = call.credits.map_or(fragments, |left| fragments.min(left.max(0)));
    let source = new.keep(call);
    let import = imports::start(call, source, Plan::Reads { fragments: paid, waiting: fragments - paid });
    Ok(started(import, paid))
}

/// One for every quarter of an hour that has begun.
pub(super) fn fragments_of(minutes: i64) -> i64 {
    (minutes.max(1) + MINUTES - 1) / MINUTES
}

fn started(import: i64, cost: i64) -> Done {
    Done { body: json!({ "import_id": import, "status": "pending" }), cost: Some(cost) }
}

fn refuse_known(library: &Library, new: &New<'_>) -> Result<(), Fault> {
    match new.known(library) {
        Some(source) => {
            conflict(format!("the library has {:?} already, as source {}", source.title, source.id))
        }
        None => Ok(()),
    }
}

/// What a link leads to.
enum Link {
    /// A page, by the title that its address suggests.
    Page(String),
    /// A video on YouTube, by its id.
    Video(String),
}

impl Link {
    fn read(text: &str) -> Result<Self, Fault> {
        let Some(url) = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
        else {
            return invalid("url must be an http or https address");
        };
        let host = url.host_str().unwrap_or_default();
        let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty()));
        let last = last.unwrap_or_default();
        match host.strip_prefix("www.").or(host.strip_prefix("m.")).unwrap_or(host) {
            "youtu.be" => Ok(Self::Video(last.to_owned())),
            "youtube.com" => {
                let named = url.query_pairs().find(|(name, _)| name == "v");
                Ok(Self::Video(named.map_or_else(|| last.to_owned(), |(_, id)| id.into_owned())))
            }
            _ if last.is_empty() => Ok(Self::Page(host.to_owned())),
            _ => Ok(Self::Page(last.replace(['-', '_'], " "))),
        }
    }
}

/// A source that may be new.
pub(super) struct New<'a> {
    pub(super) kind: &'static str,
    pub(super) title: &'a str,
    pub(super) author: Option<&'a str>,
    pub(super) url: Option<&'a str>,
    pub(super) language: Option<&'a str>,
}

impl New<'_> {
    /// The same one in the library: by address where there is one, else by title and author.
    pub(super) fn known<'l>(&self, library: &'l Library) -> Option<&'l Source> {
        let same = |own: Option<&str>, other: Option<&str>| own.map(fold) == other.map(fold);
        library.sources.values().find(|source| match self.url {
            Some(url) => source.url.as_deref() == Some(url),
            None => {
                source.kind == self.kind
                    && fold(&source.title) == fold(self.title)
                    && same(source.author.as_deref(), self.author)
            }
        })
    }

    /// Puts it into the library; its id.
    pub(super) fn keep(&self, call: &mut Call<'_>) -> i64 {
        let id = call.shared.id();
        let source = Source {
            id,
            kind: self.kind,
            title: self.title.to_owned(),
            author: self.author.map(str::to_owned),
            url: self.url.map(str::to_owned),
            language: self.language.map(str::to_owned),
            added_at: stamp(call.now),
            read: 0,
            waiting: 0,
        };
        call.library.sources.insert(id, source);
        id
    }
}
