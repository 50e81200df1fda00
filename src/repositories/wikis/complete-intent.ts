import { recordActivity } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { readWiki, type WikiState } from '#domain/wikis.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, gitFor } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { headTarget, setHead, zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { type Intent, takeIntent } from '../ref-updates/intents.ts';
import { actorOf } from '../ref-updates/ref-update-actor.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { type PageChange, pageChanges, settlePages } from './page-changes.ts';

type WikiIntent = Intent & { readonly wikiId: number };

/** What `settleIntent` does for the repository of a wiki: what moved there is told as what became of its pages. */
export async function settleWiki(
  services: RefServices,
  intent: WikiIntent,
  moved: readonly RefChange[],
): Promise<void> {
  const { database, runUnitOfWork } = services;
  const git = gitFor(services.git, null);
  const wiki = await readWiki(database.reader, intent.wikiId);
  if (wiki === null) {
    await database.transaction((tx) => takeIntent(tx, intent.id), { owed: true });
    return;
  }
  const default_branch = wiki.empty ? firstBranch(wiki, moved) : wiki.default_branch;
  const change = moved.find(({ ref }) => ref === HEADS + default_branch);
  const looking = { git, repository: repositoryOf(git, wiki), renamed: intent.renamed };
  const pages = change === undefined ? [] : await pageChanges(looking, change);
  const turn = `refs of wiki ${intent.wikiId}`;
  const mover = await actorOf(database.reader, intent.userId);
  await runUnitOfWork(mover, (uow) => recordMoved(uow, intent, { moved, pages, default_branch }), { turn, owed: true });
  if (wiki.empty) await pointHeadOfWiki(database.reader, git, intent.wikiId);
}

function firstBranch(wiki: WikiState, moved: readonly RefChange[]): string {
  const made = moved.filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== zeroId);
  return firstOf(
    wiki,
    made.map(({ ref }) => ref.slice(HEADS.length)),
  );
}

/** As the first branches of a project do: HEAD's own target when it is among them, else the first of them. */
function firstOf({ default_branch }: WikiState, branches: readonly string[]): string {
  return branches.includes(default_branch) ? default_branch : (branches[0] ?? default_branch);
}

/** Branches have come without being pushed, while nobody could push: nobody is told of their pages. */
export async function wikiCameInBulk(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  wikiId: number,
  branches: readonly string[],
): Promise<void> {
  await database.transaction(async (tx) => {
    const wiki = await readWiki(tx, wikiId);
    if (wiki === null || branches.length === 0) return;
    const first = wiki.empty ? { empty: false, default_branch: firstOf(wiki, branches) } : {};
    await tx
      .updateTable('wikis')
      .set({ ...first, ref_state_version: wiki.ref_state_version + 1, updated_at: tx.now })
      .where('wiki_id', '=', wikiId)
      .execute();
  });
  await pointHeadOfWiki(database.reader, git, wikiId);
}

interface MovedPages {
  readonly moved: readonly RefChange[];
  readonly pages: readonly PageChange[];
  readonly default_branch: string;
}

async function recordMoved(uow: UnitOfWork, { id, wikiId }: WikiIntent, { moved, pages, default_branch }: MovedPages) {
  const taken = await takeIntent(uow, id);
  if (taken === null || moved.length === 0) return;
  const { userId } = taken;
  const wiki = await readWiki(uow, wikiId);
  if (wiki === null) return;
  // Of two first pushes the database decides which one is: the other moved a branch of what was not empty any more.
  const branches = moved.some(({ ref, newId }) => ref.startsWith(HEADS) && newId !== zeroId);
  const first = wiki.empty && branches ? { empty: false, default_branch } : {};
  await uow
    .updateTable('wikis')
    .set({ ...first, ref_state_version: wiki.ref_state_version + 1, updated_at: uow.now })
    .where('wiki_id', '=', wikiId)
    .execute();
  const isFollowed = wiki.empty || wiki.default_branch === default_branch;
  const told = isFollowed ? await settlePages(uow, wikiId, pages) : [];
  if (wiki.project_id !== null && userId !== null) {
    for (const page of told) {
      const target = { type: 'WikiPage::Meta', id: page.id } as const;
      await recordActivity(uow, { projectId: wiki.project_id, authorId: userId, action: page.action, target });
    }
  }
  await uow.publish('wiki-refs-changed', { wikiId, userId, changes: moved });
}

/** Makes the file HEAD of the repository name what the row names. */
export async function pointHeadOfWiki(db: Reader, git: Git, wikiId: number): Promise<void> {
  const wiki = await readWiki(db, wikiId);
  if (wiki === null) return;
  const repository = repositoryOf(git, wiki);
  if (!(await repositoryExists(repository)) || (await headTarget(repository)) === wiki.default_branch) return;
  await setHead(git, repository, wiki.default_branch);
}
