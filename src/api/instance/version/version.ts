import { createHash } from 'node:crypto';
import packageJson from '../../../../package.json' with { type: 'json' };

export interface InstanceVersion {
  /** The version of the API, not of Hearth. */
  readonly level: string;
  /** Identifies the release of Hearth, in the form of a revision. */
  readonly revision: string;
}

const REVISION_DIGITS = 11;

export const INSTANCE_VERSION: InstanceVersion = {
  level: '18.9.0',
  revision: createHash('sha256').update(packageJson.version).digest('hex').slice(0, REVISION_DIGITS),
};
