import { createHash } from 'node:crypto';
import type { Tier } from '#config.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

export interface InstanceVersion {
  /** The version of the API, not of Hearth. */
  readonly level: string;
  /** Identifies the release of Hearth, in the form of a revision. */
  readonly revision: string;
}

/** The version as clients see it: they recognise the edition by the suffix `-ee`. */
export interface EditionVersion extends Pick<InstanceVersion, 'revision'> {
  readonly version: string;
  readonly enterprise: boolean;
}

const REVISION_DIGITS = 11;

export const INSTANCE_VERSION: InstanceVersion = {
  level: '18.9.0',
  revision: createHash('sha256').update(packageJson.version).digest('hex').slice(0, REVISION_DIGITS),
};

/** Returns the version of the edition of a tier (contract/conventions.md §10 "Version"). */
export function describeVersion(tier: Tier): EditionVersion {
  const { level, revision } = INSTANCE_VERSION;
  const enterprise = tier !== 'free';
  return { version: enterprise ? `${level}-ee` : level, revision, enterprise };
}
