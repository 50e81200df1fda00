import type { Transaction } from '#database/database.ts';
import { type ChangedFile, changedFiles } from '#git/diff/changed-files.ts';
import type { Git } from '#git/git.ts';
import { emptyTree } from '#git/objects/object-reader.ts';
import { GitFailed } from '#git/process/failures.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { Renaming } from '../ref-updates/intents.ts';
import { isAttachment, type PageName, pageAt, slugKey } from './page-names.ts';

/** What happens to the pages of a wiki when its default branch moves: each keeps its id as long as it is the same page. */

export interface PageChange {
  readonly action: 'created' | 'updated' | 'destroyed';
  /** As it is called now, or was when it went. */
  readonly page: PageName;
  /** The slug it had, when it has another now. */
  readonly from?: string;
}

/** Of so many files of one change is told what became of their pages; of what lies behind these each page is a new one. */
const MOST_FILES = 10_000;

interface Looking {
  readonly git: Git;
  readonly repository: Repository;
  /** Names that are known and need no guess. */
  readonly renamed: readonly Renaming[] | undefined;
}

/** What the move of the default branch has done to pages. */
export async function pageChanges(
  { git, repository, renamed }: Looking,
  { oldId, newId }: RefChange,
): Promise<PageChange[]> {
  const treeOf = (id: string) => (id === zeroId ? emptyTree : id);
  const compared = { from: treeOf(oldId), to: treeOf(newId), most: MOST_FILES, renames: renamed === undefined };
  try {
    const files = await changedFiles(git, repository, compared);
    return toPages(renamed === undefined ? files : withNames(files, renamed));
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    // What has moved has moved: its pages are found again when they are read.
    git.log('wiki_changes_unreadable', { repository: repository.directory, err: error });
    return [];
  }
}

/** Files that went and came under the names that are known to belong together. */
function withNames(files: readonly ChangedFile[], renamed: readonly Renaming[]): ChangedFile[] {
  const gone = new Set(files.flatMap((file) => (file.action === 'deleted' ? [file.path] : [])));
  const origins = new Map<string, string>();
  for (const from of gone) {
    const renaming = renamed.find(([before]) => (before.endsWith('/') ? from.startsWith(before) : from === before));
    if (renaming) origins.set(renaming[1] + from.slice(renaming[0].length), from);
  }
  const taken = new Set<string>();
  const named = files.map((file): ChangedFile => {
    const from = origins.get(file.path);
    if (from === undefined || file.action === 'deleted') return file;
    taken.add(from);
    return { action: 'renamed', path: file.path, from };
  });
  return named.filter((file) => file.action !== 'deleted' || !taken.has(file.path));
}

function toPages(files: readonly ChangedFile[]): PageChange[] {
  return files.flatMap((file): PageChange[] => {
    const [page, before] = [pageAt(file.path), file.action === 'renamed' ? pageAt(file.from) : null];
    if (file.action === 'deleted') return page === null ? [] : [{ action: 'destroyed', page }];
    if (page === null) return before === null ? [] : [{ action: 'destroyed', page: before }];
    if (before !== null) return [{ action: 'updated', page, from: before.slug }];
    return [{ action: file.action === 'updated' ? 'updated' : 'created', page }];
  });
}

/** A page that events tell of. */
export interface ToldPage {
  readonly id: number;
  readonly action: PageChange['action'];
}

/** So many are told of at most (contract/activity.md Part 1). */
const MOST_TOLD = 100;

