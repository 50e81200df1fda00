import assert from 'node:assert/strict';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { type CommitRequest, commitChanges, type FileChange, type Signer } from '#git/commits/commit.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { ensureProjectRepository, updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import type { Server } from '#server.ts';
import type { Caller } from './caller.ts';

/** Creates commits that the API cannot create: with any time, author and parent. */
export interface Commits {
  /** Commits to a branch, by default `main`; a missing branch starts at `main`. Returns the commit's id. */
  commit(files: Files, options?: CommitOptions): Promise<string>;
  /** Creates a ref (`refs/tags/v1`) that points to an object. */
  point(ref: string, newId: string): Promise<void>;
  /** Writes objects into the repository that clients cannot push. */
  store<Stored>(write: (git: Git, repository: Repository) => Promise<Stored>): Promise<Stored>;
}

/** Path -> content; null deletes the file. */
export type Files = Readonly<Record<string, string | Buffer | null>>;

export interface CommitOptions {
  readonly branch?: string;
  readonly message?: string;
  readonly author?: Signer;
  /** Unix seconds. */
  readonly at?: number;
  /** Null creates a root commit. */
  readonly parent?: string | null;
  readonly changes?: readonly FileChange[];
}

const TEST_SIGNER = { name: 'Jane Doe', email: 'jane@example.com' };

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
    const moved = await updateRepositoryRefs(services, {
      project: await load(),
      actor: by,
      changes: [{ ref, oldId, newId }],
    });
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
      const known = parent === null ? new Set<string>() : new Set(await listPaths(owner, id, parent));
      const changes = [...toFileChanges(files, known), ...(options.changes ?? [])];
      const result = await commitChanges(services.git, repository, toCommitRequest({ ...options, parent, changes }));
      assert.ok('ok' in result, JSON.stringify(result));
      await move(HEADS + branch, tip ?? ZERO_ID, result.commit);
      return result.commit;
    },
  };
}

async function listPaths(owner: Caller, id: number, ref: string): Promise<string[]> {
  const answer = await owner.get(`/projects/${id}/repository/tree`, { ref, recursive: true, pagination: 'none' });
  return answer.body.map(({ path }: { path: string }) => path);
}

function toFileChanges(files: Files, known: ReadonlySet<string>): FileChange[] {
  return Object.entries(files).map(([path, content]) => {
    if (content === null) return { action: 'delete', path };
    return { action: known.has(path) ? 'update' : 'create', path, content: Buffer.from(content) };
  });
}

type CommitRequestInput = CommitOptions & { readonly parent: string | null; readonly changes: readonly FileChange[] };

function toCommitRequest({
  parent,
  changes,
  author = TEST_SIGNER,
  at = 1_700_000_000,
  message = 'Change\n',
}: CommitRequestInput): CommitRequest {
  const time = { seconds: at, offset: '+0000' };
  return {
    parent,
    changes,
    message,
    author: { at: time, ...author },
    committer: { ...TEST_SIGNER, at: time },
    allowEmpty: true,
  };
}
