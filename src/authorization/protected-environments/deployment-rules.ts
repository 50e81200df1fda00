import { type CallerJob, type CallerUser, isAdministrator } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import { INSTANCE_ADMIN, isActiveMembership, OWNER } from '#domain/members/roles.ts';
import {
  type ApprovalRule,
  type EnvironmentProject,
  type EnvironmentProtection,
  loadProtections,
  type Principal,
} from './protected-environments.ts';

// Who may deploy to protected environments and approve deployments (contract/environments.md "Protection"). Used for
// deployments by the API, stopping, deletion, and jobs. Callers check the role in the project.

/** A caller, or the user of a job that would deploy. */
interface Deployer {
  readonly user: Pick<CallerUser, 'id' | 'admin'> | null;
  /** The job whose token is the credential. */
  readonly job?: Pick<CallerJob, 'projectId'>;
}

/** Returns whether the deployer passes every protection of an environment; true without protections. */
export async function mayDeployTo(
  db: Reader,
  deployer: Deployer,
  project: EnvironmentProject,
  protections: readonly EnvironmentProtection[],
): Promise<boolean> {
  return (await mayDeployToEach(db, deployer, project, [protections]))[0]!;
}

/** Loads the protections of an environment and returns whether the deployer passes them. */
export async function mayDeployToEnvironment(
  db: Reader,
  tier: Tier,
  deployer: Deployer,
  project: EnvironmentProject,
  environment: Parameters<typeof loadProtections>[3],
): Promise<boolean> {
  return mayDeployTo(db, deployer, project, await loadProtections(db, tier, project, environment));
}

/**
 * Returns for each environment of one project whether the deployer passes its protections, with a constant number of
 * queries.
 */
export async function mayDeployToEach(
  db: Reader,
  deployer: Deployer,
  project: EnvironmentProject,
  environments: readonly (readonly EnvironmentProtection[])[],
): Promise<boolean[]> {
  // Administrators also pass protections without any access level.
  if (isAdministrator(deployer)) return environments.map(() => true);
  const isAdmitted = await loadAdmission(db, deployer, project, environments.flat(), ({ deploy_access_levels }) => [
    ...deploy_access_levels,
  ]);
  return environments.map((protections) =>
    protections.every((protection) => protection.deploy_access_levels.some((level) => isAdmitted(level, protection))),
  );
}

/** Returns the approval rules of an environment that allow the deployer, in order of id. */
export async function findAdmittingApprovalRules(
  db: Reader,
  deployer: Deployer,
  project: EnvironmentProject,
  protections: readonly EnvironmentProtection[],
): Promise<ApprovalRule[]> {
  const isAdmitted = await loadAdmission(db, deployer, project, protections, ({ approval_rules }) => [
    ...approval_rules,
  ]);
  return protections
    .flatMap((protection) => protection.approval_rules.filter((rule) => isAdmitted(rule, protection)))
    .toSorted((one, other) => one.id - other.id);
}

type AdmissionCheck = (principal: Principal, owner: EnvironmentProtection) => boolean;

/** Value of `group_inheritance_type`: members of ancestor groups do not count. */
const DIRECT_MEMBERS_ONLY = 0;

/** Loads the deployer's roles and returns a function that decides whether an access level or approval rule allows them. */
async function loadAdmission(
  db: Reader,
  deployer: Deployer,
  project: EnvironmentProject,
  protections: readonly EnvironmentProtection[],
  getPrincipals: (protection: EnvironmentProtection) => Principal[],
): Promise<AdmissionCheck> {
  const { user, job } = deployer;
  if (protections.length === 0 || isAdministrator(deployer)) return () => true;
  // A job has no rights in other projects.
  if (user === null || (job !== undefined && job.projectId !== project.id)) return () => false;
  const roles = await loadRoles(db, user.id, project, collectGroupIds(protections, getPrincipals));
  return ({ access_level, user_id, group_id, group_inheritance_type }, { group_id: ownerGroupId }) => {
    if (user_id !== null) return user_id === user.id;
    if (group_id !== null) {
      const { direct, effective } = roles.inGroup(group_id);
      return (group_inheritance_type === DIRECT_MEMBERS_ONLY ? direct : effective) > 0;
    }
    if (access_level === null || access_level === INSTANCE_ADMIN) return false;
    // The job of an administrator acts as Owner, although it has no administrator rights.
    const role = user.admin ? OWNER : ownerGroupId === null ? roles.inProject : roles.inGroup(ownerGroupId).effective;
    return role >= access_level;
  };
}

