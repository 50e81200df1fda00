import type { FileChange } from '#git/commits/commit.ts';
import { isStorageFailure } from '#git/process/failures.ts';
import { findEntryAtPath, findLastCommit } from '#git/trees/path-entries.ts';
import { listTree } from '#git/trees/tree-list.ts';
import { formatBytes } from '#http/parameters/texts.ts';
import type { Services } from '#http/services.ts';
import type { PathRename } from '#repositories/ref-updates/intents.ts';
import { type PageName, parsePageName, slugKey } from '#repositories/wikis/page-names.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import {
  CHANGED,
  type Plan,
  SAME_TITLE,
  type WriteFailure,
  type Writer,
  type WritingServices,
  writeToWiki,
} from './commit-page.ts';
import { withTitle } from './front-matter.ts';
import { type FoundPage, findPage, type WikiAt } from './load-page.ts';
import { type RenderedPage, readText, renderPage } from './page-content.ts';
import { FORMATS, type Format, slugOf, titleErrors } from './page-titles.ts';

/** How pages come, change and go (contract/operations.md §2.2). */

interface Wish {
  readonly title?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly format?: Format | null | undefined;
  readonly front_matter?: { readonly title?: string | null | undefined } | null | undefined;
  readonly message?: string | null | undefined;
}

export async function createPage(
  services: WritingServices,
  writer: Writer,
  wish: Wish & { readonly title: string; readonly content: string },
): Promise<RenderedPage | Failure<WriteFailure>> {
  const slug = slugOf(wish.title);
  const wrong = await errorsOf(services, slug, wish);
  if (wrong !== null) return wrong;
  const page = parsePageName(`${slug}.${FORMATS[wish.format ?? 'markdown']}`) as PageName;
  const content = contentOf(wish.content, wish);
  const message = wish.message || `${writer.caller.user.username} created page: ${page.title}`;
  const written = await writeToWiki(services, writer, async (now) => {
    const twin = now && (await findPage(now, slug));
    if (twin) return duplicate(twin);
    const changes = [{ action: 'create' as const, path: page.path, content: Buffer.from(content) }];
    return { changes, message, result: page };
  });
  return isFailure(written) ? written : renderPage(services, written.wiki, page, content, 'its writer');
}

function duplicate({ page }: FoundPage): Failure<'invalid'> {
  return invalid({ base: [`Duplicate page: A page with that title already exists in the file ${page.path}`] });
}

export async function updatePage(
  services: WritingServices,
  writer: Writer,
  slug: string,
  wish: Wish & { readonly last_commit_sha?: string | null | undefined },
): Promise<RenderedPage | Failure<WriteFailure | 'notFound'>> {
  const wrong = wish.title == null ? await errorsOf(services, null, wish) : null;
  if (wrong !== null) return wrong;
  const written = await writeToWiki(services, writer, async (now) => {
    const found = now && (await findPage(now, slug));
    if (!found) return fail('notFound');
    const wanted = wish.title == null ? found.page.slug : slugOf(wish.title, found.page);
    const unsound = wish.title == null ? null : await errorsOf(services, wanted, wish);
    if (unsound !== null) return unsound;
    const last = wish.last_commit_sha;
    if (last && last !== (await findLastCommit(now.git, now.repository, now.commit, found.page.path))) return CHANGED;
    return planUpdate(now, writer, found, { ...wish, slug: wanted });
  });
  if (isFailure(written)) return written;
  const { page, content } = written.result;
  return renderPage(services, written.wiki, page, content, 'its writer');
}

interface Updated {
  readonly page: PageName;
  readonly content: string;
}

async function planUpdate(
  now: WikiAt,
  { caller }: Writer,
  { page, blob }: FoundPage,
  wish: Wish & { readonly slug: string },
): Promise<Plan<Updated> | Failure<'invalid'>> {
  const { slug, format } = wish;
  const ending = format == null || format === page.format ? page.ending : FORMATS[format];
  const next = parsePageName(`${slug}.${ending}`) as PageName;
  const message = wish.message || `${caller.user.username} updated page: ${next.title}`;
  const isNew = wish.content != null || wish.front_matter != null;
  const content = contentOf(wish.content ?? (await readText(now.git, now.repository, blob)), wish);
  const result = { page: next, content };
  const written = isNew ? { content: Buffer.from(content) } : {};
  if (next.path === page.path) {
    const update = { action: 'update' as const, path: page.path, content: Buffer.from(content) };
    return { changes: isNew ? [update] : [], message, result };
  }
  const isElsewhere = slugKey(slug) !== slugKey(page.slug);
  if (isElsewhere && (await findPage(now, slug))) return SAME_TITLE;
  const below = slug === page.slug ? [] : await filesBelow(now, page.slug);
  if (below === null) return invalid({ base: ['There are too many pages below that page.'] });
  const move = { action: 'move' as const, from: page.path, path: next.path, ...written };
  const others = below.map((from): FileChange => ({ action: 'move', from, path: slug + from.slice(page.slug.length) }));
  const folder: PathRename[] = below.length === 0 ? [] : [[`${page.slug}/`, `${slug}/`]];
  return { changes: [move, ...others], message, renamed: [[page.path, next.path], ...folder], result };
}

/** So many files move along with a page at most. */
const MOST_BELOW = 10_000;

/** What lies in the folder that is called as the page; null: too much. */
async function filesBelow({ git, repository, commit }: WikiAt, slug: string): Promise<string[] | null> {
  const folder = await findEntryAtPath(git, repository, commit, slug);
  if (folder?.type !== 'tree') return [];
  const list = await listTree(git, repository, folder.id, { deep: true });
  if (list === null || list.length > MOST_BELOW || !list.complete) return null;
  return list.slice(0, list.length).flatMap(({ type, path }) => (type === 'blob' ? [`${slug}/${path}`] : []));
}

/** A storage that fails is told of as that, and in the log. */
export async function deletePage(
  services: WritingServices & Pick<Services, 'log'>,
  writer: Writer,
  slug: string,
): Promise<undefined | Failure<WriteFailure | 'notFound' | 'failed'>> {
  const written = await removePage(services, writer, slug).catch((err: unknown) => {
    if (!isStorageFailure(err)) throw err;
    services.log.error({ err }, 'A page of a wiki could not be deleted');
    return fail('failed');
  });
  return isFailure(written) ? written : undefined;
}

function removePage(services: WritingServices, writer: Writer, slug: string) {
  return writeToWiki(services, writer, async (now) => {
    const found = now && (await findPage(now, slug));
    if (!found) return fail('notFound');
    const { path, title } = found.page;
    const message = `${writer.caller.user.username} deleted page: ${title}`;
    return { changes: [{ action: 'delete' as const, path }], message, result: null };
  });
}

/** What is wrong with what was sent; `slug`: what its title becomes, null without one. */
async function errorsOf(
  { database }: WritingServices,
  slug: string | null,
  { content }: Wish,
): Promise<Failure<'invalid'> | null> {
  const { wiki_page_max_content_bytes: most } = await loadSettings(database.reader);
  const wrong = compactFieldErrors({
    title: slug === null ? [] : titleErrors(slug),
    content: content == null ? [] : contentErrors(content, most),
  });
  return wrong && invalid(wrong);
}

function contentErrors(content: string, most: number): string[] {
  const bytes = Buffer.byteLength(content);
  if (bytes <= most) return [];
  return [`is too long (${formatBytes(bytes)}). The maximum size is ${formatBytes(most)}.`];
}

function contentOf(text: string, { front_matter }: Wish): string {
  return front_matter == null ? text : withTitle(text, front_matter.title ?? null);
}
