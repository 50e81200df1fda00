import { type Push, type PushChange, recordPushEvents } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import { type Git, gitForClient } from '#git/git.ts';
import { getObjectInfo, readCommit, readTag } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { loadSettings } from '#settings/settings.ts';
import { chooseDefaultBranch } from '../branches/initial-default-branch.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { completeSnippetIntent } from '../snippets/complete-intent.ts';
import { completeWikiIntent } from '../wikis/complete-intent.ts';
import { deleteIntent, type Intent } from './intents.ts';
import { loadActor } from './ref-update-actor.ts';

/** Records the moved refs and deletes the intent. Idempotent: only the call that deletes the intent records them. */
export async function completeIntent(
  services: RefServices,
  intent: Intent,
  movedRefs: readonly RefChange[],
): Promise<void> {
  if (intent.wikiId !== undefined) return completeWikiIntent(services, intent, movedRefs);
  if (intent.snippetId !== undefined) return completeSnippetIntent(services, intent, movedRefs);
  const { database, runUnitOfWork } = services;
  const { projectId } = intent;
  // The refs have moved: completion must not depend on a client that may have disconnected.
  const git = gitForClient(services.git, null);
  const location = await chooseDefaultBranch(services, projectId, movedRefs);
  if (location === null) {
    // The project was deleted: nothing is recorded.
    await database.transaction((tx) => deleteIntent(tx, intent.id), { exemptFromLimit: true });
    return;
  }
  const { push_event_activities_limit: limit } = await loadSettings(database.reader);
  const context = { git, repository: getRepository(git, location), defaultBranch: location.default_branch, limit };
  const changes = intent.userId === null ? [] : await describePushChanges(movedRefs, context);
  // Intents of one repository are completed one at a time, because each increments the ref-state version.
  const lock = `refs of ${projectId}`;
  const actor = await loadActor(database.reader, intent.userId);
  const intentOfProject = { ...intent, projectId };
  await runUnitOfWork(actor, (uow) => recordMovedRefs(uow, intentOfProject, movedRefs, { changes, limit }), {
    lock,
    exemptFromLimit: true,
  });
}

/** Records the events of the pusher, even if another process completes the intent after a crash. */
async function recordMovedRefs(
  uow: UnitOfWork,
  { id, projectId, options }: Intent & { readonly projectId: number },
  movedRefs: readonly RefChange[],
  { changes, limit }: Pick<Push, 'changes' | 'limit'>,
): Promise<void> {
  const deletedIntent = await deleteIntent(uow, id);
  if (deletedIntent === null || movedRefs.length === 0) return;
  const { userId, merge } = deletedIntent;
  await incrementRefVersion(uow, projectId);
  if (userId !== null && changes.length > 0) {
    await recordPushEvents(uow, { projectId, authorId: userId, changes, limit });
  }
  const isMergeMoved = movedRefs.some(({ ref, newId }) => ref === merge?.ref && newId === merge.newId);
  await uow.publish('refs-changed', {
    projectId,
    userId,
    changes: movedRefs,
    ...(merge && isMergeMoved && { merge }),
    ...(options && { options }),
  });
}

/** Increments the ref-state version, which invalidates all cached ref data of a project. */
export async function incrementRefVersion(tx: Transaction, projectId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ ref_state_version: eb('ref_state_version', '+', 1) }))
    .where('project_id', '=', projectId)
    .execute();
}

interface PushContext {
  readonly git: Git;
  readonly repository: Repository;
  readonly defaultBranch: string;
  /** Maximum refs of one action and type per push whose commits are counted; more become one event without counts. */
  readonly limit: number;
}

/**
 * Returns the data of push events: the number of commits and the title of the newest (contract/activity.md
 * "push_data").
 */
async function describePushChanges(changes: readonly RefChange[], context: PushContext): Promise<PushChange[]> {
  const branchAndTagChanges = changes
    .filter(({ ref }) => ref.startsWith(HEADS) || ref.startsWith(TAGS))
    .map(toPushChange);
  const changesByKind = Map.groupBy(branchAndTagChanges, (change) => `${change.action} ${change.refType}`);
  const groups = [...changesByKind.values()].map((group) =>
    group.length > context.limit ? group : Promise.all(group.map((change) => addCommits(change, context))),
  );
  return (await Promise.all(groups)).flat();
}

function toPushChange({ ref, oldId, newId }: RefChange): PushChange {
  const isBranch = ref.startsWith(HEADS);
  return {
    refType: isBranch ? 'branch' : 'tag',
    action: oldId === ZERO_ID ? 'created' : newId === ZERO_ID ? 'removed' : 'pushed',
    ref: ref.slice(isBranch ? HEADS.length : TAGS.length),
    from: oldId === ZERO_ID ? null : oldId,
    to: newId === ZERO_ID ? null : newId,
    commitCount: 0,
    commitMessage: null,
  };
}

async function addCommits(change: PushChange, { git, repository, defaultBranch }: PushContext): Promise<PushChange> {
  if (change.to === null) return change;
  // A tag counts as one commit, the tagged one.
  if (change.refType === 'tag')
    return { ...change, commitCount: 1, commitMessage: await loadTagMessage(git, repository, change.to) };
  const base = change.from ?? (change.ref === defaultBranch ? null : await findBranchHead(repository, defaultBranch));
  const commitCount = await countNewCommits(git, repository, base, change.to);
  const commitTitle = commitCount === 0 ? null : await loadCommitMessage(git, repository, change.to);
  return { ...change, commitCount, commitMessage: commitTitle };
}

/** Counts the commits since `base`. One commit on top of it, the most common case, needs no git process. */
async function countNewCommits(git: Git, repository: Repository, base: string | null, tip: string): Promise<number> {
  if (base === tip) return 0;
  const commit = await readCommit(git, repository, tip);
  const parents = commit?.parentIds ?? [];
  if (parents.length === 0 && base === null) return 1;
  if (parents.length === 1 && parents[0] === base) return 1;
  return countCommits(git, repository, { include: [tip], exclude: base === null ? [] : [base] });
}

async function loadCommitMessage(git: Git, repository: Repository, id: string): Promise<string | null> {
  return (await readCommit(git, repository, id))?.message ?? null;
}

/** Returns the message of the tagged commit; of the tag itself if it refers to another object. */
async function loadTagMessage(git: Git, repository: Repository, id: string): Promise<string | null> {
  const commitInfo = await getObjectInfo(git, repository, `${id}^{commit}`);
  if (commitInfo !== null) return loadCommitMessage(git, repository, commitInfo.id);
  return (await readTag(git, repository, id))?.message ?? null;
}
