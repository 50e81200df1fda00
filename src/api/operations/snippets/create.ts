import { randomUUID } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import { reidentify } from '#authentication/reidentify.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { type Visibility, validateAllowedVisibility } from '#authorization/visibility-levels.ts';
import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { commitChanges } from '#git/commits/commit.ts';
import { getRepositoryAt, gitForClient } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { ensureRepository, toDiskPath } from '#git/storage/storage.ts';
import { hasLineBreak } from '#git/trees/reserved-names.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { deleteDraft, deleteStaleDraft } from './cleanup.ts';
import type { Snippet } from './store.ts';

export interface CreateSnippetInput {
  readonly title: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

type CreatingServices = Pick<Services, 'runUnitOfWork' | 'git' | 'config' | 'database'>;

/** Time after which an incomplete draft is deleted; longer than any request. */
const DRAFT_LIFETIME_MS = 3_600_000;

/**
 * Creates a snippet with its repository (contract/operations.md §2.1): inserts a hidden draft, creates the repository,
 * then publishes the draft. After a crash, a job that the first step has enqueued deletes the draft.
 */
export async function createSnippet(
  services: CreatingServices,
  caller: SignedInCaller,
  input: CreateSnippetInput,
): Promise<Snippet | Failure<'invalid'>> {
  const storages = Object.keys(services.config.storages);
  const draft = await services.runUnitOfWork(caller, (uow) => insertDraft(uow, input, storages));
  if (isFailure(draft)) return draft;
  try {
    const failure = await createSnippetRepository(services, caller, draft, input);
    if (failure === undefined) return await services.runUnitOfWork(caller, (uow) => publishDraft(uow, draft));
    await deleteDraft(services, draft);
    return failure;
  } catch (error) {
    await deleteDraft(services, draft);
    throw error;
  }
}

async function insertDraft(
  uow: UnitOfWork<SignedInCaller>,
  { title, description, visibility, files }: CreateSnippetInput,
  storages: readonly string[],
): Promise<Snippet | Failure<'invalid'>> {
  const settings = await loadSettings(uow);
  const errors = compactFieldErrors({
    title: title.trim() === '' ? ["can't be blank"] : [],
    files: files.length === 0 ? ["can't be blank"] : [],
    visibility_level: validateAllowedVisibility(uow.actor, visibility, settings),
  });
  if (errors !== null) return invalid(errors);
  const draft = await uow
    .insertInto('snippets')
    .values({
      author_id: uow.actor.user.id,
      title,
      description,
      visibility,
      files: JSON.stringify(files.map(({ path }) => path)),
      storage: chooseStorage(storages, settings.repository_storages_weighted),
      disk_path: toDiskPath(randomUUID()),
      made: false,
      created_at: uow.now,
      updated_at: uow.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { id, storage, disk_path } = draft;
  await enqueue(
    uow,
    deleteStaleDraft,
    { id, storage, disk_path },
    { runAt: addMilliseconds(uow.now, DRAFT_LIFETIME_MS) },
  );
  return draft;
}

/** Creates the repository. No other process knows it yet, so its first ref update needs no intent. */
async function createSnippetRepository(
  services: CreatingServices,
  { user: { name, email } }: SignedInCaller,
  { storage, disk_path }: Snippet,
  { files, title }: CreateSnippetInput,
): Promise<undefined | Failure<'invalid'>> {
  if (files.some(({ path }) => hasLineBreak(path))) return invalid({ files: ['are invalid'] });
  // Not aborted when the client disconnects: a partial repository would only have to be deleted.
  const git = gitForClient(services.git, null);
  const repository = getRepositoryAt(git, storage, disk_path);
  await ensureRepository(repository, { defaultBranch: SNIPPET_BRANCH });
  const changes = files.map(({ path, content }) => ({
    action: 'create' as const,
    path,
    content: Buffer.from(content),
  }));
  const author = { name, email };
  const request = { parent: null, changes, author, committer: author, message: `Create ${title}\n` };
  const commit = await commitChanges(git, repository, request);
  if ('rejected' in commit)
    return invalid({ files: [commit.rejected === 'exists' ? 'have the same name' : 'are invalid'] });
  const update = await updateRefs(git, repository, [
    { ref: HEADS + SNIPPET_BRANCH, oldId: ZERO_ID, newId: commit.commit },
  ]);
  if ('rejected' in update) throw new Error(`The first commit of a snippet was rejected: ${update.rejected}`);
  return undefined;
}

/** Publishes the draft. Throws `AccessRevoked` if the caller has lost access or the draft was deleted. */
async function publishDraft(uow: UnitOfWork<SignedInCaller>, { id }: Snippet): Promise<Snippet> {
  if ((await reidentify(uow, uow.actor)) === null) throw new AccessRevoked();
  const published = await uow
    .updateTable('snippets')
    .set({ made: true })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (published === undefined) throw new AccessRevoked();
  return published;
}
