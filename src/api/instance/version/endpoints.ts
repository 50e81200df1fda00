import { Type } from 'typebox';
import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { objectSchema, ok } from '#http/endpoint/responses.ts';
import { describeVersion, type EditionVersion } from './version.ts';

/** The version and metadata (contract/conventions.md §10 "Version"). */
const Version = entity('Version', {
  version: Type.String(),
  revision: Type.String({ description: 'Identifies the build of Hearth.' }),
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
  description:
    'Returns the level of the API that clients may rely on, and the build of Hearth as `revision`. `enterprise` is ' +
    'false on the free tier.',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  handle: async (_call, { config }) => describeVersion(config.tier),
});

export const getMetadata = endpoint({
  get: '/metadata',
  summary: 'Get the metadata of the instance',
  description: 'Returns the same object as `GET /version`.',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(Version),
  handle: async (_call, { config }) => describeVersion(config.tier),
});
