import { mayInGroup, mayInProject } from '../../../access/abilities.ts';
import { itselfAndAbove } from '../../../access/closure.ts';
import type { Group } from '../../../access/groups.ts';
import type { Project } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import type { Caller } from '../../../identity/caller.ts';

/** A project or group whose labels are meant; a `Parent` is one. */
export type LabelPlace =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: Group; readonly project?: undefined };

/** Where labels are looked for: in a project, and in groups, the nearest first. */
export interface LabelSources {
  readonly projectId: number | null;
  readonly groupIds: readonly number[];
}

/** The place itself. */
export function ownLabels({ project, group }: LabelPlace): LabelSources {
  return { projectId: project?.id ?? null, groupIds: group ? [group.id] : [] };
}

/** The place itself and the groups above it. index: namespace_closure_pkey */
export async function labelsInReach(db: Reader, place: LabelPlace): Promise<LabelSources> {
  const above = await itselfAndAbove(db, place.project?.namespace_id ?? place.group!.id)
    .select('namespaces.id')
    .orderBy('namespace_closure.depth')
    .execute();
  return { projectId: place.project?.id ?? null, groupIds: above.map(({ id }) => id) };
}

export function mayManageLabels(caller: Caller, { project, group }: LabelPlace): boolean {
  return project ? mayInProject(caller, 'admin_label', project) : mayInGroup(caller, 'admin_label', group!);
}
