import type { Reader } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import { mapPage, type Page } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
import { readSettings } from '../../../settings/settings.ts';
import { pageOfProjects, projectEntities } from '../projects/index.ts';
import { type Group, type GroupContext, type GroupDetail, groupDetail, groups } from './entities.ts';
import { statisticsOf } from './statistics.ts';
import { type GroupRow, readGroupRow } from './store.ts';

/** Groups as a handler answers them. */

/** What a handler hands over to have groups shown. */
export interface Presenting {
  readonly db: Reader;
  readonly git: Git;
  readonly caller: Caller;
  readonly base: Base;
}

export async function presentGroups(
  to: Presenting,
  found: Page<GroupRow>,
  withStatistics: boolean,
): Promise<Page<Group>> {
  const context = await contextOf(to, found.items, withStatistics);
  return mapPage(found, (rows) => groups(rows, context));
}

/** How many projects a group shows with itself; its list of projects has them all. */
const projectsShown = 100;

/** The group as it is now. `withProjects: false` leaves its projects out. */
export async function presentGroup(
  to: Presenting,
  groupId: number,
  {
    withProjects = true,
    withStatistics = false,
  }: { readonly withProjects?: boolean; readonly withStatistics?: boolean } = {},
): Promise<GroupDetail> {
  const row = await readGroupRow(to.db, groupId);
  const context = await contextOf(to, [row], withStatistics);
  return groupDetail(row, context, withProjects ? await projectsOf(to, groupId) : undefined);
}

async function projectsOf(to: Presenting, groupId: number) {
  const filter = { namespace: { id: groupId, below: false } };
  const page = { kind: 'offset', page: 1, perPage: projectsShown } as const;
  const found = await pageOfProjects(to, { filter, order: 'id', direction: 'desc', page });
  return projectEntities(to, found.items);
}

async function contextOf(
  { db, base, caller }: Presenting,
  rows: readonly GroupRow[],
  withStatistics: boolean,
): Promise<GroupContext> {
  const { default_branch_protection: defaultBranchProtection } = await readSettings(db);
  const administrator = isAdministrator(caller);
  const context = { base, defaultBranchProtection, administrator };
  if (!administrator || !withStatistics) return context;
  const ids = rows.map(({ id }) => id);
  return { ...context, statistics: await statisticsOf(db, ids) };
}
