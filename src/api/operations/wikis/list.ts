import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { toSlugKey } from '#repositories/wikis/page-names.ts';
import { serializeListedPage, serializePage } from './entities.ts';
import { parseFrontMatter } from './front-matter.ts';
import { type FoundPage, listPagesInBatches, loadWikiHead, type WikiSnapshot } from './load-page.ts';
import { getPageIds, readText } from './page-content.ts';
import type { PageReader } from './read-queue.ts';

type ListingServices = Pick<Services, 'database' | 'git'>;

/** Pages whose ids are loaded at once; texts are read one by one. */
const BATCH_SIZE = 500;

/** Streams all pages: they may be too many and too long to hold in memory. */
export async function listPages(
  services: ListingServices,
  parent: GroupOrProject,
  withContent: boolean,
  reader: PageReader,
): Promise<StreamReply> {
  const now = await loadWikiHead(services.git, await findWiki(services.database.reader, parent));
  const body =
    now === null ? '[]' : Readable.from(writeJson(services, now, withContent, reader), { objectMode: false });
  return { headers: { 'Content-Type': 'application/json', ...cacheHeaders(now, withContent) }, body };
}

/**
 * Returns the usual JSON headers (contract/conventions.md §4). The ETag is of the inputs, because the body is streamed.
 */
function cacheHeaders(now: WikiSnapshot | null, withContent: boolean) {
  const tag = hash('sha1', `${now?.wiki.wiki_id} ${now?.commit} ${withContent}`, 'hex');
  return { ETag: `W/"${tag}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

async function* writeJson(
  services: ListingServices,
  now: WikiSnapshot,
  withContent: boolean,
  reader: PageReader,
): AsyncGenerator<string> {
  let isFirst = true;
  yield '[';
  for await (const pages of listPagesInBatches(now, BATCH_SIZE)) {
    const ids = await getPageIds(
      services,
      now.wiki.wiki_id,
      pages.map(({ page }) => page),
    );
    const withId = ({ page }: FoundPage) => ({ id: ids.get(toSlugKey(page.slug)) as number, page });
    if (!withContent && pages.length > 0) {
      const text = JSON.stringify(pages.map((page) => serializeListedPage(withId(page)))).slice(1, -1);
      yield isFirst ? text : `,${text}`;
      isFirst = false;
      continue;
    }
    for (const page of pages) {
      const content = await readText(now.git, now.repository, page.blob);
      const serialized = serializePage({
        ...withId(page),
        content,
        front_matter: await parseFrontMatter(content, reader),
      });
      yield `${isFirst ? '' : ','}${JSON.stringify(serialized)}`;
      isFirst = false;
    }
  }
  yield ']';
}
