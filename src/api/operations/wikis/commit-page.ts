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
import { moveRefs, type WikiAbility } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { findOrCreateWiki } from '#repositories/wikis/find-or-create.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { type WikiAt, wikiNow } from './load-page.ts';

/** Changes of pages become a commit on the wiki's default branch, each on the one before it. */

export type WritingServices = Pick<Services, 'runUnitOfWork' | 'database' | 'git'>;

export interface Writer {
  readonly place: GroupOrProject;
  readonly caller: SignedInCaller;
  readonly may: WikiAbility;
}

/** What is to be done to the wiki as it is. No changes: it is so already. */
export interface Plan<Result> {
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly renamed?: readonly PathRename[];
  /** Default: the default branch. */
  readonly branch?: string;
  readonly result: Result;
}

type Planned<Result, Code extends string> = Promise<Plan<Result> | Failure<Code>>;
export type WriteFailure = 'readOnly' | 'invalid';

export interface Written<Result> {
  readonly wiki: Wiki;
  readonly commit: string | null;
  readonly result: Result;
}

export const CHANGED = invalid({ base: ['The page was changed meanwhile'] });
export const SAME_TITLE = invalid({ base: ['There is already a page with the same title in that path.'] });

/** Others may move the branch between the look and the write so many times: a push, or another process. */
const MOST_TRIES = 20;
const PAUSE_MS = 20;

const turns = definePerGit(() => createKeyedLock({ maxWaiting: 256, retryAfter: 5 }));

/** `plan` is asked again for each try: what it has seen may have changed. The wiki is null before its first commit. */
export function writeToWiki<Result, Code extends string>(
  services: WritingServices,
  writer: Writer,
  plan: (now: WikiAt | null) => Planned<Result, Code>,
): Promise<Written<Result> | Failure<WriteFailure | Code>> {
  const { project, group } = writer.place;
  const key = project ? `project ${project.id}` : `group ${group.id}`;
  return turns(services.git)(key, () => writeInTurn(services, writer, plan), services.git);
}

async function writeInTurn<Result, Code extends string>(
  requested: WritingServices,
  writer: Writer,
  plan: (now: WikiAt | null) => Planned<Result, Code>,
): Promise<Written<Result> | Failure<WriteFailure | Code>> {
  const services = { ...requested, git: gitForClient(requested.git, null) };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const known = await findWiki(services.database.reader, writer.place);
    const now = await wikiNow(services.git, known);
    const planned = await plan(now);
    if (isFailure(planned)) return planned;
    if (planned.changes.length === 0) return { wiki: now!.wiki, commit: null, result: planned.result };
    const wiki = await findOrCreateWiki(services, writer.caller, writer.place);
    if (isFailure(wiki)) return wiki;
    const commit = await commitOn(services, writer, { wiki, now, planned });
    if (!isFailure(commit)) return { wiki, commit, result: planned.result };
    if (commit.code !== 'moved') return commit as Failure<WriteFailure>;
    await pause(PAUSE_MS);
  }
  return CHANGED;
}

interface Committing<Result> {
  readonly wiki: Wiki;
  readonly now: WikiAt | null;
  readonly planned: Plan<Result>;
}

/** `moved`: somebody else was faster. */
async function commitOn<Result>(
  services: WritingServices,
  { caller, may }: Writer,
  { wiki, now, planned }: Committing<Result>,
): Promise<string | null | Failure<WriteFailure | 'moved'>> {
  const { changes, message, renamed, branch = wiki.default_branch } = planned;
  const repository = getRepository(services.git, wiki);
  const tip = branch === now?.wiki.default_branch ? now.commit : await findBranchHead(repository, branch);
  const author = { name: caller.user.name, email: caller.user.email };
  // A new branch begins where the default one is.
  const request = { parent: tip ?? now?.commit ?? null, changes, author, committer: author, message };
  const made = await commitChanges(services.git, repository, request);
  if ('refused' in made) return refusedChange(made.refused);
  const change = { ref: HEADS + branch, oldId: tip ?? ZERO_ID, newId: made.commit };
  const move = { wiki, by: { caller, may }, changes: [change], first: now === null, ...(renamed && { renamed }) };
  const moved = await moveRefs(services, move);
  if (moved === undefined) return made.commit;
  if (moved.code === 'readOnly') return fail('readOnly');
  if (moved.code === 'invalid-name' || moved.code === 'conflict') return invalid({ branch: ['is invalid'] });
  return fail('moved');
}

function refusedChange(code: string): null | Failure<WriteFailure | 'moved'> {
  switch (code) {
    case 'empty':
      return null;
    case 'invalid-path':
      return invalid({ title: ['is invalid'] });
    case 'exists':
    case 'is-directory':
    case 'parent-is-file':
      return SAME_TITLE;
    default:
      return fail('moved');
  }
}
