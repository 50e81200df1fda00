import type { SignedInCaller } from '#authentication/caller.ts';
import { type Standing, standingOf, stillInGroup, stillInProject } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import type { Wiki } from '#domain/wikis.ts';
import type { Merge } from '#events/domain-events.ts';
import type { Git } from '#git/git.ts';
import type { RefChange, RefFailure } from '#git/refs/update-refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { ensureRepository } from '#git/storage/storage.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { type Placed, repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { settleIntent } from './complete-intent.ts';
import { holdIntent } from './intent-lease.ts';
import { type ByServer, type Intent, insertIntent, type Renaming, takeIntent } from './intents.ts';
import type { RefRight } from './ref-permissions.ts';

/**
 * The one road on which refs change, for API writes, merges and pushes alike (design "Ref and database"): (1) an intent
 * row, for which caller, project and the right to move these refs are read again, refused while the repository is
 * read-only; (2) git moves the refs by compare-and-swap; (3) one transaction records the events and facts, raises the
 * ref-state version and strikes the intent out; (4) the caller answers.
 * Whatever happens between, the intent is settled later by comparing it with the refs.
 */

export interface MovingProject extends Placed {
  readonly id: number;
}

export interface Move<Code extends string = never> extends Moved {
  readonly project: MovingProject;
  readonly by: Mover<Code> | ByServer;
  /** The merge that it is: who hears that the refs have moved hears of it, and only then. */
  readonly merge?: Merge | undefined;
  /** What the push that it is has asked for besides: the same hears of it. */
  readonly options?: readonly string[];
  /** What is written down with the intent, or not at all. */
  readonly besides?: (tx: Transaction, now: Standing) => Promise<void>;
}

/** The same in a wiki's repository, by somebody who may do so much to it where the refs move. */
export interface WikiMove extends Moved {
  readonly wiki: Wiki;
  readonly by: { readonly caller: SignedInCaller; readonly may: WikiAbility } | ByServer;
  /** The pages that get other names by it. */
  readonly renamed?: readonly Renaming[];
}

export type WikiAbility = 'create_wiki' | 'delete_wiki';

interface Moved {
  readonly changes: readonly RefChange[];
  /** It is to make the repository's first branch: refused (`notFirst`) once another one is there or on its way. */
  readonly first?: boolean;
}

/** Who moves refs, with the right that he is asked for where they move: his request may have begun long ago. */
export interface Mover<Code extends string = never> {
  readonly caller: SignedInCaller;
  readonly may: RefRight<Code>;
}

export type MoveFailure = 'readOnly' | 'notFirst' | RefFailure['refused'];

/**
 * Moves refs, all or none. What git refuses comes back as a code with git's values, what the right refuses as its own:
 * nothing was moved or recorded then. Throws `AccessRevoked` when the mover would not be let in any more.
 */
export async function moveRefs<Code extends string = never>(
  services: RefServices,
  move: Move<Code> | WikiMove,
): Promise<undefined | Failure<MoveFailure | Code>> {
  const intent = await ('wiki' in move ? beginWikiMove(services, move) : beginMove(services, move));
  if (isFailure(intent)) return intent;
  const repository = repositoryOf(services.git, 'wiki' in move ? move.wiki : move.project);
  const letGo = holdIntent(services, intent);
  try {
    return await moveAs(services, intent, repository);
  } finally {
    await letGo();
  }
}

async function moveAs(
  services: RefServices,
  intent: Intent,
  repository: Repository,
): Promise<undefined | Failure<MoveFailure>> {
  const update = await updateRefs(services.git, repository, intent.changes).catch(async (error: unknown) => {
    if (error instanceof QueueFull) await dropIntent(services, intent);
    throw error;
  });
  if ('refused' in update) {
    await dropIntent(services, intent);
    const { refused: code, ...values } = update;
    return fail(code, values) as Failure<MoveFailure>;
  }
  await settleIntent(services, intent, intent.changes);
  return undefined;
}

/** The first half, for pushes: git itself moves the refs between the halves. */
export function beginMove<Code extends string = never>(
  { database }: Pick<RefServices, 'database'>,
  { project, by, changes, merge, options, besides, first }: Move<Code>,
): Promise<Intent | Failure<'readOnly' | 'notFirst' | Code>> {
  const wanted = { of: { projectId: project.id }, at: project, changes, merge, options, first };
  return database.transaction(async (tx) => {
    if ('server' in by) return insertIntent(tx, wanted, by);
    const now = await standingOf(tx, by.caller, project.id);
    const refusal = await by.may(tx, now);
    if (refusal !== undefined) return refusal;
    await besides?.(tx, now);
    return insertIntent(tx, wanted, now);
  });
}

/** The same of a wiki's refs. */
export function beginWikiMove(
  { database }: Pick<RefServices, 'database'>,
  { wiki, by, changes, renamed, first }: WikiMove,
): Promise<Intent | Failure<'readOnly' | 'notFirst'>> {
  const wanted = { of: { wikiId: wiki.wiki_id }, at: wiki, changes, renamed, first };
  return database.transaction(async (tx) => {
    if ('server' in by) return insertIntent(tx, wanted, by);
    const { project_id, group_id } = wiki;
    const now =
      project_id === null
        ? await stillInGroup(tx, by.caller, group_id as number, by.may)
        : await stillInProject(tx, by.caller, project_id, by.may);
    return insertIntent(tx, wanted, now);
  });
}

/** Nothing moved: the intent goes without a trace. */
export async function dropIntent({ database }: RefServices, intent: Intent): Promise<void> {
  await database.transaction((tx) => takeIntent(tx, intent.id), { owed: true });
}

/** The repository's directory, made at the first write. */
export async function ensureProjectRepository(git: Git, project: MovingProject): Promise<void> {
  await ensureRepository(repositoryOf(git, project), { defaultBranch: project.default_branch });
}
