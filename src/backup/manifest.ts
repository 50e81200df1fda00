import { createHash, hash, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

/**
 * Description of an archive: its last part, `manifest.json`. The part before it, `SHA256SUMS`, lists all others in
 * order, in the format of `sha256sum -c`.
 */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Version of Hearth that created the archive. */
  readonly version: string;
  readonly engine: string;
  /** Time of the backup. */
  readonly time: string;
  /** Migrations of the tables: a restore creates the tables with these and then runs newer ones. */
  readonly migrations: readonly string[];
  /** Fingerprint of the key that encrypts secrets in the archive; null: the server had no key yet. */
  readonly key_fingerprint: string | null;
  /** Whether the archive contains the key. */
  readonly with_secret_key: boolean;
  readonly tables: Readonly<Record<string, TablePart>>;
  readonly repositories: { readonly count: number; readonly refs: number; readonly storages: readonly string[] };
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** All parts except the manifest. */
  readonly parts: { readonly count: number; readonly bytes: number; readonly sha256: string };
}

export interface TablePart {
  readonly rows: number;
  readonly last_id: number | null;
  readonly sha256: string;
}

export interface RepositoryLine {
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  readonly default_branch: string;
  readonly refs: number;
  /** Name of the bundle part; null: the repository is empty. */
  readonly bundle: string | null;
}

/** Increment it when older archives can no longer be read. */
export const FORMAT = 1;

export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
export const REPOSITORIES = 'repositories.ndjson';
export const SECRET_KEY = 'secret-key';

/** Allowed names of parts, in order. */
export const PARTS = [
  /^tables\/[a-z0-9_]{1,80}\.ndjson$/,
  /^repositories\.ndjson$/,
  /^repositories\/[0-9]{8}\.bundle$/,
  /^blobs\/[0-9a-f]{64}$/,
  /^secret-key$/,
  /^SHA256SUMS$/,
  /^manifest\.json$/,
] as const;

export const tablePartName = (table: string): string => `tables/${table}.ndjson`;
export const bundlePartName = (index: number): string => `repositories/${String(index).padStart(8, '0')}.bundle`;
export const blobPartName = (sha256: string): string => `blobs/${sha256}`;

/** Returns a fingerprint that distinguishes keys without revealing them. */
export function keyFingerprint(key: KeyObject): string {
  return createHash('sha256').update('hearth secret key ').update(key.export()).digest('hex').slice(0, 32);
}

/** Returns the text of the manifest with its own checksum. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: manifestChecksum(manifest) }, null, 2)}\n`;
}

/** Parses a manifest; null if it is damaged or none. For other formats only `format` and `version` are returned. */
export function parseManifest(text: string): Manifest | { readonly format: number; readonly version: string } | null {
  const read = parseObject(text);
  if (read === null || typeof read.format !== 'number' || typeof read.version !== 'string') return null;
  if (read.format !== FORMAT) return { format: read.format, version: read.version };
  const { sha256: _, ...rest } = read;
  const manifest = rest as unknown as Manifest;
  return text === formatManifest(manifest) ? manifest : null;
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

const manifestChecksum = (manifest: object) => hash('sha256', JSON.stringify(manifest), 'hex');
