import { type CallerJob, type CallerUser, isAdministrator } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import { isLive } from '#domain/members/membership-expiry.ts';
import { INSTANCE_ADMIN, OWNER } from '#domain/members/roles.ts';
import {
  type ApprovalRule,
  type Principal,
  type ProjectOfEnvironments,
  type Protection,
  protectionsOf,
} from './protected-environments.ts';

/**
 * Who may deploy to protected environments, and approve of deployments (contract/environments.md "Protection"). The same
 * answer for deployments of the API, stopping, deletion, and jobs; the role in the project is asked for besides.
 */

/** Who is asked about: a caller, or the user of a job that would deploy. */
export interface Deployer {
  readonly user: Pick<CallerUser, 'id' | 'admin'> | null;
  /** The job whose token is his credential. */
  readonly job?: Pick<CallerJob, 'projectId'>;
}

/** Does he pass every one of these protections of an environment of the project? Where there is none everybody does. */
export async function mayDeployTo(
  db: Reader,
  deployer: Deployer,
  project: ProjectOfEnvironments,
  protections: readonly Protection[],
): Promise<boolean> {
  return (await mayDeployToEach(db, deployer, project, [protections]))[0]!;
}

/** The same of an environment whose protections nobody has read yet. */
export async function mayDeployToEnvironment(
  db: Reader,
  tier: Tier,
  deployer: Deployer,
  project: ProjectOfEnvironments,
  environment: Parameters<typeof protectionsOf>[3],
): Promise<boolean> {
  return mayDeployTo(db, deployer, project, await protectionsOf(db, tier, project, environment));
}

/** The same of many environments of one project, by as many statements as for one. */
export async function mayDeployToEach(
  db: Reader,
  deployer: Deployer,
  project: ProjectOfEnvironments,
  environments: readonly (readonly Protection[])[],
): Promise<boolean[]> {
  // Of protections too that have no level left.
  if (isAdministrator(deployer)) return environments.map(() => true);
  const admits = await admission(db, deployer, project, environments.flat(), ({ deploy_access_levels }) => [
    ...deploy_access_levels,
  ]);
  return environments.map((protections) =>
    protections.every((protection) => protection.deploy_access_levels.some((level) => admits(level, protection))),
  );
}

/** The approval rules of an environment that admit him, in the order of their ids. */
export async function rulesAdmitting(
  db: Reader,
  deployer: Deployer,
  project: ProjectOfEnvironments,
  protections: readonly Protection[],
): Promise<ApprovalRule[]> {
  const admits = await admission(db, deployer, project, protections, ({ approval_rules }) => [...approval_rules]);
  return protections
    .flatMap((protection) => protection.approval_rules.filter((rule) => admits(rule, protection)))
    .toSorted((one, other) => one.id - other.id);
}

type Admits = (principal: Principal, owner: Protection) => boolean;

/** Whom the elements of these protections admit, once his roles have been read. */
async function admission(
  db: Reader,
  deployer: Deployer,
  project: ProjectOfEnvironments,
  protections: readonly Protection[],
  elements: (protection: Protection) => Principal[],
): Promise<Admits> {
  const { user, job } = deployer;
  if (protections.length === 0 || isAdministrator(deployer)) return () => true;
  // A job has no rights in other projects.
  if (user === null || (job !== undefined && job.projectId !== project.id)) return () => false;
  const roles = await rolesOf(db, user.id, project, groupsAsked(protections, elements));
  return ({ access_level, user_id, group_id, group_inheritance_type }, { group_id: owner }) => {
    if (user_id !== null) return user_id === user.id;
    if (group_id !== null) {
      const { direct, effective } = roles.inGroup(group_id);
      return (group_inheritance_type === 0 ? direct : effective) > 0;
    }
    if (access_level === null || access_level === INSTANCE_ADMIN) return false;
    // An administrator's job has an Owner's rights where he is above everybody himself.
    const role = user.admin ? OWNER : owner === null ? roles.inProject : roles.inGroup(owner).effective;
    return role >= access_level;
  };
}

/** The groups that own these protections, and those that their elements name. */
function groupsAsked(protections: readonly Protection[], elements: (protection: Protection) => Principal[]): number[] {
  const asked = protections.flatMap((one) => [one.group_id, ...elements(one).map(({ group_id }) => group_id)]);
  return [...new Set(asked)].filter((id) => id !== null);
}

interface Roles {
  /** His effective role in the project; 0 without one. */
  readonly inProject: number;
  /** In one of the groups asked about: his own membership there, and the highest of it and those above. */
  inGroup(id: number): { readonly direct: number; readonly effective: number };
}

async function rolesOf(
  db: Reader,
  userId: number,
  { id, namespace_id }: ProjectOfEnvironments,
  groupIds: readonly number[],
): Promise<Roles> {
  const asker = { user: userId, today: db.today };
  const own = await membershipIn.first(db, { ...asker, project: id });
  const byGroup = Map.groupBy(await membershipsAbove(db, [...groupIds, namespace_id], asker), ({ group }) => group);
  const highest = (rows: readonly { role: number }[]) => Math.max(0, ...rows.map(({ role }) => role));
  const inGroup = (group: number) => {
    const rows = byGroup.get(group) ?? [];
    return { direct: highest(rows.filter(({ depth }) => depth === 0)), effective: highest(rows) };
  };
  return { inProject: Math.max(own?.role ?? 0, inGroup(namespace_id).effective), inGroup };
}

// index: memberships_by_source
const membershipIn = prepare((db, value: Params<{ project: number; user: number; today: string }>) =>
  db
    .selectFrom('memberships')
    .select('access_level as role')
    .where('source_type', '=', 'project')
    .where('source_id', '=', value('project'))
    .where('user_id', '=', value('user'))
    .where(isLive('expires_at', value('today'))),
);

interface MembershipAbove {
  readonly group: number;
  /** How far above the group he is a member. */
  readonly depth: number;
  readonly role: number;
}

// index: namespace_closure_pkey, memberships_by_source
const membershipsAbove = prepareForIds<MembershipAbove, { user: number; today: string }>((db, ids, value) =>
  db
    .selectFrom('namespace_closure as up')
    .innerJoin('memberships', 'memberships.source_id', 'up.ancestor_id')
    .select(['up.descendant_id as group', 'up.depth', 'memberships.access_level as role'])
    .where('up.descendant_id', 'in', ids)
    .where('memberships.source_type', '=', 'group')
    .where('memberships.user_id', '=', value('user'))
    .where(isLive('memberships.expires_at', value('today'))),
);
