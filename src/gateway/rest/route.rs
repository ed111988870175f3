//! How the tools of a REST API are run.

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;

use super::super::validate;
use super::Operations;
use crate::openapi::Operation;

/// A call of one operation.
pub struct Call {
    /// The operation.
    pub operation: Arc<Operation>,
    /// Where its API is, without a slash at the end.
    pub base: String,
    schema: OnceLock<Option<Validator>>,
}

impl Call {
    /// An operation at a base URL.
    pub fn new(operation: Arc<Operation>, base: String) -> Self {
        Self { operation, base, schema: OnceLock::new() }
    }

    /// What its arguments are checked against, made for the first call: of a thousand operations most are never
    /// called. `None` if it cannot be made.
    pub fn schema(&self) -> Option<&Validator> {
        let make = || {
            let made = validate::compile(&self.operation.id, &self.operation.input_schema());
            made.inspect_err(|fault| tracing::error!(fault, "an operation cannot be called")).ok()
        };
        self.schema.get_or_init(make).as_ref()
    }
}

/// One of the three tools that reach every operation.
pub enum Generic {
    /// Finds operations.
    Search(Arc<Operations>),
    /// Describes one.
    Describe(Arc<Operations>),
    /// Calls one.
    Call(Arc<Operations>),
}

impl Generic {
    /// The operations that it reaches.
    pub fn operations(&self) -> &Arc<Operations> {
        match self {
            Self::Search(operations) | Self::Describe(operations) | Self::Call(operations) => operations,
        }
    }
}
