import type { Transaction } from '#database/database.ts';
import { type ChangedFile, listChangedFiles } from '#git/diff/changed-files.ts';
import type { Git } from '#git/git.ts';
import { EMPTY_TREE_ID } from '#git/objects/object-reader.ts';
import { GitError } from '#git/process/failures.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { PathRename } from '../ref-updates/intents.ts';
import { isAttachment, type PageName, parsePageName, toSlugKey } from './page-names.ts';

// Changes of wiki pages when the default branch moves. A page keeps its id when it is renamed.

export interface PageChange {
  readonly action: 'created' | 'updated' | 'destroyed';
  /** Current name, or the last name of a deleted page. */
  readonly page: PageName;
  /** Previous slug of a renamed page. */
  readonly from?: string;
}

/** Maximum files of one change that are inspected. Pages of further files count as new. */
const MAX_FILES = 10_000;

interface WikiContext {
  readonly git: Git;
  readonly repository: Repository;
  /** Known renames, which git need not guess. */
  readonly renamed: readonly PathRename[] | undefined;
}

/** Returns the page changes of a move of the default branch. */
export async function listPageChanges(
  { git, repository, renamed }: WikiContext,
  { oldId, newId }: RefChange,
): Promise<PageChange[]> {
  const toTree = (id: string) => (id === ZERO_ID ? EMPTY_TREE_ID : id);
  const comparison = { from: toTree(oldId), to: toTree(newId), maxFiles: MAX_FILES, renames: renamed === undefined };
  try {
    const files = await listChangedFiles(git, repository, comparison);
    return toPageChanges(renamed === undefined ? files : applyRenames(files, renamed));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // The refs have moved already. Rows of unknown pages are created when the pages are read.
    git.log('wiki_changes_unreadable', { repository: repository.directory, err: error });
    return [];
  }
}

/** Replaces pairs of a deleted and a created file by a renamed file, by the known renames. */
function applyRenames(files: readonly ChangedFile[], pathRenames: readonly PathRename[]): ChangedFile[] {
  const deletedPaths = new Set(files.flatMap((file) => (file.action === 'deleted' ? [file.path] : [])));
  const oldPathsByNewPath = new Map<string, string>();
  for (const from of deletedPaths) {
    // A renamed folder ends with a slash and renames all of its files.
    const pathRename = pathRenames.find(([oldPath]) =>
      oldPath.endsWith('/') ? from.startsWith(oldPath) : from === oldPath,
    );
    if (pathRename) oldPathsByNewPath.set(pathRename[1] + from.slice(pathRename[0].length), from);
  }
  const claimedPaths = new Set<string>();
  const renamedFiles = files.map((file): ChangedFile => {
    const from = oldPathsByNewPath.get(file.path);
    if (from === undefined || file.action === 'deleted') return file;
    claimedPaths.add(from);
    return { action: 'renamed', path: file.path, from };
  });
  return renamedFiles.filter((file) => file.action !== 'deleted' || !claimedPaths.has(file.path));
}

function toPageChanges(files: readonly ChangedFile[]): PageChange[] {
  return files.flatMap((file): PageChange[] => {
    const [page, previousPage] = [
      parsePageName(file.path),
      file.action === 'renamed' ? parsePageName(file.from) : null,
    ];
    if (file.action === 'deleted') return page === null ? [] : [{ action: 'destroyed', page }];
    if (page === null) return previousPage === null ? [] : [{ action: 'destroyed', page: previousPage }];
    if (previousPage !== null) return [{ action: 'updated', page, from: previousPage.slug }];
    return [{ action: file.action === 'updated' ? 'updated' : 'created', page }];
  });
}

/** A page with an activity event. */
interface WikiPageEvent {
  readonly id: number;
  readonly action: PageChange['action'];
}

/** Maximum page events per push (contract/activity.md Part 1). */
const MAX_EVENTS = 100;

