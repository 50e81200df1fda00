import { VISIBILITIES } from '#authorization/visibility-levels.ts';
import { ROLES } from '#domain/members/roles.ts';
import type { PageRequest } from '#http/lists/pagination.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { expression, string, title } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, dateTime, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { type AttributeName, type AttributeValues, attributeNames } from './attributes/attributes.ts';
import type { ProjectWish } from './creation/create.ts';
import type { ProjectListing } from './listing/list.ts';
import { PROJECT_ORDERS, type ProjectFilter } from './store.ts';

/** What every list of projects takes. */
export const filterParams = {
  archived: optional(boolean),
  active: optional(boolean),
  visibility: optional(oneOf(...VISIBILITIES)),
  search: optional(expression),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
  simple: optional(boolean, false),
  owned: optional(boolean, false),
  with_issues_enabled: optional(boolean, false),
  with_merge_requests_enabled: optional(boolean, false),
  min_access_level: optional(integerIn(ROLES)),
} as const;

/** What the lists that are not a group's take besides. */
export const projectListParams = {
  ...filterParams,
  order_by: optional(oneOf(...PROJECT_ORDERS), 'created_at'),
  search_namespaces: optional(boolean, false),
  membership: optional(boolean, false),
  starred: optional(boolean, false),
  topic: optional(commaArray(title)),
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
} as const;

export function commonFilter(params: ParameterValues<typeof filterParams>): ProjectFilter {
  return {
    archived: params.archived,
    active: params.active,
    visibility: params.visibility,
    search: params.search,
    owned: params.owned,
    withIssues: params.with_issues_enabled,
    withMergeRequests: params.with_merge_requests_enabled,
    minAccessLevel: params.min_access_level,
  };
}

type ListParams = ParameterValues<typeof projectListParams>;

/** What is asked for of such a list; `only`: what the endpoint's path says besides. */
export function projectListing(params: ListParams, page: PageRequest, only: ProjectFilter = {}): ProjectListing {
  return { filter: { ...projectFilter(params), ...only }, order: params.order_by, direction: params.sort, page };
}

function projectFilter(params: ListParams): ProjectFilter {
  return {
    ...commonFilter(params),
    searchNamespaces: params.search_namespaces,
    membership: params.membership,
    starred: params.starred,
    topics: params.topic,
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
  };
}

/** Known to POST and PUT beside the attributes, and refused. */
export const importParams = { import_url: optional(string) } as const;

/** What the endpoints that make projects take besides the attributes. */
export const creationParams = { initialize_with_readme: optional(boolean, false), ...importParams } as const;

export function projectWish(params: ParameterValues<typeof creationParams>): ProjectWish {
  const { initialize_with_readme: readme, import_url: importUrl } = params;
  return { values: attributeValues(params), readme, importUrl };
}

/** The attributes among the parameters of a call. */
export function attributeValues(params: Readonly<Record<string, unknown>>): AttributeValues {
  const named: [AttributeName, unknown][] = attributeNames.map((name) => [name, params[name]]);
  return Object.fromEntries(named) as AttributeValues;
}
