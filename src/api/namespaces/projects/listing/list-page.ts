import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Page } from '#http/lists/page.ts';
import type { PageRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { projectListing, type projectListParams } from '../parameters.ts';
import type { ProjectFilter } from '../store.ts';
import { pageOfProjects } from './list.ts';

type ListParams = ParameterValues<typeof projectListParams>;

/** What lists with `projectListParams` refuse. */
export const UNPAIRED = {
  unpaired: [400, '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired'],
} as const;

/** The page that such a list is asked for; `only`: what its path says besides. */
export async function listedProjects(
  db: Reader,
  caller: Caller,
  params: ListParams,
  page: PageRequest,
  only: ProjectFilter = {},
): Promise<Page<Project> | Failure<'unpaired'>> {
  if (isUnpaired(params)) return fail('unpaired');
  return pageOfProjects(db, caller, projectListing(params, page, only));
}

/** `updated_*` goes with the order `updated_at` and with no other. */
function isUnpaired({ order_by, updated_after, updated_before }: ListParams): boolean {
  return order_by !== 'updated_at' && (updated_after ?? updated_before) != null;
}
