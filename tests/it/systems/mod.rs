//! Whole systems, as their documents promise them to customers.

mod becoming;
mod inversion_consciente;
mod mico;
