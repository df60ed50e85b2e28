//! What the page is made to believe of screen and focus.

use crate::Empty;
use crate::protocol::commands;
use serde::{Deserialize, Serialize};

commands! {
    SetFocusEmulationEnabled = "Emulation.setFocusEmulationEnabled" -> Empty;
    SetDeviceMetricsOverride = "Emulation.setDeviceMetricsOverride" -> Empty;
    ClearDeviceMetricsOverride = "Emulation.clearDeviceMetricsOverride" -> Empty;
    SetScriptExecutionDisabled = "Emulation.setScriptExecutionDisabled" -> Empty;
    SetEmitTouchEventsForMouse = "Emulation.setEmitTouchEventsForMouse" -> Empty;
}

/// Makes a page in the background behave as one in front.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetFocusEmulationEnabled {
    /// Whether it does.
    pub enabled: bool,
}

/// Sets size and density of the screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetDeviceMetricsOverride {
    /// The width in CSS pixels; 0 for the real one.
    pub width: i64,
    /// The height in CSS pixels; 0 for the real one.
    pub height: i64,
    /// Device pixels for one CSS pixel; 0 for the real one.
    pub device_scale_factor: f64,
    /// Whether it behaves as a phone: viewport meta, overlaid scroll bars, text sizes.
    pub mobile: bool,
}

/// Goes back to the real screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClearDeviceMetricsOverride {}

/// Turns the page's scripts off and on again. It takes effect also while one of them runs in an endless loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SetScriptExecutionDisabled {
    /// Whether they are off.
    pub value: bool,
}

/// Turns what the mouse does into touches, with the gestures that come of them: a long press among others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetEmitTouchEventsForMouse {
    /// Whether it does.
    pub enabled: bool,
    /// `mobile` or `desktop`: whose times and distances gestures have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
}
