import type { SignedInCaller } from '#authentication/caller.ts';
import { requireStill } from '#authorization/current-access.ts';
import {
  mayDeleteProtected,
  mayForcePush,
  mayPush,
  mayPushFirst,
  rulesFor,
} from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules, type StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { DefaultProtection } from '#domain/namespaces/default-branch-protection.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { beginsWithSha, looksLikeObjectId, validBranchName, validTagName, zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defaultProtection, type RefRight } from '#repositories/ref-updates/ref-permissions.ts';
import { fail } from '#runtime/failure.ts';

/** What the rules of a project say of a push, ref by ref (contract/repository.md §5 "Per-ref checks"). */

interface Judging {
  readonly caller: SignedInCaller;
  readonly project: Project;
  readonly rules: readonly StoredRule[];
  readonly protection: DefaultProtection;
  readonly isForced: IsForced;
}

/** Does the change leave the ref's history behind? Null: that has not been found out yet. */
type IsForced = (change: RefChange) => boolean | null;

/** It must be found out first whether these changes are forced. */
export class Unsure {
  readonly changes: readonly RefChange[];

  constructor(changes: readonly RefChange[]) {
    this.changes = changes;
  }
}

/** What the client is told; null: nothing. */
export type Judgement = string | Unsure | null;

export async function judgePush(
  db: Reader,
  { caller, project }: Pick<Judging, 'caller' | 'project'>,
  changes: readonly RefChange[],
  isForced: IsForced,
): Promise<Judgement> {
  const rules = await protectionRules(db, project.id);
  const judging = { caller, project, rules, protection: await defaultProtection(db, project.id), isForced };
  const unsure: RefChange[] = [];
  for (const change of changes) {
    const judgement = judgeChange(judging, change);
    if (judgement instanceof Unsure) unsure.push(change);
    // The client is told of the first change that is refused, and those before it may be.
    else if (judgement !== null) return unsure.length > 0 ? new Unsure(unsure) : judgement;
  }
  return unsure.length > 0 ? new Unsure(unsure) : null;
}

/** The right to push all of these. `judged`: what `judgePush` says, when it says anything. */
export function toPush(changes: readonly RefChange[], isForced: IsForced): RefRight<'judged'> {
  return async (db, now) => {
    requireStill(now, 'push_code');
    const judgement = await judgePush(db, now, changes, isForced);
    return judgement === null ? undefined : fail('judged', { judgement });
  };
}

function judgeChange(judging: Judging, change: RefChange): Judgement {
  const { ref } = change;
  if (ref.startsWith(HEADS)) return judgeBranch(judging, ref.slice(HEADS.length), change);
  if (ref.startsWith(TAGS)) return judgeTag(judging.project, ref.slice(TAGS.length), change);
  return 'You can only push branches and tags.';
}

function judgeTag(project: Project, name: string, { oldId, newId }: RefChange): string | null {
  if (oldId !== zeroId || newId === zeroId) return null;
  if (!validTagName(name)) return 'Tag name invalid';
  if (looksLikeObjectId(name)) return 'You cannot create a tag with a SHA-1 or SHA-256 tag name.';
  return name === project.default_branch ? 'You cannot use default branch name to create a tag' : null;
}

function judgeBranch(judging: Judging, name: string, change: RefChange): Judgement {
  const { caller, project, rules, isForced } = judging;
  const matched = rulesFor(rules, name).length > 0;
  if (change.newId === zeroId) return judgeDeletion(judging, name, matched);
  if (change.oldId === zeroId) return judgeCreation(judging, name);
  if (!mayPush(caller, project, rules, name)) {
    return 'You are not allowed to push code to protected branches on this project.';
  }
  if (!matched || mayForcePush(rules, name)) return null;
  const forced = isForced(change);
  if (forced === null) return new Unsure([change]);
  return forced ? 'You are not allowed to force push code to a protected branch on this project.' : null;
}

/** Over HTTP nobody deletes a protected branch: a Maintainer does it elsewhere, others not at all. */
function judgeDeletion({ project, caller }: Judging, name: string, matched: boolean): string | null {
  if (name === project.default_branch) return 'The default branch of a project cannot be deleted.';
  if (!matched) return null;
  return mayDeleteProtected(caller, project)
    ? 'You can only delete protected branches using the web interface.'
    : 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';
}

function judgeCreation({ project, caller, rules, protection }: Judging, name: string): string | null {
  if (beginsWithSha(name)) return 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  if (!validBranchName(name)) return 'Branch name is invalid';
  if (project.empty) {
    const allowed = mayPushFirst(caller, project, rules, name, protection);
    return allowed ? null : 'You are not allowed to push code to protected branches on this project.';
  }
  // Whoever may only merge makes it by the API, of what is there: a push would bring commits that nobody has merged.
  const allowed = mayPush(caller, project, rules, name);
  return allowed ? null : 'You are not allowed to create protected branches on this project.';
}
