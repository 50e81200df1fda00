import { Type } from 'typebox';
import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { objectSchema, ok } from '#http/endpoint/responses.ts';
import { describeVersion, type EditionVersion } from './version.ts';

/** The version and metadata (contract/conventions.md §10 "Version"). */
const Version = entity('Version', {
  version: Type.String(),
  revision: Type.String(),
  kas: objectSchema('AgentServer', {
    enabled: Type.Boolean(),
    externalUrl: Type.Null(),
    externalK8sProxyUrl: Type.Null(),
    version: Type.Null(),
  }),
  enterprise: Type.Boolean(),
})
  .columns('version', 'revision', 'enterprise')
  .from((_row: EditionVersion) => ({
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
  }));

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
