import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { forGroupAndProject, type ParentKind } from '#http/access/parents.ts';
import {
  inGroup,
  inGroupAllowingAnonymous,
  inProject,
  inProjectAllowingAnonymous,
} from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { type ErrorEntry, INVALID, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import { atLeastOne, describe, object, optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, limitedText, pathText, refName, string } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import type { Services } from '#http/services.ts';
import { renderMarkdown } from '#markdown/render-thread.ts';
import type { WikiAbility } from '#repositories/ref-updates/move-refs.ts';
import { toSlugKey } from '#repositories/wikis/page-names.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ListedPages, serializeListedPage, serializePage, WikiAttachment, WikiPage } from './entities.ts';
import {
  EXTENSIONS_BY_FORMAT,
  type Format,
  type FoundPage,
  findPage,
  listPagesInBatches,
  loadWikiHead,
  type WikiSnapshot,
} from './load-page.ts';
import {
  findOrAssignPageIds,
  type PageReader,
  parseFrontMatter,
  type RenderedPage,
  readText,
  renderPage,
  runInReadQueue,
  splitFrontMatter,
} from './page-content.ts';
import { attachmentFields, uploadAttachment } from './upload-attachment.ts';
import { createPage, deletePage, updatePage } from './write.ts';

type ListingServices = Pick<Services, 'database' | 'git'>;

/** Number of pages whose ids are loaded by one query. The texts are read one by one. */
const BATCH_SIZE = 500;

/** Streams all pages, because they may be too many and too long to hold in memory. */
async function listPages(
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

/** Yields the JSON array of all pages in parts. */
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

interface GetPageInput {
  readonly slug: string;
  /** Commit id, or at least its first 7 characters. */
  readonly version?: string | null | undefined;
  readonly render_html: boolean;
}

/** Returns the page at the head of the default branch, or at `version`. */
async function getPage(
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

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the page with its text as HTML without active content (contract/operations.md §2.2 "render_html"). */
async function renderHtml(page: RenderedPage, reader: PageReader): Promise<RenderedPage> {
  const { body } = splitFrontMatter(page.content);
  const isMarkdown = page.page.format === 'markdown';
  const content = isMarkdown
    ? await runInReadQueue(reader, body, (waiter) => renderMarkdown(body, waiter))
    : `<pre>${body.replace(/[&<>"]/g, (character) => ESCAPES[character]!)}</pre>`;
  return { ...page, content };
}

// contract/operations.md §2.2, for projects and groups.

const PAGE_NOT_FOUND = [404, '404 Wiki Page Not Found'] as const satisfies ErrorEntry;
const format = oneOf(...(Object.keys(EXTENSIONS_BY_FORMAT) as Format[]));
/** Content of a page, slightly below the body limit. The setting `wiki_page_max_content_bytes` is checked on writing. */
const content = limitedText(9 * MEBIBYTE);
const front_matter = describe(
  optional(object({ title: optional(string) })),
  'Replaces the YAML between `---` lines at the beginning of the text.',
);
const slug = describe(required(pathText), 'The path of the page without its extension, as one encoded segment.');

export const [listGroupWikiPages, listProjectWikiPages] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/wikis`,
    summary: 'List all pages of a wiki',
    description:
      'Returns every page of the default branch, ordered by path, in a single streamed list without pagination. A wiki without a repository has an empty list. Wikis of groups need a paid tier.',
    access: readWikiAccess(parent),
    params: { with_content: describe(optional(boolean, false), 'Whether the list contains the texts of the pages.') },
    response: streamWith({ mediaTypes: ['application/json'], schema: ListedPages }),
    handle: ({ parent, params: { with_content }, request }, services) =>
      listPages(services, parent, with_content, request),
  }),
);

export const [getGroupWikiPage, getProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/wikis/:slug`,
    summary: 'Get a page of a wiki',
    description:
      'Returns the page at the head of the default branch, or at the commit `version`. The slug is compared without regard to case, and blanks equal hyphens. HTML is rendered without active content.',
    access: readWikiAccess(parent),
    params: {
      slug,
      version: describe(
        optional(refName),
        'A commit id, or at least its first 7 characters; by default, the head of the default branch.',
      ),
      render_html: describe(optional(boolean, false), 'Whether `content` is HTML instead of the text of the file.'),
    },
    errors: { notFound: PAGE_NOT_FOUND },
    response: ok(WikiPage),
    handle: ({ parent, params, request }, services) => getPage(services, parent, params, request),
  }),
);

