import type { FileChange } from '#git/commits/commit.ts';
import { isStorageFailure } from '#git/process/failures.ts';
import { findEntryAtPath, findLastCommit } from '#git/trees/path-entries.ts';
import { listTree } from '#git/trees/tree-list.ts';
import { describeTooLong } from '#http/parameters/texts.ts';
import type { Services } from '#http/services.ts';
import type { PathRename } from '#repositories/ref-updates/intents.ts';
import { type PageName, parsePageName, toSlugKey } from '#repositories/wikis/page-names.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import {
  PAGE_CHANGED,
  TITLE_TAKEN,
  type WikiChangePlan,
  type WikiWriter,
  type WriteFailure,
  type WritingServices,
  writeToWiki,
} from './commit-page.ts';
import {
  EXTENSIONS_BY_FORMAT,
  type Format,
  type FoundPage,
  findPage,
  toPageSlug,
  validatePageTitle,
  type WikiSnapshot,
} from './load-page.ts';
import {
  findSizeOfTruncated,
  MAX_TEXT_BYTES,
  type RenderedPage,
  readText,
  renderPage,
  setFrontMatterTitle,
} from './page-content.ts';

// Creates, updates and deletes pages (contract/operations.md §2.2).

interface PageInput {
  readonly title?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly format?: Format | null | undefined;
  readonly front_matter?: { readonly title?: string | null | undefined } | null | undefined;
  readonly message?: string | null | undefined;
}

/** Creates a page. Fails with `invalid` if the slug is taken. */
export async function createPage(
  services: WritingServices,
  writer: WikiWriter,
  input: PageInput & { readonly title: string; readonly content: string },
): Promise<RenderedPage | Failure<WriteFailure>> {
  const slug = toPageSlug(input.title);
  const failure = await validateInput(services, slug, input);
  if (failure !== null) return failure;
  const page = parsePageName(`${slug}.${EXTENSIONS_BY_FORMAT[input.format ?? 'markdown']}`) as PageName;
  const content = applyFrontMatter(input.content, input);
  const message = input.message || `${writer.caller.user.username} created page: ${page.title}`;
  const writeResult = await writeToWiki(services, writer, async (snapshot) => {
    const existingPage = snapshot && (await findPage(snapshot, slug));
    if (existingPage) return failDuplicatePage(existingPage);
    const changes = [{ action: 'create' as const, path: page.path, content: Buffer.from(content) }];
    return { changes, message, result: page };
  });
  return isFailure(writeResult) ? writeResult : renderPage(services, writeResult.wiki, page, content, 'afterWrite');
}

/** Returns the failure of a new page. GitLab words the failure of a renamed page differently (`commit-page.ts`). */
function failDuplicatePage({ page }: FoundPage): Failure<'invalid'> {
  return invalid({ base: [`Duplicate page: A page with that title already exists in the file ${page.path}`] });
}

/** Updates or renames a page. Fails if `last_commit_sha` is not the last commit that changed it. */
export async function updatePage(
  services: WritingServices,
  writer: WikiWriter,
  slug: string,
  input: PageInput & { readonly last_commit_sha?: string | null | undefined },
): Promise<RenderedPage | Failure<WriteFailure | 'notFound'>> {
  // With a title, validation needs the current page, in whose folder a title without a slash stays.
  const failure = input.title == null ? await validateInput(services, null, input) : null;
  if (failure !== null) return failure;
  const writeResult = await writeToWiki(services, writer, async (snapshot) => {
    const foundPage = snapshot && (await findPage(snapshot, slug));
    if (!foundPage) return fail('notFound');
    const newSlug = input.title == null ? foundPage.page.slug : toPageSlug(input.title, foundPage.page);
    const titleFailure = input.title == null ? null : await validateInput(services, newSlug, input);
    if (titleFailure !== null) return titleFailure;
    const expectedCommitId = input.last_commit_sha;
    if (
      expectedCommitId &&
      expectedCommitId !==
        (await findLastCommit(snapshot.git, snapshot.repository, snapshot.commit, foundPage.page.path))
    )
      return PAGE_CHANGED;
    return planUpdate(snapshot, writer, foundPage, { ...input, slug: newSlug });
  });
  if (isFailure(writeResult)) return writeResult;
  const { page, content } = writeResult.result;
  return renderPage(services, writeResult.wiki, page, content, 'afterWrite');
}

interface UpdatedPage {
  readonly page: PageName;
  readonly content: string;
}

