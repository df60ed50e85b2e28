//! scratch
use crate::support::{World, ctx};
use std::time::Instant;
use truehand_browser::{ClickOptions, Observe, Target, ReadOptions};
#[tokio::test(flavor = "multi_thread")]
async fn timing() {
    let world = World::new().await;
    let scope = world.scope();
    let t = Instant::now();
    let (tab,_) = scope.open_tab(&ctx(), None, &Observe::default()).await.expect("opened");
    eprintln!("first tab {:?}", t.elapsed());
    for path in ["/quiet.html", "/traps/01-consent-overlay.html", "/traps/06-open-shadow.html", "/traps/20-network-only.html"] {
        let t = Instant::now();
        let acted = tab.navigate(&ctx(), &world.site.url(path), &Observe::default()).await.expect("nav");
        eprintln!("navigate {path} {:?} {:?}", t.elapsed(), acted.effect.map(|e| truehand_base::words::effect_words(&e)));
        let t = Instant::now();
        let r = tab.read(&ctx(), None, &ReadOptions::default()).await.expect("read");
        eprintln!("read {:?} {}", t.elapsed(), r.text);
    }
    for _ in 0..5 {
    let t = Instant::now();
    let acted = tab.click(&ctx(), &Target::parse("button").unwrap(), &ClickOptions::default(), &Observe::default()).await.expect("click");
    eprintln!("click {:?} {:?}", t.elapsed(), acted.effect.map(|e| truehand_base::words::effect_words(&e)));
    }
    for _ in 0..3 {
        let t = Instant::now();
        let (_t,_) = scope.open_tab(&ctx(), Some(&world.site.url("/quiet.html")), &Observe::default()).await.expect("opened");
        eprintln!("open tab {:?}", t.elapsed());
    }
    tab.navigate(&ctx(), &world.site.url("/traps/22-attribute-only.html"), &Observe::default()).await.expect("nav");
    for _ in 0..5 {
    let t = Instant::now();
    let acted = tab.click(&ctx(), &Target::parse("button").unwrap(), &ClickOptions::default(), &Observe::default()).await.expect("click");
    eprintln!("click {:?} {:?}", t.elapsed(), acted.effect.map(|e| truehand_base::words::effect_words(&e)));
    tab.evaluate(&ctx(), "b.setAttribute('aria-pressed','false')", &Observe{enabled:false,..Observe::default()}).await.unwrap();
    }
    world.pool.shutdown().await;
}
