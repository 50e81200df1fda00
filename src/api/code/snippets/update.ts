import { setTimeout as pause } from 'node:timers/promises';
import type { SignedInCaller } from '#authentication/caller.ts';
import { requireSnippetUpdate } from '#authorization/snippets.ts';
import { type Visibility, validateAllowedVisibility } from '#authorization/visibility.ts';
import { findSnippet, type Snippet, type SnippetPatch } from '#domain/snippets.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { commitChanges, type FileChange } from '#git/commits/commit.ts';
import { definePerGit, gitForClient } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import {
  type FilesInput,
  hasPathWithLineBreak,
  reject,
  type SnippetFailure,
  toRepositoryError,
  toUpdates,
  validateTexts,
} from './files.ts';

/** Changes of a snippet; absent values stay unchanged. */
interface UpdateSnippetInput extends FilesInput {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
}

type UpdateFailure = SnippetFailure | Failure<'readOnly' | 'notFound'>;

/** Number of attempts to update the branch, which a push or another process may move between read and write. */
const MAX_ATTEMPTS = 20;
/** Milliseconds between attempts. */
const PAUSE_MS = 20;

/** Serializes the updates of a snippet in this process, so that they do not compete for its branch. */
const snippetLocks = definePerGit(() => createKeyedLock({ maxWaiting: 256, retryAfterSeconds: 5 }));

/** Updates a snippet. Files change by one commit, together with the other fields (contract/everyday-more.md §7.1). */
export async function updateSnippet(
  services: RefServices,
  caller: SignedInCaller,
  { id }: Snippet,
  input: UpdateSnippetInput,
): Promise<Snippet | UpdateFailure> {
  const { title, description, visibility } = input;
  const settings = await loadSettings(services.database.reader);
  const contents = [input.content, ...(input.files ?? []).map(({ content }) => content)].map((text) => text ?? '');
  const failure = validateTexts({ title, contents }, settings);
  if (failure !== null) return failure;
  if (visibility && validateAllowedVisibility(caller, visibility, settings).length > 0)
    return fail('restricted', { visibility });
  const patch = {
    ...(title && { title }),
    ...(description !== undefined && { description }),
    ...(visibility && { visibility }),
  };
  return snippetLocks(services.git)(
    String(id),
    () => writeUpdate(services, caller, id, { ...input, patch }),
    services.git,
  );
}

/** Commits the changed files, or updates only the row if no file changes. Tries again if the branch was moved meanwhile. */
async function writeUpdate(
  refServices: RefServices,
  caller: SignedInCaller,
  id: number,
  { patch, ...input }: FilesInput & { readonly patch: SnippetPatch },
): Promise<Snippet | UpdateFailure> {
  // A client that disconnects does not abort the update.
  const services = { ...refServices, git: gitForClient(refServices.git, null) };
  const { reader } = services.database;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const snippet = await findSnippet(reader, id);
    if (snippet === null) return fail('notFound');
    const changes = toUpdates(snippet, input);
    if (isFailure(changes)) return changes;
    const result =
      changes.length === 0 ? 'unchanged' : await commitUpdate(services, caller, { snippet, changes, patch });
    if (isFailure(result)) return result;
    if (result === 'unchanged') return services.runUnitOfWork(caller, (uow) => updateRow(uow, id, patch));
    if (result === 'moved') await pause(PAUSE_MS);
    else return (await findSnippet(reader, id)) ?? fail('notFound');
  }
  return reject('Repository Error updating the snippet - The snippet was changed meanwhile');
}

/** Changes of files, and of the row in the same unit of work. */
interface FileUpdate {
  readonly snippet: Snippet;
  readonly changes: readonly FileChange[];
  readonly patch: SnippetPatch;
}

/**
 * Creates the commit and moves the branch to it. Returns `moved` if another writer has moved the branch meanwhile, and `unchanged` if
 * the files are the same as before.
 */
async function commitUpdate(
  services: RefServices,
  caller: SignedInCaller,
  { snippet, changes, patch }: FileUpdate,
): Promise<'updated' | 'moved' | 'unchanged' | SnippetFailure | Failure<'readOnly'>> {
  if (hasPathWithLineBreak(changes)) return toRepositoryError('updating', 'invalid-path');
  const repository = getRepository(services.git, snippet);
  const parent = await findBranchHead(repository, snippet.default_branch);
  if (parent === null) return 'moved';
  const author = { name: caller.user.name, email: caller.user.email };
  const request = { parent, changes, author, committer: author, message: 'Update snippet' };
  const commit = await commitChanges(services.git, repository, request);
  if ('rejected' in commit)
    return commit.rejected === 'empty' ? 'unchanged' : toRepositoryError('updating', commit.rejected);
  const change = { ref: HEADS + snippet.default_branch, oldId: parent, newId: commit.commit };
  const failure = await updateRepositoryRefs(services, { snippet, caller, patch, changes: [change] });
  if (failure === undefined) return 'updated';
  return failure.code === 'readOnly' ? fail('readOnly') : 'moved';
}

/** Updates the fields of a snippet whose files stay the same. index: snippets primary key */
async function updateRow(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
  patch: SnippetPatch,
): Promise<Snippet | Failure<'readOnly'>> {
  await requireSnippetUpdate(uow, uow.actor, id);
  return uow
    .updateTable('snippets')
    .set({ ...patch, updated_at: uow.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