async function planUpdate(
  snapshot: WikiSnapshot,
  { caller }: WikiWriter,
  { page, blobId: blob }: FoundPage,
  input: PageInput & { readonly slug: string },
): Promise<WikiChangePlan<UpdatedPage> | Failure<'invalid'>> {
  const { slug, format } = input;
  const extension = format == null || format === page.format ? page.extension : EXTENSIONS_BY_FORMAT[format];
  const newPage = parsePageName(`${slug}.${extension}`) as PageName;
  const message = input.message || `${caller.user.username} updated page: ${newPage.title}`;
  const hasNewContent = input.content != null || input.front_matter != null;
  if (hasNewContent && input.content == null) {
    const size = await findSizeOfTruncated(snapshot.git, snapshot.repository, blob);
    // The file is read in part, so that the change would lose the rest.
    if (size !== null) return invalid({ content: [describeTooLong(size, MAX_TEXT_BYTES)] });
  }
  const content = applyFrontMatter(input.content ?? (await readText(snapshot.git, snapshot.repository, blob)), input);
  const result = { page: newPage, content };
  const fileContent = hasNewContent ? { content: Buffer.from(content) } : {};
  if (newPage.path === page.path) {
    const update = { action: 'update' as const, path: page.path, content: Buffer.from(content) };
    return { changes: hasNewContent ? [update] : [], message, result };
  }
  const isRenamed = toSlugKey(slug) !== toSlugKey(page.slug);
  if (isRenamed && (await findPage(snapshot, slug))) return TITLE_TAKEN;
  const pathsBelow = slug === page.slug ? [] : await listFilesBelow(snapshot, page.slug);
  if (pathsBelow === null) return invalid({ base: ['There are too many pages below that page.'] });
  const move = { action: 'move' as const, from: page.path, path: newPage.path, ...fileContent };
  const moves = pathsBelow.map(
    (from): FileChange => ({ action: 'move', from, path: slug + from.slice(page.slug.length) }),
  );
  const folderRenames: PathRename[] = pathsBelow.length === 0 ? [] : [[`${page.slug}/`, `${slug}/`]];
  return { changes: [move, ...moves], message, renamed: [[page.path, newPage.path], ...folderRenames], result };
}

/** Maximum number of files below a page that is renamed. */
const MAX_FILES_BELOW = 10_000;

/** Returns the paths of the files in the folder with the page's name; null if there are too many. */
async function listFilesBelow({ git, repository, commit }: WikiSnapshot, slug: string): Promise<string[] | null> {
  const folder = await findEntryAtPath(git, repository, commit, slug);
  if (folder?.type !== 'tree') return [];
  const entries = await listTree(git, repository, folder.id, { isRecursive: true });
  if (entries === null || entries.length > MAX_FILES_BELOW || !entries.isComplete) return null;
  return entries.slice(0, entries.length).flatMap(({ type, path }) => (type === 'blob' ? [`${slug}/${path}`] : []));
}

/** Deletes a page. Logs a storage failure, and then fails with `failed`. */
export async function deletePage(
  services: WritingServices & Pick<Services, 'log'>,
  writer: WikiWriter,
  slug: string,
): Promise<undefined | Failure<WriteFailure | 'notFound' | 'failed'>> {
  const writeResult = await commitPageDeletion(services, writer, slug).catch((err: unknown) => {
    if (!isStorageFailure(err)) throw err;
    services.log.error({ err }, 'Deleting a wiki page failed');
    return fail('failed');
  });
  return isFailure(writeResult) ? writeResult : undefined;
}

function commitPageDeletion(services: WritingServices, writer: WikiWriter, slug: string) {
  return writeToWiki(services, writer, async (snapshot) => {
    const foundPage = snapshot && (await findPage(snapshot, slug));
    if (!foundPage) return fail('notFound');
    const { path, title } = foundPage.page;
    const message = `${writer.caller.user.username} deleted page: ${title}`;
    return { changes: [{ action: 'delete' as const, path }], message, result: null };
  });
}

/** Returns the failure of an invalid input, or null. `slug`: the slug for the title; null if the input has no title. */
async function validateInput(
  { database }: WritingServices,
  slug: string | null,
  { content }: PageInput,
): Promise<Failure<'invalid'> | null> {
  const { wiki_page_max_content_bytes: maxBytes } = await loadSettings(database.reader);
  const errors = compactFieldErrors({
    title: slug === null ? [] : validatePageTitle(slug),
    content: content == null ? [] : validateContent(content, maxBytes),
  });
  return errors && invalid(errors);
}

function validateContent(content: string, maxBytes: number): string[] {
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxBytes) return [];
  return [describeTooLong(bytes, maxBytes)];
}

/** Returns the text with the requested front matter; unchanged if the input has none. */
function applyFrontMatter(text: string, { front_matter }: PageInput): string {
  return front_matter == null ? text : setFrontMatterTitle(text, front_matter.title ?? null);
}
