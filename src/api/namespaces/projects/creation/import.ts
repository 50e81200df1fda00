import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { getWidestAllowedVisibility, minVisibility, type Visibility } from '#authorization/visibility-levels.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { findAvailableName } from '#domain/namespaces/available-name.ts';
import { type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import type { ProjectAttributeInput } from '../attributes/attributes.ts';
import { resolveAttributes } from '../attributes/input-attributes.ts';
import { type ImportedProjectState, insertProject } from './insert.ts';
import { findTarget } from './target-namespace.ts';

/** Content of a project from another server. */
export interface ImportProjectInput {
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
  readonly values: ProjectAttributeInput;
  readonly importedState: ImportedProjectState;
}

/**
 * Creates a project from another server in a group where the actor is at least Maintainer, regardless of the group's
 * `project_creation_level` (contract/operations.md §1.4). Its visibility is the narrowest of its own, the group's and
 * the instance's. If the name is taken, `_1` is appended.
 */
export async function importProject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  { path, name, visibility, values, importedState }: ImportProjectInput,
  storages: readonly string[],
): Promise<Project | Failure<'invalid'>> {
  const creator = await findUserById(uow, uow.actor.user.id);
  const target = await findTarget(uow, uow.actor, String(group.id));
  const mayImport = getGroupRole(uow.actor, group) >= MAINTAINER && !group.archived && !group.marked;
  if (creator === null || target === null || !mayImport) return invalid({ namespace: ['is not valid'] });
  const input = {
    ...resolveAttributes(values, '{}', uow),
    path,
    name: await findAvailableName(uow, group.id, name),
    visibility: getWidestAllowedVisibility(
      ANONYMOUS,
      minVisibility(visibility, group.visibility),
      await loadSettings(uow),
    ),
  };
  return insertProject(uow, { creator, target }, input, storages, importedState);
}
