//! Why a tool could not answer.

/// Each case is one sentence for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A tool of the person, and nobody is signed in.
    NoSession,
    /// An argument that must be there is not.
    Missing(&'static str),
    /// An argument is no text.
    NotText(&'static str),
    /// A search for too little.
    TooShort,
    /// No category of this name.
    NoCategory(String),
    /// Nothing was published under this slug.
    NoArticle(String),
    /// The body is no object.
    NotAnObject,
    /// No tool of this name.
    NoTool(String),
    /// The sample data is damaged.
    Unreadable,
}

impl Fault {
    /// What the model is told.
    pub fn sentence(&self) -> String {
        match self {
            Self::NoSession => "Inicia sesión para usar esta herramienta.".to_owned(),
            Self::Missing(name) => format!("Falta el argumento {name}."),
            Self::NotText(name) => format!("El argumento {name} tiene que ser un texto."),
            Self::TooShort => "Busca al menos dos caracteres.".to_owned(),
            Self::NoCategory(name) => format!("No hay ninguna categoría «{name}»."),
            // A draft reads the same as nothing: the answer must not tell that it exists.
            Self::NoArticle(slug) => format!("No hay ningún artículo publicado con el slug «{slug}»."),
            Self::NotAnObject => "Los argumentos tienen que ser un objeto JSON.".to_owned(),
            Self::NoTool(name) => format!("No hay ninguna herramienta «{name}»."),
            Self::Unreadable => "Los artículos no se pueden leer ahora.".to_owned(),
        }
    }

    /// The status of a call that no tool has answered; none where a tool says no, which is an answer.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::NotAnObject => Some(400),
            Self::NoTool(_) => Some(404),
            Self::Unreadable => Some(500),
            _ => None,
        }
    }
}
