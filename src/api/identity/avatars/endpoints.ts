import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { renderIdenticon } from './identicon.ts';

export const getAvatar = endpoint({
  get: '/-/avatars/:file(^[0-9a-f]{16}\\.svg$)',
  summary: 'Get the generated avatar of a user',
  access: open(),
  outsideApi: true,
  response: stream,
  handle: ({ params }) => ({
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body: renderIdenticon(params.file.slice(0, 16)),
  }),
});
