import assert from 'node:assert/strict';
import { type Caller, world } from '../../test/world.ts';
import { findProject } from '../access/projects.ts';
import { type CommitRequest, commitChanges, type FileChange, type Signer } from '../git/commit.ts';
import { HEADS } from '../git/names.ts';
import { zeroId } from '../git/refs.ts';
import { branchTip } from '../git/revision.ts';
import { NOBODY } from '../identity/caller.ts';
import { isRefused } from '../refused.ts';
import { ensureProjectRepository, moveRefs } from './move-refs.ts';
import { repositoryOf } from './repository.ts';

/** What tests of repositories begin with. */

/** A project of somebody new, and commits as the tests want them: at chosen times, by chosen people. */
export interface GivenRepository {
  readonly owner: Caller;
  readonly id: number;
  /** `/projects/:id/repository` */
  readonly url: string;
  readonly fullPath: string;
  /** A commit on a branch (`main` without one), which starts at `main` when it is not there; gives the commit's id. */
  commit(files: GivenFiles, options?: GivenCommit): Promise<string>;
  /** Points a ref (`refs/tags/v1`) at an object. */
  point(ref: string, newId: string): Promise<void>;
}

/** Path -> content; null: the file goes. */
export type GivenFiles = Readonly<Record<string, string | Buffer | null>>;

export interface GivenCommit {
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

export async function givenRepository(attributes: Readonly<Record<string, unknown>> = {}): Promise<GivenRepository> {
  const { user, name, server } = await world();
  const { rooms } = server;
  const owner = await user();
  const made = await owner.post('/projects', { name: name('repository'), ...attributes });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  const load = async () => {
    const project = await findProject(rooms.database.reader, NOBODY, String(id));
    assert.ok(project);
    return project;
  };
  const move = async (ref: string, oldId: string, newId: string) => {
    const moved = await moveRefs(rooms, { project: await load(), userId: owner.id, changes: [{ ref, oldId, newId }] });
    assert.ok(!isRefused(moved), JSON.stringify(moved));
  };
  return {
    owner,
    id,
    url: `/projects/${id}/repository`,
    fullPath: made.body.path_with_namespace,
    point: (ref, newId) => move(ref, zeroId, newId),
    async commit(files, options = {}) {
      const project = await load();
      await ensureProjectRepository(rooms.git, project);
      const repository = repositoryOf(rooms.git, project);
      const { branch = 'main' } = options;
      const tip = await branchTip(repository, branch);
      const parent = options.parent === undefined ? (tip ?? (await branchTip(repository, 'main'))) : options.parent;
      const known = parent === null ? new Set<string>() : new Set(await pathsOf(owner, id, parent));
      const changes = [...changesOf(files, known), ...(options.changes ?? [])];
      const result = await commitChanges(rooms.git, repository, requestOf({ ...options, parent, changes }));
      assert.ok('ok' in result, JSON.stringify(result));
      await move(HEADS + branch, tip ?? zeroId, result.commit);
      return result.commit;
    },
  };
}

async function pathsOf(owner: Caller, id: number, ref: string): Promise<string[]> {
  const answer = await owner.get(`/projects/${id}/repository/tree`, { ref, recursive: true, pagination: 'none' });
  return answer.body.map(({ path }: { path: string }) => path);
}

function changesOf(files: GivenFiles, known: ReadonlySet<string>): FileChange[] {
  return Object.entries(files).map(([path, content]) => {
    if (content === null) return { action: 'delete', path };
    return { action: known.has(path) ? 'update' : 'create', path, content: Buffer.from(content) };
  });
}

type Requesting = GivenCommit & { readonly parent: string | null; readonly changes: readonly FileChange[] };

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
