import type { Selectable } from 'kysely';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { isAmongTexts } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { EnvironmentsTables } from '#database/tables/environments.ts';

/** The rows behind protected environments; what they mean is decided in deployment-rules.ts and approvals.ts. */

type Row<Table extends keyof EnvironmentsTables> = Readonly<Selectable<EnvironmentsTables[Table]>>;

/** Whom an element of a protection admits: exactly one of a role, a user and a group. */
export type Principal = Omit<Row<'protected_environment_deploy_access_levels'>, 'protected_environment_id'>;

export interface ApprovalRule extends Principal {
  readonly required_approvals: number;
}

/** A protected environment of a project, or of a group, whose name is a tier then; elements in the order of their ids. */
export type Protection = Row<'protected_environments'> & {
  readonly deploy_access_levels: readonly Principal[];
  readonly approval_rules: readonly ApprovalRule[];
};

/** The project that environments are in. */
export interface ProjectOfEnvironments {
  readonly id: number;
  readonly namespace_id: number;
}

/** What of an environment decides by what it is protected. */
interface Protectable {
  readonly name: string;
  readonly tier: string;
}

/**
 * By what an environment is protected, in the order of ids: by its project under exactly its name, and by every group
 * above under its tier (contract/environments.md "Protection"). On tier free nothing is protected.
 */
export async function protectionsOf(
  db: Reader,
  tier: Tier,
  project: ProjectOfEnvironments,
  environment: Protectable,
): Promise<readonly Protection[]> {
  return (await protectionsOfAll(db, tier, project, [environment]))[0]!;
}

/** The same of many environments of one project, in their order, by as many statements as for one. */
export async function protectionsOfAll(
  db: Reader,
  tier: Tier,
  project: ProjectOfEnvironments,
  environments: readonly Protectable[],
): Promise<readonly (readonly Protection[])[]> {
  if (tier === 'free' || environments.length === 0) return environments.map(() => []);
  const rows = await protectingRows(db, project, environments);
  const protections = await withElements(db, rows);
  return environments.map(({ name, tier }) =>
    protections.filter((one) => one.name === (one.project_id === null ? tier : name)),
  );
}

/** index: protected_environments_by_project, protected_environments_by_group, namespace_closure_pkey */
function protectingRows(
  db: Reader,
  project: ProjectOfEnvironments,
  environments: readonly Protectable[],
): Promise<Row<'protected_environments'>[]> {
  const distinct = (key: keyof Protectable) => [...new Set(environments.map((environment) => environment[key]))];
  const ofProject = db
    .selectFrom('protected_environments')
    .selectAll('protected_environments')
    .where('protected_environments.project_id', '=', project.id)
    .where((eb) => isAmongTexts(db, eb.ref('protected_environments.name'), distinct('name')));
  const ofGroups = db
    .selectFrom('namespace_closure as up')
    .innerJoin('protected_environments', 'protected_environments.group_id', 'up.ancestor_id')
    .selectAll('protected_environments')
    .where('up.descendant_id', '=', project.namespace_id)
    .where('protected_environments.name', 'in', distinct('tier'));
  return ofProject.unionAll(ofGroups).orderBy('id').execute();
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
const levelsOfProtections = prepareForIds((db, ids) =>
  db
    .selectFrom('protected_environment_deploy_access_levels')
    .select(principalColumns)
    .where('protected_environment_id', 'in', ids)
    .orderBy('id'),
);

// index: approval_rules_by_protection
const rulesOfProtections = prepareForIds((db, ids) =>
  db
    .selectFrom('protected_environment_approval_rules')
    .select([...principalColumns, 'required_approvals'])
    .where('protected_environment_id', 'in', ids)
    .orderBy('id'),
);

/** Rows of protected environments with their elements. */
export async function withElements(db: Reader, rows: readonly Row<'protected_environments'>[]): Promise<Protection[]> {
  const ids = rows.map(({ id }) => id);
  const levels = Map.groupBy(await levelsOfProtections(db, ids), ofProtection);
  const rules = Map.groupBy(await rulesOfProtections(db, ids), ofProtection);
  return rows.map((row) => ({
    ...row,
    deploy_access_levels: (levels.get(row.id) ?? []).map(withoutProtection),
    approval_rules: (rules.get(row.id) ?? []).map(withoutProtection),
  }));
}

interface OfProtection {
  readonly protected_environment_id: number;
}

const ofProtection = ({ protected_environment_id }: OfProtection) => protected_environment_id;

function withoutProtection<Element extends OfProtection>({ protected_environment_id, ...element }: Element) {
  return element;
}
