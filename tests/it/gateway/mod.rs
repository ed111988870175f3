//! Tests of this face.
