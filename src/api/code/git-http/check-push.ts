import type { SignedInCaller } from '#authentication/caller.ts';
import { requireAbility } from '#authorization/current-access.ts';
import {
  findMatchingRules,
  mayDeleteProtectedBranch,
  mayForcePush,
  mayMakeFirstPush,
  mayPush,
} from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules, type ProtectionRuleRow } from '#authorization/protected-branches/protected-branches.ts';
import {
  isProtectedTag,
  listTagRules,
  mayCreateTag,
  mayDeleteProtectedTag,
  TAG_CREATION_FORBIDDEN,
  TAG_DELETION_FORBIDDEN,
  type TagRule,
} from '#authorization/protected-tags.ts';
import type { Reader } from '#database/database.ts';
import type { DefaultBranchProtection } from '#domain/namespaces/default-branch-protection.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import {
  isValidBranchName,
  isValidPushedRefName,
  isValidTagName,
  looksLikeObjectId,
  startsWithSha,
  ZERO_ID,
} from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { loadDefaultProtection, type RefPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { fail } from '#runtime/failure.ts';

// Checks of a push against the rules of a project, ref by ref (contract/repository.md §5 "Per-ref checks").

/** The pusher, and the rules of the project. */
interface PushContext {
  readonly caller: SignedInCaller;
  readonly project: Project;
  readonly rules: readonly ProtectionRuleRow[];
  readonly tagRules: readonly TagRule[];
  readonly protection: DefaultBranchProtection;
  readonly isForced: IsForced;
}

/** Returns whether the change discards history; null if that is not determined yet. */
type IsForced = (change: RefChange) => boolean | null;

/** The verdict that depends on whether these changes discard history, which the caller has to find out first. */
export class ForceUnknown {
  readonly changes: readonly RefChange[];

  constructor(changes: readonly RefChange[]) {
    this.changes = changes;
  }
}

/** The error message for the client; null if the push is allowed. */
type PushVerdict = string | ForceUnknown | null;

/** Checks all changes of a push. */
export async function checkPush(
  db: Reader,
  { caller, project }: Pick<PushContext, 'caller' | 'project'>,
  changes: readonly RefChange[],
  isForced: IsForced,
): Promise<PushVerdict> {
  const [rules, tagRules] = [await listProtectionRules(db, project.id), await listTagRules(db, project.id)];
  const protection = await loadDefaultProtection(db, project.id);
  const context = { caller, project, rules, tagRules, protection, isForced };
  const undetermined: RefChange[] = [];
  for (const change of changes) {
    const verdict = checkChange(context, change);
    if (verdict instanceof ForceUnknown) undetermined.push(change);
    // The first rejected change decides the message, so all changes before it must be known to be allowed.
    else if (verdict !== null) return undetermined.length > 0 ? new ForceUnknown(undetermined) : verdict;
  }
  return undetermined.length > 0 ? new ForceUnknown(undetermined) : null;
}

/** Returns the permission to push all of these changes. It fails with `notPermitted` and the verdict of `checkPush`. */
export function pushPermission(changes: readonly RefChange[], isForced: IsForced): RefPermission<'notPermitted'> {
  return async (db, currentAccess) => {
    requireAbility(currentAccess, 'push_code');
    const verdict = await checkPush(db, currentAccess, changes, isForced);
    return verdict === null ? undefined : fail('notPermitted', { verdict });
  };
}

/** Checks one change by the rules of its kind of ref. */
function checkChange(context: PushContext, change: RefChange): PushVerdict {
  const { ref } = change;
  if (ref.startsWith(HEADS)) return checkBranch(context, ref.slice(HEADS.length), change);
  if (ref.startsWith(TAGS)) return checkTag(context, ref.slice(TAGS.length), change);
  return checkOtherRef(ref, change);
}

/** Checks a ref that is neither a branch nor a tag, for example `refs/notes/commits`. No protection rule applies to it. */
export function checkOtherRef(ref: string, { oldId, newId }: RefChange): string | null {
  const isCreated = oldId === ZERO_ID && newId !== ZERO_ID;
  return isCreated && !isValidPushedRefName(ref) ? 'Ref name is invalid' : null;
}

/** Returns the error of a change of a tag, or null. */
function checkTag({ caller, project, tagRules }: PushContext, name: string, change: RefChange): string | null {
  const { oldId, newId } = change;
  const isProtected = isProtectedTag(tagRules, name);
  if (newId === ZERO_ID) return isProtected ? getTagDeletionError(caller, project) : null;
  if (oldId !== ZERO_ID) return isProtected ? 'Protected tags cannot be updated.' : null;
  if (!isValidTagName(name)) return 'Tag name invalid';
  if (looksLikeObjectId(name)) return 'You cannot create a tag with a SHA-1 or SHA-256 tag name.';
  if (name === project.default_branch) return 'You cannot use default branch name to create a tag';
  return mayCreateTag(caller, project, tagRules, name) ? null : TAG_CREATION_FORBIDDEN;
}

/** Returns the error for the deletion of a protected tag. Maintainers can delete it by the API, but not by a push. */
function getTagDeletionError(caller: SignedInCaller, project: Project): string {
  return mayDeleteProtectedTag(caller, project)
    ? 'You can only delete protected tags using the web interface.'
    : TAG_DELETION_FORBIDDEN;
}

/** Checks a change of a branch. */
function checkBranch(context: PushContext, name: string, change: RefChange): PushVerdict {
  const { caller, project, rules, isForced } = context;
  const isProtected = findMatchingRules(rules, name).length > 0;
  if (change.newId === ZERO_ID) return checkBranchDeletion(context, name, isProtected);
  if (change.oldId === ZERO_ID) return checkBranchCreation(context, name);
  if (!mayPush(caller, project, rules, name))
    return 'You are not allowed to push code to protected branches on this project.';
  if (!isProtected || mayForcePush(rules, name)) return null;
  const forced = isForced(change);
  if (forced === null) return new ForceUnknown([change]);
  return forced ? 'You are not allowed to force push code to a protected branch on this project.' : null;
}

/** Checks the deletion of a branch. Maintainers can delete protected branches by the API, but not by a push. */
function checkBranchDeletion({ project, caller }: PushContext, name: string, isProtected: boolean): string | null {
  if (name === project.default_branch) return 'The default branch of a project cannot be deleted.';
  if (!isProtected) return null;
  return mayDeleteProtectedBranch(caller, project)
    ? 'You can only delete protected branches using the web interface.'
    : 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';
}

/** Returns the error of a new branch, or null. */
function checkBranchCreation({ project, caller, rules, protection }: PushContext, name: string): string | null {
  if (startsWithSha(name)) return 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  if (!isValidBranchName(name)) return 'Branch name is invalid';
  if (project.empty) {
    const allowed = mayMakeFirstPush(caller, project, rules, name, protection);
    return allowed ? null : 'You are not allowed to push code to protected branches on this project.';
  }
  // Callers who may merge but not push can create such a branch by the API only, because the API creates it at an existing commit. A
  // push could add commits that nobody has merged.
  const allowed = mayPush(caller, project, rules, name);
  return allowed ? null : 'You are not allowed to create protected branches on this project.';
}
