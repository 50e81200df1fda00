import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { narrower, type Visibility, widestAllowed } from '#authorization/visibility-levels.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { freeNameIn } from '#domain/namespaces/available-name.ts';
import { type Group, roleInGroup } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import type { AttributeValues } from '../attributes/attributes.ts';
import { sentAttributes } from '../attributes/input-attributes.ts';
import { addProject, type ProjectPast } from './insert.ts';
import { findTarget } from './target-namespace.ts';

/** A project as another server tells of it. */
export interface ImportedProject {
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
  readonly values: AttributeValues;
  readonly past: ProjectPast;
}

/**
 * A project of another server, in a group of which whoever imports it is Maintainer at least, whatever that group says of who
 * creates projects there (contract/operations.md §1.4). It is as visible as it was, the group is and the instance allows; what has
 * its name already leaves it `<name>_1`.
 */
export async function importProject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  { path, name, visibility, values, past }: ImportedProject,
  storages: readonly string[],
): Promise<Project | Failure<'invalid'>> {
  const creator = await readUser(uow, uow.actor.user.id);
  const target = await findTarget(uow, uow.actor, String(group.id));
  const mayBeThere = roleInGroup(uow.actor, group) >= MAINTAINER && !group.archived && !group.marked;
  if (creator === null || target === null || !mayBeThere) return invalid({ namespace: ['is not valid'] });
  const sent = {
    ...sentAttributes(values, '{}', uow),
    path,
    name: await freeNameIn(uow, group.id, name),
    visibility: widestAllowed(ANONYMOUS, narrower(visibility, group.visibility), await readSettings(uow)),
  };
  return addProject(uow, { creator, target }, sent, storages, past);
}
