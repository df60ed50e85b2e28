// Cases of Clock.

//# a clock that is installed begins where it is told, and goes on
//@ Clock.install Page.clock BrowserContext.clock
await open('/repl/empty.html');
await page.clock.install({ time: new Date('2030-01-02T03:04:05Z') });
await page.goto(site.url('/repl/empty.html'));
const at = await page.evaluate(() => Date.now());
ok(at >= Date.UTC(2030, 0, 2, 3, 4, 5) && at < Date.UTC(2030, 0, 2, 3, 4, 35), String(at));
await page.waitForTimeout(60);
ok((await page.evaluate(() => Date.now())) > at, 'it goes on');
equal(await page.evaluate(() => new Date().getFullYear()), 2030);
equal(await page.evaluate(() => new Date(0).toISOString()), '1970-01-01T00:00:00.000Z');
equal(await page.evaluate(() => new Date() instanceof Date), true);

//# fastForward fires what became due once
//@ Clock.fastForward Clock.pauseAt
const fast = await context.newPage();
await fast.goto(site.url('/repl/empty.html'));
await fast.clock.install({ time: 0 });
await fast.clock.pauseAt(100000);
await fast.evaluate(() => { window.log = []; setInterval(() => window.log.push(Date.now()), 1000); setTimeout(() => window.log.push('once'), 5000); });
await fast.clock.fastForward(10000);
const log = await fast.evaluate(() => window.log);
equal(log.filter((x) => x === 'once').length, 1);
equal(log.filter((x) => x !== 'once').length, 1);
equal(await fast.evaluate(() => Date.now()), 110000);
await fast.clock.fastForward('01:00');
equal(await fast.evaluate(() => Date.now()), 170000);
await fast.close();

//# runFor fires everything on the way
//@ Clock.runFor
const run = await context.newPage();
await run.goto(site.url('/repl/empty.html'));
await run.clock.pauseAt(200000000);
await run.evaluate(() => { window.n = 0; window.frames_ = 0; setInterval(() => { window.n += 1; }, 1000); const f = () => { window.frames_ += 1; requestAnimationFrame(f); }; requestAnimationFrame(f); });
await run.clock.runFor(5000);
equal(await run.evaluate(() => window.n), 5);
ok((await run.evaluate(() => window.frames_)) > 200, 'frames');
await run.clock.runFor('00:02');
equal(await run.evaluate(() => window.n), 7);
await run.close();

//# a paused clock stands, and is resumed
//@ Clock.pauseAt Clock.resume
const still = await context.newPage();
await still.goto(site.url('/repl/empty.html'));
await still.clock.pauseAt(new Date('2040-02-02T10:00:00Z'));
const first = await still.evaluate(() => Date.now());
equal(first, Date.UTC(2040, 1, 2, 10));
await still.waitForTimeout(60);
equal(await still.evaluate(() => Date.now()), first);
await still.evaluate(() => { window.fired = false; setTimeout(() => { window.fired = true; }, 100); });
await still.waitForTimeout(150);
equal(await still.evaluate(() => window.fired), false);
await still.clock.resume();
await still.waitForFunction(() => window.fired);
await still.close();

//# fixed and system time leave timers alone
//@ Clock.setFixedTime Clock.setSystemTime
await context.clock.resume();
const fixed = await context.newPage();
await fixed.goto(site.url('/repl/empty.html'));
await fixed.clock.setFixedTime(new Date('2025-05-05T05:05:05Z'));
equal(await fixed.evaluate(() => Date.now()), Date.UTC(2025, 4, 5, 5, 5, 5));
await fixed.waitForTimeout(30);
equal(await fixed.evaluate(() => Date.now()), Date.UTC(2025, 4, 5, 5, 5, 5));
await fixed.clock.setSystemTime(new Date('2035-05-05T05:05:05Z'));
equal(await fixed.evaluate(() => new Date().getFullYear()), 2035);
await fails(() => fixed.clock.fastForward('1:2:3:4'), /understands/);
await fails(() => fixed.clock.setFixedTime('nonsense'), /Invalid date/);
await fixed.close();
