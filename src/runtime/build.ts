import packageJson from '../../package.json' with { type: 'json' };

/** The abbreviated commit of the sources, set by the bundler (scripts/bundler.ts); not defined in unbundled sources. */
declare const BUILD_COMMIT: string | null | undefined;

/** The version of Hearth and the commit of its sources. */
export interface Build {
  /** Version of Hearth, not of the API. */
  readonly version: string;
  /** At least 11 hexadecimal digits, with the suffix `-modified` after local changes; null if it is not known. */
  readonly commit: string | null;
}

export const BUILD: Build = {
  version: packageJson.version,
  commit: typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null,
};

/** Describes a build in one line: `1.0.0 (commit 6714c913625)`. */
export function describeBuild({ version, commit }: Build = BUILD): string {
  return `${version} (${commit === null ? 'unknown commit' : `commit ${commit}`})`;
}
