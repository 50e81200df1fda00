import { Type } from 'typebox';
import { isAdministrator } from '#authentication/caller.ts';
import { OWNER } from '#domain/members/roles.ts';
import { archivedAmong } from '#domain/namespaces/archive-state.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group as Row, roleInGroup } from '#domain/namespaces/groups.ts';
import { type Entity, entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { readSettings } from '#settings/settings.ts';
import { EmbeddedProject, pageOfProjects, sizeFields, withRunnersToken } from '../projects/index.ts';
import { attributeFields, shownAttributes } from './attributes.ts';
import { type GroupStatistics, statisticsOf } from './statistics.ts';
import type { GroupRow } from './store.ts';

/** The wire shapes of groups (contract/planning.md §1 "Group"). */

/** Sizes in bytes. */
const Statistics = shape('GroupStatistics', sizeFields);

const roles = Type.Array(shape('LeastRole', { access_level: Type.Integer() }));
const protectionFields = {
  allowed_to_push: roles,
  allow_force_push: Type.Boolean(),
  allowed_to_merge: roles,
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
  /** Empty while the group says nothing of its own. */
  default_branch_protection_defaults: Type.Partial(shape('DefaultProtection', protectionFields)),
  avatar_url: Type.Null(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: dateTime,
  parent_id: nullable(Type.Integer()),
  organization_id: Type.Integer(),
  marked_for_deletion_on: nullable(date),
  ldap_cn: Type.Null(),
  ldap_access: Type.Null(),
  ...attributeFields('group'),
  /** For administrators. */
  repository_storage: Type.Optional(Type.String()),
  statistics: Type.Optional(Statistics),
};

export const Group = entity('Group', groupFields).from(besideGroups, ofGroup);

const rootFields = Object.entries(attributeFields('root')).map(([name, schema]) => [name, Type.Optional(schema)]);

/** One group with what only its own page shows. */
export const GroupDetail = entity('GroupDetail', {
  ...groupFields,
  ...attributeFields('detail'),
  /** Of groups at the top level. */
  ...(Object.fromEntries(rootFields) as Record<string, never>),
  shared_with_groups: Type.Array(Type.Object({})),
  /** Not with `with_projects=false`. */
  projects: Type.Optional(Type.Array(EmbeddedProject.schema)),
  shared_projects: Type.Optional(Type.Array(Type.Object({}))),
  /** Of single reads, for Owners. */
  runners_token: Type.Optional(nullable(Type.String())),
}).from(
  async (rows: readonly GroupRow[], to) => ({
    ...(await besideGroups(rows, to)),
    projects: to.params.with_projects === false ? null : await projectsOf(rows, to),
  }),
  (row, to, { projects, ...beside }) => {
    const attributes = groupAttributes(row.attributes);
    return {
      ...ofGroup(row, to, beside),
      ...shownAttributes(attributes, 'detail'),
      ...(row.parent_id === null ? shownAttributes(attributes, 'root') : {}),
      shared_with_groups: [],
      ...(projects === null ? {} : { projects: projects.get(row.id) ?? [], shared_projects: [] }),
    };
  },
);

/** A single read. */
export const ReadGroup = withRunnersToken(
  GroupDetail as Entity<GroupRow & Pick<Row, 'role'>, typeof GroupDetail.schema>,
  ({ id, role }, { caller }) => (roleInGroup(caller, { role }) >= OWNER ? { type: 'group', id } : null),
);

interface BesideGroups {
  /** The instance's setting of that name, for groups that say nothing of their own. */
  readonly defaultBranchProtection: number;
  /** Those that are archived, themselves or by a group above. */
  readonly archived: ReadonlySet<number>;
  /** By group; null when nobody asks for them who may see them. */
  readonly statistics: ReadonlyMap<number, GroupStatistics> | null;
}

async function besideGroups(
  rows: readonly GroupRow[],
  { db, git, caller, params }: SerializationContext,
): Promise<BesideGroups> {
  const { default_branch_protection: defaultBranchProtection } = await readSettings(db);
  const ids = rows.map(({ id }) => id);
  const statistics = isAdministrator(caller) && params.statistics === true ? await statisticsOf(db, git, ids) : null;
  return { defaultBranchProtection, archived: await archivedAmong(db, ids), statistics };
}

function ofGroup(
  row: GroupRow,
  to: SerializationContext,
  { defaultBranchProtection, archived, statistics }: BesideGroups,
) {
  const attributes = groupAttributes(row.attributes);
  const sizes = statistics?.get(row.id);
  return {
    id: row.id,
    web_url: `${to.url}/groups/${row.full_path}`,
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
    ...shownAttributes(attributes, 'group'),
    ...(isAdministrator(to.caller) ? { repository_storage: row.storage } : {}),
    ...(sizes ? { statistics: sizes } : {}),
  };
}

/** How many projects a group shows with itself; its list of projects has them all. */
const PROJECTS_SHOWN = 100;

async function projectsOf(rows: readonly GroupRow[], to: SerializationContext) {
  const page = { kind: 'offset', page: 1, perPage: PROJECTS_SHOWN } as const;
  const shown = rows.map(async ({ id }) => {
    const filter = { namespace: { id, below: false } };
    const { items } = await pageOfProjects(to.db, to.caller, { filter, order: 'id', direction: 'desc', page });
    return [id, await EmbeddedProject.serializeAll(items, to)] as const;
  });
  return new Map(await Promise.all(shown));
}
