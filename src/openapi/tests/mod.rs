//! Documents of every kind, read and called.
