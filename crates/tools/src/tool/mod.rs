//! One file a tool.

pub mod click;
