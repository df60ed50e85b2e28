//! Which commands of the protocol a script may send, as data: what each counts as for the gate, where it goes, and which
//! parameters it takes. What is not here is not passed on.

use serde_json::Value;
use truehand_base::Verb;

/// Where a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// To the frame that the call names.
    Frame,
    /// To the page as a whole.
    Page,
    /// To the browser, for this client's own context; never for another one that the caller names.
    Context,
}

/// How a command is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// Always as this.
    As(Verb),
    /// As opening the address in `url`.
    Opens,
    /// As giving the page the local files in `files`.
    Files,
    /// By the kind of mouse event.
    Mouse,
    /// As pressing a key, with the chord that it makes.
    Key,
    /// As running code, except on an empty page, which has nothing to lose.
    Content,
}

/// A command that may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CdpMethod {
    /// Domain and name.
    pub name: &'static str,
    /// What it counts as.
    pub judged: Judged,
    pub(super) to: To,
    /// The parameters that it takes, in one text.
    params: &'static str,
    /// Why it is not sent to a browser that is not only this client's; empty when it may be.
    pub(super) shared: &'static str,
}

const fn page(name: &'static str, verb: Verb, params: &'static str) -> CdpMethod {
    CdpMethod { name, judged: Judged::As(verb), to: To::Page, params, shared: "" }
}

const fn frame(name: &'static str, verb: Verb, params: &'static str) -> CdpMethod {
    CdpMethod { to: To::Frame, ..page(name, verb, params) }
}

const fn judged(method: CdpMethod, judged: Judged) -> CdpMethod {
    CdpMethod { judged, ..method }
}

const fn context(name: &'static str, verb: Verb, params: &'static str, shared: &'static str) -> CdpMethod {
    CdpMethod { to: To::Context, shared, ..page(name, verb, params) }
}

/// What a person's own browser is not asked to do.
const PERSONS: &str = "this browser is not only yours: it would change what a person set for all their tabs";
const SIGNS_OUT: &str = "this browser is not only yours: it would sign a person out everywhere";

use Verb::{Click, Drag, Hover, Js, Navigate, Read, Scroll, Settings, Type};