/** Brings the rows of pages to what they are now, and tells what events tell of. */
export async function settlePages(
  tx: Transaction,
  wikiId: number,
  changes: readonly PageChange[],
): Promise<readonly ToldPage[]> {
  const gone = changes.filter(({ action }) => action === 'destroyed');
  const renamed = changes.filter(({ from }) => from !== undefined);
  const others = changes.filter(({ action, from }) => action !== 'destroyed' && from === undefined);
  const told = new Map<PageChange, number>();
  const wanted = new Set(changes.filter(({ page }) => !isAttachment(page.path)).slice(0, MOST_TOLD));
  // Only those that are told of need a row now; the others get one when they are read.
  const needed = [...gone, ...others].filter((change) => wanted.has(change));
  const ids = await pageIds(tx, wikiId, [...needed.map(({ page }) => page), ...renamed.map(before)]);
  for (const change of needed) told.set(change, ids.get(slugKey(change.page.slug)) as number);
  for (const change of renamed) told.set(change, ids.get(slugKey(change.from as string)) as number);
  await forgetPaths(
    tx,
    wikiId,
    gone.map(({ page }) => slugKey(page.slug)),
  );
  await rename(
    tx,
    wikiId,
    renamed.map((change) => ({ id: told.get(change) as number, page: change.page })),
  );
  await keepPaths(tx, wikiId, others);
  return changes.flatMap((change) => {
    const id = told.get(change);
    return id === undefined || !wanted.has(change) ? [] : [{ id, action: change.action }];
  });
}

const before = ({ page, from }: PageChange): PageName => ({ ...page, slug: from as string });

/** So many rows in one statement. */
const SOME = 500;

function* some<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += SOME) yield items.slice(at, at + SOME);
}

/** The ids of pages by the keys of their slugs; who had none has one from now on. index: wiki_pages_by_slug */
export async function pageIds(
  tx: Transaction,
  wikiId: number,
  pages: readonly PageName[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const piece of some(pages)) {
    const rows = new Map(piece.map((page) => [slugKey(page.slug), page]));
    await tx
      .insertInto('wiki_pages')
      .values([...rows].map(([slug_key, { path, title }]) => ({ wiki_id: wikiId, slug_key, path, title })))
      .onConflict((conflict) => conflict.columns(['wiki_id', 'slug_key']).doNothing())
      .execute();
    const found = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...rows.keys()])
      .execute();
    for (const { id, slug_key } of found) ids.set(slug_key as string, id);
  }
  return ids;
}

/** Their rows stay: events name them. */
async function forgetPaths(tx: Transaction, wikiId: number, keys: readonly string[]): Promise<void> {
  for (const piece of some(keys)) {
    await tx
      .updateTable('wiki_pages')
      .set({ path: null })
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', piece)
      .execute();
  }
}

/** Files that are there under the slugs of these rows, which may have been gone or of another format. */
async function keepPaths(tx: Transaction, wikiId: number, changes: readonly PageChange[]): Promise<void> {
  for (const piece of some(changes)) {
    const pages = new Map(piece.map(({ page }) => [slugKey(page.slug), page]));
    const rows = await tx
      .selectFrom('wiki_pages')
      .select(['id', 'slug_key', 'path', 'title'])
      .where('wiki_id', '=', wikiId)
      .where('slug_key', 'in', [...pages.keys()])
      .execute();
    for (const { id, slug_key, path: known, title: shown } of rows) {
      const { path, title } = pages.get(slug_key as string) as PageName;
      if (known === path && shown === title) continue;
      await tx.updateTable('wiki_pages').set({ path, title }).where('id', '=', id).execute();
    }
  }
}

/** First they all leave their slugs, because pages may change places; who had one of the new slugs loses it. */
async function rename(
  tx: Transaction,
  wikiId: number,
  renamed: readonly { readonly id: number; readonly page: PageName }[],
): Promise<void> {
  // Files that differ in case or ending alone are one page: it can come from one place only, and go to one.
  const byKey = new Map(renamed.map((one) => [slugKey(one.page.slug), one]));
  const each = [...new Map([...byKey.values()].map((one) => [one.id, one])).values()];
  for (const piece of some(each)) {
    const [ids, keys] = [piece.map(({ id }) => id), piece.map(({ page }) => slugKey(page.slug))];
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
