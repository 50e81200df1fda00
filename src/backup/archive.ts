import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { CommandFailed } from './command-failed.ts';
import { FORMAT, MANIFEST, type Manifest, PARTS, readManifest, SUMS } from './manifest.ts';
import type { Progress } from './progress.ts';
import { inBytes } from './progress.ts';
import { contentOf, TarDamaged, type TarEntry, tarEntries } from './tar.ts';

/** Reading an archive that may be damaged, or made by somebody who means harm: nothing in it is believed before it is looked at. */

/** Bytes that a manifest may have: a line for each table. */
const LARGEST_MANIFEST = 2 ** 24;

const NEWER = 'The archive was made by a newer version of Hearth';

export function damaged(message: string): CommandFailed {
  return new CommandFailed('damagedArchive', `The archive is damaged: ${message}`);
}

export interface Archive {
  readonly file: FileHandle;
  readonly manifest: Manifest;
  /** The part that names all others with their sums. */
  readonly sums: TarEntry;
}

/** Looks at the names of all parts and reads the manifest. Refuses what is no archive of Hearth, or of a newer one. */
export async function openArchive(file: FileHandle, migrations: readonly string[]): Promise<Archive> {
  let sums: TarEntry | undefined;
  let last: TarEntry | undefined;
  for await (const entry of partsOf(file)) {
    if (entry.name === SUMS) sums = entry;
    last = entry;
  }
  if (last?.name !== MANIFEST || sums === undefined)
    throw damaged(`it ends without its ${MANIFEST}, or is none of Hearth`);
  if (last.size > LARGEST_MANIFEST) throw damaged(`${MANIFEST} is too large`);
  const manifest = readManifest(await textOf(file, last));
  if (manifest === null) throw damaged(`${MANIFEST} is not what was written`);
  if (!isOurs(manifest)) throw new CommandFailed('newerArchive', `${NEWER} (${manifest.version})`);
  const unknown = manifest.migrations.filter((name) => !migrations.includes(name));
  if (unknown.length > 0) {
    throw new CommandFailed('newerArchive', `${NEWER} (${manifest.version}): it has ${unknown.join(', ')}`);
  }
  return { file, manifest, sums };
}

function isOurs(manifest: Manifest | { readonly format: number }): manifest is Manifest {
  return manifest.format === FORMAT;
}

/** The parts in their order, each of which has a name that may be there, behind the one before it. */
export async function* partsOf(file: FileHandle): AsyncGenerator<TarEntry> {
  let before = { rank: -1, name: '' };
  try {
    for await (const entry of tarEntries(file)) {
      const rank = PARTS.findIndex((form) => form.test(entry.name));
      if (rank === -1) throw damaged(`${JSON.stringify(entry.name)} is no part of a backup`);
      if (rank < before.rank || (rank === before.rank && entry.name <= before.name)) {
        throw damaged(`${entry.name} is there twice, or not where it belongs`);
      }
      before = { rank, name: entry.name };
      yield entry;
    }
  } catch (error) {
    if (error instanceof TarDamaged) throw damaged(error.message);
    throw error;
  }
}

/** Reads the archive from end to end: each part is the one that was written, none is missing and none is too many. */
export async function verifyArchive({ file, manifest, sums }: Archive, progress: Progress): Promise<void> {
  const listed = linesOf(file, sums, LONGEST_SUM);
  let [count, bytes] = [0, 0];
  for await (const entry of partsOf(file)) {
    const sha256 = await sumOf(file, entry, (done) =>
      progress.tell(`Verifying: ${inBytes(bytes + done)} of ${inBytes(manifest.parts.bytes)}`),
    );
    if (entry.name === SUMS) {
      const { value: left } = await listed.next();
      if (left !== undefined) throw damaged(`${left.slice(66)} is missing`);
      if (sha256 !== manifest.parts.sha256) throw damaged(`${SUMS} is not what was written`);
    } else if (entry.name !== MANIFEST) {
      const { value: line } = await listed.next();
      const name = line?.slice(66);
      if (name !== entry.name)
        throw damaged(`${SUMS} has ${name ?? 'nothing more'} where ${entry.name} is: a part is missing, or too many`);
      if (line !== `${sha256}  ${entry.name}`) throw damaged(`${entry.name} is not what was written`);
      count += 1;
      bytes += entry.size;
    }
  }
  if (count !== manifest.parts.count || bytes !== manifest.parts.bytes)
    throw damaged('its parts are not those of its manifest');
}

/** A sum, two blanks and the name of a part. */
const LONGEST_SUM = 200;

async function sumOf(file: FileHandle, entry: TarEntry, read: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const bytes of contentOf(file, entry, hash)) {
    done += bytes.length;
    read(done);
  }
  return hash.digest('hex');
}

/** The whole of a small part. */
export async function textOf(file: FileHandle, entry: TarEntry): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const bytes of contentOf(file, entry)) pieces.push(bytes);
  return Buffer.concat(pieces).toString('utf8');
}

/** The lines of a part, of which none is longer than so many bytes. */
export async function* linesOf(file: FileHandle, entry: TarEntry, longest: number): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const bytes of contentOf(file, entry)) {
    let at = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, at)) {
      yield Buffer.concat([...held, bytes.subarray(at, end)]).toString('utf8');
      held = [];
      size = 0;
      at = end + 1;
    }
    held.push(bytes.subarray(at));
    size += bytes.length - at;
    if (size > longest) throw damaged(`a line of ${entry.name} has no end`);
  }
  if (size > 0) throw damaged(`${entry.name} ends in the middle of a line`);
}
