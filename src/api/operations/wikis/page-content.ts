import type { Readable } from 'node:stream';
import type { Reader } from '#database/database.ts';
import type { Wiki } from '#domain/wikis.ts';
import type { Git } from '#git/git.ts';
import { getObjectInfo, streamObject } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import type { Services } from '#http/services.ts';
import { isLongMarkdown, parseYamlMapping, rejectExpensiveText } from '#markdown/render-thread.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { findOrCreatePageIds } from '#repositories/wikis/page-changes.ts';
import { type PageName, toSlugKey } from '#repositories/wikis/page-names.ts';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';

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

// The YAML front matter of a page (contract/operations.md §2.2). Its size is limited, because it is untrusted.

type FrontMatter = Readonly<Record<string, unknown>>;

/** Maximum length of the YAML text, in characters. */
const MAX_CHARACTERS = 25_510;
const FENCE = '---';

/** A page split into front matter and `body`; `yaml` is null if there is no front matter. */
interface SplitPage {
  readonly yaml: string | null;
  readonly body: string;
}

/** Splits a page. The front matter is at its beginning, between two lines `---`. */
export function splitFrontMatter(text: string): SplitPage {
  const noFrontMatter = { yaml: null, body: text };
  const firstLineEnd = text.indexOf('\n');
  if (firstLineEnd < 0 || text.slice(0, firstLineEnd).trimEnd() !== FENCE) return noFrontMatter;
  for (let lineStart = firstLineEnd + 1; lineStart < text.length; ) {
    const lineEnd = text.indexOf('\n', lineStart);
    const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
    if (line.startsWith(FENCE) && line.trimEnd() === FENCE) {
      return { yaml: text.slice(firstLineEnd + 1, lineStart), body: lineEnd < 0 ? '' : text.slice(lineEnd + 1) };
    }
    if (lineEnd < 0) return noFrontMatter;
    lineStart = lineEnd + 1;
  }
  return noFrontMatter;
}

/** Parses the front matter. Returns an empty object if it is invalid, too long or too complex. */
export async function parseFrontMatter(text: string, reader: PageReader): Promise<FrontMatter> {
  const { yaml } = splitFrontMatter(text);
  if (yaml === null || yaml.length > MAX_CHARACTERS || !isWithinLimits(yaml)) return {};
  return runInReadQueue(reader, yaml, (waiter) => parseYamlMapping(yaml, waiter));
}

/** Limits of the nesting within a line, and of all brackets. No hand-written front matter reaches them. */
const MAX_DEPTH = 50;
const MAX_BRACKETS = 1_000;

/** Counts brackets, and the markers `- `, `? ` and `: `, each of which may open another level within its line. */
function isWithinLimits(yaml: string): boolean {
  let [depth, brackets] = [0, 0];
  for (let index = 0; index < yaml.length; index++) {
    const character = yaml[index] as string;
    const isBracket = character === '[' || character === '{';
    if (isBracket) brackets += 1;
    if (isBracket || ('-?:'.includes(character) && yaml[index + 1] === ' ')) depth += 1;
    else if (character === '\n') depth = 0;
    if (depth > MAX_DEPTH || brackets > MAX_BRACKETS) return false;
  }
  return true;
}

/** Returns the text with a front matter that has only this title; without a front matter if the title is null. */
export function setFrontMatterTitle(text: string, title: string | null): string {
  const { body } = splitFrontMatter(text);
  // A JSON string is a valid YAML string.
  return title === null ? body : `${FENCE}\ntitle: ${JSON.stringify(title)}\n${FENCE}\n${body}`;
}

/**
 * Concurrency limits for parsing and rendering page texts: one text per client network at a time. Many slow texts of
 * one client thus delay other clients by one text only.
 */
const LIMITS = { perNetwork: 1, total: 100, waiting: 50 };
const slots = { short: createConcurrencySlots(LIMITS), long: createConcurrencySlots(LIMITS) };

/**
 * The client that requests a text. `afterWrite`: the response to a write, which no limit may reject, because the page is
 * already committed.
 */
export type PageReader = { readonly client: RequestClient } | 'afterWrite';

/** Calls `read` in a slot of the client, and returns its result. Rejects texts that are too expensive to parse. */
export async function runInReadQueue<Result>(
  reader: PageReader,
  text: string,
  read: (waiter: Waiter) => Promise<Result>,
): Promise<Result> {
  if (reader === 'afterWrite') return read({ exemptFromLimit: true });
  rejectExpensiveText(text);
  const { client } = reader;
  const release = await slots[isLongMarkdown(text) ? 'long' : 'short'].take(client.network, client);
  try {
    return await read({ client });
  } finally {
    release();
  }
}
