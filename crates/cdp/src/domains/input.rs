//! Mouse, keyboard, touch and drag.

use crate::Empty;
use crate::protocol::{commands, events};
use serde::{Deserialize, Serialize};

commands! {
    DispatchMouseEvent = "Input.dispatchMouseEvent" -> Empty;
    DispatchKeyEvent = "Input.dispatchKeyEvent" -> Empty;
    InsertText = "Input.insertText" -> Empty;
    ImeSetComposition = "Input.imeSetComposition" -> Empty;
    SetInterceptDrags = "Input.setInterceptDrags" -> Empty;
    DispatchDragEvent = "Input.dispatchDragEvent" -> Empty;
    DispatchTouchEvent = "Input.dispatchTouchEvent" -> Empty;
}

events! {
    DragIntercepted = "Input.dragIntercepted";
}

/// Moves the mouse, presses or releases a button, or turns the wheel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchMouseEvent {
    /// `mousePressed`, `mouseReleased`, `mouseMoved` or `mouseWheel`.
    #[serde(rename = "type")]
    pub kind: String,
    /// CSS pixels from the left of the page's viewport.
    pub x: f64,
    /// CSS pixels from the top of the page's viewport.
    pub y: f64,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8, added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<i64>,
    /// `none`, `left`, `middle`, `right`, `back` or `forward`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<String>,
    /// The buttons that are down: left 1, right 2, middle 4, added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buttons: Option<i64>,
    /// Which click in a row it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub click_count: Option<i64>,
    /// How far the wheel scrolls to the right, in CSS pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_x: Option<f64>,
    /// How far the wheel scrolls down, in CSS pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_y: Option<f64>,
    /// `mouse` or `pen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer_type: Option<String>,
}

/// Presses or releases a key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchKeyEvent {
    /// `keyDown`, `keyUp`, `rawKeyDown` or `char`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8, added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<i64>,
    /// What it enters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it would enter without modifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmodified_text: Option<String>,
    /// The key's place, for example `KeyA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The key's meaning, for example `a` or `Enter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The number that pages read as `keyCode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows_virtual_key_code: Option<i64>,
    /// Whether it is held down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_repeat: Option<bool>,
    /// Whether it is on the number pad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_keypad: Option<bool>,
    /// 1 left, 2 right, 3 number pad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<i64>,
    /// Editing commands that it means, for example `selectAll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
}

/// Enters text that no key stands for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertText {
    /// The text.
    pub text: String,
}

/// Sets the text that an input method is composing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImeSetComposition {
    /// The text.
    pub text: String,
    /// Where the selection begins in it.
    pub selection_start: i64,
    /// Where the selection ends in it.
    pub selection_end: i64,
    /// Where the text that it replaces begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement_start: Option<i64>,
    /// Where the text that it replaces ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement_end: Option<i64>,
}

/// Reports drags as events instead of carrying them out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetInterceptDrags {
    /// Whether to report.
    pub enabled: bool,
}

/// Carries on a drag that was reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchDragEvent {
    /// `dragEnter`, `dragOver`, `drop` or `dragCancel`.
    #[serde(rename = "type")]
    pub kind: String,
    /// CSS pixels from the left of the page's viewport.
    pub x: f64,
    /// CSS pixels from the top of the page's viewport.
    pub y: f64,
    /// What is dragged.
    pub data: DragData,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8, added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<i64>,
}

/// Touches the screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchTouchEvent {
    /// `touchStart`, `touchMove`, `touchEnd` or `touchCancel`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The fingers that are on the screen; none for an end.
    pub touch_points: Vec<TouchPoint>,
    /// Alt 1, Ctrl 2, Meta 4, Shift 8, added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<i64>,
}

/// What is dragged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DragData {
    /// The data.
    pub items: Vec<DragDataItem>,
    /// Absolute paths of files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// What may be done: copy 1, link 2, move 16, added up.
    pub drag_operations_mask: i64,
}

/// One piece of data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DragDataItem {
    /// Its type.
    pub mime_type: String,
    /// The data.
    pub data: String,
    /// A link's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What links in it are relative to.
    #[serde(rename = "baseURL", skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

/// A finger.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TouchPoint {
    /// CSS pixels from the left of the page's viewport.
    pub x: f64,
    /// CSS pixels from the top of the page's viewport.
    pub y: f64,
    /// Which finger it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<f64>,
}

/// A drag began.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DragIntercepted {
    /// What is dragged.
    pub data: DragData,
}
