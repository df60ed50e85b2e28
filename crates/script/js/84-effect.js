// effect: what was measured of the last act, as every tool call gives it.
(function (kernel) {
  'use strict';

  let last = null;

  kernel.onOutcome(({ tool, outcome, error }) => {
    const effect = outcome ? outcome.page_effect : error?.data?.page_effect;
    if (!effect) return;
    last = kernel.hide(effect, { tool, done: outcome?.done || '' });
  });

  kernel.exposeGetter('effect', () => last);
})
