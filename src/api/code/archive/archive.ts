import type { Readable } from 'node:stream';
import { type ArchiveFormat, type ArchiveOptions, type Archive as Packed, streamArchive } from '#git/archive.ts';
import { type Git, ownedBy } from '#git/git.ts';
import { GitFailed } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { entryAt } from '#git/trees/path-entries.ts';
import { createPlaces } from '#rate-limits/concurrency-slots.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { trimmed } from '#text/trim.ts';
import type { LentLfsFiles } from './lfs-files.ts';

interface ArchiveQuestion {
  readonly project: Placed & { readonly path: string };
  readonly format: ArchiveFormat;
  readonly sha?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly excludePaths: readonly string[];
  readonly client: Client;
  readonly clientAddress: string;
  /** Only whether there is something, and its name. */
  readonly headersOnly: boolean;
  /** What stands in place of LFS pointers. Asked for when git is about to start, given back when it has ended. */
  readonly lendLfs: () => Promise<LentLfsFiles | undefined>;
}

interface Archive {
  /** Of the file, with its ending. */
  readonly name: string;
  readonly content: Readable | undefined;
}

/** Archives that are packed at the same time: each takes a process, and a slow client keeps it for long. */
const packing = ownedBy(() => createPlaces({ each: 8, all: 16 }));

/** Packs a commit, or what lies at a path in it. Equal commits, names and paths give equal bytes. */
export async function archiveOf(
  git: Git,
  question: ArchiveQuestion,
): Promise<Archive | Failure<'unknown' | 'noProgram'>> {
  const { project, format, headersOnly } = question;
  const repository = repositoryOf(git, project);
  const given = question.sha?.trim();
  const ref = given || project.default_branch;
  // In full, because a tag of that name would win.
  const commit = await resolveRevision(git, repository, given || HEADS + ref);
  const path = trimmed(question.path ?? '', '/');
  if (commit === null || (await entryAt(git, repository, commit, path)) === null) return fail('unknown');
  const prefix = prefixOf(project.path, ref, commit, path);
  const name = `${prefix}.${format}`;
  if (headersOnly) return { name, content: undefined };
  const excludePaths = question.excludePaths.map((excluded) => excluded.replace(/^\/+/, '')).filter(namesSomething);
  const packed = await pack(git, repository, { commit, format, prefix, path, excludePaths }, question);
  if ('content' in packed) return { name, content: packed.content };
  if (packed.failure.kind === 'not-found') return fail('unknown');
  if (packed.failure.kind === 'unavailable') return fail('noProgram');
  throw new GitFailed('archive', packed.failure);
}

/** Keeps its place, and the LFS files, until the last byte is sent or nobody wants it any more. */
async function pack(
  git: Git,
  repository: Repository,
  options: ArchiveOptions,
  { lendLfs, client, clientAddress }: ArchiveQuestion,
): Promise<Packed> {
  const leave = await packing(git).take(clientAddress, client);
  let lfs: LentLfsFiles | undefined;
  const end = () => {
    leave();
    return lfs?.giveBack();
  };
  try {
    lfs = await lendLfs();
    const packed = await streamArchive(git, repository, { ...options, lfs });
    if ('content' in packed) packed.content.once('close', () => void end());
    else await end();
    return packed;
  } catch (error) {
    await end();
    throw error;
  }
}

/** `<project>-<ref>-<sha>[-<path>]`: the folder that everything lies in. */
function prefixOf(project: string, ref: string, commit: string, path: string): string {
  return [project, ref, commit, ...(path === '' ? [] : [path])].join('-').replaceAll('/', '-');
}

/** git refuses to exclude what is not inside. */
function namesSomething(path: string): boolean {
  return path !== '' && !path.split('/').some((part) => part === '.' || part === '..');
}
