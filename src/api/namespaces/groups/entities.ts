import { sql } from 'kysely';
import { Type } from 'typebox';
import {
  type CustomAttributesById,
  customAttributesField,
  loadRequestedCustomAttributes,
  pickCustomAttributes,
} from '#api/identity/custom-attributes/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { OWNER } from '#domain/members/roles.ts';
import { findArchivedGroupIds } from '#domain/namespaces/archive-state.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { getGroupRole, type Group as Row } from '#domain/namespaces/groups.ts';
import { loadSnippetSizesByGroup } from '#domain/snippets.ts';
import type { Git } from '#git/git.ts';
import { type Entity, entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { loadRepositorySizes } from '#repositories/maintenance/summary.ts';
import { loadWikiSizesByGroup } from '#repositories/wikis/maintenance.ts';
import { loadSettings } from '#settings/settings.ts';
import { EmbeddedProject, loadProjectPage, sizeFields, toSizes, withRunnersToken } from '../projects/index.ts';
import { getAttributeFields, pickIncludedAttributes } from './attributes.ts';
import type { GroupRow } from './store.ts';

/** The entities of groups (contract/planning.md §1 "Group"). */

/** Sizes in bytes. */
const Statistics = objectSchema('GroupStatistics', sizeFields);

const accessLevels = Type.Array(
  objectSchema('LeastRole', { access_level: Type.Integer({ description: 'Lowest role that may; 0 means nobody.' }) }),
);
/** The default protection of default branches in new projects of a group. */
const protectionFields = {
  allowed_to_push: accessLevels,
  allow_force_push: Type.Boolean(),
  allowed_to_merge: accessLevels,
  code_owner_approval_required: Type.Boolean(),
  developer_can_initial_push: Type.Boolean(),
};

const groupFields = {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility: Type.String(),
  emails_disabled: Type.Boolean(),
  archived: Type.Boolean(),
  default_branch_protection: Type.Integer(),
  default_branch_protection_defaults: Type.Partial(objectSchema('DefaultProtection', protectionFields), {
    description: 'Empty unless the group has its own setting.',
  }),
  avatar_url: Type.Null(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: dateTime,
  parent_id: nullable(Type.Integer()),
  organization_id: Type.Integer(),
  marked_for_deletion_on: nullable(date),
  ldap_cn: Type.Null(),
  ldap_access: Type.Null(),
  ...getAttributeFields('group'),
  repository_storage: Type.Optional(Type.String({ description: 'Only for administrators.' })),
  statistics: Type.Optional(Statistics),
  ...customAttributesField,
};

/** A group in a list. */
export const Group = entity('Group', groupFields).from(loadGroupRelations, serializeGroup);

const rootFields = Object.entries(getAttributeFields('root')).map(([name, schema]) => [name, Type.Optional(schema)]);

/** A single group with additional fields. */
export const GroupDetail = entity('GroupDetail', {
  ...groupFields,
  ...getAttributeFields('detail'),
  /** Only for top-level groups. */
  ...(Object.fromEntries(rootFields) as Record<string, never>),
  shared_with_groups: Type.Array(Type.Object({})),
  projects: Type.Optional(
    Type.Array(EmbeddedProject.schema, { description: 'Absent with `with_projects=false`. At most 100.' }),
  ),
  shared_projects: Type.Optional(Type.Array(Type.Object({}))),
  runners_token: Type.Optional(
    nullable(Type.String({ description: 'Only for Owners; null if registration tokens are not allowed.' })),
  ),
}).from(
  async (rows: readonly GroupRow[], context) => ({
    ...(await loadGroupRelations(rows, context)),
    projects: context.params.with_projects === false ? null : await loadProjects(rows, context),
  }),
  (row, context, { projects, ...groupRelations }) => {
    const attributes = parseGroupAttributes(row.attributes);
    return {
      ...serializeGroup(row, context, groupRelations),
      ...pickIncludedAttributes(attributes, 'detail'),
      ...(row.parent_id === null ? pickIncludedAttributes(attributes, 'root') : {}),
      shared_with_groups: [],
      ...(projects === null ? {} : { projects: projects.get(row.id) ?? [], shared_projects: [] }),
    };
  },
);

/** The response to GET, creation and update of one group. */
export const GroupDetailWithRunnersToken = withRunnersToken(
  GroupDetail as Entity<GroupRow & Pick<Row, 'role'>, typeof GroupDetail.schema>,
  ({ id, role }, { caller }) => (getGroupRole(caller, { role }) >= OWNER ? { type: 'group', id } : null),
);

/** The data related to groups that their entities need. */
interface GroupRelations {
  /** The instance setting, for groups without their own. */
  readonly defaultBranchProtection: number;
  /** Ids of the groups that are archived, directly or through an ancestor. */
  readonly archived: ReadonlySet<number>;
  /** Statistics by group id; null unless an administrator requested them. */
  readonly statistics: ReadonlyMap<number, GroupStatistics> | null;
  /** Null unless requested. */
  readonly customAttributes: CustomAttributesById | null;
}

async function loadGroupRelations(rows: readonly GroupRow[], context: SerializationContext): Promise<GroupRelations> {
  const { db, git, caller, params } = context;
  const { default_branch_protection: defaultBranchProtection } = await loadSettings(db);
  const ids = rows.map(({ id }) => id);
  const statistics =
    isAdministrator(caller) && params.statistics === true ? await loadGroupStatistics(db, git, ids) : null;
  const customAttributes = await loadRequestedCustomAttributes(context, 'group', rows);
  return { defaultBranchProtection, archived: await findArchivedGroupIds(db, ids), statistics, customAttributes };
}

function serializeGroup(
  row: GroupRow,
  context: SerializationContext,
  { defaultBranchProtection, archived, statistics, customAttributes }: GroupRelations,
) {
  const attributes = parseGroupAttributes(row.attributes);
  const groupStatistics = statistics?.get(row.id);
  return {
    id: row.id,
    web_url: `${context.url}/groups/${row.full_path}`,
    name: row.name,
    path: row.path,
    description: row.description,
    visibility: row.visibility,
    emails_disabled: !attributes.emails_enabled,
    archived: archived.has(row.id),
    default_branch_protection: attributes.default_branch_protection ?? defaultBranchProtection,
    default_branch_protection_defaults: attributes.default_branch_protection_defaults ?? {},
    avatar_url: null,
    full_name: row.full_name,
    full_path: row.full_path,
    created_at: row.created_at,
    parent_id: row.parent_id,
    organization_id: 1,
    marked_for_deletion_on: row.marked_for_deletion_on,
    ldap_cn: null,
    ldap_access: null,
    ...pickIncludedAttributes(attributes, 'group'),
    ...(isAdministrator(context.caller) ? { repository_storage: row.storage } : {}),
    ...(groupStatistics ? { statistics: groupStatistics } : {}),
    ...pickCustomAttributes(customAttributes, row.id),
  };
}

/** The maximum number of projects in a group's details. */
const MAX_PROJECTS = 100;

/** Loads the projects of each group for its details, by group id. */
async function loadProjects(rows: readonly GroupRow[], context: SerializationContext) {
  const page = { kind: 'offset', page: 1, perPage: MAX_PROJECTS } as const;
  const entries = rows.map(async ({ id }) => {
    const filter = { namespace: { id, includeDescendants: false } };
    const { items } = await loadProjectPage(context.db, context.caller, {
      filter,
      order: 'id',
      direction: 'desc',
      page,
    });
    return [id, await EmbeddedProject.serializeAll(items, context)] as const;
  });
  return new Map(await Promise.all(entries));
}

type GroupStatistics = ReturnType<typeof toSizes>;

/** Returns the sizes of the projects directly in these groups. */
async function loadGroupStatistics(
  db: Reader,
  git: Git,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, GroupStatistics>> {
  if (groupIds.length === 0) return new Map();
  const [repositorySizes, lfsSizes, wikiSizes, snippetSizes] = await Promise.all([
    loadRepositorySizes(db, git, groupIds),
    loadLfsSizes(db, groupIds),
    loadWikiSizesByGroup(db, git, groupIds),
    loadSnippetSizesByGroup(db, groupIds),
  ]);
  const getSizes = (id: number) =>
    toSizes({
      repository: repositorySizes.get(id) ?? 0,
      lfs: lfsSizes.get(id) ?? 0,
      wiki: wikiSizes.get(id) ?? 0,
      snippets: snippetSizes.get(id) ?? 0,
    });
  return new Map(groupIds.map((id) => [id, getSizes(id)]));
}

/** Returns the sizes of LFS objects by group id, of the projects directly in them. index: projects_by_namespace, lfs_object_projects_pkey */
async function loadLfsSizes(db: Reader, groupIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('lfs_object_projects', 'lfs_object_projects.project_id', 'projects.id')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select(['projects.namespace_id', sql<number>`cast(sum(lfs_objects.size) as bigint)`.as('lfs')])
    .where('projects.namespace_id', 'in', groupIds)
    .groupBy('projects.namespace_id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map((row) => [row.namespace_id, row.lfs]));
}
