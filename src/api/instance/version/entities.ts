import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';
import type { EditionVersion } from './version.ts';

/** The version and metadata (contract/conventions.md §10 "Version"). */
export const Version = entity('Version', {
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
