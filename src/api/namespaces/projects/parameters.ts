import { customAttributeParams } from '#api/identity/custom-attributes/index.ts';
import { VISIBILITIES } from '#authorization/visibility.ts';
import { ROLES } from '#domain/members/roles.ts';
import type { PageRequest } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { searchExpression, shortText, string } from '#http/parameters/texts.ts';
import {
  boolean,
  commaSeparated,
  date,
  dateTime,
  integer,
  integerIn,
  oneOf,
  unsupportedPicture,
} from '#http/parameters/types.ts';
import { type AttributeName, type ProjectAttributeInput, projectAttributeNames } from './attributes/attributes.ts';
import type { CreateProjectInput } from './create.ts';
import { PROJECT_ORDERS, type ProjectFilter, type ProjectOrder, SIZE_ORDERS, type SortDirection } from './store.ts';

/** Parameters of all lists of projects. */
export const projectFilterParams = {
  archived: describe(
    optional(boolean),
    'Only projects that are archived, directly or through a group, or only the others.',
  ),
  active: describe(
    optional(boolean),
    'Only projects that are neither archived nor marked for deletion, or only the others.',
  ),
  visibility: optional(oneOf(...VISIBILITIES)),
  search: describe(optional(searchExpression), 'Words that must each occur in the name or path.'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
  simple: describe(optional(boolean, false), 'Returns fewer fields of each project.'),
  owned: describe(optional(boolean, false), 'Only projects that the caller owns.'),
  starred: describe(optional(boolean, false), 'Only projects that the caller starred.'),
  topic: describe(optional(commaSeparated(shortText)), 'Only projects with all of these topics; the case must match.'),
  with_issues_enabled: describe(optional(boolean, false), 'Only projects whose issues the caller can use.'),
  with_merge_requests_enabled: describe(
    optional(boolean, false),
    'Only projects whose merge requests the caller can use.',
  ),
  min_access_level: describe(optional(integerIn(ROLES)), 'Only projects where the caller has at least this role.'),
  ...customAttributeParams,
} as const;

/** Parameters of all lists of projects except those of groups. */
export const projectListParams = {
  ...projectFilterParams,
  order_by: describe(
    optional(oneOf(...PROJECT_ORDERS, ...SIZE_ORDERS), 'created_at'),
    'Sizes are for administrators only; for other callers they mean `created_at`.',
  ),
  search_namespaces: describe(optional(boolean, false), 'Searches the full path instead of its last segment.'),
  membership: describe(optional(boolean, false), 'Only projects that the caller is a direct or inherited member of.'),
  id_after: describe(optional(integer), 'Only projects with a greater id.'),
  id_before: describe(optional(integer), 'Only projects with a smaller id.'),
  last_activity_after: optional(dateTime),
  last_activity_before: optional(dateTime),
  updated_after: describe(optional(dateTime), 'Requires `order_by=updated_at`.'),
  updated_before: describe(optional(dateTime), 'Requires `order_by=updated_at`.'),
  statistics: describe(
    optional(boolean, false),
    'Adds `statistics` of projects where the caller is at least Reporter.',
  ),
  imported: describe(optional(boolean, false), 'Only projects that were imported from another server.'),
  marked_for_deletion_on: describe(optional(date), 'Only projects that were marked for deletion on this day.'),
  topic_id: describe(optional(integer), 'Only projects with the topic that has this id.'),
  repository_storage: describe(
    optional(string),
    'Only projects on this storage; ignored unless an administrator calls.',
  ),
  repository_checksum_failed: describe(
    optional(boolean, false),
    'Only projects whose repository could not be read for replication; ignored unless an administrator calls.',
  ),
  wiki_checksum_failed: describe(
    optional(boolean, false),
    'Only projects whose wiki could not be read for replication; ignored unless an administrator calls.',
  ),
  with_programming_language: describe(
    optional(shortText),
    'Languages are not detected, so any value returns an empty list.',
  ),
  include_hidden: describe(optional(boolean, false), 'Has no effect, because projects are never hidden.'),
  include_pending_delete: describe(
    optional(boolean, false),
    'Has no effect, because projects stay listed until their deletion is complete.',
  ),
} as const;

/** Converts the parameters of all lists of projects to a filter. */
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

/** The values of `projectListParams`. */
export type ProjectListParams = ParameterValues<typeof projectListParams>;

/** The filter, order and page of a list of projects. */
export interface ProjectListOptions {
  readonly filter: ProjectFilter;
  readonly order: ProjectOrder;
  readonly direction: SortDirection;
  readonly page: PageRequest;
}

/** Converts the parameters to list options. `pathFilter`: conditions from the URL path. */
export function toProjectListOptions(
  params: ProjectListParams,
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

function toProjectFilter(params: ProjectListParams): ProjectFilter {
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
export const importParams = {
  import_url: describe(optional(string), 'Rejected, because importing from a URL is not supported.'),
} as const;

/** Parameters of the endpoints that create projects, in addition to the attributes. */
export const creationParams = {
  initialize_with_readme: describe(
    optional(boolean, false),
    'Creates the default branch with a first commit that contains a `README.md`.',
  ),
  avatar: optional(unsupportedPicture),
  ...importParams,
  template_name: describe(optional(shortText), 'Rejected, because no templates exist.'),
  template_project_id: describe(optional(integer), 'Rejected, because no templates exist.'),
  use_custom_template: describe(optional(boolean, false), 'Has no effect.'),
  group_with_project_templates_id: describe(optional(integer), 'Has no effect.'),
} as const;

/** Converts the parameters of creation to the input of the domain. */
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
