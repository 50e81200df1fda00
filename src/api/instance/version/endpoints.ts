import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { Version } from './entities.ts';
import { INSTANCE_VERSION } from './version.ts';

export const getVersion = endpoint({
  get: '/version',
  summary: 'Get the version of the API',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  read: () => INSTANCE_VERSION,
});

export const getMetadata = endpoint({
  get: '/metadata',
  summary: 'Get the metadata of the instance',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  read: () => INSTANCE_VERSION,
});
