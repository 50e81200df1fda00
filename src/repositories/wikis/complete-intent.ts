import { recordActivity } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { findWikiById } from '#domain/wikis.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, gitForClient } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { findHeadBranch, setHead, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { selectInitialDefaultBranch } from '../branches/initial-default-branch.ts';
import { deleteIntent, type Intent } from '../ref-updates/intents.ts';
import { loadActor } from '../ref-updates/ref-update-actor.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { listPageChanges, type PageChange, updatePageRows } from './page-changes.ts';

type WikiIntent = Intent & { readonly wikiId: number };

/** Completes an intent of a wiki's repository: records page changes and deletes the intent. */
export async function completeWikiIntent(
  services: RefServices,
  intent: WikiIntent,
  movedRefs: readonly RefChange[],
): Promise<void> {
  const { database, runUnitOfWork } = services;
  // Completion must not depend on a client that may have disconnected.
  const git = gitForClient(services.git, null);
  const wiki = await findWikiById(database.reader, intent.wikiId);
  if (wiki === null) {
    await database.transaction((tx) => deleteIntent(tx, intent.id), { exemptFromLimit: true });
    return;
  }
  const initialBranch = wiki.empty ? await selectInitialDefaultBranch(git, wiki, movedRefs) : null;
  const default_branch = initialBranch ?? wiki.default_branch;
  const change = movedRefs.find(({ ref }) => ref === HEADS + default_branch);
  const context = { git, repository: getRepository(git, wiki), renamed: intent.renamed };
  const pages = change === undefined ? [] : await listPageChanges(context, change);
  const lock = `refs of wiki ${intent.wikiId}`;
  const actor = await loadActor(database.reader, intent.userId);
  await runUnitOfWork(actor, (uow) => recordMovedRefs(uow, intent, { movedRefs, pages, default_branch }), {
    lock,
    exemptFromLimit: true,
  });
  if (wiki.empty) await syncWikiHead(database.reader, git, intent.wikiId);
}

/** Updates the row after branches were imported without a push; no page events are recorded. */
export async function recordBulkWikiUpdate(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  location: LocatedRepository & { readonly wiki_id: number },
  branches: readonly RefChange[],
): Promise<void> {
  const default_branch = await selectInitialDefaultBranch(git, location, branches);
  await database.transaction(async (tx) => {
    const wiki = await findWikiById(tx, location.wiki_id);
    if (wiki === null || default_branch === null) return;
    const firstPushColumns = wiki.empty ? { empty: false, default_branch } : {};
    await tx
      .updateTable('wikis')
      .set({ ...firstPushColumns, ref_state_version: wiki.ref_state_version + 1, updated_at: tx.now })
      .where('wiki_id', '=', location.wiki_id)
      .execute();
  });
  await syncWikiHead(database.reader, git, location.wiki_id);
}

/** The moved refs, and the pages that changed on the default branch. */
interface MovedPages {
  readonly movedRefs: readonly RefChange[];
  readonly pages: readonly PageChange[];
  readonly default_branch: string;
}

/** Updates the rows of the wiki and its pages, records page events and deletes the intent. */
async function recordMovedRefs(
  uow: UnitOfWork,
  { id, wikiId }: WikiIntent,
  { movedRefs, pages, default_branch }: MovedPages,
) {
  const deletedIntent = await deleteIntent(uow, id);
  if (deletedIntent === null || movedRefs.length === 0) return;
  const { userId } = deletedIntent;
  const wiki = await findWikiById(uow, wikiId);
  if (wiki === null) return;
  // The database decides which of two first pushes is the first.
  const hasNewBranch = movedRefs.some(({ ref, newId }) => ref.startsWith(HEADS) && newId !== ZERO_ID);
  const firstPushColumns = wiki.empty && hasNewBranch ? { empty: false, default_branch } : {};
  await uow
    .updateTable('wikis')
    .set({ ...firstPushColumns, ref_state_version: wiki.ref_state_version + 1, updated_at: uow.now })
    .where('wiki_id', '=', wikiId)
    .execute();
  // Another process may have changed the default branch since the pages were compared.
  const isDefaultBranch = wiki.empty || wiki.default_branch === default_branch;
  const pagesWithEvents = isDefaultBranch ? await updatePageRows(uow, wikiId, pages) : [];
  if (wiki.project_id !== null && userId !== null) {
    for (const page of pagesWithEvents) {
      const target = { type: 'WikiPage::Meta', id: page.id } as const;
      await recordActivity(uow, { projectId: wiki.project_id, authorId: userId, action: page.action, target });
    }
  }
  await uow.publish('wiki-refs-changed', { wikiId, userId, changes: movedRefs });
}

/** Updates the file HEAD to the default branch of the row. */
export async function syncWikiHead(db: Reader, git: Git, wikiId: number): Promise<void> {
  const wiki = await findWikiById(db, wikiId);
  if (wiki === null) return;
  const repository = getRepository(git, wiki);
  if (!(await repositoryExists(repository)) || (await findHeadBranch(repository)) === wiki.default_branch) return;
  await setHead(git, repository, wiki.default_branch);
}
