//! The pages as people and programs use them.

mod flows;
mod support;
