import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { Version } from './entities.ts';
import { describeVersion } from './version.ts';

export const getVersion = endpoint({
  get: '/version',
  summary: 'Get the version of the API',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  handle: async (_call, { config }) => describeVersion(config.tier),
});

export const getMetadata = endpoint({
  get: '/metadata',
  summary: 'Get the metadata of the instance',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  handle: async (_call, { config }) => describeVersion(config.tier),
});
