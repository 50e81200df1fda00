import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { type Caller, isAdministrator, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { findGroup, getGroupRole } from '#domain/namespaces/groups.ts';
import { allowsGroupRunners } from '#domain/runners/runner-scope.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { hashToken } from '#security/tokens.ts';
import { groupIdsWithRole, projectWithRole } from './visibility.ts';

// Runners, and the permissions on them (contract/runners.md §1).

/** A runner without its token digest. */
export type Runner = Omit<Selectable<Schema['runners']>, 'token_digest'>;

const RECENT_CONTACT_MS = 10_000;

/**
 * Returns the time after which a contact counts as recent and is not written again. Runners call every second, for many
 * jobs at the same time, while runner statuses only need a resolution of hours.
 */
export function getRecentContactThreshold(now: string): string {
  return addMilliseconds(now, -RECENT_CONTACT_MS);
}

/** Returns whether the contact is so recent that it is not written again; null: never contacted. */
export function wasContactedRecently(contactedAt: string | null, now: string): boolean {
  return contactedAt !== null && Date.parse(now) - Date.parse(contactedAt) < RECENT_CONTACT_MS;
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
const loadRunnerRows = prepareForIds<Runner>((db, ids) =>
  db.selectFrom('runners').select(runnerColumns).where('runners.id', 'in', ids),
);

// index: runners_by_token
const findRunnerRow = prepare((db, value: Params<{ digest: string }>) =>
  db.selectFrom('runners').select(runnerColumns).where('runners.token_digest', '=', value('digest')),
);

/** Returns the runner with this id, or null. */
export async function findRunner(db: Reader, id: number): Promise<Runner | null> {
  return (await findRunners(db, [id]))[0] ?? null;
}

/** Returns the existing runners in the order of `ids`, with one query. */
export async function findRunners(db: Reader, ids: readonly number[]): Promise<Runner[]> {
  return sortByIds(ids, await loadRunnerRows(db, ids));
}

/** Returns the runner with this token; null if there is none or the token has expired. */
export async function findRunnerByToken(db: Reader, token: string, now: string): Promise<Runner | null> {
  const runner = await findRunnerRow.first(db, { digest: hashToken(token) });
  if (runner === undefined) return null;
  return runner.token_expires_at !== null && runner.token_expires_at <= now ? null : runner;
}

/**
 * Returns whether the caller may read a runner (contract/runners.md §1.2). Lists of projects and groups have their own
 * rules.
 */
export async function mayReadRunner(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller) || runner.runner_type === 'instance_type') return true;
  if (runner.group_id === null) return maintainsRunnerProject(db, caller, runner);
  return (await maintainsRunnerGroup(db, caller, runner)) || maintainsProjectBelow(db, caller, runner.group_id);
}

/** Returns whether the caller may update a runner (contract/runners.md §1.3) and assign it to projects. */
export async function mayUpdateRunner(db: Reader, caller: Caller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  if (!isSignedIn(caller)) return false;
  if (runner.group_id !== null) return (await loadGroupRole(db, caller, runner.group_id)) >= OWNER;
  return runner.runner_type === 'project_type' && maintainsRunnerProject(db, caller, runner);
}

/** Returns whether the caller may delete a runner whose only project is its owner (contract/runners.md §1.4). */
export async function mayDeleteRunner(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (isAdministrator(caller) || runner.runner_type !== 'project_type') return mayUpdateRunner(db, caller, runner);
  const ownerProjectId = await findOwnerProjectId(db, runner.id);
  return (
    ownerProjectId !== null &&
    hasRow(
      db
        .selectFrom('projects')
        .select('projects.id')
        .where('projects.id', '=', ownerProjectId)
        .where(projectWithRole(caller.user.id, MAINTAINER, db.today)),
    )
  );
}

/**
 * Returns whether the caller may list the jobs of a runner (contract/runners.md §1.5); for instance runners only
 * administrators.
 */
export async function mayListRunnerJobs(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  return (await mayUpdateRunner(db, caller, runner)) || maintainsRunnerGroup(db, caller, runner);
}

/**
 * Returns the project that a project runner was first assigned to; null for other runners.
 * index: runner_projects_by_runner
 */
export async function findOwnerProjectId(db: Reader, runnerId: number): Promise<number | null> {
  const firstAssignment = await db
    .selectFrom('runner_projects')
    .select('project_id')
    .where('runner_id', '=', runnerId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return firstAssignment?.project_id ?? null;
}

async function maintainsRunnerGroup(db: Reader, caller: SignedInCaller, { group_id }: Pick<Runner, 'group_id'>) {
  return group_id !== null && (await loadGroupRole(db, caller, group_id)) >= MAINTAINER;
}

async function loadGroupRole(db: Reader, caller: Caller, groupId: number): Promise<number> {
  const group = await findGroup(db, caller, String(groupId));
  return group === null ? 0 : getGroupRole(caller, group);
}

/** Returns whether the caller is a Maintainer of any project that the runner is in. index: runner_projects_by_runner */
function maintainsRunnerProject(db: Reader, { user }: SignedInCaller, { id }: Pick<Runner, 'id'>): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('runner_projects')
      .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
      .select('projects.id')
      .where('runner_projects.runner_id', '=', id)
      .where(projectWithRole(user.id, MAINTAINER, db.today)),
  );
}

/**
 * Returns whether the caller is a Maintainer of any project below the group that allows group runners.
 * index: namespace_closure_by_ancestor, projects_by_namespace
 */
function maintainsProjectBelow(db: Reader, { user }: SignedInCaller, groupId: number): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('projects')
      .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
      .select('projects.id')
      .where('namespace_closure.ancestor_id', '=', groupId)
      .where(projectWithRole(user.id, MAINTAINER, db.today))
      .where(allowsGroupRunners()),
  );
}

/**
 * Condition of `GET /runners` (contract/runners.md §1.1): runners of projects that the user maintains, and of groups
 * that they own. Administrator rights do not count.
 * index: runner_projects_by_project, runners_by_group
 */
export function runnerManagedBy(userId: number, today: string) {
  return (eb: ExpressionBuilder<Schema, 'runners'>): Expression<SqlBool> => {
    const projectRunnerIds = eb
      .selectFrom('runner_projects')
      .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
      .select('runner_projects.runner_id as id')
      .where(projectWithRole(userId, MAINTAINER, today));
    const groupRunnerIds = eb
      .selectFrom('runners as group_runner')
      .select('group_runner.id as id')
      .where('group_runner.group_id', 'in', groupIdsWithRole(userId, OWNER, today));
    return eb('runners.id', 'in', projectRunnerIds.union(groupRunnerIds));
  };
}
