import { commitChanges } from '#git/commits/commit.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import type { ByServer } from '../ref-updates/intents.ts';
import {
  ensureProjectRepository,
  type MoveFailure,
  type Mover,
  type MovingProject,
  moveRefs,
} from '../ref-updates/move-refs.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';

interface FirstCommit<Code extends string> {
  readonly project: MovingProject;
  readonly by: Mover<Code> | ByServer;
  readonly author: { readonly name: string; readonly email: string };
  readonly path: string;
  readonly content: Buffer;
  readonly message: string;
}

/** The first commit of an empty repository, on its default branch. Somebody who was faster is no refusal: it is there. */
export async function firstCommit<Code extends string = never>(
  services: RefServices,
  request: FirstCommit<Code>,
): Promise<undefined | Failure<MoveFailure | Code>> {
  const { project, by, author, path, content, message } = request;
  await ensureProjectRepository(services.git, project);
  const repository = repositoryOf(services.git, project);
  const made = await commitChanges(services.git, repository, {
    parent: null,
    changes: [{ action: 'create', path, content }],
    author,
    committer: author,
    message,
  });
  if (!('ok' in made)) throw new Error(`A first commit of ${path} was refused: ${made.refused}`);
  const change = { ref: HEADS + project.default_branch, oldId: zeroId, newId: made.commit };
  const moved = await moveRefs(services, { project, by, changes: [change] });
  return isFailure(moved) && moved.code !== 'moved' ? moved : undefined;
}
