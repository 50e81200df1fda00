import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, stream, text } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { findWebFile } from '#http/pages/web-files.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';

/** Files of the web application (contract/web.md §1). */

/** A file whose name contains the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Names of the icons, which contain no hash. */
const UNHASHED_NAME = /^(?:icon\.svg|favicon\.ico)$/;

export const getWebFile = endpoint({
  get: '/-/web/:file(^[\\w-]+\\.[a-z]+$)',
  summary: 'Get a file of the web application',
  description:
    'Returns a script, a style sheet or the icon, compressed if the client accepts that. Names of scripts and style sheets contain ' +
    'the hash of the content, so that clients may keep them for a year.',
  access: open(),
  outsideApi: true,
  response: stream,
  handle: ({ params: { file }, request }) => createFileReply(file, request),
});

export const getFavicon = endpoint({
  get: '/favicon.ico',
  summary: 'Get the icon of the web application',
  description: 'Returns the icon that browsers request by default, in the format ICO.',
  access: open(),
  outsideApi: true,
  response: stream,
  handle: ({ request }) => createFileReply('favicon.ico', request),
});

/** Returns a built file in an encoding that the client accepts. Throws 404 if there is no such file. */
async function createFileReply(name: string, { headers }: IncomingRequest): Promise<StreamReply> {
  const file = await findWebFile(name, firstHeader(headers['accept-encoding']) ?? '');
  if (file === null) throw notFound();
  const { mediaType, encoding, content } = file;
  return {
    headers: {
      'Content-Type': mediaType,
      'Cache-Control': UNHASHED_NAME.test(name) ? 'public, max-age=3600' : IMMUTABLE,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
    },
    body: content,
  };
}

export const getRobotsFile = endpoint({
  get: '/robots.txt',
  summary: 'Get the rules for crawlers',
  description: 'Asks crawlers to stay out of `/api/`, `/-/` and `/users/`.',
  access: open(),
  outsideApi: true,
  response: text,
  read: () => 'User-agent: *\nDisallow: /api/\nDisallow: /-/\nDisallow: /users/\n',
});
