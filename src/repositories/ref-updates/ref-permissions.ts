import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { requireStill, type Standing } from '#authorization/current-access.ts';
import {
  mayCreateBranch,
  mayDeleteProtected,
  mayForcePush,
  mayMerge,
  mayPush,
  mayPushFirst,
  rulesFor,
} from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import {
  type DefaultProtection,
  type ProtectionLevel,
  protectionOfLevel,
} from '#domain/namespaces/default-branch-protection.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';

/**
 * The rights by which refs move. Nobody moves one without (`moveRefs`): each is asked in the transaction that writes the
 * intent, of the caller and the project as they are there, whatever has been asked before.
 */
export type RefRight<Code extends string = never> = (db: Reader, now: Standing) => Promise<undefined | Failure<Code>>;

/** May the caller commit to this branch, existing or not, by the rules of its project? */
export async function mayCommitTo(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  const rules = await protectionRules(db, project.id);
  if (!project.empty) return mayPush(caller, project, rules, branch);
  return mayPushFirst(caller, project, rules, branch, await defaultProtection(db, project.id));
}

/** May the caller merge into this branch, by the rules of its project? */
export async function mayMergeInto(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  return mayMerge(caller, project, await protectionRules(db, project.id), branch);
}

/** What its group, or else the setting, says of the first branch of a project's repository. */
export async function defaultProtection(db: Reader, projectId: number): Promise<DefaultProtection> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select('default_branch_protection')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row?.default_branch_protection) return JSON.parse(row.default_branch_protection);
  return protectionOfLevel((await readSettings(db)).default_branch_protection as ProtectionLevel);
}

interface Commitment {
  readonly branch: string;
  /** The branch leaves its history behind. */
  readonly forced?: boolean;
}

/** A commit on a branch. */
export function toCommit({ branch, forced = false }: Commitment): RefRight<'notAllowed' | 'forceNotAllowed'> {
  return async (db, { caller, project }) => {
    if (!(await mayCommitTo(db, caller, project, branch))) return fail('notAllowed');
    if (forced && !mayForcePush(await protectionRules(db, project.id), branch)) return fail('forceNotAllowed');
  };
}

/** A new branch; what is not empty has its first branch already. */
export function toCreateBranch(branch: string): RefRight<'protectedName'> {
  return async (db, now) => {
    requireStill(now, 'push_code');
    const rules = await protectionRules(db, now.project.id);
    return mayCreateBranch(now.caller, now.project, rules, branch) ? undefined : fail('protectedName');
  };
}

/** The first branch of an empty repository, and another one that is made right after it. */
export function toBeginWith(first: string, branch: string): RefRight<'protectedName'> {
  return async (db, { caller, project }) => {
    const mayBegin = await mayCommitTo(db, caller, project, first);
    const rules = await protectionRules(db, project.id);
    return mayBegin && mayCreateBranch(caller, project, rules, branch) ? undefined : fail('protectedName');
  };
}

/** The end of a branch, which is not the default one; a protected one takes a Maintainer. */
export function toDeleteBranch(branch: string): RefRight<'isDefault' | 'isProtected'> {
  return deletion(branch, ({ caller, project }) => mayDeleteProtected(caller, project));
}

/** The same for whoever deletes many at once, and means no protected one. */
export function toDeleteUnprotected(branch: string): RefRight<'isDefault' | 'isProtected'> {
  return deletion(branch, () => false);
}

function deletion(branch: string, evenProtected: (now: Standing) => boolean): RefRight<'isDefault' | 'isProtected'> {
  return async (db, now) => {
    requireStill(now, 'push_code');
    if (branch === now.project.default_branch) return fail('isDefault');
    const isProtected = rulesFor(await protectionRules(db, now.project.id), branch).length > 0;
    return isProtected && !evenProtected(now) ? fail('isProtected') : undefined;
  };
}

/** A tag comes to be, under a name that the default branch does not have. */
export function toCreateTag(tag: string): RefRight<'isDefaultBranch'> {
  return async (_db, now) => {
    requireStill(now, 'push_code');
    return tag === now.project.default_branch ? fail('isDefaultBranch') : undefined;
  };
}

/** The end of a tag. */
export const toDeleteTag: RefRight = async (_db, now) => requireStill(now, 'push_code') as undefined;
