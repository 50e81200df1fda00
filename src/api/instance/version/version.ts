import { createHash } from 'node:crypto';
import type { Tier } from '#config.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

/** The version of the API and of Hearth, independent of the tier. */
export interface InstanceVersion {
  /** The version of the API, not of Hearth. */
  readonly apiVersion: string;
  /** Identifies the release of Hearth: 11 hex digits, like an abbreviated commit id. */
  readonly revision: string;
}

/** The version in responses. Clients recognise the edition by the suffix `-ee`. */
export interface EditionVersion extends Pick<InstanceVersion, 'revision'> {
  readonly version: string;
  readonly enterprise: boolean;
}

const REVISION_DIGITS = 11;

export const INSTANCE_VERSION: InstanceVersion = {
  apiVersion: '18.9.0',
  revision: createHash('sha256').update(packageJson.version).digest('hex').slice(0, REVISION_DIGITS),
};

/** Returns the version for a tier (contract/conventions.md §10 "Version"). */
export function describeVersion(tier: Tier): EditionVersion {
  const { apiVersion: level, revision } = INSTANCE_VERSION;
  const enterprise = tier !== 'free';
  return { version: enterprise ? `${level}-ee` : level, revision, enterprise };
}
