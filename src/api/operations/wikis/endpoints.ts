import { forGroupAndProject } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, streamWith } from '#http/endpoint/responses.ts';
import { INVALID, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import type { ErrorEntry } from '#http/errors/error-table.ts';
import { atLeastOne, object, optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, limitedText, pathText, refName, string } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import { readWikiAccess, writeWikiAccess } from './access.ts';
import { ListedPages, WikiAttachment, WikiPage } from './entities.ts';
import { getPage } from './get.ts';
import { listPages } from './list.ts';
import { EXTENSIONS_BY_FORMAT, type Format } from './page-titles.ts';
import { attachmentFields, uploadAttachment } from './upload-attachment.ts';
import { createPage, deletePage, updatePage } from './write.ts';

// contract/operations.md §2.2, for projects and groups.

const PAGE_NOT_FOUND = [404, '404 Wiki Page Not Found'] as const satisfies ErrorEntry;
const format = oneOf(...(Object.keys(EXTENSIONS_BY_FORMAT) as Format[]));
/** Content of a page, slightly below the body limit. The setting `wiki_page_max_content_bytes` is checked on writing. */
const content = limitedText(9 * MEBIBYTE);
const front_matter = optional(object({ title: optional(string) }));
const slug = required(pathText);

export const [listGroupWikiPages, listProjectWikiPages] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/wikis`,
    summary: 'List all pages of a wiki',
    access: readWikiAccess(parent),
    params: { with_content: optional(boolean, false) },
    response: streamWith({ mediaTypes: ['application/json'], schema: ListedPages }),
    handle: ({ parent, params: { with_content }, request }, services) =>
      listPages(services, parent, with_content, request),
  }),
);

export const [getGroupWikiPage, getProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/wikis/:slug`,
    summary: 'Get a page of a wiki',
    access: readWikiAccess(parent),
    params: { slug, version: optional(refName), render_html: optional(boolean, false) },
    errors: { notFound: PAGE_NOT_FOUND },
    response: ok(WikiPage),
    handle: ({ parent, params, request }, services) => getPage(services, parent, params, request),
  }),
);

export const [createGroupWikiPage, createProjectWikiPage] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/wikis`,
    summary: 'Create a wiki page',
    access: writeWikiAccess(parent, 'create_wiki'),
    params: {
      title: required(string),
      content: required(content),
      format: optional(format),
      front_matter,
      message: optional(commitMessage),
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
    access: writeWikiAccess(parent, 'create_wiki'),
    params: {
      slug,
      title: optional(string),
      content: optional(content),
      format: optional(format),
      front_matter,
      message: optional(commitMessage),
      last_commit_sha: optional(refName),
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
