import type { Transaction } from '#database/database.ts';
import { type ChangedFile, listChangedFiles } from '#git/diff/changed-files.ts';
import type { Git } from '#git/git.ts';
import { EMPTY_TREE_ID } from '#git/objects/object-reader.ts';
import { GitError } from '#git/process/failures.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { PathRename } from '../ref-updates/intents.ts';
import { isAttachment, type PageName, parsePageName, slugKey } from './page-names.ts';

/** Changes of wiki pages when the default branch moves. A page keeps its id when it is renamed. */

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
  const treeOf = (id: string) => (id === ZERO_ID ? EMPTY_TREE_ID : id);
  const comparison = { from: treeOf(oldId), to: treeOf(newId), most: MAX_FILES, renames: renamed === undefined };
  try {
    const files = await listChangedFiles(git, repository, comparison);
    return toPageChanges(renamed === undefined ? files : applyRenames(files, renamed));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // The refs have moved already; pages are found again when they are read.
    git.log('wiki_changes_unreadable', { repository: repository.directory, err: error });
    return [];
  }
}

/** Joins deleted and created files to renames by the known renames. */
function applyRenames(files: readonly ChangedFile[], pathRenames: readonly PathRename[]): ChangedFile[] {
  const deletedPaths = new Set(files.flatMap((file) => (file.action === 'deleted' ? [file.path] : [])));
  const origins = new Map<string, string>();
  for (const from of deletedPaths) {
    const pathRename = pathRenames.find(([before]) =>
      before.endsWith('/') ? from.startsWith(before) : from === before,
    );
    if (pathRename) origins.set(pathRename[1] + from.slice(pathRename[0].length), from);
  }
  const claimedPaths = new Set<string>();
  const renamedFiles = files.map((file): ChangedFile => {
    const from = origins.get(file.path);
    if (from === undefined || file.action === 'deleted') return file;
    claimedPaths.add(from);
    return { action: 'renamed', path: file.path, from };
  });
  return renamedFiles.filter((file) => file.action !== 'deleted' || !claimedPaths.has(file.path));
}

function toPageChanges(files: readonly ChangedFile[]): PageChange[] {
  return files.flatMap((file): PageChange[] => {
    const [page, before] = [parsePageName(file.path), file.action === 'renamed' ? parsePageName(file.from) : null];
    if (file.action === 'deleted') return page === null ? [] : [{ action: 'destroyed', page }];
    if (page === null) return before === null ? [] : [{ action: 'destroyed', page: before }];
    if (before !== null) return [{ action: 'updated', page, from: before.slug }];
    return [{ action: file.action === 'updated' ? 'updated' : 'created', page }];
  });
}

/** A page with an activity event. */
export interface WikiPageEvent {
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
  const destroyed = changes.filter(({ action }) => action === 'destroyed');
  const renamedPages = changes.filter(({ from }) => from !== undefined);
  const otherPages = changes.filter(({ action, from }) => action !== 'destroyed' && from === undefined);
  const idsByChange = new Map<PageChange, number>();
  const withEvents = new Set(changes.filter(({ page }) => !isAttachment(page.path)).slice(0, MAX_EVENTS));
  // Only pages with events need a row now; others get one when they are read.
  const pagesWithEvents = [...destroyed, ...otherPages].filter((change) => withEvents.has(change));
  const ids = await findOrCreatePageIds(tx, wikiId, [
    ...pagesWithEvents.map(({ page }) => page),
    ...renamedPages.map(previousName),
  ]);
  for (const change of pagesWithEvents) idsByChange.set(change, ids.get(slugKey(change.page.slug)) as number);
  for (const change of renamedPages) idsByChange.set(change, ids.get(slugKey(change.from as string)) as number);
  await clearPaths(
    tx,
    wikiId,
    destroyed.map(({ page }) => slugKey(page.slug)),
  );
  await renamePages(
    tx,
    wikiId,
    renamedPages.map((change) => ({ id: idsByChange.get(change) as number, page: change.page })),
  );
  await updatePaths(tx, wikiId, otherPages);
  return changes.flatMap((change) => {
    const id = idsByChange.get(change);
    return id === undefined || !withEvents.has(change) ? [] : [{ id, action: change.action }];
  });
}

const previousName = ({ page, from }: PageChange): PageName => ({ ...page, slug: from as string });

/** Rows per statement. */
const BATCH_SIZE = 500;

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += BATCH_SIZE) yield items.slice(at, at + BATCH_SIZE);
}

/** Returns the ids of pages by slug key, creating missing rows. index: wiki_pages_by_slug */
export async function findOrCreatePageIds(
  tx: Transaction,
  wikiId: number,
  pages: readonly PageName[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const batch of batches(pages)) {
    const rows = new Map(batch.map((page) => [slugKey(page.slug), page]));
    await tx
      .insertInto('wiki_pages')
      .values([...rows].map(([slug_key, { path, title }]) => ({ wiki_id: wikiId, slug_key, path, title })))
      .onConflict((conflict) => conflict.columns(['wiki_id', 'slug_key']).doNothing())
      .execute();
    const pageRows = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...rows.keys()])
      .execute();
    for (const { id, slug_key } of pageRows) ids.set(slug_key as string, id);
  }
  return ids;
}

/** Clears the paths of deleted pages. Their rows stay, because events refer to them. */
async function clearPaths(tx: Transaction, wikiId: number, keys: readonly string[]): Promise<void> {
  for (const batch of batches(keys)) {
    await tx
      .updateTable('wiki_pages')
      .set({ path: null })
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', batch)
      .execute();
  }
}

/** Updates paths and titles of existing rows, whose file may have been deleted or had another format. */
async function updatePaths(tx: Transaction, wikiId: number, changes: readonly PageChange[]): Promise<void> {
  for (const batch of batches(changes)) {
    const pages = new Map(batch.map(({ page }) => [slugKey(page.slug), page]));
    const rows = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key', 'path', 'title'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...pages.keys()])
      .execute();
    for (const { id, slug_key, path: knownPath, title: knownTitle } of rows) {
      const { path, title } = pages.get(slug_key as string) as PageName;
      if (knownPath === path && knownTitle === title) continue;
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
  // Files that differ only in case or ending are one page, which has one source and one target.
  const byKey = new Map(renamedPages.map((one) => [slugKey(one.page.slug), one]));
  const each = [...new Map([...byKey.values()].map((one) => [one.id, one])).values()];
  for (const batch of batches(each)) {
    const [ids, keys] = [batch.map(({ id }) => id), batch.map(({ page }) => slugKey(page.slug))];
    await tx
      .updateTable('wiki_pages')
      .set({ slug_key: null })
      .where('wiki_id', '=', wikiId)
      .where((eb) => eb.or([eb('id', 'in', ids), eb('slug_key', 'in', keys)]))
      .execute();
  }
  for (const { id, page } of each) {
    await tx
      .updateTable('wiki_pages')
      .set({ slug_key: slugKey(page.slug), path: page.path, title: page.title })
      .where('id', '=', id)
      .execute();
  }
}
