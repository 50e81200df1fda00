import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findPage, loadWikiHead, type WikiSnapshot } from './load-page.ts';
import { type RenderedPage, readText, renderPage } from './page-content.ts';
import type { PageReader } from './read-queue.ts';
import { renderHtml } from './render.ts';

interface GetPageInput {
  readonly slug: string;
  /** A commit id, or its first characters. */
  readonly version?: string | null | undefined;
  readonly render_html: boolean;
}

export async function getPage(
  services: Pick<Services, 'database' | 'git'>,
  parent: GroupOrProject,
  { slug, version, render_html }: GetPageInput,
  reader: PageReader,
): Promise<RenderedPage | Failure<'notFound'>> {
  const now = await loadWikiHead(services.git, await findWiki(services.database.reader, parent));
  const at = now && version ? await atVersion(now, version) : now;
  const foundPage = at && (await findPage(at, slug));
  if (!at || !foundPage) return fail('notFound');
  const content = await readText(at.git, at.repository, foundPage.blob);
  const page = await renderPage(services, at.wiki, foundPage.page, content, reader);
  return render_html ? renderHtml(page, reader) : page;
}

async function atVersion(now: WikiSnapshot, version: string): Promise<WikiSnapshot | null> {
  if (!/^[0-9a-f]{7,40}$/i.test(version)) return null;
  const commit = await resolveRevision(now.git, now.repository, version);
  // A branch or tag may have a name that looks like an abbreviated id.
  return commit?.startsWith(version.toLowerCase()) ? { ...now, commit } : null;
}
