import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

const integer = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Version of the archive format. Increment it when older archives can no longer be read. */
export const ARCHIVE_FORMAT = 1;

const tablePartSchema = Type.Object({
  rows: integer,
  last_id: Type.Union([integer, Type.Null()]),
  sha256: Type.String(),
});

export type TablePart = Readonly<Static<typeof tablePartSchema>>;

/**
 * Description of an archive: its last part, `manifest.json`. The part before it, `SHA256SUMS`, lists all others in
 * order, in the format of `sha256sum -c`.
 */
const manifestSchema = Type.Object({
  format: Type.Literal(ARCHIVE_FORMAT),
  /** Version of Hearth that created the archive. */
  version: Type.String(),
  engine: Type.String(),
  /** Time of the backup. */
  time: Type.String(),
  /** Migrations of the tables: a restore creates the tables with these and then runs newer ones. */
  migrations: Type.Array(Type.String()),
  /** Fingerprint of the key that encrypts secrets in the archive; null: the server had no key yet. */
  key_fingerprint: Type.Union([Type.String(), Type.Null()]),
  /** Whether the archive contains the key. */
  with_secret_key: Type.Boolean(),
  tables: Type.Record(Type.String(), tablePartSchema),
  repositories: Type.Object({ count: integer, refs: integer, storages: Type.Array(Type.String()) }),
  blobs: Type.Object({ count: integer, bytes: integer }),
  /** All parts except the manifest. */
  parts: Type.Object({ count: integer, bytes: integer, sha256: Type.String() }),
});

export type Manifest = Static<typeof manifestSchema>;

/** A line of `repositories.ndjson`. */
export interface RepositoryLine {
  /** Table and key of its row: `repositories 17`. */
  readonly name: string;
  readonly storage: string;
  readonly disk_path: string;
  readonly default_branch: string;
  /** Number of refs. */
  readonly refs: number;
  /** Name of the bundle part; null: the repository is empty. */
  readonly bundle: string | null;
}

// Names of parts.
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

export const buildTablePartName = (table: string): string => `tables/${table}.ndjson`;
export const buildBundlePartName = (index: number): string => `repositories/${String(index).padStart(8, '0')}.bundle`;
export const buildBlobPartName = (sha256: string): string => `blobs/${sha256}`;

/** Returns the text of the manifest with its own checksum. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: computeManifestChecksum(manifest) }, null, 2)}\n`;
}

/** Parses a manifest; null if it is damaged or none. For other formats only `format` and `version` are returned. */
export function parseManifest(text: string): Manifest | { readonly format: number; readonly version: string } | null {
  const parsed = parseObject(text);
  if (parsed === null || typeof parsed.format !== 'number' || typeof parsed.version !== 'string') return null;
  if (parsed.format !== ARCHIVE_FORMAT) return { format: parsed.format, version: parsed.version };
  const { sha256: _, ...content } = parsed;
  // The text, which contains the checksum, must be exactly the one that a backup writes.
  return Value.Check(manifestSchema, content) && text === formatManifest(content) ? content : null;
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

const computeManifestChecksum = (manifest: object) => hash('sha256', JSON.stringify(manifest), 'hex');
