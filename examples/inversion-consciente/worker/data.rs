//! The sample world: a magazine's articles, and what two of its readers asked the site's assistant.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The categories in the order of the catalog.
pub(super) const CATEGORIES: [&str; 5] = ["Cripto", "IA", "Economía", "Mercados", "Ahorro"];
/// What a reader without a limit of their own may ask in a day.
const USUAL_LIMIT: usize = 20;

/// An article, published or not yet.
#[derive(Debug, Deserialize)]
pub(super) struct Article {
    pub(super) slug: String,
    pub(super) headline: String,
    pub(super) standfirst: String,
    pub(super) category: String,
    pub(super) published_at: String,
    status: Status,
    pub(super) body_markdown: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Published,
    Draft,
}

/// A question or an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    owner: String,
    pub(super) id: String,
    pub(super) conversation_id: String,
    pub(super) role: Role,
    pub(super) content: String,
    pub(super) minutes_ago: i64,
}

/// Who said it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Deserialize)]
struct Chat {
    daily_limits: BTreeMap<String, usize>,
    messages: Vec<Message>,
}

/// Everything there is, newest first.
#[derive(Debug)]
pub(super) struct World {
    articles: Vec<Article>,
    chat: Chat,
}

impl World {
    fn read() -> serde_json::Result<Self> {
        let mut articles: Vec<Article> = serde_json::from_str(include_str!("data/articles.json"))?;
        let mut chat: Chat = serde_json::from_str(include_str!("data/chat.json"))?;
        // All times are UTC in one format, so they sort as text.
        articles.sort_by(|a, b| b.published_at.cmp(&a.published_at));
        chat.messages.sort_by_key(|message| message.minutes_ago);
        Ok(Self { articles, chat })
    }

    /// What anybody may read, newest first. There is no other way to an article.
    pub(super) fn published(&self) -> impl Iterator<Item = &Article> {
        self.articles.iter().filter(|article| article.status == Status::Published)
    }

    /// What `owner` asked and was answered, latest first. There is no other way to a message.
    pub(super) fn messages_of<'a, 'o>(
        &'a self,
        owner: &'o str,
    ) -> impl Iterator<Item = &'a Message> + use<'a, 'o> {
        self.chat.messages.iter().filter(move |message| message.owner == owner)
    }

    /// How many questions `owner` has in a day.
    pub(super) fn daily_limit_of(&self, owner: &str) -> usize {
        self.chat.daily_limits.get(owner).copied().unwrap_or(USUAL_LIMIT)
    }
}

/// The sample world, read once; `None` if its files are damaged.
pub(super) fn world() -> Option<&'static World> {
    static WORLD: LazyLock<Option<World>> = LazyLock::new(|| World::read().ok());
    WORLD.as_ref()
}