/// The commands that may be sent.
const METHODS: &[CdpMethod] = &[
    // Looking.
    page("Page.enable", Read, ""),
    page(
        "Page.captureScreenshot",
        Read,
        "format quality clip fromSurface captureBeyondViewport optimizeForSpeed",
    ),
    page(
        "Page.printToPDF",
        Read,
        "landscape displayHeaderFooter printBackground scale paperWidth paperHeight marginTop marginBottom marginLeft marginRight pageRanges headerTemplate footerTemplate preferCSSPageSize generateTaggedPDF generateDocumentOutline",
    ),
    page("Page.captureSnapshot", Read, "format"),
    page("Page.getLayoutMetrics", Read, ""),
    page("Page.getNavigationHistory", Read, ""),
    frame("Page.getFrameTree", Read, ""),
    frame("Page.getResourceTree", Read, ""),
    frame("Page.getResourceContent", Read, "frameId url"),
    page("Page.getAppManifest", Read, ""),
    page("Page.getInstallabilityErrors", Read, ""),
    page("Page.setLifecycleEventsEnabled", Read, "enabled"),
    frame("DOM.enable", Read, ""),
    frame("DOM.disable", Read, ""),
    frame("DOM.getDocument", Read, "depth pierce"),
    frame("DOM.describeNode", Read, "nodeId backendNodeId objectId depth pierce"),
    frame("DOM.querySelector", Read, "nodeId selector"),
    frame("DOM.querySelectorAll", Read, "nodeId selector"),
    frame("DOM.performSearch", Read, "query includeUserAgentShadowDOM"),
    frame("DOM.getSearchResults", Read, "searchId fromIndex toIndex"),
    frame("DOM.discardSearchResults", Read, "searchId"),
    frame("DOM.getAttributes", Read, "nodeId"),
    frame("DOM.getBoxModel", Read, "nodeId backendNodeId objectId"),
    frame("DOM.getContentQuads", Read, "nodeId backendNodeId objectId"),
    frame("DOM.getNodeForLocation", Read, "x y includeUserAgentShadowDOM ignorePointerEventsNone"),
    frame("DOM.getOuterHTML", Read, "nodeId backendNodeId objectId"),
    frame("DOM.requestNode", Read, "objectId"),
    frame("DOM.requestChildNodes", Read, "nodeId depth pierce"),
    frame("DOM.pushNodesByBackendIdsToFrontend", Read, "backendNodeIds"),
    frame("DOM.getFrameOwner", Read, "frameId"),
    frame("DOMSnapshot.enable", Read, ""),
    frame("DOMSnapshot.captureSnapshot", Read, "computedStyles includePaintOrder includeDOMRects"),
    frame("DOMDebugger.getEventListeners", Read, "objectId depth pierce"),
    frame("CSS.enable", Read, ""),
    frame("CSS.disable", Read, ""),
    frame("CSS.getComputedStyleForNode", Read, "nodeId"),
    frame("CSS.getMatchedStylesForNode", Read, "nodeId"),
    frame("CSS.getInlineStylesForNode", Read, "nodeId"),
    frame("CSS.getPlatformFontsForNode", Read, "nodeId"),
    frame("CSS.getStyleSheetText", Read, "styleSheetId"),
    frame("CSS.getMediaQueries", Read, ""),
    frame("CSS.startRuleUsageTracking", Read, ""),
    frame("CSS.stopRuleUsageTracking", Read, ""),
    frame("CSS.takeCoverageDelta", Read, ""),
    frame("Accessibility.enable", Read, ""),
    frame("Accessibility.disable", Read, ""),
    frame("Accessibility.getFullAXTree", Read, "depth frameId"),
    frame("Accessibility.getPartialAXTree", Read, "nodeId backendNodeId objectId fetchRelatives"),
    frame("Accessibility.queryAXTree", Read, "nodeId backendNodeId objectId accessibleName role"),
    frame("Performance.enable", Read, "timeDomain"),
    frame("Performance.disable", Read, ""),
    frame("Performance.getMetrics", Read, ""),
    frame("Profiler.enable", Read, ""),
    frame("Profiler.disable", Read, ""),
    frame("Profiler.setSamplingInterval", Read, "interval"),
    frame("Profiler.start", Read, ""),
    frame("Profiler.stop", Read, ""),
    frame("Profiler.startPreciseCoverage", Read, "callCount detailed allowTriggeredUpdates"),
    frame("Profiler.takePreciseCoverage", Read, ""),
    frame("Profiler.getBestEffortCoverage", Read, ""),
    frame("Profiler.stopPreciseCoverage", Read, ""),
    frame("Runtime.enable", Read, ""),
    frame("Runtime.getHeapUsage", Read, ""),
    frame("Runtime.getIsolateId", Read, ""),
    frame("Runtime.releaseObject", Read, "objectId"),
    frame("Memory.getDOMCounters", Read, ""),
    frame("Log.enable", Read, ""),
    page("Browser.getVersion", Read, ""),
    // The network, looked at and set.
    frame("Network.enable", Read, ""),
    frame("Network.getResponseBody", Read, "requestId"),
    frame("Network.getRequestPostData", Read, "requestId"),
    frame("Network.searchInResponseBody", Read, "requestId query caseSensitive isRegex"),
    page("Network.getCookies", Read, "urls"),
    context("Network.getAllCookies", Read, "", ""),
    context("Storage.getCookies", Read, "", ""),
    context("Storage.setCookies", Settings, "cookies", ""),
    context("Storage.clearCookies", Settings, "", SIGNS_OUT),
    page(
        "Network.setCookie",
        Settings,
        "name value url domain path secure httpOnly sameSite expires priority partitionKey",
    ),
    page("Network.setCookies", Settings, "cookies"),
    page("Network.deleteCookies", Settings, "name url domain path partitionKey"),
    context("Network.clearBrowserCookies", Settings, "", SIGNS_OUT),
    frame("Network.setExtraHTTPHeaders", Settings, "headers"),
    frame("Network.setCacheDisabled", Settings, "cacheDisabled"),
    frame("Network.setBypassServiceWorker", Settings, "bypass"),
    frame(
        "Network.emulateNetworkConditions",
        Settings,
        "offline latency downloadThroughput uploadThroughput connectionType packetLoss packetQueueLength packetReordering",
    ),
    frame(
        "Network.overrideNetworkState",
        Settings,
        "offline latency downloadThroughput uploadThroughput connectionType",
    ),
    frame("Network.emulateNetworkConditionsByRule", Settings, "matchedNetworkConditions offline"),
    frame("Network.setUserAgentOverride", Settings, "userAgent acceptLanguage platform userAgentMetadata"),
    frame("Network.setBlockedURLs", Settings, "urls urlPatterns"),
    frame("DOMStorage.enable", Read, ""),
    frame("DOMStorage.getDOMStorageItems", Read, "storageId"),
    frame("DOMStorage.setDOMStorageItem", Js, "storageId key value"),
    frame("DOMStorage.removeDOMStorageItem", Js, "storageId key"),
    frame("DOMStorage.clear", Js, "storageId"),
    frame("Storage.getStorageKeyForFrame", Read, "frameId"),
    frame("Storage.getStorageKey", Read, "frameId"),
    // What the page is made to believe.
    frame(
        "Emulation.setGeolocationOverride",
        Settings,
        "latitude longitude accuracy altitude altitudeAccuracy heading speed",
    ),
    frame("Emulation.clearGeolocationOverride", Settings, ""),
    frame("Emulation.setLocaleOverride", Settings, "locale"),
    frame("Emulation.setTimezoneOverride", Settings, "timezoneId"),
    frame("Emulation.setEmulatedMedia", Settings, "media features"),
    frame("Emulation.setEmulatedVisionDeficiency", Settings, "type"),
    frame("Emulation.setUserAgentOverride", Settings, "userAgent acceptLanguage platform userAgentMetadata"),
    frame("Emulation.setHardwareConcurrencyOverride", Settings, "hardwareConcurrency"),
    frame("Emulation.setCPUThrottlingRate", Settings, "rate"),
    frame("Emulation.setScriptExecutionDisabled", Settings, "value"),
    frame("Emulation.setTouchEmulationEnabled", Settings, "enabled maxTouchPoints"),
    page("Emulation.setEmitTouchEventsForMouse", Settings, "enabled configuration"),
    page(
        "Emulation.setDeviceMetricsOverride",
        Settings,
        "width height deviceScaleFactor mobile scale screenWidth screenHeight positionX positionY dontSetVisibleSize screenOrientation viewport",
    ),
    page("Emulation.clearDeviceMetricsOverride", Settings, ""),
    page("Emulation.setDefaultBackgroundColorOverride", Settings, "color"),
    page("Emulation.setPageScaleFactor", Settings, "pageScaleFactor"),
    page("Emulation.resetPageScaleFactor", Settings, ""),
    frame("Emulation.setScrollbarsHidden", Settings, "hidden"),
    frame("Emulation.setDocumentCookieDisabled", Settings, "disabled"),
    frame("Emulation.setAutoDarkModeOverride", Settings, "enabled"),
    frame("Emulation.setIdleOverride", Settings, "isUserActive isScreenUnlocked"),
    frame("Emulation.clearIdleOverride", Settings, ""),
    frame("Emulation.setDisabledImageTypes", Settings, "imageTypes"),
    frame("Emulation.setSafeAreaInsetsOverride", Settings, "insets"),
    frame("DeviceOrientation.setDeviceOrientationOverride", Settings, "alpha beta gamma"),
    frame("DeviceOrientation.clearDeviceOrientationOverride", Settings, ""),
    context("Browser.grantPermissions", Settings, "permissions origin", PERSONS),
    context("Browser.setPermission", Settings, "permission setting origin embeddedOrigin", PERSONS),
    context("Browser.resetPermissions", Settings, "", PERSONS),
    context("Browser.cancelDownload", Settings, "guid", PERSONS),
    page("Page.bringToFront", Settings, ""),
    // Going elsewhere.
    judged(
        page("Page.navigate", Navigate, "url referrer referrerPolicy transitionType frameId"),
        Judged::Opens,
    ),
    page("Page.navigateToHistoryEntry", Navigate, "entryId"),
    page("Page.reload", Navigate, "ignoreCache"),
    page("Page.stopLoading", Navigate, ""),
    // As a person closes it: the page may ask.
    page("Page.close", Verb::TabClose, ""),
    // Running code, or writing into the document.
    judged(frame("Page.setDocumentContent", Js, "frameId html"), Judged::Content),
    frame("Page.setBypassCSP", Js, "enabled"),
    frame("Page.addScriptToEvaluateOnNewDocument", Js, "source runImmediately"),
    frame(
        "Runtime.evaluate",
        Js,
        "expression objectGroup includeCommandLineAPI silent returnByValue generatePreview userGesture awaitPromise timeout replMode serializationOptions",
    ),
    frame(
        "Runtime.callFunctionOn",
        Js,
        "functionDeclaration objectId arguments silent returnByValue generatePreview userGesture awaitPromise objectGroup serializationOptions",
    ),
    frame(
        "Runtime.getProperties",
        Js,
        "objectId ownProperties accessorPropertiesOnly generatePreview nonIndexedPropertiesOnly",
    ),
    frame("Runtime.awaitPromise", Js, "promiseObjectId returnByValue generatePreview"),
    frame("Runtime.queryObjects", Js, "prototypeObjectId objectGroup"),
    frame("Runtime.globalLexicalScopeNames", Js, ""),
    frame("DOM.resolveNode", Js, "nodeId backendNodeId objectGroup"),
    frame("DOM.setAttributeValue", Js, "nodeId name value"),
    frame("DOM.setAttributesAsText", Js, "nodeId text name"),
    frame("DOM.removeAttribute", Js, "nodeId name"),
    frame("DOM.setNodeName", Js, "nodeId name"),
    frame("DOM.setNodeValue", Js, "nodeId value"),
    frame("DOM.setOuterHTML", Js, "nodeId outerHTML"),
    frame("DOM.removeNode", Js, "nodeId"),
    frame("DOM.moveTo", Js, "nodeId targetNodeId insertBeforeNodeId"),
    frame("DOM.copyTo", Js, "nodeId targetNodeId insertBeforeNodeId"),
    frame("DOM.focus", Js, "nodeId backendNodeId objectId"),
    frame("CSS.forcePseudoState", Js, "nodeId forcedPseudoClasses"),
    frame("CSS.setStyleSheetText", Js, "styleSheetId text"),
    frame("HeapProfiler.collectGarbage", Settings, ""),
    // A person's hands.
    frame("DOM.scrollIntoViewIfNeeded", Scroll, "nodeId backendNodeId objectId rect"),
    judged(
        frame("DOM.setFileInputFiles", Verb::Upload, "files nodeId backendNodeId objectId"),
        Judged::Files,
    ),
    judged(
        page(
            "Input.dispatchMouseEvent",
            Click,
            "type x y modifiers timestamp button buttons clickCount force deltaX deltaY pointerType",
        ),
        Judged::Mouse,
    ),
    judged(
        page(
            "Input.dispatchKeyEvent",
            Verb::Press,
            "type modifiers timestamp text unmodifiedText keyIdentifier code key windowsVirtualKeyCode nativeVirtualKeyCode autoRepeat isKeypad isSystemKey location",
        ),
        Judged::Key,
    ),
    page("Input.insertText", Type, "text"),
    page("Input.imeSetComposition", Type, "text selectionStart selectionEnd replacementStart replacementEnd"),
    page("Input.dispatchTouchEvent", Click, "type touchPoints modifiers timestamp"),
    page("Input.dispatchDragEvent", Drag, "type x y data modifiers"),
    page("Input.synthesizeTapGesture", Click, "x y duration tapCount gestureSourceType"),
    page(
        "Input.synthesizeScrollGesture",
        Scroll,
        "x y xDistance yDistance xOverscroll yOverscroll preventFling speed gestureSourceType",
    ),
    page("Input.synthesizePinchGesture", Hover, "x y scaleFactor relativeSpeed gestureSourceType"),
];

