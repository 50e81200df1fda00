import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, redirect, stream, text } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { readWebFile } from '#http/pages/web-files.ts';
import { visitor } from '#http/pages/web-session.ts';
import { createWebShell } from '#http/pages/web-shell.ts';
import { firstHeader, localUrl } from '#http/request/incoming.ts';
import { ADDRESSES } from '#web/addresses.ts';

/** Pages and files of the web application (contract/web.md §1). */

export const getExplorePage = endpoint({
  get: ADDRESSES.explore.path,
  summary: 'Get the page of all projects',
  access: visitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  htmlOnly: true,
  response: html,
  handle: ({ visitor, request }) => createWebShell(request, visitor, ADDRESSES.explore.api),
});

/** A file whose name contains the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export const getWebFile = endpoint({
  get: '/-/web/:file(^[\\w-]+\\.[a-z]+$)',
  summary: 'Get a file of the web application',
  access: open(),
  outsideApi: true,
  response: stream,
  async handle({ params: { file }, request }) {
    const found = await readWebFile(file, firstHeader(request.headers['accept-encoding']) ?? '');
    if (found === null) throw notFound();
    const { mediaType, encoding, content } = found;
    return {
      headers: {
        'Content-Type': mediaType,
        'Cache-Control': file.startsWith('icon.') ? 'public, max-age=3600' : IMMUTABLE,
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
        ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
      },
      body: content,
    };
  },
});

export const getFavicon = endpoint({
  get: '/favicon.ico',
  summary: 'Get the icon of the web application',
  access: open(),
  outsideApi: true,
  response: redirect,
  handle: ({ request }) => ({ location: localUrl(request, '/-/web/icon.svg') }),
});

export const getRobotsFile = endpoint({
  get: '/robots.txt',
  summary: 'Get the rules for crawlers',
  access: open(),
  outsideApi: true,
  response: text,
  read: () => 'User-agent: *\nDisallow: /api/\nDisallow: /-/\nDisallow: /users/\n',
});
