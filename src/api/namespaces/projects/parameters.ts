import { customAttributeParams } from '#api/identity/custom-attributes/index.ts';
import { VISIBILITIES } from '#authorization/visibility.ts';
import { ROLES } from '#domain/members/roles.ts';
import type { PageRequest } from '#http/lists/pagination.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { searchExpression, shortText, string } from '#http/parameters/texts.ts';
import {
  boolean,
  commaSeparated,
  date,
  dateTime,
  emptyPicture,
  integer,
  integerIn,
  oneOf,
} from '#http/parameters/types.ts';
import { type AttributeName, type ProjectAttributeInput, projectAttributeNames } from './attributes/attributes.ts';
import type { CreateProjectInput } from './create.ts';
import { PROJECT_ORDERS, type ProjectFilter, type ProjectOrder, SIZE_ORDERS, type SortDirection } from './store.ts';

/** Parameters of all lists of projects. */
export const projectFilterParams = {
  archived: optional(boolean),
  active: optional(boolean),
  visibility: optional(oneOf(...VISIBILITIES)),
  search: optional(searchExpression),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
  simple: optional(boolean, false),
  owned: optional(boolean, false),
  starred: optional(boolean, false),
  topic: optional(commaSeparated(shortText)),
  with_issues_enabled: optional(boolean, false),
  with_merge_requests_enabled: optional(boolean, false),
  min_access_level: optional(integerIn(ROLES)),
  ...customAttributeParams,
} as const;

/** Parameters of all lists of projects except those of groups. */
export const projectListParams = {
  ...projectFilterParams,
  order_by: optional(oneOf(...PROJECT_ORDERS, ...SIZE_ORDERS), 'created_at'),
  search_namespaces: optional(boolean, false),
  membership: optional(boolean, false),
  id_after: optional(integer),
  id_before: optional(integer),
  last_activity_after: optional(dateTime),
  last_activity_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
  statistics: optional(boolean, false),
  imported: optional(boolean, false),
  marked_for_deletion_on: optional(date),
  topic_id: optional(integer),
  repository_storage: optional(string),
  repository_checksum_failed: optional(boolean, false),
  wiki_checksum_failed: optional(boolean, false),
  with_programming_language: optional(shortText),
  // Projects are never hidden, and those whose destruction has started stay listed, so that these change nothing.
  include_hidden: optional(boolean, false),
  include_pending_delete: optional(boolean, false),
} as const;

export function toCommonFilter(params: ParameterValues<typeof projectFilterParams>): ProjectFilter {
  return {
    archived: params.archived,
    active: params.active,
    visibility: params.visibility,
    search: params.search,
    owned: params.owned,
    starred: params.starred,
    topics: params.topic,
    withIssues: params.with_issues_enabled,
    withMergeRequests: params.with_merge_requests_enabled,
    minAccessLevel: params.min_access_level,
    customAttributes: params.custom_attributes,
  };
}

type ListParams = ParameterValues<typeof projectListParams>;

export interface ProjectListOptions {
  readonly filter: ProjectFilter;
  readonly order: ProjectOrder;
  readonly direction: SortDirection;
  readonly page: PageRequest;
}

/** Converts the parameters to list options. `pathFilter`: conditions from the URL path. */
export function toProjectListOptions(
  params: ListParams,
  page: PageRequest,
  pathFilter: ProjectFilter = {},
): ProjectListOptions {
  return {
    filter: { ...toProjectFilter(params), ...pathFilter },
    order: params.order_by,
    direction: params.sort,
    page,
  };
}

function toProjectFilter(params: ListParams): ProjectFilter {
  return {
    ...toCommonFilter(params),
    searchNamespaces: params.search_namespaces,
    membership: params.membership,
    idAfter: params.id_after,
    idBefore: params.id_before,
    lastActivityAfter: params.last_activity_after,
    lastActivityBefore: params.last_activity_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    imported: params.imported,
    markedForDeletionOn: params.marked_for_deletion_on,
    topicId: params.topic_id,
    storage: params.repository_storage || null,
    repositoryChecksumFailed: params.repository_checksum_failed,
    wikiChecksumFailed: params.wiki_checksum_failed,
    programmingLanguage: params.with_programming_language,
  };
}

/** Import parameters. POST and PUT accept them only to reject them with an explanation. */
export const importParams = { import_url: optional(string) } as const;

/** Parameters of the endpoints that create projects, in addition to the attributes. */
export const creationParams = {
  initialize_with_readme: optional(boolean, false),
  avatar: optional(emptyPicture),
  ...importParams,
  // Templates do not exist, so that each one is unknown.
  template_name: optional(shortText),
  template_project_id: optional(integer),
  use_custom_template: optional(boolean, false),
  group_with_project_templates_id: optional(integer),
} as const;

export function toCreateProjectInput(params: ParameterValues<typeof creationParams>): CreateProjectInput {
  const { initialize_with_readme: readme, import_url: importUrl, template_name, template_project_id } = params;
  const template = { name: template_name, projectId: template_project_id };
  return { values: pickAttributes(params), readme, importUrl, template };
}

/** Returns the attributes among the parameters. */
export function pickAttributes(params: Readonly<Record<string, unknown>>): ProjectAttributeInput {
  const attributes: [AttributeName, unknown][] = projectAttributeNames.map((name) => [name, params[name]]);
  return Object.fromEntries(attributes) as ProjectAttributeInput;
}
