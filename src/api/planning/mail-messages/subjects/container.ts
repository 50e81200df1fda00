import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import {
  listMemberSources,
  type MemberSourceRef,
  toGroupSource,
  toProjectSource,
} from '#domain/members/memberships.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';

/** The project of a subject, or the group of an epic. */
export interface MailContainer {
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly project: Project | null;
  readonly group: Group | null;
  readonly name: string;
  readonly fullPath: string;
  /** Ancestor groups, nearest first, for which users can have settings. */
  readonly groupIds: readonly number[];
  /** Groups and projects whose members have access through their membership. */
  readonly memberSources: readonly MemberSourceRef[];
  /** Whether mails are disabled here or in an ancestor group. */
  readonly mailsDisabled: boolean;
}

/** Loads a project as a container; returns null if it is deleted. */
export async function loadProjectContainer(db: Reader, id: number): Promise<MailContainer | null> {
  const project = await findProject(db, ANONYMOUS, String(id));
  if (project === null) return null;
  const ancestors = await listAncestors(db, project.namespace_id);
  return {
    projectId: id,
    groupId: null,
    project,
    group: null,
    name: project.name,
    fullPath: project.full_path,
    groupIds: ancestors.map((ancestor) => ancestor.id),
    memberSources: await listMemberSources(db, toProjectSource(project)),
    mailsDisabled: [project, ...ancestors].some(areMailsDisabled),
  };
}

/** Loads a group as a container; returns null if it is deleted. */
export async function loadGroupContainer(db: Reader, id: number): Promise<MailContainer | null> {
  const group = await findGroup(db, ANONYMOUS, String(id));
  if (group === null) return null;
  const ancestors = await listAncestors(db, id);
  return {
    projectId: null,
    groupId: id,
    project: null,
    group,
    name: group.name,
    fullPath: group.full_path,
    groupIds: ancestors.map((ancestor) => ancestor.id),
    memberSources: await listMemberSources(db, toGroupSource(id)),
    mailsDisabled: ancestors.some(areMailsDisabled),
  };
}

/** index: namespace_closure_pkey */
async function listAncestors(db: Reader, namespaceId: number) {
  const rows = selectSelfAndAncestors(db, namespaceId).select(['namespaces.id', 'namespaces.attributes']);
  return rows.orderBy('namespace_closure.depth').execute();
}

/** Returns whether mails are disabled. Rows store only attributes that differ from their default. */
const areMailsDisabled = ({ attributes }: { readonly attributes: string }): boolean =>
  attributes !== '{}' && JSON.parse(attributes).emails_enabled === false;
