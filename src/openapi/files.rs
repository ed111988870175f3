//! The files of a document, and what a `$ref` in one of them refers to.
//!
//! Other files are read only from the document's own folder and below it, never over a network: a document that
//! somebody else wrote must not bring in what else lies on this machine.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::findings::Findings;
use super::node::{Node, Spot, push_key};
use super::parse;

const MAX_FILES: usize = 500;
/// Bytes of all files together.
const MAX_TOTAL: usize = 2 * parse::MAX_FILE;
/// References to references.
const MAX_HOPS: usize = 32;

/// The files of a document.
#[derive(Debug)]
pub(super) struct Files {
    /// The document's folder, without links.
    folder: PathBuf,
    all: Vec<File>,
    /// By path from the folder; or why there is none.
    by_path: HashMap<PathBuf, Result<usize, String>>,
    /// Schemas with an `$id` (JSON Schema 2020-12 §8.2.1).
    ids: HashMap<String, Spot>,
    /// `$anchor` and `$dynamicAnchor` of each file.
    anchors: HashMap<(usize, String), String>,
    bytes: usize,
}

#[derive(Debug)]
struct File {
    /// Path from the document's folder.
    path: PathBuf,
    value: Value,
}

impl Files {
    /// Reads a document and what it refers to. What cannot be read matters only to whoever follows a reference to it.
    pub(super) fn load(path: &Path, findings: &mut Findings) -> Option<Self> {
        let shown = path.display().to_string();
        let whole = match path.canonicalize() {
            Ok(whole) => whole,
            Err(error) => {
                findings.fault(&shown, format!("cannot be read: {error}"));
                return None;
            }
        };
        let (folder, name) = (whole.parent()?.to_owned(), PathBuf::from(whole.file_name()?));
        let mut files = Self {
            folder,
            all: Vec::new(),
            by_path: HashMap::new(),
            ids: HashMap::new(),
            anchors: HashMap::new(),
            bytes: 0,
        };
        let mut waiting = Vec::new();
        match files.add(&name, &mut waiting) {
            Ok(_) => {}
            Err(says) => {
                findings.fault(&shown, says);
                return None;
            }
        }
        while let Some(path) = waiting.pop() {
            if !files.by_path.contains_key(&path) {
                let added = files.add(&path, &mut waiting);
                files.by_path.insert(path, added);
            }
        }
        Some(files)
    }

    fn add(&mut self, path: &Path, waiting: &mut Vec<PathBuf>) -> Result<usize, String> {
        if self.all.len() == MAX_FILES {
            return Err(format!("is one file too many; {MAX_FILES} are read"));
        }
        let whole =
            self.folder.join(path).canonicalize().map_err(|error| format!("cannot be read: {error}"))?;
        if !whole.starts_with(&self.folder) {
            return Err("leads out of the document's folder".to_owned());
        }
        let (value, bytes) = parse::read(&whole)?;
        self.bytes += bytes;
        if self.bytes > MAX_TOTAL {
            return Err(format!("is too much; all files together may have {} MiB", MAX_TOTAL >> 20));
        }
        let file = self.all.len();
        self.by_path.insert(path.to_owned(), Ok(file));
        self.index(file, path, &value, &mut String::new(), waiting);
        self.all.push(File { path: path.to_owned(), value });
        Ok(file)
    }

    /// Notes which other files a value refers to, and what in it has a name of its own.
    fn index(
        &mut self,
        file: usize,
        path: &Path,
        value: &Value,
        at: &mut String,
        waiting: &mut Vec<PathBuf>,
    ) {
        let length = at.len();
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member.as_str()) {
                        ("$ref", Some(reference)) => waiting.extend(other_file(path, reference)),
                        ("$id", Some(id)) if id.contains(':') => {
                            let id = id.trim_end_matches('#').to_owned();
                            self.ids.entry(id).or_insert_with(|| Spot { file, pointer: at.clone() });
                        }
                        ("$anchor" | "$dynamicAnchor", Some(name)) => {
                            self.anchors.entry((file, name.to_owned())).or_insert_with(|| at.clone());
                        }
                        _ => {
                            push_key(at, key);
                            self.index(file, path, member, at, waiting);
                            at.truncate(length);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    push_key(at, &index.to_string());
                    self.index(file, path, item, at, waiting);
                    at.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// The document itself.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.at(Spot { file: 0, pointer: String::new() })
    }

    fn at(&self, spot: Spot) -> Option<Node<'_>> {
        let value = self.all.get(spot.file)?.value.pointer(&spot.pointer)?;
        Some(Node { spot, value })
    }

    fn name(&self, file: usize) -> String {
        self.all.get(file).map(|file| file.path.display().to_string()).unwrap_or_default()
    }

    /// A place as people read it: `api.yaml#/paths/~1pets`.
    pub(super) fn place(&self, spot: &Spot) -> String {
        format!("{}#{}", self.name(spot.file), spot.pointer)
    }