/// Why commands are not passed on, by the beginning of their names; the first that fits counts.
const REFUSED: &[(&str, &str)] = &[
    (
        "Target.",
        "tabs are opened, listed and closed with browser_new_tab, browser_list_tabs and browser_close_tab",
    ),
    ("Page.crash", "it would end the page's process, and with it tabs of others"),
    ("Page.handleJavaScriptDialog", "answer dialogs with browser_dialog"),
    ("Page.setInterceptFileChooserDialog", "subscribe to filechooser with page_subscribe"),
    ("Page.removeScriptToEvaluateOnNewDocument", "the product's own page scripts could be removed with it"),
    ("Page.createIsolatedWorld", "page functions are called with page_call"),
    ("Page.startScreencast", "take pictures with browser_screenshot"),
    ("Page.setDownloadBehavior", "downloads go where the product puts them"),
    ("Browser.setDownloadBehavior", "downloads go where the product puts them"),
    ("Browser.setWindowBounds", "set the size with browser_resize"),
    ("Browser.", "it would act on the whole browser"),
    ("SystemInfo.", "it tells of the machine and not of the page"),
    ("Fetch.", "intercept requests with page_route"),
    ("Network.setRequestInterception", "intercept requests with page_route"),
    ("Network.takeResponseBodyForInterceptionAsStream", "intercept requests with page_route"),
    ("Network.streamResourceContent", "read bodies with page_body"),
    ("Network.loadNetworkResource", "fetch with page_fetch, which is judged by its address"),
    ("IO.", "streams are not passed on; ask for the data itself"),
    ("Tracing.", "it records the whole browser, other clients' tabs too"),
    ("Debugger.", "a page that is stopped answers nobody"),
    ("Security.", "certificates are checked, whoever asks"),
    ("Runtime.addBinding", "give the page functions with page_binding"),
    ("Runtime.terminateExecution", "a script that runs too long is ended by itself"),
    ("Runtime.compileScript", "run code with page_evaluate"),
    ("Runtime.runScript", "run code with page_evaluate"),
    ("Emulation.setFocusEmulationEnabled", "the product keeps every tab focused by itself"),
    (
        "Emulation.setVirtualTimePolicy",
        "the page's time could be stopped with it, and with it every measurement",
    ),
    ("Input.setIgnoreInputEvents", "input could no longer reach the page"),
    ("Input.setInterceptDrags", "drag with page_input or browser_drag"),
    ("Storage.", "only the cookies of your own context can be read and set"),
];

