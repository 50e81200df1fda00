import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { Version } from './entities.ts';
import { INSTANCE_VERSION } from './version.ts';

export const readVersion = endpoint({
  get: '/version',
  summary: 'The level of the API that clients may rely on',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  read: () => INSTANCE_VERSION,
});

export const readMetadata = endpoint({
  get: '/metadata',
  summary: 'The same as the version',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  read: () => INSTANCE_VERSION,
});
