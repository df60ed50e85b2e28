//! The tools through the engine's door, on a real Chromium and real pages. Tests that prove a row of the
//! checklist carry its number.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

mod bad_input;
mod canvas;
mod channels;
mod click;
mod click_by_text;
mod combobox;
mod drag;
mod editors;
mod effects;
mod execute_js;
mod fields;
mod files;
mod hands;
mod heard;
mod honesty;
mod ime;
mod judged;
mod mode;
mod navigate;
mod overlays;
mod page_binding;
mod page_call;
mod page_cdp;
mod page_evaluate;
mod page_events;
mod page_fetch;
mod page_frames;
mod page_handle;
mod page_input;
mod page_route;
mod pdf;
mod press;
mod projects;
mod queue;
mod read;
mod record;
mod repl;
mod routines;
mod screenshot;
mod scrolling;
mod sessions;
mod settings;
mod tabs;
mod task_wait;
mod touch;
mod traps;
mod type_text;
mod verbs;
mod wait_for;
