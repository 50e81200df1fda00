import { createHash } from 'node:crypto';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';

/** The page at /api/docs. It renders openapi.json without external resources, so it works offline. */

const BODY = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hearth API</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Hearth <span>API v4</span></h1>
<input id="filter" type="search" placeholder="Filter by path, name or text" aria-label="Filter" autocomplete="off" spellcheck="false">
<p id="count" role="status">Loading</p>
<a href="v4/openapi.json">openapi.json</a>
</header>
<nav id="tags" aria-label="Families"></nav>
<main id="endpoints"></main>
<noscript>This page needs its own script; the document itself is <a href="v4/openapi.json">openapi.json</a>.</noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;

const toCspSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the script and style of the page itself. */
const POLICY = [
  "default-src 'none'",
  `script-src ${toCspSource(SCRIPT)}`,
  `style-src ${toCspSource(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export const DOCUMENTATION_PAGE = { headers: { 'Content-Security-Policy': POLICY }, body: BODY };
