//! Cookies of a browser context.

use crate::protocol::commands;
use crate::{BrowserContextId, Empty};
use serde::{Deserialize, Serialize};

commands! {
    GetCookies = "Storage.getCookies" -> Cookies;
    SetCookies = "Storage.setCookies" -> Empty;
}

/// Asks for all cookies of a context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetCookies {
    /// The context; none for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<BrowserContextId>,
}

/// Sets cookies in a context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetCookies {
    /// The cookies.
    pub cookies: Vec<CookieParam>,
    /// The context; none for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_context_id: Option<BrowserContextId>,
}

/// The cookies of a context.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cookies {
    /// All of them.
    pub cookies: Vec<Cookie>,
}

/// A cookie.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a dot before it a host and all below.
    pub domain: String,
    /// The path and all below.
    pub path: String,
    /// Seconds since 1970; negative for one that ends with the browser.
    pub expires: f64,
    /// Whether scripts can't read it.
    pub http_only: bool,
    /// Whether it goes over secure connections only.
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
    /// Whether it is kept apart by the site of the page.
    pub partition_key: Option<serde_json::Value>,
}

/// A cookie to be set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CookieParam {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The address that it came from; says host, path and security where they are not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The host and all below; none for the one of the address alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The path and all below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether it goes over secure connections only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<bool>,
    /// Whether scripts can't read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_only: Option<bool>,
    /// `Strict`, `Lax` or `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// Seconds since 1970; none for one that ends with the browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
}
