//! What people see in a browser.

pub mod view;
