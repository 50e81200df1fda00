import { createHash, hash, type KeyObject } from 'node:crypto';
import { isObject, type JsonObject } from '#text/json-object.ts';

/**
 * What an archive says of itself, its last part: `manifest.json`. `SHA256SUMS`, the part before it, names all others in
 * the order in which they come, as `sha256sum -c` reads it.
 */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** The version of Hearth that made it. */
  readonly version: string;
  readonly engine: string;
  /** The moment that it is of. */
  readonly time: string;
  /** What the tables are as of: an archive is restored with the same ones, and brought up to date then. */
  readonly migrations: readonly string[];
  /** Of the key that encrypts secrets in it; null: the server had none yet. */
  readonly key_fingerprint: string | null;
  /** Whether that key is in it. */
  readonly with_secret_key: boolean;
  readonly tables: Readonly<Record<string, TablePart>>;
  readonly repositories: { readonly count: number; readonly refs: number; readonly storages: readonly string[] };
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** All parts but this one. */
  readonly parts: { readonly count: number; readonly bytes: number; readonly sha256: string };
}

export interface TablePart {
  readonly rows: number;
  readonly last_id: number | null;
  readonly sha256: string;
}

/** A line of `repositories.ndjson`. */
export interface RepositoryLine {
  /** Table and key of its row. */
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  readonly default_branch: string;
  readonly refs: number;
  /** Its part; null: nothing is in it. */
  readonly bundle: string | null;
}

/** Raised when what was written before can't be read any more. */
export const FORMAT = 1;

export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
export const REPOSITORIES = 'repositories.ndjson';
export const SECRET_KEY = 'secret-key';

/** The parts in their order; nothing else may be in an archive. */
export const PARTS = [
  /^tables\/[a-z0-9_]{1,80}\.ndjson$/,
  /^repositories\.ndjson$/,
  /^repositories\/[0-9]{8}\.bundle$/,
  /^blobs\/[0-9a-f]{64}$/,
  /^secret-key$/,
  /^SHA256SUMS$/,
  /^manifest\.json$/,
] as const;

export const partOfTable = (table: string): string => `tables/${table}.ndjson`;
export const partOfBundle = (index: number): string => `repositories/${String(index).padStart(8, '0')}.bundle`;
export const partOfBlob = (sha256: string): string => `blobs/${sha256}`;

/** Tells keys apart and gives nothing of them away. */
export function fingerprintOf(key: KeyObject): string {
  return createHash('sha256').update('hearth secret key ').update(key.export()).digest('hex').slice(0, 32);
}

/** The text of the manifest, which carries a sum of its own. */
export function writeManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: sumOf(manifest) }, null, 2)}\n`;
}

/** Null: it is damaged, or none. Of another format only `format` and `version` mean anything. */
export function readManifest(text: string): Manifest | { readonly format: number; readonly version: string } | null {
  const read = parsed(text);
  if (read === null || typeof read.format !== 'number' || typeof read.version !== 'string') return null;
  if (read.format !== FORMAT) return { format: read.format, version: read.version };
  const { sha256: _, ...rest } = read;
  const manifest = rest as unknown as Manifest;
  return text === writeManifest(manifest) ? manifest : null;
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const sumOf = (manifest: object) => hash('sha256', JSON.stringify(manifest), 'hex');
