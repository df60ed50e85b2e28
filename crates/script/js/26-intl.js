// A small Intl: numbers, dates and order in English of the United States. Other languages are refused, not guessed.
(function (kernel) {
  'use strict';

  const locale = (locales) => {
    const wanted = Array.isArray(locales) ? locales[0] : locales;
    if (wanted === undefined || wanted === null || /^(en|en-us|en-latn-us)$/i.test(wanted)) {
      return 'en-US';
    }
    throw new RangeError(`the locale '${wanted}' is not available in a script, only en-US: page.evaluate(() => …) has all of them`);
  };

  const SYMBOLS = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', NZD: 'NZ$', ILS: '₪', VND: '₫' };
  const NO_CENTS = new Set(['JPY', 'KRW', 'VND', 'CLP']);

  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

  const digitsOf = (value, low, high, significant) => {
    if (typeof value === 'bigint') {
      return [`${value < 0n ? -value : value}`, ''.padEnd(low, '0')];
    }
    let text = Math.abs(value) >= 1e21 ? BigInt(Math.trunc(Math.abs(value))).toString() : Math.abs(value).toFixed(high);
    if (significant) {
      const plain = Number(Math.abs(value).toPrecision(significant));
      text = plain >= 1e21 ? BigInt(plain).toString() : plain.toFixed(Math.max(0, Math.min(20, significant - 1 - Math.floor(Math.log10(plain || 1)))));
      low = 0;
    }
    const [whole, fraction = ''] = text.split('.');
    let kept = fraction;
    while (kept.length > low && kept.endsWith('0')) {
      kept = kept.slice(0, -1);
    }
    return [whole, kept];
  };

  const STEPS = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'K']];

  class NumberFormat {
    #o;

    constructor(locales, options = {}) {
      const o = options || {};
      const style = o.style || 'decimal';
      if (!['decimal', 'percent', 'currency'].includes(style)) {
        throw new RangeError(`the number style '${style}' is not available in a script: page.evaluate(() => …) has it`);
      }
      if (style === 'currency' && !o.currency) {
        throw new TypeError('Currency code is required with currency style.');
      }
      const currency = o.currency ? String(o.currency).toUpperCase() : undefined;
      const usual = style === 'currency' ? (NO_CENTS.has(currency) ? 0 : 2) : 0;
      const compact = o.notation === 'compact';
      const low = o.minimumFractionDigits ?? (compact ? 0 : Math.min(usual, o.maximumFractionDigits ?? usual));
      const high = o.maximumFractionDigits ?? Math.max(low, style === 'decimal' ? (compact ? 0 : 3) : compact ? 0 : usual);
      if (!(low >= 0 && high <= 100 && low <= high)) {
        throw new RangeError('maximumFractionDigits value is out of range.');
      }
      this.#o = { ...o, locale: locale(locales), style, currency, low, high, compact };
    }

    format(value) {
      const o = this.#o;
      let number = typeof value === 'bigint' ? value : Number(value);
      let suffix = '';
      const negative = typeof number === 'bigint' ? number < 0n : number < 0 || Object.is(number, -0);
      let text;
      if (Number.isNaN(number)) {
        text = 'NaN';
      } else if (number === Infinity || number === -Infinity) {
        text = '∞';
      } else {
        if (o.style === 'percent') {
          number = Number(number) * 100;
        }
        let significant = o.maximumSignificantDigits;
        if (o.compact) {
          number = Number(number);
          const step = STEPS.find(([size]) => Math.abs(number) >= size * 0.9995);
          if (step) {
            number /= step[0];
            suffix = step[1];
          }
          if (o.maximumFractionDigits === undefined && !significant) {
            significant = Math.abs(number) < 100 ? 2 : undefined;
          }
        }
        const [whole, fraction] = digitsOf(number, o.low, o.high, significant);
        const padded = whole.padStart(o.minimumIntegerDigits ?? 1, '0');
        text = `${o.useGrouping === false ? padded : grouped(padded)}${fraction ? `.${fraction}` : ''}${suffix}`;
      }
      if (o.style === 'percent') {
        text += '%';
      }
      if (o.style === 'currency') {
        const display = o.currencyDisplay === 'code' ? `${o.currency}\u00a0` : SYMBOLS[o.currency] || `${o.currency}\u00a0`;
        text = `${display}${text}`;
      }
      const sign = negative ? '-' : o.signDisplay === 'always' ? '+' : '';
      return `${sign}${text}`;
    }

    resolvedOptions() {
      return { locale: 'en-US', numberingSystem: 'latn', style: this.#o.style, minimumFractionDigits: this.#o.low, maximumFractionDigits: this.#o.high };
    }
  }

  const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const DATE_STYLES = {
    full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    long: { year: 'numeric', month: 'long', day: 'numeric' },
    medium: { year: 'numeric', month: 'short', day: 'numeric' },
    short: { year: '2-digit', month: 'numeric', day: 'numeric' },
  };
  const TIME_STYLES = { medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' } };
  const DATE_PARTS = ['weekday', 'year', 'month', 'day'];
  const TIME_PARTS = ['hour', 'minute', 'second'];

  class DateTimeFormat {
    #o;

    constructor(locales, options = {}) {
      let o = { ...(options || {}) };
      o.locale = locale(locales);
      if (o.dateStyle) {
        o = { ...o, ...DATE_STYLES[o.dateStyle] };
      }
      if (o.timeStyle) {
        o = { ...o, ...(TIME_STYLES[o.timeStyle] || TIME_STYLES.medium) };
      }
      const zone = o.timeZone === undefined ? undefined : String(o.timeZone);
      if (zone !== undefined && !/^(utc|gmt|etc\/utc|z)$/i.test(zone)) {
        throw new RangeError(`the time zone '${zone}' is not available in a script, only UTC and the local one: page.evaluate(() => …) has all of them`);
      }
      if (![...DATE_PARTS, ...TIME_PARTS].some((part) => o[part] !== undefined)) {
        Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
      }
      o.utc = zone !== undefined;
      this.#o = o;
    }

    format(value) {
      const date = value === undefined ? new Date(kernel.wall()) : new Date(value);
      if (Number.isNaN(date.getTime())) {
        throw new RangeError('Invalid time value');
      }
      const o = this.#o;
      const read = (part) => date[`get${o.utc ? 'UTC' : ''}${part}`]();
      const two = (number) => String(number).padStart(2, '0');
      const year = o.year && (o.year === '2-digit' ? two(read('FullYear') % 100) : String(read('FullYear')));
      const day = o.day && (o.day === '2-digit' ? two(read('Date')) : String(read('Date')));
      const month = read('Month');
      const weekday = o.weekday && (o.weekday === 'long' ? DAYS[read('Day')] : DAYS[read('Day')].slice(0, o.weekday === 'narrow' ? 1 : 3));
      let text = '';
      if (o.month === 'long' || o.month === 'short' || o.month === 'narrow') {
        const name = o.month === 'long' ? MONTHS[month] : MONTHS[month].slice(0, o.month === 'narrow' ? 1 : 3);
        const front = [name, day].filter(Boolean).join(' ');
        text = [weekday, day && year ? `${front}, ${year}` : [front, year].filter(Boolean).join(' ')].filter(Boolean).join(', ');
      } else {
        const number = o.month && (o.month === '2-digit' ? two(month + 1) : String(month + 1));
        text = [weekday, [number, day, year].filter(Boolean).join('/')].filter(Boolean).join(', ');
      }
      if (!TIME_PARTS.some((part) => o[part] !== undefined)) {
        return text;
      }
      const half = o.hour12 ?? (o.hourCycle ? o.hourCycle.startsWith('h1') : true);
      const hours = read('Hours');
      const shown = half ? hours % 12 || 12 : hours;
      const time = [
        o.hour && (o.hour === '2-digit' || !half ? two(shown) : String(shown)),
        o.minute && (o.hour ? two(read('Minutes')) : String(read('Minutes'))),
        o.second && (o.minute ? two(read('Seconds')) : String(read('Seconds'))),
      ];
      const clock = `${time.filter(Boolean).join(':')}${o.hour && half ? ` ${hours < 12 ? 'AM' : 'PM'}` : ''}`;
      const long = o.dateStyle === 'full' || o.dateStyle === 'long';
      return [text, clock].filter(Boolean).join(long ? ' at ' : ', ');
    }

    resolvedOptions() {
      return { locale: 'en-US', calendar: 'gregory', numberingSystem: 'latn', timeZone: this.#o.utc ? 'UTC' : undefined };
    }
  }

  const marks = /\p{M}/gu;
  const bare = (text) => text.normalize('NFD').replace(marks, '').toLowerCase();

  // Letters first, then accents, then case with small letters in front.
  const compared = (a, b, { numeric = false, sensitivity = 'variant' } = {}) => {
    const order = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
    const [x, y] = [bare(a), bare(b)];
    let primary = 0;
    if (numeric) {
      const parts = (text) => text.match(/\d+|\D+/g) || [];
      const [p, q] = [parts(x), parts(y)];
      for (let i = 0; primary === 0 && i < Math.max(p.length, q.length); i += 1) {
        if (p[i] === undefined || q[i] === undefined) {
          primary = p[i] === undefined ? -1 : 1;
        } else if (/^\d/.test(p[i]) && /^\d/.test(q[i])) {
          const [m, n] = [p[i].replace(/^0+(?=\d)/, ''), q[i].replace(/^0+(?=\d)/, '')];
          primary = m.length - n.length || order(m, n);
        } else {
          primary = order(p[i], q[i]);
        }
      }
    } else {
      primary = order(x, y);
    }
    if (primary !== 0 || sensitivity === 'base') {
      return Math.sign(primary);
    }
    const accents = order(a.normalize('NFD').toLowerCase(), b.normalize('NFD').toLowerCase());
    if (sensitivity !== 'case' && accents !== 0) {
      return accents;
    }
    if (sensitivity === 'accent') {
      return 0;
    }
    for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
      if (a[i] !== b[i] && a[i].toLowerCase() === b[i].toLowerCase()) {
        return a[i] === a[i].toLowerCase() ? -1 : 1;
      }
    }
    return 0;
  };

  class Collator {
    constructor(locales, options = {}) {
      locale(locales);
      Object.defineProperty(this, 'compare', { value: (a, b) => compared(String(a), String(b), options || {}) });
    }
  }

  const replace = (owner, name, run) => Object.defineProperty(owner, name, { value: run, writable: true, configurable: true, enumerable: false });
  const dates = (parts) =>
    function (locales, options) {
      if (Number.isNaN(this.getTime())) {
        return 'Invalid Date';
      }
      const o = options || {};
      const asked = ['dateStyle', 'timeStyle', ...DATE_PARTS, ...TIME_PARTS].some((part) => o[part] !== undefined);
      return new DateTimeFormat(locales, asked ? o : { ...o, ...parts }).format(this);
    };
  const DATE = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const TIME = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
  replace(Date.prototype, 'toLocaleString', dates({ ...DATE, ...TIME }));
  replace(Date.prototype, 'toLocaleDateString', dates(DATE));
  replace(Date.prototype, 'toLocaleTimeString', dates(TIME));
  replace(Number.prototype, 'toLocaleString', function toLocaleString(locales, options) {
    return new NumberFormat(locales, options).format(this.valueOf());
  });
  replace(BigInt.prototype, 'toLocaleString', function toLocaleString(locales, options) {
    return new NumberFormat(locales, options).format(this.valueOf());
  });
  replace(String.prototype, 'localeCompare', function localeCompare(other, locales, options) {
    locale(locales);
    return compared(String(this), String(other), options || {});
  });
  kernel.expose('Intl', { NumberFormat, DateTimeFormat, Collator });
});
