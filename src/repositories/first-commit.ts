import { commitChanges } from '../git/commit.ts';
import { HEADS } from '../git/names.ts';
import { zeroId } from '../git/refs.ts';
import { isRefused, type Refused } from '../refused.ts';
import { ensureProjectRepository, type MoveRefusal, type MovingProject, moveRefs } from './move-refs.ts';
import { repositoryOf } from './repository.ts';
import type { RefRooms } from './rooms.ts';

interface FirstCommit {
  readonly project: MovingProject;
  readonly author: { readonly id: number; readonly name: string; readonly email: string };
  readonly path: string;
  readonly content: Buffer;
  readonly message: string;
}

/** The first commit of an empty repository, on its default branch. Somebody who was faster is no refusal: it is there. */
export async function firstCommit(rooms: RefRooms, request: FirstCommit): Promise<undefined | Refused<MoveRefusal>> {
  const { project, author, path, content, message } = request;
  await ensureProjectRepository(rooms.git, project);
  const repository = repositoryOf(rooms.git, project);
  const signer = { name: author.name, email: author.email };
  const made = await commitChanges(rooms.git, repository, {
    parent: null,
    changes: [{ action: 'create', path, content }],
    author: signer,
    committer: signer,
    message,
  });
  if (!('ok' in made)) throw new Error(`A first commit of ${path} was refused: ${made.refused}`);
  const change = { ref: HEADS + project.default_branch, oldId: zeroId, newId: made.commit };
  const moved = await moveRefs(rooms, { project, userId: author.id, changes: [change] });
  return isRefused(moved) && moved.code !== 'moved' ? moved : undefined;
}
