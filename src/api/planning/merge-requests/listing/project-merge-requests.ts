import { type Condition, scoped, scopeType } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListed } from '../entities.ts';
import { listMergeRequests } from './list.ts';
import { listParams } from './parameters.ts';

/** The list of a project's merge requests, which other families show parts of (contract/planning.md §3.8). */

export const ofProjectParams = { scope: optional(scopeType, 'all'), ...listParams };

interface Asked {
  readonly project: Project;
  readonly caller: Caller;
  readonly params: ParameterValues<typeof ofProjectParams>;
  readonly page: OffsetRequest;
}

/** One page of it; `among`: of those alone that are also this. */
export function mergeRequestsOfProject(
  db: Reader,
  { project, caller, params, page }: Asked,
  among?: Condition,
): Promise<Page<MergeRequestListed>> {
  const filter = { ...params, ...scoped(caller, params), ...(among ? { among } : {}) };
  return listMergeRequests(db, caller, { project }, filter, { order: params.order_by, direction: params.sort }, page);
}
