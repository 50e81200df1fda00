import { randomUUID } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import { reidentify } from '#authentication/reidentify.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { type Visibility, validateUnrestricted } from '#authorization/visibility-levels.ts';
import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { commitChanges } from '#git/commits/commit.ts';
import { gitForClient, repositoryAt } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { diskPathFor, ensureRepository } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { dropDraft, sweepDraft } from './cleanup.ts';
import type { Snippet } from './store.ts';

export interface CreateSnippetInput {
  readonly title: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

type CreatingServices = Pick<Services, 'runUnitOfWork' | 'git' | 'config' | 'database'>;

/** A draft whose process has died goes after so long: no request takes it. */
const LONGEST_MAKING_MS = 3_600_000;

/**
 * Makes a snippet with its repository (contract/operations.md §2.1). First comes a row that nobody sees, then the
 * repository, then the row is seen: wherever that ends early, what is there is swept by work that the first step has left.
 */
export async function createSnippet(
  services: CreatingServices,
  caller: SignedInCaller,
  wish: CreateSnippetInput,
): Promise<Snippet | Failure<'invalid'>> {
  const storages = Object.keys(services.config.storages);
  const draft = await services.runUnitOfWork(caller, (uow) => insertDraft(uow, wish, storages));
  if (isFailure(draft)) return draft;
  try {
    const refusal = await makeRepository(services, caller, draft, wish);
    if (refusal === undefined) return await services.runUnitOfWork(caller, (uow) => show(uow, draft));
    await dropDraft(services, draft);
    return refusal;
  } catch (error) {
    await dropDraft(services, draft);
    throw error;
  }
}

async function insertDraft(
  uow: UnitOfWork<SignedInCaller>,
  { title, description, visibility, files }: CreateSnippetInput,
  storages: readonly string[],
): Promise<Snippet | Failure<'invalid'>> {
  const settings = await loadSettings(uow);
  const wrong = compactFieldErrors({
    title: title.trim() === '' ? ["can't be blank"] : [],
    files: files.length === 0 ? ["can't be blank"] : [],
    visibility_level: validateUnrestricted(uow.actor, visibility, settings),
  });
  if (wrong !== null) return invalid(wrong);
  const draft = await uow
    .insertInto('snippets')
    .values({
      author_id: uow.actor.user.id,
      title,
      description,
      visibility,
      files: JSON.stringify(files.map(({ path }) => path)),
      storage: chooseStorage(storages, settings.repository_storages_weighted),
      disk_path: diskPathFor(randomUUID()),
      made: false,
      created_at: uow.now,
      updated_at: uow.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { id, storage, disk_path } = draft;
  await enqueue(uow, sweepDraft, { id, storage, disk_path }, { runAt: addMilliseconds(uow.now, LONGEST_MAKING_MS) });
  return draft;
}

/** Nobody else knows of the repository yet, so that its first ref needs no intent. */
async function makeRepository(
  services: CreatingServices,
  { user: { name, email } }: SignedInCaller,
  { storage, disk_path }: Snippet,
  { files, title }: CreateSnippetInput,
): Promise<undefined | Failure<'invalid'>> {
  // What is half made when the client goes away would only have to be removed.
  const git = gitForClient(services.git, null);
  const repository = repositoryAt(git, storage, disk_path);
  await ensureRepository(repository, { defaultBranch: SNIPPET_BRANCH });
  const changes = files.map(({ path, content }) => ({
    action: 'create' as const,
    path,
    content: Buffer.from(content),
  }));
  const author = { name, email };
  const request = { parent: null, changes, author, committer: author, message: `Create ${title}\n` };
  const made = await commitChanges(git, repository, request);
  if ('refused' in made) return invalid({ files: [made.refused === 'exists' ? 'have the same name' : 'are invalid'] });
  const moved = await updateRefs(git, repository, [
    { ref: HEADS + SNIPPET_BRANCH, oldId: ZERO_ID, newId: made.commit },
  ]);
  if ('refused' in moved) throw new Error(`The first commit of a snippet was refused: ${moved.refused}`);
  return undefined;
}

/** From now on it is there, unless the caller would not be let in any more, or the draft has been swept. */
async function show(uow: UnitOfWork<SignedInCaller>, { id }: Snippet): Promise<Snippet> {
  if ((await reidentify(uow, uow.actor)) === null) throw new AccessRevoked();
  const shown = await uow
    .updateTable('snippets')
    .set({ made: true })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (shown === undefined) throw new AccessRevoked();
  return shown;
}
