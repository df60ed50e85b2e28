// Covers: what kind of thing lies over a target, and how a person would be rid of it without agreeing to anything.
((lib) => {
  'use strict';
  if (lib.ready) return;

  /** @param {string} text alternatives, one a line or separated by commas */
  const anyOf = (text) => {
    const parts = text.split(/[,\n]/).map((part) => part.trim()).filter(Boolean);
    const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    // Words of scripts without spaces stand anywhere; others must not be a part of a longer word.
    const plain = escaped.map((part) => (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(part) ? part : `(?<![\\p{L}\\p{N}])${part}(?![\\p{L}\\p{N}])`));
    return new RegExp(plain.join('|'), 'iu');
  };

  // English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish, Norwegian, Finnish, Czech,
  // Turkish, Russian, Japanese, Korean, Chinese.
  const REJECT = anyOf(`
    reject, reject all, decline, refuse, deny, disagree, don't allow, do not allow, don't agree, do not accept, don't accept, do not consent, do not agree, opt out, continue without accepting,
    necessary only, only necessary, necessary cookies only, essential only, only essential, essential cookies only, strictly necessary, required only, only required
    ablehnen, lehne ab, verweigern, nicht zustimmen, ohne zustimmung, ohne einwilligung, nur notwendige, nur erforderliche, nur essenzielle, nur essentielle, nur technisch notwendige
    refuser, refuse, je refuse, rejeter, interdire, sans accepter, nécessaires uniquement, uniquement nécessaires, uniquement les nécessaires, essentiels uniquement
    rechazar, rechazo, denegar, no acepto, no aceptar, sin aceptar, solo necesarias, sólo necesarias, solo las necesarias, solo esenciales
    rifiuta, rifiutare, rifiuto, nega, senza accettare, solo necessari, solo i necessari, solo essenziali
    rejeitar, recusar, não aceito, não aceitar, apenas necessários, somente necessários, apenas os necessários, apenas essenciais, só necessários
    weigeren, weiger, afwijzen, niet akkoord, alleen noodzakelijke, alleen noodzakelijk, alleen essentiële, alleen functionele
    odrzuć, odrzucam, odmów, odmawiam, nie zgadzam się, nie akceptuję, tylko niezbędne, tylko konieczne
    avvisa, neka, avböj, godkänn inte, endast nödvändiga, bara nödvändiga
    afvis, avvis, avslå, kun nødvendige, kun nødvendig, hylkää, vain välttämättömät, odmítnout, zamítnout, pouze nezbytné, reddet, yalnızca gerekli
    отклонить, отказаться, только необходимые
    拒否, 同意しない, 必須のみ, 必要なもののみ, 必要な cookie のみ, 許可しない
    거부, 거절, 동의하지 않, 필수만, 필수 쿠키만
    拒绝, 拒絕, 不同意, 不接受, 仅必要, 僅必要, 仅限必要, 仅接受必要, 只接受必要`);
  const ACCEPT = anyOf(`
    accept, accept all, agree, i agree, allow, allow all, i consent, enable all, got it, i understand, ok, okay
    akzeptieren, alle akzeptieren, zustimmen, zulassen, erlauben, einverstanden, annehmen, verstanden
    accepter, j'accepte, autoriser, d'accord, aceptar, acepto, permitir, de acuerdo, entendido, accetta, accetto, accettare, acconsento, consenti, ho capito
    aceitar, aceito, concordo, entendi, accepteren, akkoord, toestaan, begrepen, akceptuj, akceptuję, zaakceptuj, zgadzam się, zezwól, rozumiem
    acceptera, godkänn, tillåt, jag förstår, acceptér, godkend, tillad, godta, tillat, hyväksy, přijmout, souhlasím, kabul et, принять, согласен, согласиться
    同意, 許可, 承諾, 受け入れ, 동의, 허용, 수락, 接受, 允许, 允許`);
  const CLOSE = anyOf(`
    close, dismiss, hide, skip, not now, maybe later, later, no thanks, no thank you, remind me later, cancel
    schließen, schliessen, ausblenden, überspringen, nicht jetzt, später, nein danke, abbrechen
    fermer, masquer, passer, pas maintenant, plus tard, non merci, annuler, cerrar, ocultar, omitir, ahora no, más tarde, no gracias, cancelar
    chiudi, nascondi, salta, non ora, più tardi, no grazie, annulla, fechar, dispensar, pular, agora não, mais tarde, não obrigado, não, obrigado
    sluiten, sluit, overslaan, niet nu, nee bedankt, nee dank je, annuleren, zamknij, ukryj, pomiń, nie teraz, później, nie dziękuję, anuluj
    stäng, dölj, hoppa över, inte nu, senare, nej tack, avbryt, luk, ikke nu, nej tak, annuller, lukk, sulje, ei nyt, zavřít, kapat, закрыть, не сейчас, отмена
    閉じる, 今はしない, 後で, あとで, スキップ, キャンセル, 닫기, 나중에, 건너뛰기, 취소, 关闭, 關閉, 稍后, 稍後, 以后再说, 跳过, 跳過, 暂不, 取消`);
  // Refusals that may name what they refuse.
  const THANKS = anyOf('no thanks, no thank you, not now, nein danke, nicht jetzt, non merci, no gracias, ahora no, no grazie, não obrigado, nee bedankt, nie dziękuję, nej tack, nej tak');
  const CANCEL = anyOf('cancel, abbrechen, annuler, cancelar, annulla, annuleren, anuluj, avbryt, annuller, キャンセル, 취소, 取消, отмена');
  const SETTINGS = anyOf(`
    settings, preferences, manage, customize, customise, options, einstellungen, anpassen, paramètres, personnaliser, gérer, configurar, preferencias, personalizar
    impostazioni, personalizza, preferenze, preferências, definições, instellingen, voorkeuren, ustawienia, dostosuj, inställningar, anpassa, indstillinger, innstillinger, asetukset, nastavení, ayarlar, настройки
    設定, カスタマイズ, 설정, 设置, 設置, 管理`);
  const CROSS = /^[\s×✕✖✗✘⨯╳🗙❌xX]{1,3}$/u;
  // What a control may do besides taking away what lies in the way: end, pay for, send or throw away something.
  const SERIOUS = anyOf(`
    account, order, ticket, issue, case, position, session, all tabs, subscription, subscribe, unsubscribe, booking, reservation, appointment, membership, plan, contract,
    delete, remove, erase, discard, reset, pay, payment, buy, purchase, checkout, donate, upgrade, install, send, submit, publish, transfer, sign out, log out, logout, sign up
    konto, bestellung, bestellen, buchung, vertrag, abo, abonnieren, abonnement, kündigen, löschen, entfernen, verwerfen, zahlen, bezahlen, kaufen, senden, abmelden, sitzung
    compte, commande, commander, réservation, s'abonner, abonner, résilier, supprimer, effacer, payer, acheter, envoyer, session, déconnexion
    cuenta, pedido, suscripción, suscribirse, suscribirme, reserva, eliminar, borrar, pagar, comprar, enviar, sesión
    conto, ordine, abbonamento, abbonati, prenotazione, elimina, cancella, paga, compra, acquista, invia, sessione, conta, assinatura, assinar, excluir, apagar, enviar, sessão
    bestelling, abonneren, verwijderen, betalen, kopen, subskrypcję, usuń, zapłać, kup, ta bort, betala, köp, удалить, оплатить, купить, аккаунт
    アカウント, 注文, 予約, 解約, 退会, 削除, 破棄, 購入, 支払, 送信, ログアウト, 登録, 계정, 주문, 예약, 해지, 탈퇴, 삭제, 구매, 결제, 전송, 로그아웃, 구독
    帐户, 账户, 帳戶, 订单, 訂單, 预订, 預訂, 订阅, 訂閱, 退订, 删除, 刪除, 丢弃, 购买, 購買, 支付, 付款, 发送, 發送, 退出登录, 注销, 登出`);

  const CONSENT_TEXT = /cookie|kakor|ciasteczk|informasjonskaps|evästee|clickwrap|traceurs|témoins de connexion|gdpr|dsgvo|rgpd|einwilligung|consentement|consentimiento|consenso al|toestemming|samtycke|クッキー|쿠키|隐私设置|隱私設定/i;
  const CONSENT_MARK = /cookie|consent|gdpr|ccpa|(^|[^a-z])cmp([^a-z]|$)|onetrust|usercentrics|didomi|quantcast|trustarc|cookiebot|privacy-?(banner|notice|wall|modal)/i;
  const DIALOG = '[role=dialog],[role=alertdialog],[aria-modal=true],dialog[open],[popover]:popover-open';
  const DIALOG_MARK = /(^|[^a-z])(modal|dialog|popup|pop-up|lightbox|interstitial|paywall|drawer|sheet)([^a-z]|$)/i;

  /** @param {Element} el */
  const marks = (el) => `${lib.attr(el, 'id') ?? ''} ${lib.attr(el, 'class') ?? ''}`;
  /** What stands in it, also where a label would speak in its place. @param {Element} el @param {number} max */
  const wordsIn = (el, max) => lib.clean(`${lib.flatText(el, false)} ${/** @type {HTMLElement} */ (el).innerText ?? ''}`, max);
  const isTop = (/** @type {Element | null} */ el) => !el || el === lib.body() || el === lib.documentElement();
  const pinned = (/** @type {Element} */ el) => /^(fixed|sticky)$/.test(lib.styleOf(el).position);

  /** @param {Element} el */
  const areaShare = (el) => {
    const box = el.getBoundingClientRect();
    const width = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
    const height = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    return width > 0 && height > 0 ? (width * height) / (innerWidth * innerHeight) : 0;
  };

  /** The dialog that made an element inert, which is what a person would close first. @param {Element} el */
  lib.dialogOver = (el) => openDialogs(el).at(-1) ?? null;

  /** A dialog that can be seen and is not around the target. @param {Element | null} target */
  const openDialogs = (target) =>
    lib.deepQuery(DIALOG).filter((/** @type {Element} */ el) => (!target || !lib.contains(el, target)) && lib.isRendered(el) && lib.boxesOf(el).length > 0);

  /** The outermost thing that `hit` belongs to and the target does not. @param {Element} hit @param {Element | null} target */
  const wholeOf = (hit, target) => {
    let whole = hit;
    let best = hit;
    for (let n = hit; !isTop(n) && !(target && lib.contains(n, target)); n = lib.parentOf(n)) {
      whole = n;
      if (lib.matches(n, DIALOG) || pinned(n) || (lib.styleOf(n).position === 'absolute' && lib.styleOf(n).zIndex !== 'auto')) best = n;
    }
    // A portal that holds several layers is no cover itself; an unpositioned block next to the target may be.
    return best === hit && !pinned(hit) && !lib.matches(hit, DIALOG) && areaShare(whole) < 0.5 ? whole : best;
  };

  /**
   * What lies over a target.
   * @param {Element} hit what was found at the point @param {Element | null} target
   * @returns {{el: Element, content: Element, kind: 'dialog' | 'banner' | 'consent' | 'other'}}
   */
  lib.classifyCover = (hit, target) => {
    const el = wholeOf(hit, target);
    // The veil and the dialog that it belongs to are often siblings.
    const inside = lib.matches(el, DIALOG) ? el : lib.queryAll(el, DIALOG)[0] ?? null;
    const bare = lib.clean(lib.flatText(el, false), 40) === '' && controlsIn(el).length === 0;
    const content = inside ?? (bare ? openDialogs(target)[0] : null) ?? el;
    const chain = [];
    for (let n = content; !isTop(n) && !(target && lib.contains(n, target)); n = lib.parentOf(n)) chain.push(n);
    const named = chain.concat(el).some((n) => CONSENT_MARK.test(marks(n)) || CONSENT_TEXT.test(lib.attr(n, 'aria-label') ?? ''));
    const text = wordsIn(content, 3_000);
    const isDialog = inside !== null || content !== el || chain.some((n) => lib.matches(n, DIALOG));
    const floating = pinned(el) || chain.some(pinned);
    if ((named || CONSENT_TEXT.test(text)) && (isDialog || floating)) return { el, content, kind: 'consent' };
    if (isDialog || (floating && !bare && areaShare(el) > 0.8) || (floating && chain.concat(el).some((n) => DIALOG_MARK.test(marks(n))))) return { el, content, kind: 'dialog' };
    if (floating && !bare) return { el, content, kind: 'banner' };
    return { el, content, kind: 'other' };
  };

  // ---------------------------------------------------------------- ways out

  const CLOSE_MARK = /(^|[\s_-])(close|dismiss)([\s_-]|$)/i;
  const CONTROLS = 'button,[role=button],a,input[type=button],input[type=submit],summary,[role=link],[aria-label],[data-dismiss],[data-bs-dismiss],[class*=close i],[class*=dismiss i]';

  /** A mark in the class says close; a name alone must not make a control of a box. @param {Element} el */
  const pressable = (el) => lib.isActionable(el) || (CLOSE_MARK.test(marks(el)) && lib.firstChild(el) === null);

  /** Controls that can be pressed, shadow content included. @param {Element} top */
  function controlsIn(top) {
    const found = [];
    const look = (/** @type {any} */ root) => {
      for (const el of lib.queryAll(root, '*')) {
        if (found.length >= 200) return;
        if (lib.matches(el, CONTROLS) && !lib.matches(el, DIALOG) && lib.isRendered(el) && !lib.isDisabled(el) && pressable(el)) found.push(el);
        const shadow = lib.shadowOf(el);
        if (shadow) look(shadow);
      }
    };
    const own = lib.shadowOf(top);
    if (own) look(own);
    look(top);
    return found.filter((el) => !lib.matches(el, 'input') || /^(button|submit)$/.test(/** @type {HTMLInputElement} */ (el).type));
  }

  /** What a control would do about the cover. @param {Element} el @param {string} kind @returns {'reject' | 'accept' | 'settings' | 'close' | 'cancel' | null} */
  const purposeOf = (el, kind) => {
    const name = lib.clean(lib.nameOf(el) || lib.attr(el, 'aria-label') || lib.attr(el, 'title') || lib.flatText(el, false), 120);
    const words = name.split(/\s+/).length;
    if (CROSS.test(name)) return 'close';
    if (name && words <= 8) {
      const serious = SERIOUS.test(name);
      // To decline is an answer, unless what asks is a wall of consent.
      if (REJECT.test(name) && !serious) return kind === 'consent' ? 'reject' : CLOSE.test(name) ? 'close' : null;
      // "Agree and close" agrees.
      if (ACCEPT.test(name) && !REJECT.test(name) && !THANKS.test(name)) return 'accept';
      if (words <= 5 && CLOSE.test(name) && !serious) return CANCEL.test(name) ? 'cancel' : 'close';
      if (SETTINGS.test(name)) return 'settings';
      return null;
    }
    if (lib.hasAttr(el, 'data-dismiss') || lib.hasAttr(el, 'data-bs-dismiss')) return 'close';
    // An icon without a name, of a class that says what it is.
    return !name && CLOSE_MARK.test(marks(el)) ? 'close' : null;
  };

  /** A point of the veil beside its content. @param {Element} veil @param {Element} content */
  const veilPoint = (veil, content) => {
    const w = innerWidth;
    const h = innerHeight;
    const box = content.getBoundingClientRect();
    const spots = [[8, h / 2], [w - 8, h / 2], [8, 8], [w - 8, 8], [8, h - 8], [w - 8, h - 8], [w / 2, h - 8], [w / 2, 8], [box.left - 12, box.top + box.height / 2], [box.left + box.width / 2, box.bottom + 12]];
    for (const [x, y] of spots) {
      if (x < 0 || y < 0 || x >= w || y >= h) continue;
      const hit = lib.elementAt(x, y);
      if (!hit) continue;
      const beside = x < box.left || x > box.right || y < box.top || y > box.bottom;
      const onContent = hit !== content && lib.contains(content, hit);
      if (onContent || (hit === content && beside === false && content !== veil)) continue;
      // The veil itself, the pseudo-element behind a modal dialog, or a bare sheet of its own over the page.
      const sheet = areaShare(hit) > 0.7 && /^(fixed|absolute)$/.test(lib.styleOf(hit).position) && lib.clean(lib.flatText(hit, false), 10) === '';
      if (hit === veil || (hit === content && beside) || sheet) return { x, y };
    }
    return null;
  };

  /** Whether pressing it opens another document. @param {Element} el */
  const leadsAway = (el) => {
    const link = lib.closest(el, 'a[href]');
    if (!link) return false;
    const to = /** @type {HTMLAnchorElement} */ (link);
    return !/^(#|javascript:)/i.test((lib.attr(link, 'href') ?? '').trim()) && to.href.split('#')[0] !== location.href.split('#')[0];
  };

  const WRITTEN = 'textarea,input,[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]';

  /** Whether a person has written something in it that would be lost. @param {any} el */
  const isWritten = (el) => {
    if (lib.matches(el, 'input,textarea')) return lib.takesText(el) && el.value !== el.defaultValue && el.value.trim() !== '';
    return lib.matches(el, WRITTEN) && lib.textContent(el).trim() !== '';
  };
  const holdsText = (/** @type {Element} */ top) => [...lib.queryAll(top, WRITTEN)].some((el) => lib.isRendered(el) && isWritten(el));

  /** Whether Escape would go to an editor that is none of the cover's. @param {Element} el @param {Element} content */
  const wouldEscapeElsewhere = (el, content) => {
    let at = lib.focused();
    while (at && lib.shadowOf(at)?.activeElement) at = lib.shadowOf(at).activeElement;
    return Boolean(at) && !lib.contains(el, at) && !lib.contains(content, at) && isWritten(at);
  };

  /** What is said beside the controls. @param {Element} top */
  const saidIn = (top) => {
    let out = '';
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && out.length < 2_000; node = walker.nextNode()) {
      const around = lib.parentOf(node);
      if (around && !lib.closest(around, 'button,[role=button],a,script,style')) out += `${lib.textContent(node)} `;
    }
    return out;
  };

  /**
   * What to try, in order; why nothing is, and what only a person may choose.
   * @param {ReturnType<typeof lib.classifyCover>} cover @param {any} alloc
   */
  const stepsFor = ({ el, content, kind }, alloc) => {
    /** @type {Record<string, Element[]>} */
    const by = { reject: [], accept: [], settings: [], close: [], cancel: [] };
    const seen = new Set();
    for (const top of content === el || lib.contains(el, content) ? [el] : [content, el]) {
      for (const control of controlsIn(top)) {
        const purpose = seen.has(control) ? null : purposeOf(control, kind);
        seen.add(control);
        if (purpose && (purpose === 'accept' || purpose === 'settings' || !leadsAway(control))) by[purpose].push(control);
      }
    }
    const named = (/** @type {Element} */ control) => ({ ref: lib.refText(lib.refOf(control, alloc), alloc), description: lib.describe(control) });
    const first = (/** @type {string} */ purpose) => {
      for (const control of by[purpose]) {
        const { point } = lib.aim(control, undefined);
        if (point) return [{ do: 'click', by: purpose, x: point.x, y: point.y, ...named(control) }];
      }
      return [];
    };
    const escape = wouldEscapeElsewhere(el, content) ? [] : [{ do: 'escape', by: 'escape' }];
    const veil = () => {
      const point = veilPoint(el, content);
      return point ? [{ do: 'backdrop', by: 'backdrop', ...point }] : [];
    };
    if (kind === 'consent') {
      const out = [...first('reject'), ...first('close')];
      if (out.length) return { steps: out };
      if (!by.accept.length) return { steps: [...escape, ...veil()] };
      // Only agreeing is on offer, or a way into settings: that is for whoever gave the order to decide.
      return { steps: by.settings.length ? escape : [], refusal: 'only_accept', choices: [...by.accept, ...by.settings].slice(0, 4).map(named) };
    }
    if (kind === 'dialog' && (holdsText(content) || holdsText(el))) return { steps: [], refusal: 'unsaved' };
    // Where the question itself is about cancelling, the word on a button means to do it.
    if (by.cancel.length && CANCEL.test(saidIn(content))) by.cancel.length = 0;
    const controls = [...first('close'), ...first('cancel')];
    if (kind === 'banner') return { steps: controls };
    // A sheet over the page that says nothing may be anything: no blind click on it.
    return { steps: [...escape, ...controls, ...(kind === 'dialog' ? veil() : [])] };
  };

  /** The topmost thing that looks like a cover when no target is given. */
  const anyCover = () => {
    const hits = new Set();
    for (const [fx, fy] of [[0.5, 0.5], [0.5, 0.25], [0.5, 0.9], [0.5, 0.05], [0.1, 0.9], [0.9, 0.9], [0.02, 0.5]]) {
      const hit = lib.elementAt(innerWidth * fx, innerHeight * fy);
      if (hit && !isTop(hit)) hits.add(hit);
    }
    const covers = [...hits].map((hit) => lib.classifyCover(hit, null));
    const dialog = openDialogs(null).at(-1);
    if (dialog) covers.unshift(lib.classifyCover(dialog, null));
    return covers.find((cover) => cover.kind === 'consent') ?? covers.find((cover) => cover.kind === 'dialog')
      ?? covers.find((cover) => cover.kind === 'banner' && controlsIn(cover.content).some((el) => purposeOf(el, 'banner') === 'close')) ?? null;
  };

  /** What to try, in order, to uncover a target. @param {any} args */
  lib.dismissPlan = (args) => {
    const alloc = { frame: args.frame ?? 0, next: args.next ?? 0 };
    let cover = null;
    if (args.whole) {
      // This document is itself the content of a cover: a consent provider's frame.
      const body = lib.body() ?? lib.documentElement();
      const consent = CONSENT_TEXT.test(wordsIn(body, 3_000)) || CONSENT_MARK.test(location.hostname);
      cover = { el: body, content: body, kind: consent ? 'consent' : 'dialog' };
    } else if (args.target) {
      const { el, problem } = lib.find(args.target, alloc);
      if (problem) return { ...problem, next: alloc.next };
      const got = lib.aim(el, undefined);
      if (!got.point && got.cover !== undefined) cover = lib.classifyCover(lib.coverOf(el, got.cover), el);
    } else {
      cover = anyCover();
    }
    if (!cover) return { status: 'ok', kind: 'none', steps: [], next: alloc.next };
    const plan = stepsFor(cover, alloc);
    const ref = lib.refText(lib.refOf(cover.el, alloc), alloc);
    const out = { status: 'ok', kind: cover.kind, cover: { ref, description: lib.describe(cover.el) }, ...plan, next: alloc.next };
    // The controls of a cover that is a frame are that frame's to name: ask it with `whole`.
    const inner = lib.matches(cover.el, 'iframe') ? [cover.el] : [...lib.queryAll(cover.el, 'iframe')].filter(lib.isRendered);
    const frame = inner.length === 1 ? lib.frameNumber(inner[0]) : null;
    return frame === null ? out : { ...out, frame };
  };
})(globalThis.__truehand ??= {});
