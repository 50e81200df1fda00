import { type ListCondition, mergeRequestScopeType, toScopeFilter } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListRow } from '../entities.ts';
import { listMergeRequests } from './list.ts';
import { mergeRequestListParams } from './parameters.ts';

/** The list of a project's merge requests, which other modules use with additional conditions (contract/planning.md §3.8). */

export const projectMergeRequestParams = { scope: optional(mergeRequestScopeType, 'all'), ...mergeRequestListParams };

interface ProjectListRequest {
  readonly project: Project;
  readonly caller: Caller;
  readonly params: ParameterValues<typeof projectMergeRequestParams>;
  readonly page: OffsetRequest;
}

/** Returns a page of the project's merge requests that match the parameters and `extraCondition`. */
export function listMergeRequestsOfProject(
  db: Reader,
  { project, caller, params, page }: ProjectListRequest,
  extraCondition?: ListCondition,
): Promise<ListPage<MergeRequestListRow>> {
  const filter = { ...params, ...toScopeFilter(caller, params), ...(extraCondition ? { extraCondition } : {}) };
  return listMergeRequests(db, caller, { project }, filter, { order: params.order_by, direction: params.sort }, page);
}
