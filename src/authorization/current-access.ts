import type { SignedInCaller } from '#authentication/caller.ts';
import { reidentify } from '#authentication/reidentify.ts';
import type { Transaction } from '#database/database.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type GroupAbilityName, mayInGroup, mayInProject, type ProjectAbilityName } from './abilities.ts';

// Access checks inside a transaction. A caller may lose access while the request is in progress: a membership ends, a
// token is revoked, a project is archived. Irreversible actions therefore check access again in the transaction that
// performs them.

/**
 * A caller and a project, both reloaded in this transaction. The private symbol ensures that only `reloadAccess`
 * creates one, so a function that requires it cannot run with an outdated check.
 */
export interface CurrentAccess {
  readonly [reloaded]: true;
  readonly caller: SignedInCaller;
  readonly project: Project;
}

declare const reloaded: unique symbol;

/**
 * Thrown to roll back a transaction when the caller has lost access. The request's access checks then run again and
 * produce the error response (`http/server`).
 */
export class AccessRevoked extends Error {
  constructor() {
    super('The caller has lost access');
  }
}

/**
 * Reloads caller and project. Throws `AccessRevoked` if the credential is no longer valid or the caller cannot see the
 * project.
 */
export async function reloadAccess(tx: Transaction, caller: SignedInCaller, projectId: number): Promise<CurrentAccess> {
  const current = await reidentify(tx, caller);
  const project = current && (await findProject(tx, current, String(projectId)));
  if (current === null || project === null || !canSeeProject(current, project)) throw new AccessRevoked();
  return { caller: current, project } as CurrentAccess;
}

/** Reloads caller and group. Throws `AccessRevoked` like `reloadAccess`. */
export async function reloadGroupAccess(
  tx: Transaction,
  caller: SignedInCaller,
  groupId: number,
): Promise<{ readonly caller: SignedInCaller; readonly group: Group }> {
  const current = await reidentify(tx, caller);
  const group = current && (await findGroup(tx, current, String(groupId)));
  if (current === null || group === null || !canSeeGroup(current, group)) throw new AccessRevoked();
  return { caller: current, group };
}

/** Throws `AccessRevoked` if the caller does not have the ability. */
export function requireAbility({ caller, project }: CurrentAccess, ability: ProjectAbilityName): void {
  if (!mayInProject(caller, ability, project)) throw new AccessRevoked();
}

/** Reloads caller and project and checks an ability. Throws `AccessRevoked` without it. */
export async function requireProjectAccess(
  tx: Transaction,
  caller: SignedInCaller,
  projectId: number,
  ability: ProjectAbilityName,
): Promise<CurrentAccess> {
  const access = await reloadAccess(tx, caller, projectId);
  requireAbility(access, ability);
  return access;
}

/** Reloads caller and group and checks an ability. Throws `AccessRevoked` without it. */
export async function requireGroupAccess(
  tx: Transaction,
  caller: SignedInCaller,
  groupId: number,
  ability: GroupAbilityName,
) {
  const access = await reloadGroupAccess(tx, caller, groupId);
  if (!mayInGroup(access.caller, ability, access.group)) throw new AccessRevoked();
  return access;
}
