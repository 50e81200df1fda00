import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { type Caller, isAdministrator, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { inOrderOf, type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { RunnersTables } from '#database/tables/runners.ts';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { findGroup, roleInGroup } from '#domain/namespaces/groups.ts';
import { takesGroupRunners } from '#domain/runners/runner-scope.ts';
import { momentAfter } from '#runtime/clock.ts';
import { digestToken } from '#security/tokens.ts';
import { groupIdsWithRole, projectWithRole } from './visibility-conditions.ts';

/** Runners, and who may do what with them (contract/runners.md §1). */

/** A runner's row as everybody reads it: what it is recognised by stays behind. */
export type Runner = Omit<Selectable<RunnersTables['runners']>, 'token_digest'>;

const JUST_NOW_MS = 10_000;

/**
 * A runner that was heard of after this moment is taken for just heard of: statuses are counted in hours, and it calls each
 * second, for many jobs at once.
 */
export function justHeardSince(now: string): string {
  return momentAfter(now, -JUST_NOW_MS);
}

/** The same of one such moment, null for never: runners ask so often that writing a moment down would be much of it. */
export function wasHeardJustNow(contactedAt: string | null, now: string): boolean {
  return contactedAt !== null && Date.parse(now) - Date.parse(contactedAt) < JUST_NOW_MS;
}

export const runnerColumns = [
  'runners.id',
  'runners.runner_type',
  'runners.group_id',
  'runners.description',
  'runners.name',
  'runners.token_expires_at',
  'runners.registration_type',
  'runners.creator_id',
  'runners.paused',
  'runners.locked',
  'runners.run_untagged',
  'runners.access_level',
  'runners.maximum_timeout',
  'runners.maintenance_note',
  'runners.ip_address',
  'runners.contacted_at',
  'runners.version',
  'runners.revision',
  'runners.platform',
  'runners.architecture',
  'runners.queue_version',
  'runners.created_at',
  'runners.updated_at',
] as const;

// index: runners primary key
const runnersByIds = prepareForIds<Runner>((db, ids) =>
  db.selectFrom('runners').select(runnerColumns).where('runners.id', 'in', ids),
);

// index: runners_by_token
const runnerByToken = prepare((db, value: Params<{ digest: string }>) =>
  db.selectFrom('runners').select(runnerColumns).where('runners.token_digest', '=', value('digest')),
);

/** The runner of this id; null where there is none. */
export async function findRunner(db: Reader, id: number): Promise<Runner | null> {
  return (await findRunners(db, [id]))[0] ?? null;
}

/** Several runners in the order of these ids, in one statement; missing ones are left out. */
export async function findRunners(db: Reader, ids: readonly number[]): Promise<Runner[]> {
  return inOrderOf(ids, await runnersByIds(db, ids));
}

/** The runner that this is the token of; null for one that nobody has, and for one that has expired. */
export async function runnerWithToken(db: Reader, token: string, now: string): Promise<Runner | null> {
  const runner = await runnerByToken.first(db, { digest: digestToken(token) });
  if (runner === undefined) return null;
  return runner.token_expires_at !== null && runner.token_expires_at <= now ? null : runner;
}

/** Who may read a runner (contract/runners.md §1.2), beside whom the lists of its project or group show it. */
export async function mayReadRunner(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller) || runner.runner_type === 'instance_type') return true;
  if (runner.group_id === null) return maintainsProjectOf(db, caller, runner);
  return (await maintainsGroupOf(db, caller, runner)) || maintainsBelow(db, caller, runner.group_id);
}

/** Who may change a runner (contract/runners.md §1.3), and give it to projects. */
export async function mayUpdateRunner(db: Reader, caller: Caller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  if (!isSignedIn(caller)) return false;
  if (runner.group_id !== null) return (await roleInGroupOf(db, caller, runner.group_id)) >= OWNER;
  return runner.runner_type === 'project_type' && maintainsProjectOf(db, caller, runner);
}

/** Who may delete a runner that is in no other project than its owner's (contract/runners.md §1.4). */
export async function mayDeleteRunner(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller) || runner.runner_type !== 'project_type') return mayUpdateRunner(db, caller, runner);
  const owner = await ownerProjectOf(db, runner.id);
  return (
    owner !== null &&
    hasRow(
      db
        .selectFrom('projects')
        .select('projects.id')
        .where('projects.id', '=', owner)
        .where(projectWithRole(caller.user.id, MAINTAINER, db.today)),
    )
  );
}

/** Who may list the jobs of a runner (contract/runners.md §1.5): of an instance runner administrators only. */
export async function mayListRunnerJobs(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  return (await mayUpdateRunner(db, caller, runner)) || maintainsGroupOf(db, caller, runner);
}

/** The project that a project runner was first given to; null for others. index: runner_projects_by_runner */
export async function ownerProjectOf(db: Reader, runnerId: number): Promise<number | null> {
  const first = await db
    .selectFrom('runner_projects')
    .select('project_id')
    .where('runner_id', '=', runnerId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.project_id ?? null;
}

async function maintainsGroupOf(db: Reader, caller: SignedInCaller, { group_id }: Pick<Runner, 'group_id'>) {
  return group_id !== null && (await roleInGroupOf(db, caller, group_id)) >= MAINTAINER;
}

async function roleInGroupOf(db: Reader, caller: Caller, groupId: number): Promise<number> {
  const group = await findGroup(db, caller, String(groupId));
  return group === null ? 0 : roleInGroup(caller, group);
}

/** Of any project that it is in. index: runner_projects_by_runner */
function maintainsProjectOf(db: Reader, { user }: SignedInCaller, { id }: Pick<Runner, 'id'>): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('runner_projects')
      .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
      .select('projects.id')
      .where('runner_projects.runner_id', '=', id)
      .where(projectWithRole(user.id, MAINTAINER, db.today)),
  );
}

/** Of any project below the group that takes runners of groups. index: namespace_closure_by_ancestor, projects_by_namespace */
function maintainsBelow(db: Reader, { user }: SignedInCaller, groupId: number): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('projects')
      .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
      .select('projects.id')
      .where('namespace_closure.ancestor_id', '=', groupId)
      .where(projectWithRole(user.id, MAINTAINER, db.today))
      .where(takesGroupRunners()),
  );
}

/**
 * Those that `GET /runners` lists (contract/runners.md §1.1): of projects that the user maintains, of groups that he owns.
 * That he is an administrator adds nothing. index: runner_projects_by_project, runners_by_group
 */
export function isRunnerOf(userId: number, today: string) {
  return (eb: ExpressionBuilder<Schema, 'runners'>): Expression<SqlBool> => {
    const ofProjects = eb
      .selectFrom('runner_projects')
      .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
      .select('runner_projects.runner_id as id')
      .where(projectWithRole(userId, MAINTAINER, today));
    const ofGroups = eb
      .selectFrom('runners as of_group')
      .select('of_group.id as id')
      .where('of_group.group_id', 'in', groupIdsWithRole(userId, OWNER, today));
    return eb('runners.id', 'in', ofProjects.union(ofGroups));
  };
}