/** Updates the rows of changed pages and returns the pages for activity events. */
export async function updatePageRows(
  tx: Transaction,
  wikiId: number,
  changes: readonly PageChange[],
): Promise<readonly WikiPageEvent[]> {
  const destroyedPages = changes.filter(({ action }) => action === 'destroyed');
  const renamedPages = changes.filter(({ from }) => from !== undefined);
  const otherPages = changes.filter(({ action, from }) => action !== 'destroyed' && from === undefined);
  const idsByChange = new Map<PageChange, number>();
  const changesWithEvents = new Set(changes.filter(({ page }) => !isAttachment(page.path)).slice(0, MAX_EVENTS));
  // Only pages with events need a row now; others get one when they are read.
  const pagesWithEvents = [...destroyedPages, ...otherPages].filter((change) => changesWithEvents.has(change));
  const idsByKey = await findOrCreatePageIds(tx, wikiId, [
    ...pagesWithEvents.map(({ page }) => page),
    ...renamedPages.map(toPreviousName),
  ]);
  for (const change of pagesWithEvents) idsByChange.set(change, idsByKey.get(toSlugKey(change.page.slug))!);
  for (const change of renamedPages) idsByChange.set(change, idsByKey.get(toSlugKey(change.from!))!);
  await clearPaths(
    tx,
    wikiId,
    destroyedPages.map(({ page }) => toSlugKey(page.slug)),
  );
  await renamePages(
    tx,
    wikiId,
    renamedPages.map((change) => ({ id: idsByChange.get(change)!, page: change.page })),
  );
  await updatePaths(tx, wikiId, otherPages);
  return changes.flatMap((change) => {
    const id = idsByChange.get(change);
    return id === undefined || !changesWithEvents.has(change) ? [] : [{ id, action: change.action }];
  });
}

const toPreviousName = ({ page, from }: PageChange): PageName => ({ ...page, slug: from! });

/** Number of rows per statement. */
const BATCH_SIZE = 500;

function* splitIntoBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}

/** Returns the ids of pages by slug key, creating missing rows. index: wiki_pages_by_slug */
export async function findOrCreatePageIds(
  tx: Transaction,
  wikiId: number,
  pages: readonly PageName[],
): Promise<ReadonlyMap<string, number>> {
  const idsByKey = new Map<string, number>();
  for (const batch of splitIntoBatches(pages)) {
    const pagesByKey = new Map(batch.map((page) => [toSlugKey(page.slug), page]));
    await tx
      .insertInto('wiki_pages')
      .values([...pagesByKey].map(([slug_key, { path, title }]) => ({ wiki_id: wikiId, slug_key, path, title })))
      .onConflict((conflict) => conflict.columns(['wiki_id', 'slug_key']).doNothing())
      .execute();
    const pageRows = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...pagesByKey.keys()])
      .execute();
    for (const { id, slug_key } of pageRows) idsByKey.set(slug_key!, id);
  }
  return idsByKey;
}

/** Clears the paths of deleted pages. Their rows stay, because events refer to them. */
async function clearPaths(tx: Transaction, wikiId: number, keys: readonly string[]): Promise<void> {
  for (const batch of splitIntoBatches(keys)) {
    await tx
      .updateTable('wiki_pages')
      .set({ path: null })
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', batch)
      .execute();
  }
}

/** Updates paths and titles of existing rows: the file may be created again, or in another format. */
async function updatePaths(tx: Transaction, wikiId: number, changes: readonly PageChange[]): Promise<void> {
  for (const batch of splitIntoBatches(changes)) {
    const pagesByKey = new Map(batch.map(({ page }) => [toSlugKey(page.slug), page]));
    const rows = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key', 'path', 'title'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...pagesByKey.keys()])
      .execute();
    for (const { id, slug_key, path: storedPath, title: storedTitle } of rows) {
      const { path, title } = pagesByKey.get(slug_key!)!;
      if (storedPath === path && storedTitle === title) continue;
      await tx.updateTable('wiki_pages').set({ path, title }).where('id', '=', id).execute();
    }
  }
}

/** Renames pages. All slugs are cleared first, because pages may swap names; a page that had a new slug loses it. */
async function renamePages(
  tx: Transaction,
  wikiId: number,
  renamedPages: readonly { readonly id: number; readonly page: PageName }[],
): Promise<void> {
  // Files that differ only in case or extension are one page: one rename remains for each page and each new slug.
  const renamesByKey = new Map(renamedPages.map((rename) => [toSlugKey(rename.page.slug), rename]));
  const uniqueRenames = [...new Map([...renamesByKey.values()].map((rename) => [rename.id, rename])).values()];
  for (const batch of splitIntoBatches(uniqueRenames)) {
    const [ids, keys] = [batch.map(({ id }) => id), batch.map(({ page }) => toSlugKey(page.slug))];
    await tx
      .updateTable('wiki_pages')
      .set({ slug_key: null })
      .where('wiki_id', '=', wikiId)
      .where((eb) => eb.or([eb('id', 'in', ids), eb('slug_key', 'in', keys)]))
      .execute();
  }
  for (const { id, page } of uniqueRenames) {
    await tx
      .updateTable('wiki_pages')
      .set({ slug_key: toSlugKey(page.slug), path: page.path, title: page.title })
      .where('id', '=', id)
      .execute();
  }
}
