import { sql } from 'kysely';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { isSignedIn } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { subscription } from '#events/event-bus.ts';
import { listCommits } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { walks } from '#git/trees/path-entries.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { closeNamed } from './close-issue.ts';
import { closedBy } from './closing-keywords.ts';

interface Pushed {
  readonly projectId: number;
  readonly userId: number;
  readonly oldId: string;
  readonly newId: string;
  /** What they have come by, where that is a merge. */
  readonly mergeRequestId?: number | undefined;
}

/** Of one push so many commits are read, the newest (the reference's number), and so many issues are closed (chosen). */
const MOST_COMMITS = 100;
const MOST_ISSUES = 100;

/**
 * Commits that come to the default branch close the issues that their messages say they close, in the name and by the rights
 * of who has pushed them. contract/activity.md Part 1
 */
export const closeIssuesByCommits = defineJob({
  kind: 'close_issues_by_commits',
  async handle(
    { database, git, runUnitOfWork }: RefServices,
    { projectId, userId, mergeRequestId, oldId, newId }: Pushed,
  ) {
    const by = await actorOf(database.reader, userId);
    if (!isSignedIn(by)) return;
    const project = await findProject(database.reader, by, String(projectId));
    if (project === null || !storedAttributes(project).autoclose_referenced_issues) return;
    const named = await namedIn(git, repositoryOf(git, project), oldId, newId);
    for (const [iid, sourceCommit] of [...named].slice(0, MOST_ISSUES)) {
      const because = mergeRequestId === undefined ? { sourceCommit } : { sourceMergeRequestId: mergeRequestId };
      await closeNamed(runUnitOfWork, by, project, iid, because);
    }
  },
});

/** In the act that records the push; only where there is an issue to close. */
export const closeByCommits = subscription({
  event: 'refs-changed',
  async inTransaction(uow, { projectId, userId, changes, merge }) {
    const come = changes.filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== zeroId);
    if (userId === null || come.length === 0) return;
    const branch = await defaultBranch(uow, projectId);
    const change = come.find(({ ref }) => ref.slice(HEADS.length) === branch);
    if (change === undefined) return;
    const { oldId, newId } = change;
    await enqueue(uow, closeIssuesByCommits, {
      projectId,
      userId,
      oldId,
      newId,
      mergeRequestId: merge?.mergeRequestId,
    });
  },
});

/** Of a project with open issues. index: repositories primary key, issues_by_project_state */
async function defaultBranch(tx: Transaction, projectId: number): Promise<string | undefined> {
  const row = await tx
    .selectFrom('repositories')
    .select('default_branch')
    .where('project_id', '=', projectId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('issues')
          .select('issues.id')
          .where('issues.project_id', '=', projectId)
          .where('issues.state', '=', sql.lit('opened' as const)),
      ),
    )
    .executeTakeFirst();
  return row?.default_branch;
}

/** The numbers of the issues with the oldest commit that says so of each. */
async function namedIn(
  git: Git,
  repository: Repository,
  oldId: string,
  newId: string,
): Promise<ReadonlyMap<number, string>> {
  const named = new Map<number, string>();
  for (const commit of await readCommits(git, repository, await newCommits(git, repository, oldId, newId))) {
    if (commit === null) continue;
    for (const iid of closedBy(commit.message)) if (!named.has(iid)) named.set(iid, commit.id);
  }
  return named;
}

/** Oldest first. Most pushes bring one commit, which need not be looked for. */
async function newCommits(git: Git, repository: Repository, oldId: string, newId: string): Promise<string[]> {
  const [newest] = await readCommits(git, repository, [newId]);
  if (newest?.parentIds.length === 1 && newest.parentIds[0] === oldId) return [newId];
  const revisions = { include: [newId], exclude: oldId === zeroId ? [] : [oldId] };
  const list = () => listCommits(git, repository, { revisions, limit: MOST_COMMITS });
  return (await walks(git).enter(list, git)).reverse();
}
