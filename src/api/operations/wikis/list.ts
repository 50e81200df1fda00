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
import { findOrAssignPageIds, readText } from './page-content.ts';
import type { PageReader } from './read-queue.ts';

type ListingServices = Pick<Services, 'database' | 'git'>;

/** Number of pages whose ids are loaded by one query. The texts are read one by one. */
const BATCH_SIZE = 500;

/** Streams all pages, because they may be too many and too long to hold in memory. */
export async function listPages(
  services: ListingServices,
  parent: GroupOrProject,
  withContent: boolean,
  reader: PageReader,
): Promise<StreamReply> {
  const snapshot = await loadWikiHead(services.git, await findWiki(services.database.reader, parent));
  const body =
    snapshot === null ? '[]' : Readable.from(writeJson(services, snapshot, withContent, reader), { objectMode: false });
  return { headers: { 'Content-Type': 'application/json', ...buildCacheHeaders(snapshot, withContent) }, body };
}

/**
 * Returns the usual cache headers (contract/conventions.md §4). The ETag is a hash of the inputs, because the body is streamed.
 */
function buildCacheHeaders(snapshot: WikiSnapshot | null, withContent: boolean) {
  const tag = hash('sha1', `${snapshot?.wiki.wiki_id} ${snapshot?.commit} ${withContent}`, 'hex');
  return { ETag: `W/"${tag}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

/** Yields the texts of which the JSON array of all pages consists. */
async function* writeJson(
  services: ListingServices,
  snapshot: WikiSnapshot,
  withContent: boolean,
  reader: PageReader,
): AsyncGenerator<string> {
  let isFirst = true;
  yield '[';
  for await (const pages of listPagesInBatches(snapshot, BATCH_SIZE)) {
    const ids = await findOrAssignPageIds(
      services,
      snapshot.wiki.wiki_id,
      pages.map(({ page }) => page),
    );
    const toPageWithId = ({ page }: FoundPage) => ({ id: ids.get(toSlugKey(page.slug)) as number, page });
    if (!withContent && pages.length > 0) {
      const text = JSON.stringify(pages.map((page) => serializeListedPage(toPageWithId(page)))).slice(1, -1);
      yield isFirst ? text : `,${text}`;
      isFirst = false;
      continue;
    }
    for (const page of pages) {
      const content = await readText(snapshot.git, snapshot.repository, page.blobId);
      const serialized = serializePage({
        ...toPageWithId(page),
        content,
        front_matter: await parseFrontMatter(content, reader),
      });
      yield `${isFirst ? '' : ','}${JSON.stringify(serialized)}`;
      isFirst = false;
    }
  }
  yield ']';
}
