//! Reading a server's lists through all their pages, by the gateway's own credentials: within bounds, and without what
//! nobody could use.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::library::{Lists, Offer};
use super::Remote;
use super::hear::{self, Heard};
use super::learn::Facts;
use super::talk::{Message, talk};
use super::voice::Voice;
use crate::mcp::tool::{self, Descriptor};
use crate::mcp::version::Version;
use crate::mcp::{carry, offer, peer};
use crate::upstream::client::Failure;
use crate::upstream::mcp::Mirrored;

/// Bounds of one list, whatever the server goes on to say.
const MAX_PAGES: usize = 200;
const MAX_ITEMS: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;
/// So many faults are named.
const MAX_FAULTS: usize = 5;

/// What could be read of a list, and what was left out.
pub struct Read<T> {
    /// Its items, in order.
    pub items: Vec<T>,
    /// Sentences for the log.
    pub faults: Vec<String>,
}

impl<T> Read<T> {
    fn of(
        items: Vec<Value>,
        faults: Vec<String>,
        one: impl Fn(Value) -> Result<T, String>,
        key: impl Fn(&T) -> String,
    ) -> Self {
        let mut read = Self { items: Vec::with_capacity(items.len()), faults };
        let mut seen = HashSet::new();
        for item in items {
            match one(item) {
                Ok(item) if seen.insert(key(&item)) => read.items.push(item),
                Ok(item) => read.fault(&format!("{:?} is there twice", key(&item))),
                Err(fault) => read.fault(&fault),
            }
        }
        read
    }

    fn fault(&mut self, fault: &str) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault.chars().take(300).collect());
        }
    }
}

/// All items of a list, with a sentence if there are more than are read.
async fn all(
    remote: &Arc<Remote>,
    voice: &Voice,
    method: &str,
    member: &str,
) -> Result<(Vec<Value>, Vec<String>), Failure> {
    let (mut items, mut bytes, mut cursor): (Vec<Value>, usize, Option<String>) = (Vec::new(), 0, None);
    for _ in 0..MAX_PAGES {
        let text = page(remote, voice, method, cursor.as_deref()).await?;
        bytes += text.len();
        let mut page: Value =
            serde_json::from_str(&text).map_err(|_| Failure::Unavailable("upstream_answer_unreadable"))?;
        let Some(Value::Array(more)) = page.get_mut(member).map(Value::take) else {
            return Err(Failure::Unavailable("upstream_answer_unreadable"));
        };
        items.extend(more);
        let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if next.is_none() || next == cursor {
            items.truncate(MAX_ITEMS);
            return Ok((items, Vec::new()));
        }
        if items.len() >= MAX_ITEMS || bytes >= MAX_BYTES {
            break;
        }
        cursor = next;
    }
    items.truncate(MAX_ITEMS);
    Ok((
        items,
        vec![format!("{method} goes on after {MAX_PAGES} pages, {MAX_ITEMS} items or {MAX_BYTES} bytes")],
    ))
}

async fn page(
    remote: &Arc<Remote>,
    voice: &Voice,
    method: &str,
    cursor: Option<&str>,
) -> Result<String, Failure> {
    let way = remote.way()?;
    let meta = carry::meta(None, Version::V20251125, way.version, None);
    let cursor = cursor.map(|cursor| json!(cursor).to_string());
    let params = carry::object([("cursor", cursor.as_deref()), ("_meta", meta.as_deref())]);
    let body = peer::request("list", method, &params);
    let headers = voice.headers(&body)?;
    let mirrored = Mirrored { method, ..Mirrored::default() };
    let message = Message { way, headers: &headers, mirrored: &mirrored, cost: None, body: &body };
    let replied = talk(remote, voice, &message, |_| ()).await?;
    match hear::whole(replied.reply, "list").await? {
        Heard::Result(result) => Ok(result),
        Heard::Error(_) => Err(Failure::Unavailable("upstream_refused_list")),
    }
}

/// The server's tools.
pub async fn tools(remote: &Arc<Remote>, voice: &Voice, facts: &Facts) -> Result<Read<Descriptor>, Failure> {
    if !facts.can("tools") {
        return Ok(Read { items: Vec::new(), faults: Vec::new() });
    }
    let (items, faults) = all(remote, voice, "tools/list", "tools").await?;
    Ok(Read::of(items, faults, descriptor, |tool| tool.name.clone()))
}

fn descriptor(mut item: Value) -> Result<Descriptor, String> {
    // clients of older revisions take objects alone, and one other schema costs them the whole list
    if let Some(members) = item.as_object_mut()
        && members.get("outputSchema").is_some_and(|schema| schema.get("type") != Some(&json!("object")))
    {
        members.remove("outputSchema");
    }
    let one = json!([item]).to_string();
    let mut read = tool::parse_catalog(one.as_bytes()).map_err(|fault| fault.to_string())?;
    read.pop().ok_or_else(|| "no tool".to_owned())
}

/// What the server offers beside tools.
pub async fn offer(
    remote: &Arc<Remote>,
    voice: &Voice,
    facts: &Facts,
) -> Result<(Offer, Vec<String>), Failure> {
    let mut own = Offer { completes: facts.can("completions"), ..Offer::default() };
    let mut faults = Vec::new();
    if facts.can("resources") {
        let (items, more) = all(remote, voice, "resources/list", "resources").await?;
        let page = offer::page(json!({"resources": items}).to_string().as_bytes()).unwrap_or_default();
        own.lists = Lists::Fixed(page.resources.into_iter().map(|entry| entry.key).collect());
        let (items, others) = all(remote, voice, "resources/templates/list", "resourceTemplates").await?;
        let one = |item: Value| {
            let read = offer::templates(json!({"resourceTemplates": [item]}).to_string().as_bytes())?;
            read.and_then(|mut read| read.pop()).ok_or_else(|| "no template".to_owned())
        };
        let read = Read::of(items, others, one, |template| template.entry.key.clone());
        own.templates = read.items;
        faults.extend(more.into_iter().chain(read.faults));
    }
    if facts.can("prompts") {
        let (items, more) = all(remote, voice, "prompts/list", "prompts").await?;
        let one = |item: Value| {
            let read = offer::prompts(json!({"prompts": [item]}).to_string().as_bytes())?;
            read.and_then(|mut read| read.pop()).ok_or_else(|| "no prompt".to_owned())
        };
        let read = Read::of(items, more, one, |prompt| prompt.entry.key.clone());
        own.prompts = read.items;
        faults.extend(read.faults);
    }
    Ok((own, faults))
}
