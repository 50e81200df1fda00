import type { Readable } from 'node:stream';
import type { Reader } from '#database/database.ts';
import type { Wiki } from '#domain/wikis.ts';
import type { Git } from '#git/git.ts';
import { getObjectInfo, streamObject } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import type { Services } from '#http/services.ts';
import { findOrCreatePageIds } from '#repositories/wikis/page-changes.ts';
import { type PageName, toSlugKey } from '#repositories/wikis/page-names.ts';
import { parseFrontMatter } from './front-matter.ts';
import type { PageReader } from './read-queue.ts';

/** A page as the API returns it. */
export interface RenderedPage {
  readonly id: number;
  readonly page: PageName;
  readonly content: string;
  readonly front_matter: Readonly<Record<string, unknown>>;
}

/** Returns a page with its id and its parsed front matter. */
export async function renderPage(
  services: Pick<Services, 'database'>,
  { wiki_id }: Wiki,
  page: PageName,
  content: string,
  reader: PageReader,
): Promise<RenderedPage> {
  const [front_matter, ids] = await Promise.all([
    parseFrontMatter(content, reader),
    findOrAssignPageIds(services, wiki_id, [page]),
  ]);
  return { id: ids.get(toSlugKey(page.slug)) as number, page, content, front_matter };
}

/** Returns the ids of pages by slug key. A page without an id gets one. */
export async function findOrAssignPageIds(
  { database }: Pick<Services, 'database'>,
  wikiId: number,
  pages: readonly PageName[],
): Promise<ReadonlyMap<string, number>> {
  const knownIds = await findPageIds(database.reader, wikiId, pages);
  const newPages = pages.filter(({ slug }) => !knownIds.has(toSlugKey(slug)));
  if (newPages.length === 0) return knownIds;
  const createdIds = await database.transaction((tx) => findOrCreatePageIds(tx, wikiId, newPages));
  return new Map([...knownIds, ...createdIds]);
}

async function findPageIds(db: Reader, wikiId: number, pages: readonly PageName[]): Promise<Map<string, number>> {
  if (pages.length === 0) return new Map();
  // index: wiki_pages_by_slug
  const rows = await db
    .selectFrom('wiki_pages')
    .select(['id', 'slug_key'])
    .where('wiki_id', '=', wikiId)
    .where(
      'slug_key',
      'in',
      pages.map(({ slug }) => toSlugKey(slug)),
    )
    .execute();
  return new Map(rows.map(({ id, slug_key }) => [slug_key as string, id]));
}

/** Maximum bytes of a text in a response. The API accepts fewer, but a push may contain more. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Returns the size of the page's file in bytes if a response shows only a part of it, else null. */
export async function findSizeOfTruncated(git: Git, repository: Repository, blob: string): Promise<number | null> {
  const info = await getObjectInfo(git, repository, blob);
  return info !== null && info.size > MAX_TEXT_BYTES ? info.size : null;
}

/** Returns the text of a page, cut to MAX_TEXT_BYTES; empty if the blob is missing. Invalid UTF-8 is replaced. */
export async function readText(git: Git, repository: Repository, blob: string): Promise<string> {
  const object = await streamObject(git, repository, blob);
  return object === null ? '' : (await readTruncated(object.content)).toString('utf8');
}

async function readTruncated(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length >= MAX_TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES);
}
