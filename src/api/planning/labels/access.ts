import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownReach, type Reach, reachOf } from '#domain/namespaces/scope.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import type { InParent } from '#http/access/parents.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { findLabel, findLabelTitled } from './store.ts';

/** Who may see and manage labels, and which label a path or body names (contract/planning.md §3.5). */

export const SEEING = { group: 'read_label', project: 'read_label' } as const;
export const MANAGING = { group: 'admin_label', project: 'admin_label' } as const;

const missing = () => notFound('Label');

/** The label that the path names by id or title, one of a group above too unless that is switched off. */
export const anyLabel = {
  name: 'label',
  params: { label_id: required(string), include_ancestor_groups: optional(boolean, true) },
  load: async (
    { db, params }: AccessCall<{ readonly label_id: string; readonly include_ancestor_groups: boolean }>,
    { parent }: InParent,
  ) => idOrTitle(db, params.include_ancestor_groups ? await reachOf(db, parent) : ownReach(parent), params),
  notFound: missing,
} as const;

/** The same, of the project or group itself: those of groups above are changed there. */
export const ownLabel = {
  name: 'label',
  params: { label_id: required(string) },
  load: ({ db, params }: AccessCall<{ readonly label_id: string }>, { parent }: InParent) =>
    idOrTitle(db, ownReach(parent), params),
  notFound: missing,
} as const;

/** A label of the project or group itself that the body names. */
export const labelInBody = {
  name: 'label',
  params: { label_id: optional(integer), name: optional(string) },
  load: ({ db, params }: AccessCall<NamedInBody>, { parent }: InParent) =>
    params.label_id == null
      ? findLabelTitled(db, ownReach(parent), params.name ?? '')
      : findLabel(db, ownReach(parent), params.label_id),
  notFound: missing,
} as const;

interface NamedInBody {
  readonly label_id?: number | null | undefined;
  readonly name?: string | null | undefined;
}

async function idOrTitle(db: AccessCall['db'], reach: Reach, { label_id: named }: { readonly label_id: string }) {
  const id = /^\d+$/.test(named) ? Number(named) : Number.NaN;
  const byId = Number.isSafeInteger(id) ? await findLabel(db, reach, id) : null;
  return byId ?? findLabelTitled(db, reach, named);
}

const PERSONAL = { personal: [400, 'Failed to promote project label to group label'] } as const;

interface InBoth {
  readonly project: Project;
  readonly group: Group;
}

/** Who may manage the labels of both the project and its group; in a personal namespace there is none. */
export const promoting = (): Access<InBoth & { readonly caller: SignedInCaller }> =>
  inProject('read_label')
    .resource({
      name: 'group',
      load: ({ db, caller }: AccessCall, { project }: { readonly project: Project }) =>
        findGroup(db, caller, String(project.namespace_id)),
      notFound: () => new HttpError(400, { message: PERSONAL.personal[1] }),
      authorize({ caller }: AccessCall, { project, group }: InBoth) {
        const may = mayInProject(caller, 'admin_label', project) && mayInGroup(caller, 'admin_label', group);
        if (!may) throw forbidden();
      },
    })
    .require(() => {}, 'project:admin_label, group:admin_label')
    .withErrors(PERSONAL);

/** The project's own label that the path names by id or title. */
export const labelOfProject = {
  name: 'label',
  params: { label_id: required(string) },
  load: ({ db, params }: AccessCall<{ readonly label_id: string }>, { project }: InBoth) =>
    idOrTitle(db, ownReach({ project }), params),
  notFound: missing,
} as const;

/** The same that the body names by its title. */
export const namedLabelOfProject = {
  name: 'label',
  params: { name: required(string) },
  load: ({ db, params }: AccessCall<{ readonly name: string }>, { project }: InBoth) =>
    findLabelTitled(db, ownReach({ project }), params.name),
  notFound: missing,
} as const;
