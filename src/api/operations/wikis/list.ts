import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { slugKey } from '#repositories/wikis/page-names.ts';
import { basicPage, wholePage } from './entities.ts';
import { frontMatterOf } from './front-matter.ts';
import { type FoundPage, pagesOf, type WikiAt, wikiNow } from './load-page.ts';
import { idsOf, readText } from './page-content.ts';
import type { PageReader } from './read-queue.ts';

type ListingServices = Pick<Services, 'database' | 'git'>;

/** So many pages are looked up at a time; texts are read one by one. */
const PIECE = 500;

/** All pages as they are read: there may be very many, and their texts long. */
export async function listPages(
  services: ListingServices,
  place: GroupOrProject,
  withContent: boolean,
  reader: PageReader,
): Promise<StreamReply> {
  const now = await wikiNow(services.git, await findWiki(services.database.reader, place));
  const body = now === null ? '[]' : Readable.from(written(services, now, withContent, reader), { objectMode: false });
  return { headers: { 'Content-Type': 'application/json', ...described(now, withContent) }, body };
}

/** As of every JSON (contract/conventions.md §4), by what it is made of: it is not whole anywhere. */
function described(now: WikiAt | null, withContent: boolean) {
  const tag = hash('sha1', `${now?.wiki.wiki_id} ${now?.commit} ${withContent}`, 'hex');
  return { ETag: `W/"${tag}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

async function* written(
  services: ListingServices,
  now: WikiAt,
  withContent: boolean,
  reader: PageReader,
): AsyncGenerator<string> {
  let isFirst = true;
  yield '[';
  for await (const pages of pagesOf(now, PIECE)) {
    const ids = await idsOf(
      services,
      now.wiki.wiki_id,
      pages.map(({ page }) => page),
    );
    const basic = ({ page }: FoundPage) => ({ id: ids.get(slugKey(page.slug)) as number, page });
    if (!withContent && pages.length > 0) {
      const text = JSON.stringify(pages.map((page) => basicPage(basic(page)))).slice(1, -1);
      yield isFirst ? text : `,${text}`;
      isFirst = false;
      continue;
    }
    for (const page of pages) {
      const content = await readText(now.git, now.repository, page.blob);
      const shown = wholePage({ ...basic(page), content, front_matter: await frontMatterOf(content, reader) });
      yield `${isFirst ? '' : ','}${JSON.stringify(shown)}`;
      isFirst = false;
    }
  }
  yield ']';
}