/** Returns the ids of the groups that own these protections or occur in their access levels or rules. */
function collectGroupIds(
  protections: readonly EnvironmentProtection[],
  getPrincipals: (protection: EnvironmentProtection) => Principal[],
): number[] {
  const groupIdsOrNull = protections.flatMap((protection) => [
    protection.group_id,
    ...getPrincipals(protection).map(({ group_id }) => group_id),
  ]);
  return [...new Set(groupIdsOrNull)].filter((id) => id !== null);
}

interface Roles {
  /** Effective role in the project; 0 without a membership. */
  readonly inProject: number;
  /** Roles in one of the loaded groups: the direct one, and the highest including its ancestors. */
  inGroup(id: number): { readonly direct: number; readonly effective: number };
}

async function loadRoles(
  db: Reader,
  userId: number,
  { id, namespace_id }: EnvironmentProject,
  groupIds: readonly number[],
): Promise<Roles> {
  const membershipParams = { user: userId, today: db.today };
  const projectRole = await findProjectMembership.first(db, { ...membershipParams, project: id });
  const membershipsByGroupId = Map.groupBy(
    await loadGroupMemberships(db, [...groupIds, namespace_id], membershipParams),
    ({ group }) => group,
  );
  const getHighestRole = (rows: readonly { role: number }[]) => Math.max(0, ...rows.map(({ role }) => role));
  const inGroup = (group: number) => {
    const rows = membershipsByGroupId.get(group) ?? [];
    return { direct: getHighestRole(rows.filter(({ depth }) => depth === 0)), effective: getHighestRole(rows) };
  };
  return { inProject: Math.max(projectRole?.role ?? 0, inGroup(namespace_id).effective), inGroup };
}

// index: memberships_by_source
const findProjectMembership = prepare((db, value: Params<{ project: number; user: number; today: string }>) =>
  db
    .selectFrom('memberships')
    .select('access_level as role')
    .where('source_type', '=', 'project')
    .where('source_id', '=', value('project'))
    .where('user_id', '=', value('user'))
    .where(isActiveMembership('expires_at', value('today'))),
);

interface GroupMembership {
  readonly group: number;
  /** Distance from the group to the ancestor with the membership. */
  readonly depth: number;
  readonly role: number;
}

// index: namespace_closure_pkey, memberships_by_source
const loadGroupMemberships = prepareForIds<GroupMembership, { user: number; today: string }>((db, ids, value) =>
  db
    .selectFrom('namespace_closure as ancestors')
    .innerJoin('memberships', 'memberships.source_id', 'ancestors.ancestor_id')
    .select(['ancestors.descendant_id as group', 'ancestors.depth', 'memberships.access_level as role'])
    .where('ancestors.descendant_id', 'in', ids)
    .where('memberships.source_type', '=', 'group')
    .where('memberships.user_id', '=', value('user'))
    .where(isActiveMembership('memberships.expires_at', value('today'))),
);

/** Returns whether deployments to an environment with these protections require approvals. */
export function needsApproval(protections: readonly EnvironmentProtection[]): boolean {
  return protections.some(
    ({ approval_rules, required_approval_count }) => approval_rules.length > 0 || required_approval_count > 0,
  );
}

// index: deployment_approvals_by_rule
const countApprovalsByRule = prepare((db, value: Params<{ deployment: number }>) =>
  db
    .selectFrom('deployment_approvals')
    .select(['approval_rule_id', 'rule_key', ({ fn }) => fn.countAll<number>().as('approved')])
    .where('deployment_id', '=', value('deployment'))
    .where('status', '=', 'approved')
    .groupBy(['approval_rule_id', 'rule_key']),
);

/**
 * Returns `pending_approval_count`: the missing approvals (contract/environments.md Part 4) of each rule or, without rules, of the largest required
 * count. Approvals of deleted rules do not count.
 */
export async function countPendingApprovals(
  db: Reader,
  protections: readonly EnvironmentProtection[],
  deploymentId: number,
): Promise<number> {
  if (!needsApproval(protections)) return 0;
  const rows = await countApprovalsByRule(db, { deployment: deploymentId });
  const rules = protections.flatMap(({ approval_rules }) => approval_rules);
  if (rules.length > 0) {
    const approvedByRuleId = new Map(rows.map(({ approval_rule_id, approved }) => [approval_rule_id, approved]));
    return rules.reduce(
      (sum, { id, required_approvals }) => sum + countMissingApprovals(required_approvals, approvedByRuleId.get(id)),
      0,
    );
  }
  // Approvals without a rule have the rule key 0.
  const requiredCount = Math.max(...protections.map(({ required_approval_count }) => required_approval_count));
  return countMissingApprovals(requiredCount, rows.find(({ rule_key }) => rule_key === 0)?.approved);
}

const countMissingApprovals = (requiredCount: number, approved = 0) => Math.max(requiredCount - approved, 0);