    /// What a `$ref` refers to.
    ///
    /// # Errors
    ///
    /// What is missing.
    pub(super) fn resolve(&self, from: &Spot, reference: &str) -> Result<Node<'_>, String> {
        let (before, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = percent_decode_str(fragment).decode_utf8_lossy();
        let base = self.base(from, before).map_err(|says| format!("`{reference}` {says}"))?;
        let missing = || {
            format!("`{reference}` refers to nothing: there is no `{fragment}` in {}", self.name(base.file))
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let pointer =
                self.anchors.get(&(base.file, fragment.clone().into_owned())).ok_or_else(missing)?;
            return self.at(Spot { file: base.file, pointer: pointer.clone() }).ok_or_else(missing);
        }
        let spot = Spot { file: base.file, pointer: format!("{}{fragment}", base.pointer) };
        let found =
            self.at(spot).or_else(|| before.is_empty().then(|| self.within(from, &fragment)).flatten());
        found.ok_or_else(missing)
    }

    /// The file, or the schema with an `$id`, that the part of a reference before `#` names.
    fn base(&self, from: &Spot, before: &str) -> Result<Spot, String> {
        if before.is_empty() {
            return Ok(Spot { file: from.file, pointer: String::new() });
        }
        if let Some(spot) = self.ids.get(before).or_else(|| self.sibling(from, before)) {
            return Ok(spot.clone());
        }
        let Some(own) = self.all.get(from.file) else { return Err("refers to nothing".to_owned()) };
        let Some(path) = other_file(&own.path, before) else {
            return Err(
                "would leave the document's folder or go over the network, which no reference may".to_owned()
            );
        };
        match self.by_path.get(&path) {
            Some(Ok(file)) => Ok(Spot { file: *file, pointer: String::new() }),
            Some(Err(says)) => Err(format!("refers to {}, which {says}", path.display())),
            None => Err(format!("refers to {}, which was not read", path.display())),
        }
    }

    /// The schema that a relative reference names from within a schema with an `$id`.
    fn sibling(&self, from: &Spot, before: &str) -> Option<&Spot> {
        self.enclosing(from).find_map(|(_, id)| {
            let joined = url::Url::parse(id).ok()?.join(before).ok()?;
            self.ids.get(joined.as_str())
        })
    }

    /// A pointer from within a schema with an `$id` begins at that schema.
    fn within(&self, from: &Spot, fragment: &str) -> Option<Node<'_>> {
        let pointers: Vec<_> =
            self.enclosing(from).map(|(pointer, _)| format!("{pointer}{fragment}")).collect();
        pointers.into_iter().find_map(|pointer| self.at(Spot { file: from.file, pointer }))
    }

    /// The schemas with an `$id` around a place, the nearest first.
    fn enclosing<'a>(&'a self, from: &'a Spot) -> impl Iterator<Item = (&'a str, &'a str)> {
        let value = self.all.get(from.file).map(|file| &file.value);
        let ends = std::iter::once(from.pointer.len());
        let ends = ends.chain(from.pointer.rmatch_indices('/').map(|(end, _)| end));
        ends.filter_map(move |end| {
            let pointer = from.pointer.get(..end)?;
            let id = value?.pointer(pointer)?.get("$id")?.as_str()?;
            Some((pointer, id))
        })
    }

    /// The node itself, or what its `$ref` leads to, through references to references.
    ///
    /// # Errors
    ///
    /// What is missing, with the place of the reference that misses it.
    pub(super) fn follow<'d>(&'d self, node: Node<'d>) -> Result<Node<'d>, (Spot, String)> {
        let mut node = node;
        for _ in 0..MAX_HOPS {
            let Some(reference) = node.value.get("$ref").and_then(Value::as_str) else { return Ok(node) };
            node = self.resolve(&node.spot, reference).map_err(|says| (node.spot.clone(), says))?;
        }
        Err((node.spot, format!("leads through more than {MAX_HOPS} references, or in a circle")))
    }
}

/// The path of another file from the document's folder; nothing if the reference stays in its own file, goes over
/// a network, or leaves the folder.
fn other_file(own: &Path, reference: &str) -> Option<PathBuf> {
    let before = reference.split('#').next().unwrap_or_default();
    let scheme = before.split('/').next().is_some_and(|first| first.contains(':'));
    if before.is_empty() || scheme || before.starts_with(['/', '\\']) || before.contains('\\') {
        return None;
    }
    let decoded = percent_decode_str(before.split('?').next().unwrap_or_default()).decode_utf8().ok()?;
    if decoded.contains('\0') {
        return None;
    }
    let mut path = own.parent().map(Path::to_owned).unwrap_or_default();
    for component in Path::new(decoded.as_ref()).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_stay_below_the_documents_folder() {
        let from = |reference| other_file(Path::new("schemas/pet.yaml"), reference);
        assert_eq!(from("owner.yaml#/a"), Some("schemas/owner.yaml".into()));
        assert_eq!(from("./deep/owner%20two.json"), Some("schemas/deep/owner two.json".into()));
        assert_eq!(from("../api.yaml#"), Some("api.yaml".into()));
        for outside in [
            "#/a",
            "",
            "../../x.yaml",
            "/etc/passwd",
            "//host/x",
            "https://a.example/x",
            "file:///x",
            "..\\x",
            "a/../../../x",
            "%2Fetc/passwd",
            "a%00b",
        ] {
            assert_eq!(from(outside), None, "{outside}");
        }
    }
}