/// Why a command that is known to nobody here is not passed on.
const UNKNOWN: &str =
    "it is not among the commands that are passed on; what Playwright's own methods need has a method there";

/// The row of a command.
///
/// # Errors
/// Why it is not passed on.
pub fn cdp_method(name: &str) -> Result<&'static CdpMethod, &'static str> {
    if let Some(method) = METHODS.iter().find(|method| method.name == name) {
        return Ok(method);
    }
    if name.ends_with(".disable") {
        return Err("the product itself needs the events that it would end");
    }
    Err(REFUSED.iter().find(|(start, _)| name.starts_with(start)).map_or(UNKNOWN, |(_, why)| *why))
}

/// Bounds of numbers, as command, parameter, least, most.
const BOUNDS: &[(&str, &str, f64, f64)] = &[
    ("Emulation.setCPUThrottlingRate", "rate", 1.0, 50.0),
    ("Emulation.setDeviceMetricsOverride", "width", 0.0, 10_000.0),
    ("Emulation.setDeviceMetricsOverride", "height", 0.0, 10_000.0),
    ("Emulation.setDeviceMetricsOverride", "deviceScaleFactor", 0.0, 8.0),
    ("Emulation.setDeviceMetricsOverride", "scale", 0.1, 4.0),
    ("Emulation.setTouchEmulationEnabled", "maxTouchPoints", 1.0, 16.0),
    ("Emulation.setHardwareConcurrencyOverride", "hardwareConcurrency", 1.0, 256.0),
    ("Page.captureScreenshot", "quality", 0.0, 100.0),
    ("Page.printToPDF", "scale", 0.1, 2.0),
    ("Page.printToPDF", "paperWidth", 0.1, 200.0),
    ("Page.printToPDF", "paperHeight", 0.1, 200.0),
    ("Profiler.setSamplingInterval", "interval", 50.0, 1_000_000.0),
    ("Runtime.evaluate", "timeout", 0.0, 600_000.0),
    ("Input.synthesizeTapGesture", "duration", 0.0, 10_000.0),
    ("Input.synthesizeTapGesture", "tapCount", 1.0, 5.0),
    ("Input.synthesizeScrollGesture", "speed", 50.0, 100_000.0),
];

