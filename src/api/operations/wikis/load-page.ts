import type { Wiki } from '#domain/wikis.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { listTree, type TreeListEntry } from '#git/trees/tree-list.ts';
import { getRepository } from '#repositories/repository.ts';
import { type PageName, parsePageName, slugKey } from '#repositories/wikis/page-names.ts';
import { createYielder } from '#runtime/concurrency-limiter.ts';

/** A wiki as it is at one commit. */
export interface WikiAt {
  readonly git: Git;
  readonly wiki: Wiki;
  readonly repository: Repository;
  readonly commit: string;
}

/** A page as it is there. */
export interface FoundPage {
  readonly page: PageName;
  /** Of its text. */
  readonly blob: string;
}

/** The wiki as its default branch has it; null: nothing has been written into it. */
export async function wikiNow(git: Git, wiki: Wiki | null): Promise<WikiAt | null> {
  if (wiki === null) return null;
  const repository = getRepository(git, wiki);
  const commit = await findBranchHead(repository, wiki.default_branch);
  return commit === null ? null : { git, wiki, repository, commit };
}

/** So many folders are looked into for one page: names that differ in case alone may lead to very many. */
const MOST_FOLDERS = 100;

/** The page with this slug, in any case; the one that is written just so comes first. */
export async function findPage({ git, repository, commit }: WikiAt, slug: string): Promise<FoundPage | null> {
  const found = await readCommit(git, repository, commit);
  if (found === null) return null;
  const parts = slug.split('/');
  let folders = [{ treeId: found.treeId, path: '' }];
  for (const [depth, part] of parts.entries()) {
    const isLast = depth === parts.length - 1;
    const next: typeof folders = [];
    const pages: FoundPage[] = [];
    for (const folder of folders.slice(0, MOST_FOLDERS)) {
      for await (const entry of entriesOf(git, repository, folder.treeId)) {
        const path = folder.path + entry.path;
        const page = isLast && entry.type === 'blob' ? parsePageName(path) : null;
        if (page !== null && slugKey(page.slug) === slugKey(folder.path + part)) pages.push({ page, blob: entry.id });
        else if (!isLast && entry.type === 'tree' && slugKey(entry.path) === slugKey(part))
          next.push({ treeId: entry.id, path: `${path}/` });
      }
    }
    if (isLast) return pages.find(({ page }) => page.slug === slug) ?? pages[0] ?? null;
    const exact = `${parts.slice(0, depth + 1).join('/')}/`;
    folders = next.sort((one, other) => Number(other.path === exact) - Number(one.path === exact));
  }
  return null;
}

const PIECE = 1_000;

/** What lies directly in a tree, however much. */
async function* entriesOf(git: Git, repository: Repository, treeId: string): AsyncGenerator<TreeListEntry> {
  const list = await listTree(git, repository, treeId);
  const giveWay = createYielder();
  for (let at = 0; list !== null && at < list.length; at += PIECE) {
    await giveWay();
    yield* list.slice(at, at + PIECE);
  }
}

/** All pages by path, so many at a time. */
export async function* pagesOf({ git, repository, commit }: WikiAt, most: number): AsyncGenerator<FoundPage[]> {
  const found = await readCommit(git, repository, commit);
  const list = found === null ? null : await listTree(git, repository, found.treeId, { deep: true });
  for (let at = 0; list !== null && at < list.length; at += most) {
    yield list.slice(at, at + most).flatMap(({ type, path, id }) => {
      const page = type === 'blob' ? parsePageName(path) : null;
      return page === null ? [] : [{ page, blob: id }];
    });
  }
}
