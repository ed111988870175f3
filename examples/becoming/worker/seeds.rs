//! The sample data: two owners' libraries. Days of La Academia are counted from the day the worker starts, so that
//! there is always something for today.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::embedding::Concepts;
use super::sweep;
use super::time::{DAY, day_of, days_after, stamp};
use super::world::{
    Generation, Highlight, Library, Note, Practice, Reflection, Shared, Source, Template, Theme, World,
};

const LIBRARY: &str = include_str!("data/library.json");
const ACADEMY: &str = include_str!("data/academy.json");
const CONCEPTS: &str = include_str!("data/concepts.json");
const WEB: &str = include_str!("data/web.json");
/// Ids of what is made later begin above those of the sample data.
const FIRST: i64 = 5000;

#[derive(Deserialize)]
struct Books {
    sources: Vec<SourceSeed>,
    highlights: Vec<HighlightSeed>,
    notes: Vec<NoteSeed>,
}

#[derive(Deserialize)]
struct SourceSeed {
    id: i64,
    owner: String,
    r#type: String,
    title: String,
    author: Option<String>,
    url: Option<String>,
    language: Option<String>,
    added_at: String,
}

#[derive(Deserialize)]
struct HighlightSeed {
    id: i64,
    source_id: i64,
    content: String,
    location: Option<String>,
    timestamp_seconds: Option<i64>,
    highlighted_at: String,
}

#[derive(Deserialize)]
struct NoteSeed {
    id: i64,
    highlight_id: i64,
    body: String,
    created_at: String,
}

#[derive(Deserialize)]
struct Academy {
    themes: Vec<ThemeSeed>,
    practices: Vec<PracticeSeed>,
    reflections: Vec<ReflectionSeed>,
    generations: Vec<GenerationSeed>,
    templates: Vec<Template>,
}

#[derive(Deserialize)]
struct ThemeSeed {
    id: i64,
    owner: String,
    title: String,
    summary: String,
    started: i64,
    ended: Option<i64>,
}

#[derive(Deserialize)]
struct PracticeSeed {
    id: i64,
    theme_id: i64,
    day: i64,
    kind: String,
    title: String,
    instructions: String,
    status: String,
}

#[derive(Deserialize)]
struct ReflectionSeed {
    practice_id: i64,
    day: i64,
    body: String,
}

#[derive(Deserialize)]
struct GenerationSeed {
    id: i64,
    owner: String,
    intent: Option<String>,
    seed_highlight_id: Option<i64>,
    day: i64,
    theme_id: Option<i64>,
    failure: Option<String>,
}

/// The sample world of this moment.
pub(super) fn world(now: i64) -> serde_json::Result<World> {
    let stems: BTreeMap<String, Vec<String>> = serde_json::from_str(CONCEPTS)?;
    let academy: Academy = serde_json::from_str(ACADEMY)?;
    let shared = Shared {
        next: FIRST,
        concepts: Concepts::new(&stems),
        web: serde_json::from_str(WEB)?,
        templates: academy.templates.clone(),
    };
    let mut libraries: BTreeMap<String, Library> = BTreeMap::new();
    shelve(&mut libraries, serde_json::from_str(LIBRARY)?);
    enrol(&mut libraries, academy, now);
    for library in libraries.values_mut() {
        library.night = sweep::night_of(now);
    }
    Ok(World { libraries, shared })
}

fn shelve(libraries: &mut BTreeMap<String, Library>, books: Books) {
    for seed in books.sources {
        let source = Source {
            id: seed.id,
            kind: kind(&seed.r#type),
            title: seed.title,
            author: seed.author,
            url: seed.url,
            language: seed.language,
            added_at: seed.added_at,
            read: 0,
            waiting: 0,
        };
        libraries.entry(seed.owner).or_default().sources.insert(seed.id, source);
    }
    for seed in books.highlights {
        let highlight = Highlight {
            id: seed.id,
            source_id: seed.source_id,
            content: seed.content,
            location: seed.location,
            timestamp_seconds: seed.timestamp_seconds,
            highlighted_at: seed.highlighted_at,
        };
        if let Some(library) = libraries.values_mut().find(|own| own.sources.contains_key(&seed.source_id)) {
            library.highlights.insert(seed.id, highlight);
        }
    }
    for seed in books.notes {
        let note = Note {
            id: seed.id,
            highlight_id: seed.highlight_id,
            body: seed.body,
            created_at: seed.created_at,
        };
        if let Some(library) =
            libraries.values_mut().find(|own| own.highlights.contains_key(&note.highlight_id))
        {
            library.notes.insert(note.id, note);
        }
    }
}

fn enrol(libraries: &mut BTreeMap<String, Library>, academy: Academy, now: i64) {
    let today = day_of(now);
    for seed in academy.themes {
        let theme = Theme {
            id: seed.id,
            title: seed.title,
            summary: seed.summary,
            started_on: days_after(today, seed.started),
            ended_on: seed.ended.map(|ended| days_after(today, ended)),
        };
        libraries.entry(seed.owner).or_default().themes.insert(seed.id, theme);
    }
    for seed in academy.practices {
        let practice = Practice {
            id: seed.id,
            theme_id: seed.theme_id,
            day: days_after(today, seed.day),
            reflects: seed.kind == "reflect",
            title: seed.title,
            instructions: seed.instructions,
            status: status(&seed.status),
        };
        if let Some(library) = libraries.values_mut().find(|own| own.themes.contains_key(&seed.theme_id)) {
            library.practices.insert(seed.id, practice);
        }
    }
    for seed in academy.reflections {
        let saved_at = stamp(now.saturating_add(seed.day.saturating_mul(DAY)));
        let reflection = Reflection { body: seed.body, saved_at };
        if let Some(library) =
            libraries.values_mut().find(|own| own.practices.contains_key(&seed.practice_id))
        {
            library.reflections.insert(seed.practice_id, reflection);
        }
    }
    for seed in academy.generations {
        let generation = Generation {
            id: seed.id,
            intent: seed.intent,
            seed: seed.seed_highlight_id,
            started: now.saturating_add(seed.day.saturating_mul(DAY)),
            theme_id: seed.theme_id,
            failure: seed.failure,
        };
        libraries.entry(seed.owner).or_default().generations.insert(seed.id, generation);
    }
}

/// The types of sources.
pub(super) const KINDS: [&str; 4] = ["Book", "Article", "Video", "Podcast"];

fn kind(text: &str) -> &'static str {
    KINDS.into_iter().find(|kind| *kind == text).unwrap_or("Article")
}

fn status(text: &str) -> &'static str {
    ["done", "skipped"].into_iter().find(|status| *status == text).unwrap_or("pending")
}
