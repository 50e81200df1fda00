import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { redirect, stream, text } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { findWebFile } from '#http/pages/web-files.ts';
import { firstHeader, localUrl } from '#http/request/incoming.ts';

/** Files of the web application (contract/web.md §1). */

/** A file whose name contains the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export const getWebFile = endpoint({
  get: '/-/web/:file(^[\\w-]+\\.[a-z]+$)',
  summary: 'Get a file of the web application',
  description:
    'Returns a script, a style sheet or the icon, compressed if the client accepts that. Names of scripts and style sheets contain ' +
    'the hash of the content, so that clients may keep them for a year.',
  access: open(),
  outsideApi: true,
  response: stream,
  handle({ params: { file }, request }) {
    const found = findWebFile(file, firstHeader(request.headers['accept-encoding']) ?? '');
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
  description: 'Redirects to the icon below `/-/web/`.',
  access: open(),
  outsideApi: true,
  response: redirect,
  handle: ({ request }) => ({ location: localUrl(request, '/-/web/icon.svg') }),
});

export const getRobotsFile = endpoint({
  get: '/robots.txt',
  summary: 'Get the rules for crawlers',
  description: 'Asks crawlers to stay out of `/api/`, `/-/` and `/users/`.',
  access: open(),
  outsideApi: true,
  response: text,
  read: () => 'User-agent: *\nDisallow: /api/\nDisallow: /-/\nDisallow: /users/\n',
});
