import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ListPage, PageRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type projectListParams, toProjectListOptions } from '../parameters.ts';
import { isSizeOrder, type ProjectFilter } from '../store.ts';
import { loadProjectPage } from './list.ts';

type ListParams = ParameterValues<typeof projectListParams>;

/** The error of lists with `projectListParams`. */
export const UPDATED_AT_ERRORS = {
  unpaired: [400, '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired'],
} as const;

/** Returns one page of the projects that match the parameters. `pathFilter`: conditions from the URL path. */
export async function listProjectsByParams(
  db: Reader,
  caller: Caller,
  params: ListParams,
  page: PageRequest,
  pathFilter: ProjectFilter = {},
): Promise<ListPage<Project> | Failure<'unpaired'>> {
  if (isUnpaired(params)) return fail('unpaired');
  const options = toProjectListOptions(params, page, pathFilter);
  const order = isSizeOrder(options.order) && !isAdministrator(caller) ? 'created_at' : options.order;
  return loadProjectPage(db, caller, { ...options, order });
}

/** Returns whether `updated_after` or `updated_before` is used without the order `updated_at`, which it requires. */
function isUnpaired({ order_by, updated_after, updated_before }: ListParams): boolean {
  return order_by !== 'updated_at' && (updated_after ?? updated_before) != null;
}
