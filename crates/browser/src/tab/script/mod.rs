//! What scripts ask of a page: its frames, its objects by handle, code in its own world, the protocol itself, and raw
//! input. Everything here is bounded, and all that a caller names is looked up in tables of this tab.

mod run;
