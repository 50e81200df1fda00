import type { Wiki } from '#domain/wikis.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { listTree, type TreeListEntry } from '#git/trees/tree-list.ts';
import { getRepository } from '#repositories/repository.ts';
import { type PageName, parsePageName, toSlugKey } from '#repositories/wikis/page-names.ts';
import { createYielder } from '#runtime/yielding.ts';

/** A wiki at one commit. */
export interface WikiSnapshot {
  readonly git: Git;
  readonly wiki: Wiki;
  readonly repository: Repository;
  readonly commit: string;
}

/** A page in a wiki snapshot. */
export interface FoundPage {
  readonly page: PageName;
  /** Id of the blob with the page's text. */
  readonly blobId: string;
}

/** Returns the wiki at the head of its default branch; null if it has no commits. */
export async function loadWikiHead(git: Git, wiki: Wiki | null): Promise<WikiSnapshot | null> {
  if (wiki === null) return null;
  const repository = getRepository(git, wiki);
  const commit = await findBranchHead(repository, wiki.default_branch);
  return commit === null ? null : { git, wiki, repository, commit };
}

/** Maximum number of folders searched at each depth, because all folders whose names differ only in case match. */
const MAX_FOLDERS = 100;

/** Returns the page with this slug, ignoring case; an exact match takes precedence. */
export async function findPage({ git, repository, commit }: WikiSnapshot, slug: string): Promise<FoundPage | null> {
  const commitDetails = await readCommit(git, repository, commit);
  if (commitDetails === null) return null;
  const parts = slug.split('/');
  let folders = [{ treeId: commitDetails.treeId, path: '' }];
  for (const [depth, part] of parts.entries()) {
    const isLast = depth === parts.length - 1;
    const nextFolders: typeof folders = [];
    const pages: FoundPage[] = [];
    for (const folder of folders.slice(0, MAX_FOLDERS)) {
      for await (const entry of iterateEntries(git, repository, folder.treeId)) {
        const path = folder.path + entry.path;
        const page = isLast && entry.type === 'blob' ? parsePageName(path) : null;
        if (page !== null && toSlugKey(page.slug) === toSlugKey(folder.path + part))
          pages.push({ page, blobId: entry.id });
        else if (!isLast && entry.type === 'tree' && toSlugKey(entry.path) === toSlugKey(part))
          nextFolders.push({ treeId: entry.id, path: `${path}/` });
      }
    }
    if (isLast) return pages.find(({ page }) => page.slug === slug) ?? pages[0] ?? null;
    const exactPath = `${parts.slice(0, depth + 1).join('/')}/`;
    // The folder with the exact name comes first.
    folders = nextFolders.sort((one, other) => Number(other.path === exactPath) - Number(one.path === exactPath));
  }
  return null;
}

/** Number of entries after which other work may run. */
const BATCH_SIZE = 1_000;

/** Iterates over the direct entries of a tree of any size. */
async function* iterateEntries(git: Git, repository: Repository, treeId: string): AsyncGenerator<TreeListEntry> {
  const entries = await listTree(git, repository, treeId);
  const yieldIfDue = createYielder();
  for (let offset = 0; entries !== null && offset < entries.length; offset += BATCH_SIZE) {
    await yieldIfDue();
    yield* entries.slice(offset, offset + BATCH_SIZE);
  }
}

/** Iterates over all pages by path, in batches of at most `batchSize` entries. */
export async function* listPagesInBatches(
  { git, repository, commit }: WikiSnapshot,
  batchSize: number,
): AsyncGenerator<FoundPage[]> {
  const commitDetails = await readCommit(git, repository, commit);
  const entries =
    commitDetails === null ? null : await listTree(git, repository, commitDetails.treeId, { isRecursive: true });
  for (let offset = 0; entries !== null && offset < entries.length; offset += batchSize) {
    yield entries.slice(offset, offset + batchSize).flatMap(({ type, path, id }) => {
      const page = type === 'blob' ? parsePageName(path) : null;
      return page === null ? [] : [{ page, blobId: id }];
    });
  }
}

// Converts page titles to file paths (contract/operations.md §2.2 "Pages").

/** File extensions by page format. */
export const EXTENSIONS_BY_FORMAT = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' } as const;
export type Format = keyof typeof EXTENSIONS_BY_FORMAT;

/** Returns the slug for a title. An existing page stays in its folder, unless the title contains a slash. */
export function toPageSlug(title: string, existingPage?: PageName): string {
  const slug = normalizePath(title);
  // An empty title must not become the name of the folder.
  if (slug === '' || title.includes('/') || existingPage === undefined) return slug;
  return normalizePath(`${getFolder(existingPage.slug)}${title}`);
}

/** Resolves `.`, `..` and empty segments, and replaces spaces by `-`. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/').map(collapseSpaces)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/').replaceAll(' ', '-');
}

const collapseSpaces = (part: string) => part.trim().replace(/\s+/g, ' ');

/** Returns the folder of a slug, with its trailing slash; empty at the top level. */
function getFolder(slug: string): string {
  return slug.slice(0, slug.lastIndexOf('/') + 1);
}

const RESERVED_SLUGS: ReadonlySet<string> = new Set(['pages', 'templates', 'new', 'git_access', '-']);
/** Maximum bytes of the last part of a slug, and of each directory. */
const MAX_BYTES = { title: 245, directory: 255 };

/** Returns the validation errors of a title with this slug. */
export function validatePageTitle(slug: string): string[] {
  const directories = slug.split('/');
  const lastPart = directories.pop() as string;
  if (lastPart === '') return ["can't be blank"];
  const errors = Buffer.byteLength(lastPart) > MAX_BYTES.title ? [`exceeds the limit of ${MAX_BYTES.title} bytes`] : [];
  for (const directory of directories) {
    if (Buffer.byteLength(directory) <= MAX_BYTES.directory) continue;
    errors.push(`exceeds the limit of ${MAX_BYTES.directory} bytes for directory name "${directory}"`);
  }
  if (RESERVED_SLUGS.has(slug.toLowerCase())) errors.push(`'${slug}' is a reserved name`);
  return errors;
}
