import { commitChanges } from '#git/commits/commit.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import type { ServerActor } from '../ref-updates/intents.ts';
import {
  ensureProjectRepository,
  type MoveFailure,
  type RefMover,
  type RefProject,
  updateRepositoryRefs,
} from '../ref-updates/move-refs.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

interface InitialCommitInput<Code extends string> {
  readonly project: RefProject;
  readonly actor: RefMover<Code> | ServerActor;
  readonly author: { readonly name: string; readonly email: string };
  readonly path: string;
  readonly content: Buffer;
  readonly message: string;
}

/** Creates the first commit of an empty repository, on its default branch. Succeeds if another one was created meanwhile. */
export async function createInitialCommit<Code extends string = never>(
  services: RefServices,
  input: InitialCommitInput<Code>,
): Promise<undefined | Failure<MoveFailure | Code>> {
  const { project, actor, author, path, content, message } = input;
  await ensureProjectRepository(services.git, project);
  const repository = getRepository(services.git, project);
  const commit = await commitChanges(services.git, repository, {
    parent: null,
    changes: [{ action: 'create', path, content }],
    author,
    committer: author,
    message,
  });
  if (!('ok' in commit)) throw new Error(`The initial commit of ${path} failed: ${commit.rejected}`);
  const change = { ref: HEADS + project.default_branch, oldId: ZERO_ID, newId: commit.commit };
  const moveResult = await updateRepositoryRefs(services, { project, actor, changes: [change] });
  return isFailure(moveResult) && moveResult.code !== 'moved' ? moveResult : undefined;
}
