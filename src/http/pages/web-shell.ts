import { isSignedIn } from '#authentication/caller.ts';
import type { HtmlReply } from '../endpoint/responses.ts';
import { getPathPrefix, type IncomingRequest, localUrl } from '../request/incoming.ts';
import { markup } from './html-page.ts';
import { loadWebFiles } from './web-files.ts';
import type { Visitor } from './web-session.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify hearth highlighted',
].join('; ');

/**
 * Returns the page that loads the web application (contract/web.md §1). It is the same at every address and does not reveal
 * whether the named resource exists. `apiPath` is the path below /api/v4 of the data that the page shows.
 */
export function createWebShell(
  request: Pick<IncomingRequest, 'baseUrl'>,
  { session, caller }: Pick<Visitor, 'session' | 'caller'>,
  apiPath: string,
): HtmlReply {
  const { script, style } = loadWebFiles();
  const [scriptUrl, styleUrl] = [script, style].map((name) => localUrl(request, `/-/web/${name}`)) as [string, string];
  const body = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="base-path" content="${getPathPrefix(request.baseUrl)}">
${session === null ? null : markup`<meta name="csrf-token" content="${session.csrfToken}">\n`}${
  isSignedIn(caller) ? markup`<meta name="user-id" content="${caller.user.id}">\n` : null
}<title>Hearth</title>
<link rel="icon" href="${localUrl(request, '/-/web/icon.svg')}">
<link rel="stylesheet" href="${styleUrl}">
<script type="module" src="${scriptUrl}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs scripts. The same data is at <a href="${request.baseUrl}/api/v4${apiPath}">the API</a>.</noscript>
</body>
</html>
`.text;
  return {
    headers: {
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      Link: [
        `<${request.baseUrl}/api/v4${apiPath}>; rel="alternate"; type="application/json"`,
        `<${scriptUrl}>; rel="modulepreload"`,
        `<${styleUrl}>; rel="preload"; as="style"`,
      ].join(', '),
    },
    body,
  };
}
