//! What a request of our own takes from a client's browser: its cookies and what it calls itself.

use crate::errors::from_cdp;
use crate::pool::Scope;
use truehand_base::{CallCtx, ErrorBody};
use truehand_cdp::{self as cdp};

/// A cookie of a browser context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredCookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a dot before it a host and all below.
    pub domain: String,
    /// The path and all below.
    pub path: String,
    /// Whether it goes over secure connections only.
    pub secure: bool,
}

/// A cookie to be kept by a browser context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CookieToStore {
    /// The address that set it.
    pub url: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host and all below; none for the one of the address alone.
    pub domain: Option<String>,
    /// The path and all below.
    pub path: String,
    /// Seconds since 1970; none for one that ends with the browser.
    pub expires: Option<f64>,
    /// Whether it goes over secure connections only.
    pub secure: bool,
    /// Whether scripts can't read it.
    pub http_only: bool,
    /// `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
}

impl Scope {
    /// The cookies of the client's browser context; none when no browser is open. Those that are kept apart by the site
    /// of the page are left out.
    ///
    /// # Errors
    /// Those of a browser that is gone.
    pub async fn stored_cookies(&self, ctx: &CallCtx) -> Result<Vec<StoredCookie>, ErrorBody> {
        let Some(space) = self.open_space() else { return Ok(Vec::new()) };
        let get = cdp::storage::GetCookies { browser_context_id: space.context() };
        let all = space.connection().browser().send(ctx, get).await.map_err(from_cdp)?.cookies;
        let stored = |c: cdp::storage::Cookie| StoredCookie {
            name: c.name,
            value: c.value,
            domain: c.domain,
            path: c.path,
            secure: c.secure,
        };
        Ok(all.into_iter().filter(|c| c.partition_key.is_none()).map(stored).collect())
    }

    /// Has the client's browser context keep cookies, each by itself. One that the browser refuses is left out, as it would
    /// leave it out itself.
    ///
    /// # Errors
    /// Those of a browser that is gone.
    pub async fn store_cookies(&self, ctx: &CallCtx, cookies: Vec<CookieToStore>) -> Result<(), ErrorBody> {
        let Some(space) = self.open_space() else { return Ok(()) };
        for cookie in cookies {
            let param = cdp::storage::CookieParam {
                name: cookie.name,
                value: cookie.value,
                url: Some(cookie.url),
                domain: cookie.domain,
                path: Some(cookie.path),
                secure: Some(cookie.secure),
                http_only: Some(cookie.http_only),
                same_site: cookie.same_site,
                expires: cookie.expires,
            };
            let set = cdp::storage::SetCookies { cookies: vec![param], browser_context_id: space.context() };
            match space.connection().browser().send(ctx, set).await {
                Err(cdp::CdpError::Protocol { message, .. }) => {
                    tracing::debug!("a cookie was not taken: {message}")
                }
                other => drop(other.map_err(from_cdp)?),
            }
        }
        Ok(())
    }

    /// What the client's browser calls itself; none when no browser is open.
    ///
    /// # Errors
    /// Those of a browser that is gone.
    pub async fn user_agent(&self, ctx: &CallCtx) -> Result<Option<String>, ErrorBody> {
        let Some(space) = self.open_space() else { return Ok(None) };
        let version = space.connection().browser().send(ctx, cdp::browser::GetVersion::default()).await;
        Ok(Some(version.map_err(from_cdp)?.user_agent))
    }
}
