import { freeNameIn } from '../../../access/children.ts';
import { type Group, roleInGroup } from '../../../access/groups.ts';
import type { Project } from '../../../access/projects.ts';
import { MAINTAINER } from '../../../access/roles.ts';
import { narrower, type Visibility, widestAllowed } from '../../../access/visibility.ts';
import type { Act } from '../../../facts/act.ts';
import { NOBODY, type SignedIn } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { invalid, type Refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { addProject, type ProjectPast } from './add.ts';
import type { AttributeValues } from './attributes.ts';
import { sentAttributes } from './sent-attributes.ts';
import { findTarget } from './target.ts';

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
  act: Act<SignedIn>,
  group: Group,
  { path, name, visibility, values, past }: ImportedProject,
  storages: readonly string[],
): Promise<Project | Refused<'invalid'>> {
  const creator = await readUser(act, act.by.user.id);
  const target = await findTarget(act, act.by, String(group.id));
  const mayBeThere = roleInGroup(act.by, group) >= MAINTAINER && !group.archived && !group.marked;
  if (creator === null || target === null || !mayBeThere) return invalid({ namespace: ['is not valid'] });
  const sent = {
    ...sentAttributes(values, '{}', act),
    path,
    name: await freeNameIn(act, group.id, name),
    visibility: widestAllowed(NOBODY, narrower(visibility, group.visibility), await readSettings(act)),
  };
  return addProject(act, { creator, target }, sent, storages, past);
}
