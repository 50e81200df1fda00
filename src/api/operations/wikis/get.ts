import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findPage, type WikiAt, wikiNow } from './load-page.ts';
import { type RenderedPage, readText, renderPage } from './page-content.ts';
import type { PageReader } from './read-queue.ts';
import { rendered } from './render.ts';

interface Wanted {
  readonly slug: string;
  /** The id of a commit, perhaps its beginning. */
  readonly version?: string | null | undefined;
  readonly render_html: boolean;
}

export async function readPage(
  services: Pick<Services, 'database' | 'git'>,
  place: GroupOrProject,
  { slug, version, render_html }: Wanted,
  reader: PageReader,
): Promise<RenderedPage | Failure<'notFound'>> {
  const now = await wikiNow(services.git, await findWiki(services.database.reader, place));
  const at = now && version ? await atVersion(now, version) : now;
  const found = at && (await findPage(at, slug));
  if (!at || !found) return fail('notFound');
  const content = await readText(at.git, at.repository, found.blob);
  const shown = await renderPage(services, at.wiki, found.page, content, reader);
  return render_html ? rendered(shown, reader) : shown;
}

async function atVersion(now: WikiAt, version: string): Promise<WikiAt | null> {
  if (!/^[0-9a-f]{7,40}$/i.test(version)) return null;
  const commit = await resolveRevision(now.git, now.repository, version);
  // A branch or tag may be called as if it were the beginning of an id.
  return commit?.startsWith(version.toLowerCase()) ? { ...now, commit } : null;
}
