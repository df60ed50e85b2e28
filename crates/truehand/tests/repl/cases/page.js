// Cases of Page: addresses, navigation, content, evaluation.

//# url and title of an opened page
//@ Page.url Page.title
await open('/repl/empty.html');
equal(page.url(), site.url('/repl/empty.html'));
equal(await page.title(), 'Empty');
