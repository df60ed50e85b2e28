//! Procedures: how a saved flow is named.
//!
//! Invariants: holds only a `Caller`, so it can't name a tab or a socket; only recorded, verified
//! runs make a procedure trusted.

/// The dotted name of a procedure, for example `shop.search`; also its file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcedureName(pub String);
