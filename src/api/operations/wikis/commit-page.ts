import { setTimeout as pause } from 'node:timers/promises';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki, type Wiki } from '#domain/wikis.ts';
import { commitChanges, type FileChange } from '#git/commits/commit.ts';
import { definePerGit, gitForClient } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import type { PathRename } from '#repositories/ref-updates/intents.ts';
import { updateRepositoryRefs, type WikiAbility } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { findOrCreateWiki } from '#repositories/wikis/find-or-create.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadWikiHead, type WikiSnapshot } from './load-page.ts';

// Commits page changes to the wiki's default branch, one after another.

export type WritingServices = Pick<Services, 'runUnitOfWork' | 'database' | 'git'>;

export interface WikiWriter {
  readonly parent: GroupOrProject;
  readonly caller: SignedInCaller;
  readonly ability: WikiAbility;
}

/** Planned changes to a wiki. `changes` is empty if the wiki already has the requested state. */
export interface WikiChangePlan<Result> {
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly renamed?: readonly PathRename[];
  /** Branch to commit to. Default: the default branch. */
  readonly branch?: string;
  readonly result: Result;
}

type PlanPromise<Result, Code extends string> = Promise<WikiChangePlan<Result> | Failure<Code>>;
export type WriteFailure = 'readOnly' | 'invalid';

interface WriteResult<Result> {
  readonly wiki: Wiki;
  /** Id of the new commit; null if nothing changed. */
  readonly commit: string | null;
  readonly result: Result;
}

export const PAGE_CHANGED = invalid({ base: ['The page was changed meanwhile'] });
/** Failure of a renamed page. GitLab words it differently than the duplicate of a new page. */
export const TITLE_TAKEN = invalid({ base: ['There is already a page with the same title in that path.'] });

/** Maximum attempts to update the branch. A push or another process may move it between reading and writing. */
const MAX_ATTEMPTS = 20;
/** Milliseconds between two attempts. */
const RETRY_DELAY_MS = 20;

/** Locks by wiki, per server: writes of one process wait for each other instead of failing to move the branch. */
const wikiLocks = definePerGit(() => createKeyedLock({ maxWaiting: 256, retryAfterSeconds: 5 }));

/**
 * Commits the changes that `planChanges` returns. Calls it again for each attempt, because the wiki may have changed. Its
 * argument is null before the first commit.
 */
export function writeToWiki<Result, Code extends string>(
  services: WritingServices,
  writer: WikiWriter,
  planChanges: (snapshot: WikiSnapshot | null) => PlanPromise<Result, Code>,
): Promise<WriteResult<Result> | Failure<WriteFailure | Code>> {
  const { project, group } = writer.parent;
  const key = project ? `project ${project.id}` : `group ${group.id}`;
  // `services.git` names the client that waits for the lock.
  return wikiLocks(services.git)(key, () => writeWithLock(services, writer, planChanges), services.git);
}

async function writeWithLock<Result, Code extends string>(
  clientServices: WritingServices,
  writer: WikiWriter,
  planChanges: (snapshot: WikiSnapshot | null) => PlanPromise<Result, Code>,
): Promise<WriteResult<Result> | Failure<WriteFailure | Code>> {
  // Not bound to the client: a write that has begun is completed even if the client disconnects.
  const services = { ...clientServices, git: gitForClient(clientServices.git, null) };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const storedWiki = await findWiki(services.database.reader, writer.parent);
    const snapshot = await loadWikiHead(services.git, storedWiki);
    const planResult = await planChanges(snapshot);
    if (isFailure(planResult)) return planResult;
    // Not null: only an existing wiki can already have the requested state.
    if (planResult.changes.length === 0) return { wiki: snapshot!.wiki, commit: null, result: planResult.result };
    const wiki = await findOrCreateWiki(services, writer.caller, writer.parent);
    if (isFailure(wiki)) return wiki;
    const commit = await commitPlan(services, writer, { wiki, snapshot, plan: planResult });
    if (!isFailure(commit)) return { wiki, commit, result: planResult.result };
    if (commit.code !== 'branchMoved') return commit as Failure<WriteFailure>;
    await pause(RETRY_DELAY_MS);
  }
  return PAGE_CHANGED;
}

interface CommitInput<Result> {
  readonly wiki: Wiki;
  readonly snapshot: WikiSnapshot | null;
  readonly plan: WikiChangePlan<Result>;
}

/**
 * Creates the commit and moves the branch. Returns the commit id, or null if nothing changed. Fails with `branchMoved` if
 * another writer was faster.
 */
async function commitPlan<Result>(
  services: WritingServices,
  { caller, ability: may }: WikiWriter,
  { wiki, snapshot, plan }: CommitInput<Result>,
): Promise<string | null | Failure<WriteFailure | 'branchMoved'>> {
  const { changes, message, renamed, branch = wiki.default_branch } = plan;
  const repository = getRepository(services.git, wiki);
  const branchHead =
    branch === snapshot?.wiki.default_branch ? snapshot.commit : await findBranchHead(repository, branch);
  const author = { name: caller.user.name, email: caller.user.email };
  // A new branch starts at the head of the default branch.
  const commitRequest = { parent: branchHead ?? snapshot?.commit ?? null, changes, author, committer: author, message };
  const commit = await commitChanges(services.git, repository, commitRequest);
  if ('rejected' in commit) return toChangeFailure(commit.rejected);
  const change = { ref: HEADS + branch, oldId: branchHead ?? ZERO_ID, newId: commit.commit };
  const refUpdate = {
    wiki,
    actor: { caller, may },
    changes: [change],
    mustBeFirstBranch: snapshot === null,
    ...(renamed && { renamed }),
  };
  const failure = await updateRepositoryRefs(services, refUpdate);
  if (failure === undefined) return commit.commit;
  if (failure.code === 'readOnly') return fail('readOnly');
  if (failure.code === 'invalid-name' || failure.code === 'conflict') return invalid({ branch: ['is invalid'] });
  return fail('branchMoved');
}

/** Returns the failure for a rejected commit; null if the commit would change nothing. */
function toChangeFailure(code: string): null | Failure<WriteFailure | 'branchMoved'> {
  switch (code) {
    case 'empty':
      return null;
    case 'invalid-path':
      return invalid({ title: ['is invalid'] });
    case 'exists':
    case 'is-directory':
    case 'parent-is-file':
      return TITLE_TAKEN;
    // The changes do not fit the current files, so they were planned for an older commit.
    default:
      return fail('branchMoved');
  }
}
