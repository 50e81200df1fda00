import { type Static, Type } from 'typebox';
import { groupAttributes } from '../../../access/group-attributes.ts';
import { day, moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { Project, ProjectSimple } from '../projects/index.ts';
import { attributeFields, shownAttributes } from './attributes.ts';
import type { GroupRow } from './store.ts';

/** The wire shapes of groups (contract/planning.md §1 "Group"). */

/** Sizes in bytes. */
const Statistics = shape('GroupStatistics', { storage_size: Type.Integer(), lfs_objects_size: Type.Integer() });
export type GroupStatistics = Static<typeof Statistics>;

const forAdministrators = {
  repository_storage: Type.Optional(Type.String()),
  statistics: Type.Optional(Statistics),
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
  default_branch_protection_defaults: Type.Object({}, { additionalProperties: false }),
  avatar_url: Type.Null(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: moment,
  parent_id: nullable(Type.Integer()),
  organization_id: Type.Integer(),
  marked_for_deletion_on: nullable(day),
  ldap_cn: Type.Null(),
  ldap_access: Type.Null(),
  ...attributeFields('group'),
};

export const Group = shape('Group', { ...groupFields, ...forAdministrators });

const rootFields = Object.entries(attributeFields('root')).map(([name, schema]) => [name, Type.Optional(schema)]);

export const GroupDetail = shape('GroupDetail', {
  ...groupFields,
  ...forAdministrators,
  ...attributeFields('detail'),
  /** Of groups at the top level. */
  ...(Object.fromEntries(rootFields) as Record<string, never>),
  shared_with_groups: Type.Array(Type.Object({})),
  shared_runners_minutes_limit: Type.Null(),
  extra_shared_runners_minutes_limit: Type.Null(),
  /** Not with `with_projects=false`. */
  projects: Type.Optional(Type.Array(Type.Union([Project, ProjectSimple]))),
  shared_projects: Type.Optional(Type.Array(Type.Object({}))),
});

export type Group = Static<typeof Group>;
export type GroupDetail = Static<typeof GroupDetail>;

/** What every shape of groups needs besides rows. */
export interface GroupContext {
  readonly base: Base;
  /** The instance's setting of that name: it is not set per group. */
  readonly defaultBranchProtection: number;
  /** Administrators see where the wiki is; with `statistics`, sizes by group. */
  readonly administrator: boolean;
  readonly statistics?: ReadonlyMap<number, GroupStatistics>;
}

export function groups(rows: readonly GroupRow[], context: GroupContext): Group[] {
  return rows.map((row) => ({ ...ofGroup(row, context), ...ofAdministrators(row, context) }));
}

function ofGroup(row: GroupRow, { base, defaultBranchProtection }: GroupContext) {
  const attributes = groupAttributes(row.attributes);
  return {
    id: row.id,
    web_url: `${base.url}/groups/${row.full_path}`,
    name: row.name,
    path: row.path,
    description: row.description,
    visibility: row.visibility,
    emails_disabled: !attributes.emails_enabled,
    archived: row.archived,
    default_branch_protection: defaultBranchProtection,
    default_branch_protection_defaults: {},
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
  };
}

function ofAdministrators({ id, storage }: GroupRow, { administrator, statistics }: GroupContext) {
  if (!administrator) return {};
  const sizes = statistics?.get(id);
  return { repository_storage: storage, ...(sizes ? { statistics: sizes } : {}) };
}

type ProjectShape = Static<typeof Project> | Static<typeof ProjectSimple>;

/** One group with what only its own page shows; `projects` undefined: they are left out. */
export function groupDetail(row: GroupRow, context: GroupContext, projects: ProjectShape[] | undefined): GroupDetail {
  const attributes = groupAttributes(row.attributes);
  return {
    ...ofGroup(row, context),
    ...ofAdministrators(row, context),
    ...shownAttributes(attributes, 'detail'),
    ...(row.parent_id === null ? shownAttributes(attributes, 'root') : {}),
    shared_with_groups: [],
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
    ...(projects === undefined ? {} : { projects, shared_projects: [] }),
  };
}
