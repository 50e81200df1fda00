import type { SignedInCaller } from '#authentication/caller.ts';
import { identifyAgain } from '#authentication/reidentify.ts';
import type { Transaction } from '#database/database.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type GroupAbilityName, mayInGroup, mayInProject, type ProjectAbilityName } from './abilities.ts';

/**
 * Whoever has been let in may lose his rights while his request drips in: a member goes, a token is revoked, a project is
 * archived. What can't be taken back is done by somebody whose rights have been read in the very transaction that begins it.
 */

/**
 * A caller and a project as they stand in a transaction, and the proof that both have been read again there: there is no
 * other way to have one, so that what asks for it can't be done by somebody who was let in long ago.
 */
export interface Standing {
  readonly [readAgain]: true;
  readonly caller: SignedInCaller;
  readonly project: Project;
}

declare const readAgain: unique symbol;

/**
 * Thrown in the transaction, which it rolls back, when whoever was let in would not be let in any more. What he is told
 * is what he would hear at the door now: it is asked again (`http/serving`).
 */
export class AccessRevoked extends Error {
  constructor() {
    super('The caller would not be let in any more');
  }
}

/** Reads caller and project again. Throws `AccessRevoked` when the credential counts no more or he can't see the project. */
export async function standingOf(tx: Transaction, caller: SignedInCaller, projectId: number): Promise<Standing> {
  const again = await identifyAgain(tx, caller);
  const project = again && (await findProject(tx, again, String(projectId)));
  if (again === null || project === null || !canSeeProject(again, project)) throw new AccessRevoked();
  return { caller: again, project } as Standing;
}

/** The same of a group. */
export async function standingInGroupOf(
  tx: Transaction,
  caller: SignedInCaller,
  groupId: number,
): Promise<{ readonly caller: SignedInCaller; readonly group: Group }> {
  const again = await identifyAgain(tx, caller);
  const group = again && (await findGroup(tx, again, String(groupId)));
  if (again === null || group === null || !canSeeGroup(again, group)) throw new AccessRevoked();
  return { caller: again, group };
}

/** For what an ability alone decides. Throws `AccessRevoked` without it. */
export function requireStill({ caller, project }: Standing, ability: ProjectAbilityName): void {
  if (!mayInProject(caller, ability, project)) throw new AccessRevoked();
}

/** Both at once: what stands in the project, for who may do this there still. Throws `AccessRevoked` to all others. */
export async function stillInProject(
  tx: Transaction,
  caller: SignedInCaller,
  projectId: number,
  ability: ProjectAbilityName,
): Promise<Standing> {
  const standing = await standingOf(tx, caller, projectId);
  requireStill(standing, ability);
  return standing;
}

/** The same of a group. */
export async function stillInGroup(
  tx: Transaction,
  caller: SignedInCaller,
  groupId: number,
  ability: GroupAbilityName,
) {
  const standing = await standingInGroupOf(tx, caller, groupId);
  if (!mayInGroup(standing.caller, ability, standing.group)) throw new AccessRevoked();
  return standing;
}
