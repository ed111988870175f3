//! Every page in every language, with rich data: what must hold on all of them, and on some of them alone.

mod pages;
mod samples;
mod samples_settings;
mod sentences;
