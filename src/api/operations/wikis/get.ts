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
  /** Commit id, or at least its first 7 characters. */
  readonly version?: string | null | undefined;
  readonly render_html: boolean;
}

/** Returns the page at the head of the default branch, or at `version`. */
export async function getPage(
  services: Pick<Services, 'database' | 'git'>,
  parent: GroupOrProject,
  { slug, version, render_html }: GetPageInput,
  reader: PageReader,
): Promise<RenderedPage | Failure<'notFound'>> {
  const currentWiki = await loadWikiHead(services.git, await findWiki(services.database.reader, parent));
  const requestedWiki = currentWiki && version ? await loadWikiAtVersion(currentWiki, version) : currentWiki;
  const foundPage = requestedWiki && (await findPage(requestedWiki, slug));
  if (!requestedWiki || !foundPage) return fail('notFound');
  const content = await readText(requestedWiki.git, requestedWiki.repository, foundPage.blobId);
  const page = await renderPage(services, requestedWiki.wiki, foundPage.page, content, reader);
  return render_html ? renderHtml(page, reader) : page;
}

/** Returns the wiki at the commit with this id; null if there is no such commit. */
async function loadWikiAtVersion(currentWiki: WikiSnapshot, version: string): Promise<WikiSnapshot | null> {
  if (!/^[0-9a-f]{7,40}$/i.test(version)) return null;
  const commit = await resolveRevision(currentWiki.git, currentWiki.repository, version);
  // A branch or tag may have a name that looks like an abbreviated id.
  return commit?.startsWith(version.toLowerCase()) ? { ...currentWiki, commit } : null;
}
