import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { groupSource, projectSource, type Source, sourcesOf } from '#domain/members/memberships.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import { itselfAndAbove } from '#domain/namespaces/hierarchy.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';

/** Where something has happened: a project, or the group that an epic is in. */
export interface Place {
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly project: Project | null;
  readonly group: Group | null;
  readonly name: string;
  readonly fullPath: string;
  /** What users may have chosen something for besides the project: the groups above, the nearest first. */
  readonly groupIds: readonly number[];
  /** Whose members see it. */
  readonly sources: readonly Source[];
  /** Nobody is to be told of anything there by mail. */
  readonly mailsOff: boolean;
}

/** null: it is gone. */
export async function projectPlace(db: Reader, id: number): Promise<Place | null> {
  const project = await findProject(db, ANONYMOUS, String(id));
  if (project === null) return null;
  const above = await aboveOf(db, project.namespace_id);
  return {
    projectId: id,
    groupId: null,
    project,
    group: null,
    name: project.name,
    fullPath: project.full_path,
    groupIds: above.map((group) => group.id),
    sources: await sourcesOf(db, projectSource(project)),
    mailsOff: [project, ...above].some(hasMailsOff),
  };
}

/** null: it is gone. */
export async function groupPlace(db: Reader, id: number): Promise<Place | null> {
  const group = await findGroup(db, ANONYMOUS, String(id));
  if (group === null) return null;
  const above = await aboveOf(db, id);
  return {
    projectId: null,
    groupId: id,
    project: null,
    group,
    name: group.name,
    fullPath: group.full_path,
    groupIds: above.map((one) => one.id),
    sources: await sourcesOf(db, groupSource(id)),
    mailsOff: above.some(hasMailsOff),
  };
}

/** index: namespace_closure_pkey */
async function aboveOf(db: Reader, namespaceId: number) {
  const rows = itselfAndAbove(db, namespaceId).select(['namespaces.id', 'namespaces.attributes']);
  return rows.orderBy('namespace_closure.depth').execute();
}

/** Rows hold of their attributes those that differ from what is usual. */
const hasMailsOff = ({ attributes }: { readonly attributes: string }): boolean =>
  attributes !== '{}' && JSON.parse(attributes).emails_enabled === false;
