import { hash } from 'node:crypto';
import type { HtmlReply } from '../endpoint/responses.ts';
import { HttpError } from '../errors/http-error.ts';

// HTML pages for browsers: sign-in, consent and errors. They contain no scripts.

/** Text that is HTML already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template of `markup`. */
type MarkupValue = string | number | Markup | readonly Markup[] | null;

/** Builds HTML from a template; values other than `Markup` are escaped, null is empty. */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(renderValue)));
}

function renderValue(value: MarkupValue): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface PageContent {
  readonly title: string;
  readonly main: Markup;
  /** The CSRF token of the session, for the forms of the page; null without a session. */
  readonly csrfToken: string | null;
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: HtmlReply['headers'];
  /** Origins (`https://app.test`) to which a form of the page may redirect, in addition to the server itself. */
  readonly formTargets?: readonly string[];
}

/** Returns a complete page in the common layout. Browsers and proxies must not store it, nor show it in a frame. */
export function createHtmlPage({ title, main, csrfToken, status, headers, formTargets = [] }: PageContent): HtmlReply {
  const { text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${csrfToken === null ? null : markup`<meta name="csrf-token" content="${csrfToken}">\n`}<title>${title} &middot; Hearth</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<p class="name">Hearth</p>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`;
  return {
    ...(status === undefined ? {} : { status }),
    headers: { ...createPageHeaders(formTargets), ...headers },
    body: text,
  };
}

/** Returns the error whose response is a page in the common layout. */
export function createHtmlError(
  status: number,
  { title, main }: Pick<PageContent, 'title' | 'main'>,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const { body } = createHtmlPage({ title, main, csrfToken: null });
  const contentType = { 'Content-Type': 'text/html; charset=utf-8' };
  return new HttpError(status, body, { ...contentType, ...headers, ...createPageHeaders([]) });
}

/** Returns the hidden field with the CSRF token. */
export function createCsrfField(csrfToken: string): Markup {
  return markup`<input type="hidden" name="authenticity_token" value="${csrfToken}">`;
}

/** Returns an error message, which screen readers announce immediately. */
export function createAlertBox(text: string): Markup {
  return markup`<p class="alert" role="alert">${text}</p>`;
}

function createPageHeaders(formTargets: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    STYLE_SOURCE,
    ["form-action 'self'", ...formTargets].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    // With `no-referrer`, browsers would send forms with the origin `null`.
    'Referrer-Policy': 'same-origin',
  };
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f6f5f2; --card: #fff; --text: #1f1d1a; --quiet: #66605a; --line: #8b857d; --accent: #b3431b; --on-accent: #fff; --wrong: #a3161b; }
@media (prefers-color-scheme: dark) { :root { --ground: #191715; --card: #24211e; --text: #f0ece6; --quiet: #b3aba1; --line: #7d766d; --accent: #f28a5f; --on-accent: #1f1d1a; --wrong: #ff9a94; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 2rem; border-radius: .75rem; background: var(--card); box-shadow: 0 1px 3px rgb(0 0 0 / .2); overflow-wrap: anywhere; }
h1 { margin: 0 0 1.25rem; font-size: 1.375rem; line-height: 1.25; }
p, ul, form { margin: 0 0 1rem; }
main > :last-child, form > :last-child { margin-bottom: 0; }
.name { margin: 0 0 .25rem; color: var(--accent); font-weight: 600; }
.quiet { color: var(--quiet); }
.alert { padding: .625rem .875rem; border-left: .25rem solid var(--wrong); color: var(--wrong); font-weight: 600; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input:not([type=hidden]) { width: 100%; margin-bottom: 1rem; padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--card); color: inherit; font: inherit; }
button { width: 100%; padding: .625rem .75rem; border: 1px solid var(--accent); border-radius: .375rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button.other { background: transparent; color: var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; }
`;

const STYLE_SOURCE = `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`;
