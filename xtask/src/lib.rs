//! Project chores as a library, so that the rules run as tests as well.
//!
//! What CI demands and a person can run alone: `gen` keeps the docs and schemas equal to the tool table,
//! `tidy` keeps the rules that no compiler knows, `checklist` keeps claims tied to tests that ran, `performance`
//! writes the page of measured figures.

pub mod checklist;
pub mod compat;
pub mod generate;
pub mod lex;
pub mod metadata;
pub mod performance;
pub mod repo;
pub mod tidy;
