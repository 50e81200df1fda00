import { hash } from 'node:crypto';
import type { Tier } from '#config.ts';
import { BUILD } from '#runtime/build.ts';

/** The version of the API and of Hearth, independent of the tier. */
interface InstanceVersion {
  /** The version of the API, not of Hearth. */
  readonly apiVersion: string;
  /** Identifies the build of Hearth: the first 11 hex digits of its commit, or of a hash of its version. */
  readonly revision: string;
}

/** The version in responses. Clients recognise the edition by the suffix `-ee`. */
export interface EditionVersion extends Pick<InstanceVersion, 'revision'> {
  readonly version: string;
  readonly enterprise: boolean;
}

const REVISION_DIGITS = 11;

/** The version of this process. */
export const INSTANCE_VERSION: InstanceVersion = {
  apiVersion: '18.9.0',
  revision: (BUILD.commit ?? hash('sha256', BUILD.version, 'hex')).slice(0, REVISION_DIGITS),
};

/** Returns the version for a tier (contract/conventions.md §10 "Version"). */
export function describeVersion(tier: Tier): EditionVersion {
  const { apiVersion: level, revision } = INSTANCE_VERSION;
  const enterprise = tier !== 'free';
  return { version: enterprise ? `${level}-ee` : level, revision, enterprise };
}
