import { randomUUID } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import { reidentify } from '#authentication/reidentify.ts';
import { AccessRevoked, requireProjectAccess } from '#authorization/current-access.ts';
import { validateAllowedVisibility } from '#authorization/visibility.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { SNIPPET_BRANCH, type Snippet, updateProjectSnippetsSize } from '#domain/snippets.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { commitChanges, type FileChange } from '#git/commits/commit.ts';
import { gitForClient } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { measureObjects } from '#git/storage/maintenance.ts';
import { ensureRepository, toDiskPath } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { getRepository } from '#repositories/repository.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { deleteDraft, deleteStaleDraft } from './cleanup.ts';
import {
  type FileAction,
  hasPathWithLineBreak,
  type SnippetFailure,
  toCreations,
  toRepositoryError,
  validateTexts,
} from './files.ts';

/** The input for a new snippet. */
interface CreateSnippetInput extends Columns<'snippets', 'title' | 'description' | 'visibility'> {
  /** Null: a personal snippet. */
  readonly project: Project | null;
  readonly files: readonly FileAction[];
}

type CreatingServices = Pick<Services, 'runUnitOfWork' | 'git' | 'config' | 'database'>;

/** Time after which an incomplete draft is deleted; longer than any request. */
const DRAFT_LIFETIME_MS = 3_600_000;

/**
 * Creates a snippet with its repository (contract/operations.md §2.1, contract/everyday-more.md §7.1): inserts a hidden
 * draft, creates the repository, then publishes the draft. After a crash, a job that the first step has enqueued deletes
 * the draft.
 */
export async function createSnippet(
  services: CreatingServices,
  caller: SignedInCaller,
  input: CreateSnippetInput,
): Promise<Snippet | SnippetFailure> {
  const changes = toCreations(input.files);
  if (isFailure(changes)) return changes;
  const storages = Object.keys(services.config.storages);
  const draft = await services.runUnitOfWork(caller, (uow) => insertDraft(uow, input, changes, storages));
  if (isFailure(draft)) return draft;
  try {
    const size = await createSnippetRepository(services, caller, draft, changes);
    if (!isFailure(size)) return await services.runUnitOfWork(caller, (uow) => publishDraft(uow, draft, size));
    await deleteDraft(services, draft);
    return size;
  } catch (error) {
    await deleteDraft(services, draft);
    throw error;
  }
}

/** Inserts the row of a snippet that nobody can see yet, and enqueues the job that deletes it if it is not published. */
async function insertDraft(
  uow: UnitOfWork<SignedInCaller>,
  { project, title, description, visibility, files }: CreateSnippetInput,
  changes: readonly FileChange[],
  storages: readonly string[],
): Promise<Snippet | SnippetFailure> {
  const settings = await loadSettings(uow);
  const contents = files.map(({ content }) => content ?? '');
  const failure = validateTexts({ title, contents }, settings);
  if (failure !== null) return failure;
  if (validateAllowedVisibility(uow.actor, visibility, settings).length > 0) return fail('restricted', { visibility });
  const draft = await uow
    .insertInto('snippets')
    .values({
      project_id: project?.id ?? null,
      author_id: uow.actor.user.id,
      title,
      description,
      visibility,
      files: JSON.stringify(changes.map(({ path }) => path)),
      storage: chooseStorage(storages, settings.repository_storages_weighted),
      disk_path: toDiskPath(randomUUID()),
      default_branch: SNIPPET_BRANCH,
      empty: true,
      repository_created: false,
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

/**
 * Creates the repository and returns its size in bytes. No other process can write to it yet, so that its first ref is set without
 * the intent row that protects other ref updates.
 */
async function createSnippetRepository(
  services: CreatingServices,
  { user: { name, email } }: SignedInCaller,
  draft: Snippet,
  changes: readonly FileChange[],
): Promise<number | SnippetFailure> {
  if (hasPathWithLineBreak(changes)) return toRepositoryError('creating', 'invalid-path');
  // Not aborted when the client disconnects: a partial repository would only have to be deleted.
  const git = gitForClient(services.git, null);
  const repository = getRepository(git, draft);
  await ensureRepository(repository, { defaultBranch: draft.default_branch });
  const author = { name, email };
  const request = { parent: null, changes, author, committer: author, message: 'Initial commit' };
  const commit = await commitChanges(git, repository, request);
  if ('rejected' in commit) return toRepositoryError('creating', commit.rejected);
  const updateResult = await updateRefs(git, repository, [
    { ref: HEADS + draft.default_branch, oldId: ZERO_ID, newId: commit.commit },
  ]);
  if ('rejected' in updateResult)
    throw new Error(`The first commit of a snippet was rejected: ${updateResult.rejected}`);
  return measureObjects(repository);
}

/** Publishes the draft. Throws `AccessRevoked` if the caller has lost access or the draft was deleted. */
async function publishDraft(
  uow: UnitOfWork<SignedInCaller>,
  { id, project_id }: Snippet,
  size: number,
): Promise<Snippet> {
  if (project_id !== null) await requireProjectAccess(uow, uow.actor, project_id, 'create_snippet');
  else if ((await reidentify(uow, uow.actor)) === null) throw new AccessRevoked();
  const publishedSnippet = await uow
    .updateTable('snippets')
    .set({ repository_created: true, empty: false, size })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (publishedSnippet === undefined) throw new AccessRevoked();
  await updateProjectSnippetsSize(uow, project_id);
  return publishedSnippet;
}
