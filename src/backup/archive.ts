import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { findVersionMismatch } from '#database/migrate.ts';
import type { Migration } from '#database/migrations/migration.ts';
import { CommandFailed } from './command-failed.ts';
import { ARCHIVE_FORMAT, MANIFEST, type Manifest, PARTS, parseManifest, SUMS } from './manifest.ts';
import type { Progress } from './progress.ts';
import { formatBytes } from './progress.ts';
import { readContent, readTarEntries, TarDamaged, type TarEntry } from './tar.ts';

// Reads an archive that may be damaged or malicious: every part is validated before it is used.

/** Maximum size of the manifest in bytes. It has a line for each table. */
const MAX_MANIFEST_BYTES = 2 ** 24;

const NEWER_VERSION = 'The archive was created by a newer version of Hearth';

/** Returns the error of a damaged archive. */
export function damagedArchive(message: string): CommandFailed {
  return new CommandFailed('damagedArchive', `The archive is damaged: ${message}`);
}

export interface BackupArchive {
  readonly file: FileHandle;
  readonly manifest: Manifest;
  /** The part with the names and checksums of all others. */
  readonly sumsEntry: TarEntry;
}

/**
 * Checks the names of all parts and reads the manifest. Throws for files that are not archives of Hearth, and for archives
 * of newer versions and of versions before 1.0.0.
 */
export async function openArchive(file: FileHandle, migrations: readonly Migration[]): Promise<BackupArchive> {
  let sumsEntry: TarEntry | undefined;
  let lastEntry: TarEntry | undefined;
  for await (const entry of readParts(file)) {
    if (entry.name === SUMS) sumsEntry = entry;
    lastEntry = entry;
  }
  if (lastEntry?.name !== MANIFEST || sumsEntry === undefined)
    throw damagedArchive(`it ends without ${MANIFEST}, or is not an archive of Hearth`);
  if (lastEntry.size > MAX_MANIFEST_BYTES) throw damagedArchive(`${MANIFEST} is too large`);
  const manifest = parseManifest(await readText(file, lastEntry));
  if (manifest === null) throw damagedArchive(`${MANIFEST} does not match its checksum`);
  if (!hasCurrentFormat(manifest)) throw new CommandFailed('otherVersion', `${NEWER_VERSION} (${manifest.version})`);
  const mismatch = findVersionMismatch('The archive', manifest.migrations, migrations);
  if (mismatch !== null) throw new CommandFailed('otherVersion', mismatch.message);
  return { file, manifest, sumsEntry };
}

function hasCurrentFormat(manifest: Manifest | { readonly format: number }): manifest is Manifest {
  return manifest.format === ARCHIVE_FORMAT;
}

/** Yields the parts in order and checks that each name is allowed and comes after the one before it. */
export async function* readParts(file: FileHandle): AsyncGenerator<TarEntry> {
  let previous = { rank: -1, name: '' };
  try {
    for await (const entry of readTarEntries(file)) {
      // Position of the kind of part; within a kind, parts are ordered by name.
      const rank = PARTS.findIndex((pattern) => pattern.test(entry.name));
      if (rank === -1) throw damagedArchive(`${JSON.stringify(entry.name)} is not a part of a backup`);
      if (rank < previous.rank || (rank === previous.rank && entry.name <= previous.name)) {
        throw damagedArchive(`${entry.name} occurs twice or in the wrong order`);
      }
      previous = { rank, name: entry.name };
      yield entry;
    }
  } catch (error) {
    if (error instanceof TarDamaged) throw damagedArchive(error.message);
    throw error;
  }
}

/** Reads the whole archive and checks that every part has its checksum, and that none is missing or additional. */
export async function verifyArchive({ file, manifest, sumsEntry }: BackupArchive, progress: Progress): Promise<void> {
  const sumLines = readLines(file, sumsEntry, MAX_SUM_LINE_BYTES);
  let [count, bytes] = [0, 0];
  for await (const entry of readParts(file)) {
    const sha256 = await hashPart(file, entry, (doneBytes) =>
      progress.update(`Verifying: ${formatBytes(bytes + doneBytes)} of ${formatBytes(manifest.parts.bytes)}`),
    );
    if (entry.name === SUMS) {
      const { value: missingLine } = await sumLines.next();
      if (missingLine !== undefined) throw damagedArchive(`${missingLine.slice(PART_NAME_OFFSET)} is missing`);
      if (sha256 !== manifest.parts.sha256) throw damagedArchive(`${SUMS} does not match its checksum`);
    } else if (entry.name !== MANIFEST) {
      const { value: line } = await sumLines.next();
      const name = line?.slice(PART_NAME_OFFSET);
      if (name !== entry.name)
        throw damagedArchive(
          `${SUMS} has ${name ?? 'nothing more'} where ${entry.name} is: a part is missing, or too many`,
        );
      if (line !== `${sha256}  ${entry.name}`) throw damagedArchive(`${entry.name} does not match its checksum`);
      count += 1;
      bytes += entry.size;
    }
  }
  if (count !== manifest.parts.count || bytes !== manifest.parts.bytes)
    throw damagedArchive('its parts do not match its manifest');
}

/** Position of the name in a line: after 64 hexadecimal digits and two spaces. */
const PART_NAME_OFFSET = 66;

/** Maximum length of a line: a checksum, two spaces and the name of a part. */
const MAX_SUM_LINE_BYTES = 200;

async function hashPart(file: FileHandle, entry: TarEntry, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let doneBytes = 0;
  for await (const bytes of readContent(file, entry, hash)) {
    doneBytes += bytes.length;
    onBytes(doneBytes);
  }
  return hash.digest('hex');
}

/** Returns the content of a small part. */
export async function readText(file: FileHandle, entry: TarEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const bytes of readContent(file, entry)) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses a line of JSON. Throws `damagedArchive` if it is invalid. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damagedArchive('a line is not valid JSON');
  }
}

/** Yields the lines of a part, each at most `maxBytes` long. */
export async function* readLines(file: FileHandle, entry: TarEntry, maxBytes: number): AsyncGenerator<string> {
  let pendingChunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of readContent(file, entry)) {
    let lineStart = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, lineStart)) {
      yield Buffer.concat([...pendingChunks, bytes.subarray(lineStart, end)]).toString('utf8');
      pendingChunks = [];
      size = 0;
      lineStart = end + 1;
    }
    pendingChunks.push(bytes.subarray(lineStart));
    size += bytes.length - lineStart;
    if (size > maxBytes) throw damagedArchive(`a line of ${entry.name} is too long`);
  }
  if (size > 0) throw damagedArchive(`${entry.name} ends in the middle of a line`);
}
