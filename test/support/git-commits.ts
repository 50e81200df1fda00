import assert from 'node:assert/strict';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { type CommitRequest, commitChanges, type FileChange, type Signer } from '#git/commits/commit.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { ensureProjectRepository, moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import type { Server } from '#server.ts';
import type { Caller } from './caller.ts';

/** Commits as no API makes them: at chosen times, by chosen people, on chosen parents. */
export interface Commits {
  /** A commit on a branch (`main` without one), which starts at `main` when it is not there; gives the commit's id. */
  commit(files: Files, options?: CommitOptions): Promise<string>;
  /** Points a ref (`refs/tags/v1`) at an object. */
  point(ref: string, newId: string): Promise<void>;
  /** Puts objects into the repository that nobody could push or commit otherwise. */
  store<Stored>(write: (git: Git, repository: Repository) => Promise<Stored>): Promise<Stored>;
}

/** Path -> content; null: the file goes. */
export type Files = Readonly<Record<string, string | Buffer | null>>;

export interface CommitOptions {
  readonly branch?: string;
  readonly message?: string;
  readonly author?: Signer;
  /** Unix seconds. */
  readonly at?: number;
  /** Null: the beginning of a history of its own. */
  readonly parent?: string | null;
  readonly changes?: readonly FileChange[];
}

const someone = { name: 'Jane Doe', email: 'jane@example.com' };

export function commitsTo(
  { services }: Pick<Server, 'services'>,
  { id, owner }: { id: number; owner: Caller },
): Commits {
  const load = async () => {
    const project = await findProject(services.database.reader, ANONYMOUS, String(id));
    assert.ok(project);
    return project;
  };
  const move = async (ref: string, oldId: string, newId: string) => {
    const by = { server: true, userId: owner.id } as const;
    const moved = await moveRefs(services, { project: await load(), by, changes: [{ ref, oldId, newId }] });
    assert.ok(!isFailure(moved), JSON.stringify(moved));
  };
  return {
    point: (ref, newId) => move(ref, ZERO_ID, newId),
    async store(write) {
      const project = await load();
      await ensureProjectRepository(services.git, project);
      return write(services.git, getRepository(services.git, project));
    },
    async commit(files, options = {}) {
      const project = await load();
      await ensureProjectRepository(services.git, project);
      const repository = getRepository(services.git, project);
      const { branch = 'main' } = options;
      const tip = await findBranchHead(repository, branch);
      const parent =
        options.parent === undefined ? (tip ?? (await findBranchHead(repository, 'main'))) : options.parent;
      const known = parent === null ? new Set<string>() : new Set(await pathsOf(owner, id, parent));
      const changes = [...changesOf(files, known), ...(options.changes ?? [])];
      const result = await commitChanges(services.git, repository, requestOf({ ...options, parent, changes }));
      assert.ok('ok' in result, JSON.stringify(result));
      await move(HEADS + branch, tip ?? ZERO_ID, result.commit);
      return result.commit;
    },
  };
}

async function pathsOf(owner: Caller, id: number, ref: string): Promise<string[]> {
  const answer = await owner.get(`/projects/${id}/repository/tree`, { ref, recursive: true, pagination: 'none' });
  return answer.body.map(({ path }: { path: string }) => path);
}

function changesOf(files: Files, known: ReadonlySet<string>): FileChange[] {
  return Object.entries(files).map(([path, content]) => {
    if (content === null) return { action: 'delete', path };
    return { action: known.has(path) ? 'update' : 'create', path, content: Buffer.from(content) };
  });
}

type Requesting = CommitOptions & { readonly parent: string | null; readonly changes: readonly FileChange[] };

function requestOf({
  parent,
  changes,
  author = someone,
  at = 1_700_000_000,
  message = 'Change\n',
}: Requesting): CommitRequest {
  const time = { seconds: at, offset: '+0000' };
  return {
    parent,
    changes,
    message,
    author: { at: time, ...author },
    committer: { ...someone, at: time },
    allowEmpty: true,
  };
}
