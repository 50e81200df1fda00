import type { SignedInCaller } from '#authentication/caller.ts';
import {
  type CurrentAccess,
  reloadAccess,
  requireGroupAccess,
  requireProjectAccess,
} from '#authorization/current-access.ts';
import { requireSnippetUpdate } from '#authorization/snippets.ts';
import type { Transaction } from '#database/database.ts';
import type { Snippet, SnippetPatch } from '#domain/snippets.ts';
import type { Wiki } from '#domain/wikis.ts';
import type { Merge } from '#events/domain-events.ts';
import type { Git } from '#git/git.ts';
import type { RefChange, RefFailure } from '#git/refs/update-refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { ensureRepository } from '#git/storage/storage.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { completeIntent } from './complete-intent.ts';
import {
  createIntent,
  deleteIntent,
  type Intent,
  keepIntentLease,
  type PathRename,
  type ServerActor,
} from './intents.ts';
import type { RefPermission } from './ref-permissions.ts';

// The only code path that changes refs, for API writes, merges and pushes (design "Ref and database"):
//
// 1. An intent is stored. In its transaction the caller, project and permission are reloaded; it fails if the
//   repository is read-only.
// 2. git moves the refs by compare-and-swap.
// 3. One transaction records events, increments the ref-state version and deletes the intent.
// 4. The caller responds.
//
// After a crash, recovery completes the intent by comparing it with the refs.

export interface RefProject extends LocatedRepository {
  readonly id: number;
}

interface RefMove<Code extends string = never> extends RefMoveBase {
  readonly project: RefProject;
  readonly actor: RefMover<Code> | ServerActor;
  /** The merge that this move completes; published with the moved refs. */
  readonly merge?: Merge | undefined;
  /** Push options, published with the moved refs. */
  readonly options?: readonly string[];
  /** Further writes in the transaction of the intent. */
  readonly writeWithIntent?: (tx: Transaction, access: CurrentAccess) => Promise<void>;
}

/** A move in a wiki's repository by a caller who must have the ability `may`. */
interface WikiMove extends RefMoveBase {
  readonly wiki: Wiki;
  readonly actor: { readonly caller: SignedInCaller; readonly may: WikiAbility } | ServerActor;
  /** Renamed pages. */
  readonly renamed?: readonly PathRename[];
}

/** A move in a snippet's repository by a caller who may update the snippet. */
export interface SnippetMove extends RefMoveBase {
  readonly snippet: Snippet;
  readonly caller: SignedInCaller;
  /** Columns that change together with the files. */
  readonly patch?: SnippetPatch;
}

export type WikiAbility = 'create_wiki' | 'delete_wiki';

interface RefMoveBase {
  readonly changes: readonly RefChange[];
  /** Whether this must be the repository's first branch; otherwise it fails with `notFirst`. */
  readonly mustBeFirstBranch?: boolean;
}

/** Caller who moves refs, and their permission. It is checked again at the move: the request may have begun long ago. */
export interface RefMover<Code extends string = never> {
  readonly caller: SignedInCaller;
  readonly permission: RefPermission<Code>;
}

export type MoveFailure = 'readOnly' | 'notFirst' | RefFailure['rejected'];

/**
 * Moves refs, all or none. Returns undefined on success. Returns the failure of git or of the permission check; then no ref
 * has moved. Throws `AccessRevoked` if the caller lost access.
 */
export async function updateRepositoryRefs<Code extends string = never>(
  services: RefServices,
  move: RefMove<Code> | WikiMove | SnippetMove,
): Promise<undefined | Failure<MoveFailure | Code>> {
  const [intent, location] = await beginAnyMove(services, move);
  if (isFailure(intent)) return intent;
  const repository = getRepository(services.git, location);
  const releaseLease = keepIntentLease(services, intent);
  try {
    return await moveWithIntent(services, intent, repository);
  } finally {
    await releaseLease();
  }
}

async function beginAnyMove<Code extends string>(
  services: RefServices,
  move: RefMove<Code> | WikiMove | SnippetMove,
): Promise<readonly [Intent | Failure<'readOnly' | 'notFirst' | Code>, LocatedRepository]> {
  if ('wiki' in move) return [await beginWikiRefUpdate(services, move), move.wiki];
  if ('snippet' in move) return [await beginSnippetMove(services, move), move.snippet];
  return [await beginMove(services, move), move.project];
}

async function moveWithIntent(
  services: RefServices,
  intent: Intent,
  repository: Repository,
): Promise<undefined | Failure<MoveFailure>> {
  const updateResult = await updateRefs(services.git, repository, intent.changes).catch(async (error: unknown) => {
    if (error instanceof QueueFull) await discardIntent(services, intent);
    throw error;
  });
  if ('rejected' in updateResult) {
    await discardIntent(services, intent);
    const { rejected: code, ...values } = updateResult;
    return fail(code, values) as Failure<MoveFailure>;
  }
  await completeIntent(services, intent, intent.changes);
  return undefined;
}

/** Checks the permission and stores the intent. For pushes, git itself then moves the refs. */
export function beginMove<Code extends string = never>(
  { database }: Pick<RefServices, 'database'>,
  { project, actor, changes, merge, options, writeWithIntent, mustBeFirstBranch }: RefMove<Code>,
): Promise<Intent | Failure<'readOnly' | 'notFirst' | Code>> {
  const input = { owner: { projectId: project.id }, location: project, changes, merge, options, mustBeFirstBranch };
  return database.transaction(async (tx) => {
    if ('server' in actor) return createIntent(tx, input, actor);
    const access = await reloadAccess(tx, actor.caller, project.id);
    const failure = await actor.permission(tx, access);
    if (failure !== undefined) return failure;
    await writeWithIntent?.(tx, access);
    return createIntent(tx, input, access);
  });
}

/** Checks the ability and stores the intent of a move in a wiki. */
export function beginWikiRefUpdate(
  { database }: Pick<RefServices, 'database'>,
  { wiki, actor, changes, renamed, mustBeFirstBranch }: WikiMove,
): Promise<Intent | Failure<'readOnly' | 'notFirst'>> {
  const input = { owner: { wikiId: wiki.wiki_id }, location: wiki, changes, renamed, mustBeFirstBranch };
  return database.transaction(async (tx) => {
    if ('server' in actor) return createIntent(tx, input, actor);
    const { project_id, group_id } = wiki;
    const access =
      project_id === null
        ? await requireGroupAccess(tx, actor.caller, group_id!, actor.may)
        : await requireProjectAccess(tx, actor.caller, project_id, actor.may);
    return createIntent(tx, input, access);
  });
}

/** Checks that the caller may update the snippet, and stores the intent of a move in its repository. */
export function beginSnippetMove(
  { database }: Pick<RefServices, 'database'>,
  { snippet, caller, changes, patch }: SnippetMove,
): Promise<Intent | Failure<'readOnly' | 'notFirst'>> {
  const input = { owner: { snippetId: snippet.id }, location: snippet, changes, snippetPatch: patch };
  return database.transaction(async (tx) => {
    const access = await requireSnippetUpdate(tx, caller, snippet.id);
    return createIntent(tx, input, access);
  });
}

/** Deletes an intent whose refs have not moved. */
export async function discardIntent({ database }: RefServices, intent: Intent): Promise<void> {
  await database.transaction((tx) => deleteIntent(tx, intent.id), { exemptFromLimit: true });
}

/** Creates the directory of a project's repository if it does not exist. */
export async function ensureProjectRepository(git: Git, project: RefProject): Promise<void> {
  await ensureRepository(getRepository(git, project), { defaultBranch: project.default_branch });
}