/// The most pixels of a picture.
const MOST_PIXELS: f64 = 100_000_000.0;

impl CdpMethod {
    /// Refuses parameters that it does not take, and numbers out of bounds.
    ///
    /// # Errors
    /// A sentence without a full stop.
    pub fn check(&self, params: &Value) -> Result<(), String> {
        let map = match params {
            Value::Null => return Ok(()),
            Value::Object(map) => map,
            _ => return Err("the parameters must be an object".to_owned()),
        };
        if let Some(name) =
            map.keys().find(|name| !self.params.split_whitespace().any(|known| known == *name))
        {
            return Err(format!(
                "{} takes no {}; it takes: {}",
                self.name,
                truehand_base::text::clip(name, 60),
                self.params
            ));
        }
        for (_, name, least, most) in BOUNDS.iter().filter(|bound| bound.0 == self.name) {
            if let Some(number) = map.get(*name).and_then(Value::as_f64)
                && !(*least..=*most).contains(&number)
            {
                return Err(format!("{name} is {number}; it may be {least} to {most}"));
            }
        }
        if let Some(clip) = map.get("clip").filter(|clip| clip.is_object()) {
            let side = |name: &str| clip[name].as_f64().unwrap_or(1.0);
            if side("width") * side("height") * side("scale") * side("scale") > MOST_PIXELS {
                return Err("the picture would have more than 100,000,000 pixels".to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn methods_have_one_row_each_and_none_is_refused_as_well() {
        for (at, method) in METHODS.iter().enumerate() {
            assert!(METHODS[at + 1..].iter().all(|other| other.name != method.name), "{} twice", method.name);
            assert_eq!(cdp_method(method.name), Ok(method));
            assert!(!REFUSED.iter().any(|(name, _)| *name == method.name), "{} is refused too", method.name);
        }
    }

    #[test]
    fn methods_that_are_not_known_are_refused_with_a_reason() {
        for name in ["Page.disable", "Runtime.disable", "Network.disable", "Log.disable"] {
            assert!(cdp_method(name).expect_err(name).contains("the product itself"), "{name}");
        }
        for (start, why) in REFUSED {
            let name = if start.ends_with('.') { format!("{start}anything") } else { (*start).to_owned() };
            assert_eq!(cdp_method(&name), Err(*why), "{name}");
        }
        for name in [
            "",
            "Page",
            "Page.captureScreenshot ",
            "page.captureScreenshot",
            "Nothing.atAll",
            "Page.enable.x",
        ] {
            assert_eq!(cdp_method(name), Err(UNKNOWN), "{name}");
        }
    }

    #[test]
    fn methods_take_only_the_parameters_that_they_name() {
        let check = |name: &str, params: Value| cdp_method(name).expect(name).check(&params);
        assert_eq!(check("Page.reload", json!({ "ignoreCache": true })), Ok(()));
        assert!(check("Page.reload", json!({ "scriptToEvaluateOnLoad": "1" })).is_err());
        assert!(check("Runtime.evaluate", json!({ "expression": "1", "contextId": 1 })).is_err());
        assert!(check("Storage.getCookies", json!({ "browserContextId": "X" })).is_err());
        assert!(check("Page.enable", json!({ "": 1 })).is_err());
        assert!(check("Emulation.setCPUThrottlingRate", json!({ "rate": 1e9 })).is_err());
        let clip = json!({ "clip": { "x": 0, "y": 0, "width": 100_000, "height": 100_000, "scale": 1 } });
        assert!(check("Page.captureScreenshot", clip).is_err());
    }
}
