import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import packageJson from '../../../../package.json' with { type: 'json' };
import { shape } from '../../../http/endpoint/answers.ts';

/** contract/conventions.md §10 "Version". */
export const Version = shape('Version', {
  version: Type.String(),
  revision: Type.String(),
  kas: shape('AgentServer', {
    enabled: Type.Boolean(),
    externalUrl: Type.Null(),
    externalK8sProxyUrl: Type.Null(),
    version: Type.Null(),
  }),
  enterprise: Type.Boolean(),
});

/** The level of the API, not the version of Hearth. */
export const API_LEVEL = '18.9.0';

const REVISION_DIGITS = 11;

/** Which Hearth this is, in the form of a revision: the same for the same release. */
const revision = createHash('sha256').update(packageJson.version).digest('hex').slice(0, REVISION_DIGITS);

export function instanceVersion(): Static<typeof Version> {
  return {
    version: API_LEVEL,
    revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  };
}
