import type { Selectable } from 'kysely';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';

// Rows of protected environments; deployment-rules.ts evaluates them.

type Row<Table extends keyof Schema> = Readonly<Selectable<Schema[Table]>>;

/** The user, group or role that an element of a protection allows: exactly one is set. */
export type Principal = Omit<Row<'protected_environment_deploy_access_levels'>, 'protected_environment_id'>;

/** An approval rule: its principal must give this number of approvals. */
export interface ApprovalRule extends Principal {
  readonly required_approvals: number;
}

/** A protected environment of a project, or of a group, where the name is a tier. Elements are in order of id. */
export type EnvironmentProtection = Row<'protected_environments'> & {
  readonly deploy_access_levels: readonly Principal[];
  readonly approval_rules: readonly ApprovalRule[];
};

/** The project of an environment, with its namespace. */
export interface EnvironmentProject {
  readonly id: number;
  readonly namespace_id: number;
}

/** The properties of an environment that select its protections. */
interface Protectable {
  readonly name: string;
  readonly tier: string;
}

/**
 * Returns the protections of an environment in order of id. They are those of its project with the same name, and those of
 * ancestor groups with its tier (contract/environments.md "Protection"). Empty on tier free.
 */
export async function loadProtections(
  db: Reader,
  tier: Tier,
  project: EnvironmentProject,
  environment: Protectable,
): Promise<readonly EnvironmentProtection[]> {
  return (await loadProtectionsForAll(db, tier, project, [environment]))[0]!;
}

/** Returns the protections of each environment of one project, with a constant number of queries. */
export async function loadProtectionsForAll(
  db: Reader,
  tier: Tier,
  project: EnvironmentProject,
  environments: readonly Protectable[],
): Promise<readonly (readonly EnvironmentProtection[])[]> {
  if (tier === 'free' || environments.length === 0) return environments.map(() => []);
  const rows = await loadProtectionRows(db, project, environments);
  const protections = await loadProtectionElements(db, rows);
  // The name of a group's protection is a tier.
  return environments.map(({ name, tier: environmentTier }) =>
    protections.filter((protection) => protection.name === (protection.project_id === null ? environmentTier : name)),
  );
}

/**
 * Selects the protections of the project by name, and those of its ancestor groups by tier.
 * index: protected_environments_by_project, protected_environments_by_group, namespace_closure_pkey
 */
function loadProtectionRows(
  db: Reader,
  project: EnvironmentProject,
  environments: readonly Protectable[],
): Promise<Row<'protected_environments'>[]> {
  const collectDistinct = (key: keyof Protectable) => [...new Set(environments.map((environment) => environment[key]))];
  const projectProtections = db
    .selectFrom('protected_environments')
    .selectAll('protected_environments')
    .where('protected_environments.project_id', '=', project.id)
    .where((eb) => isInTexts(db, eb.ref('protected_environments.name'), collectDistinct('name')));
  const groupProtections = db
    .selectFrom('namespace_closure as ancestors')
    .innerJoin('protected_environments', 'protected_environments.group_id', 'ancestors.ancestor_id')
    .selectAll('protected_environments')
    .where('ancestors.descendant_id', '=', project.namespace_id)
    .where('protected_environments.name', 'in', collectDistinct('tier'));
  return projectProtections.unionAll(groupProtections).orderBy('id').execute();
}

const principalColumns = [
  'id',
  'protected_environment_id',
  'access_level',
  'user_id',
  'group_id',
  'group_inheritance_type',
] as const;

// index: deploy_access_levels_by_protection
const loadAccessLevels = prepareForIds((db, ids) =>
  db
    .selectFrom('protected_environment_deploy_access_levels')
    .select(principalColumns)
    .where('protected_environment_id', 'in', ids)
    .orderBy('id'),
);

// index: approval_rules_by_protection
const loadApprovalRules = prepareForIds((db, ids) =>
  db
    .selectFrom('protected_environment_approval_rules')
    .select([...principalColumns, 'required_approvals'])
    .where('protected_environment_id', 'in', ids)
    .orderBy('id'),
);

/** Adds the access levels and approval rules to rows of protected environments. */
export async function loadProtectionElements(
  db: Reader,
  rows: readonly Row<'protected_environments'>[],
): Promise<EnvironmentProtection[]> {
  const ids = rows.map(({ id }) => id);
  const levels = Map.groupBy(await loadAccessLevels(db, ids), getProtectionId);
  const rules = Map.groupBy(await loadApprovalRules(db, ids), getProtectionId);
  return rows.map((row) => ({
    ...row,
    deploy_access_levels: (levels.get(row.id) ?? []).map(withoutProtection),
    approval_rules: (rules.get(row.id) ?? []).map(withoutProtection),
  }));
}

interface ProtectionElement {
  readonly protected_environment_id: number;
}

const getProtectionId = ({ protected_environment_id }: ProtectionElement) => protected_environment_id;

function withoutProtection<Element extends ProtectionElement>({ protected_environment_id, ...element }: Element) {
  return element;
}
