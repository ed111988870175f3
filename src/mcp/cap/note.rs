//! What a shortened answer says of itself: how much of how much is shown, and how to get the rest.

/// The language of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Spanish.
    Es,
    /// English.
    En,
}

/// A longer name is not said.
const MAX_NAME: usize = 40;

/// What was left out.
#[derive(Debug, Default)]
pub struct Note {
    list: Option<List>,
    others: usize,
    texts: bool,
    members: bool,
}

#[derive(Debug)]
struct List {
    name: Option<String>,
    depth: usize,
    shown: usize,
    total: usize,
}

impl Note {
    /// A list that is shown in part, by the name under which it stands. Of several the outermost is told of, and
    /// of those the one that lacks most.
    pub fn list(&mut self, name: Option<&str>, depth: usize, shown: usize, total: usize) {
        let lacks = |list: &List| (std::cmp::Reverse(list.depth), list.total - list.shown);
        let name = name.map(|raw| raw.trim_matches('"')).filter(|name| is_plain(name)).map(str::to_owned);
        let new = List { name, depth, shown, total };
        match &self.list {
            None => self.list = Some(new),
            Some(told) => {
                self.others += 1;
                if lacks(&new) > lacks(told) {
                    self.list = Some(new);
                }
            }
        }
    }

    /// A text that was cut.
    pub fn text(&mut self) {
        self.texts = true;
    }

    /// An object without some of its members.
    pub fn members(&mut self) {
        self.members = true;
    }

    /// The sentences.
    pub fn words(&self, language: Language) -> String {
        let spanish = language == Language::Es;
        let mut parts = Vec::new();
        if let Some(List { name, shown, total, .. }) = &self.list {
            let generic = if spanish { "elementos" } else { "items" };
            let name = name.as_deref().unwrap_or(generic);
            parts.push(if spanish {
                format!(
                    "Respuesta acortada: {name}, {shown} de {total}. Pide el resto por páginas (cursor, offset o limit) \
                     o con un filtro más preciso."
                )
            } else {
                format!(
                    "Shortened answer: {name}, {shown} of {total}. Ask for the rest by page (cursor, offset or limit) \
                     or with a narrower filter."
                )
            });
        }
        if self.others > 0 {
            let others = self.others;
            parts.push(if spanish {
                format!("Listas también acortadas: {others}.")
            } else {
                format!("Other lists shortened: {others}.")
            });
        }
        if self.texts {
            let told = if spanish {
                "Textos largos recortados; pide un solo elemento para leerlo entero."
            } else {
                "Long texts are cut; ask for one item alone to read it whole."
            };
            parts.push(told.to_owned());
        }
        if self.members {
            let told = if spanish { "Faltan los últimos campos." } else { "The last fields are missing." };
            parts.push(told.to_owned());
        }
        parts.join(" ")
    }
}

/// What a note says of a text of which only the beginning is shown.
pub fn of_text(language: Language, shown: usize, total: usize) -> String {
    match language {
        Language::Es => format!(
            "Respuesta acortada: los primeros {shown} de {total} caracteres. Pide menos de una vez: una página o un \
             filtro más preciso."
        ),
        Language::En => format!(
            "Shortened answer: the first {shown} of {total} characters. Ask for less at once: a page or a narrower \
             filter."
        ),
    }
}

/// True for a name that stands in a sentence without harm.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && !name.chars().any(|char| char.is_control() || matches!(char, '"' | '\\'))
}