export const [createGroupWikiPage, createProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/wikis`,
    summary: 'Create a wiki page',
    description:
      'Commits a new file on behalf of the caller; the first page also creates the repository. Slashes in the title create folders. A page with this title in any format gives 400.',
    access: writeWikiAccess(parent, 'create_wiki'),
    params: {
      title: describe(required(string), 'Slashes make folders, and blanks become hyphens in the slug.'),
      content: required(content),
      format: describe(optional(format), 'By default `markdown`.'),
      front_matter,
      message: describe(optional(commitMessage), 'The commit message; by default, it names the caller and the page.'),
    },
    errors: { readOnly: REPOSITORY_READ_ONLY, invalid: INVALID },
    activity: parent.select({ group: [], project: ['created WikiPage::Meta'] }),
    response: created(WikiPage),
    handle: ({ parent, caller, params }, services) =>
      createPage(services, { parent, caller, ability: 'create_wiki' }, params),
  }),
);

export const [updateGroupWikiPage, updateProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/wikis/:slug`,
    summary: 'Update or rename a wiki page',
    description:
      'Commits the change on behalf of the caller. A new title renames the page and moves the pages below it; a title without a slash stays in its folder. If `last_commit_sha` is not the last commit of the page, the response is 400.',
    access: writeWikiAccess(parent, 'create_wiki'),
    params: {
      slug,
      title: describe(
        optional(string),
        'A title without a slash stays in the folder of the page; one that begins with a slash moves the page to the root.',
      ),
      content: optional(content),
      format: optional(format),
      front_matter,
      message: describe(optional(commitMessage), 'The commit message; by default, it names the caller and the page.'),
      last_commit_sha: describe(
        optional(refName),
        'The last commit of the page that the caller has seen; a newer one gives 400.',
      ),
    },
    rules: [atLeastOne('content', 'title', 'format')],
    errors: { notFound: PAGE_NOT_FOUND, readOnly: REPOSITORY_READ_ONLY, invalid: INVALID },
    activity: parent.select({ group: [], project: ['updated WikiPage::Meta'] }),
    response: ok(WikiPage),
    handle: ({ parent, caller, params }, services) =>
      updatePage(services, { parent, caller, ability: 'create_wiki' }, params.slug, params),
  }),
);

export const [deleteGroupWikiPage, deleteProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/wikis/:slug`,
    summary: 'Delete a page of a wiki',
    description: 'Commits the deletion on behalf of the caller. The page remains in the history of the repository.',
    access: writeWikiAccess(parent, 'delete_wiki'),
    params: { slug },
    errors: {
      notFound: PAGE_NOT_FOUND,
      readOnly: REPOSITORY_READ_ONLY,
      invalid: INVALID,
      failed: [422, '422 Unprocessable Entity'],
    },
    activity: parent.select({ group: [], project: ['destroyed WikiPage::Meta'] }),
    response: noContent,
    handle: ({ parent, caller, params }, services) =>
      deletePage(services, { parent, caller, ability: 'delete_wiki' }, params.slug),
  }),
);

export const [attachToGroupWiki, attachToProjectWiki] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/wikis/attachments`,
    summary: 'Upload a wiki attachment',
    description:
      'Commits the file below `uploads/`, and returns its path and a Markdown link to it. Unusual characters in the file name become underscores. Files of more than 10 MiB are rejected.',
    access: writeWikiAccess(parent, 'create_wiki'),
    body: 'deferred',
    fields: attachmentFields,
    errors: {
      fileMissing: [400, { error: 'file is missing' }],
      fileInvalid: [400, { error: 'file is invalid' }],
      readOnly: REPOSITORY_READ_ONLY,
      invalid: INVALID,
    },
    response: created(WikiAttachment),
    handle: ({ parent, caller, request, rawParams }, services) =>
      uploadAttachment(services, { parent, caller, ability: 'create_wiki' }, { request, rawParams }),
  }),
);

// Access to wikis (contract/operations.md §2.2 "Rights").

/** Throws 404 on the free tier, because group wikis need a paid tier. */
async function requirePaidTier({ services }: AccessCall): Promise<void> {
  if (services.config.tier === 'free') throw notFound();
}

/** Creates the access to read the wiki of a project or group, also without signing in if it is public. */
function readWikiAccess({ type }: ParentKind): Access<{ parent: GroupOrProject; caller: Caller }> {
  if (type === 'project')
    return inProjectAllowingAnonymous('read_wiki').map(({ project, caller }) => ({ parent: { project }, caller }));
  return inGroupAllowingAnonymous('read_wiki')
    .require(requirePaidTier)
    .map(({ group, caller }) => ({ parent: { group }, caller }));
}

/** Creates the access to change the wiki of a project or group. */
function writeWikiAccess(
  { type }: ParentKind,
  ability: WikiAbility,
): Access<{ parent: GroupOrProject; caller: SignedInCaller }> {
  if (type === 'project') return inProject(ability).map(({ project, caller }) => ({ parent: { project }, caller }));
  return inGroup(ability)
    .require(requirePaidTier)
    .map(({ group, caller }) => ({ parent: { group }, caller }));
}
