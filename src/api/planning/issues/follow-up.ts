import { continuedInIssueText } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import { findMergeRequest, mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type ProjectIssuable, toProjectIssuable } from '#http/access/noteables.ts';
import { describeTooLong } from '#http/parameters/texts.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import {
  findThread,
  isResolvable,
  isUnresolved,
  listUnresolvedThreads,
  loadNoteTexts,
  mayResolve,
  resolveCurrentThread,
  sumNoteSizes,
  type Thread,
} from '../note-rows/index.ts';

// Issues that continue threads of a merge request (contract/planning.md §3.6).

/** Maximum size of an issue's description. */
const MAX_DESCRIPTION_BYTES = 1024 * 1024;

/** The threads that a new issue continues, and their merge request. */
interface FollowUp {
  readonly mergeRequest: ProjectIssuable;
  readonly threads: readonly Thread[];
}

/** Returns the merge request with this iid as a noteable, or null if it does not exist or the caller may not read it. */
export async function findFollowedMergeRequest(
  db: Reader,
  caller: Caller,
  project: Project,
  iid: number | null | undefined,
): Promise<ProjectIssuable | null> {
  if (iid == null || !mayReadMergeRequests(caller, project)) return null;
  const mergeRequest = await findMergeRequest(db, caller, project.id, iid);
  return mergeRequest && toProjectIssuable('MergeRequest', project, mergeRequest);
}

/** Loads the requested thread, or all unresolved threads of the merge request. */
export async function loadFollowUp(
  db: Reader,
  caller: Caller,
  mergeRequest: ProjectIssuable,
  discussionId: string | null | undefined,
): Promise<FollowUp> {
  if (discussionId == null) return { mergeRequest, threads: await listUnresolvedThreads(db, caller, mergeRequest) };
  const thread = await findThread(db, caller, mergeRequest, discussionId);
  return { mergeRequest, threads: thread === null ? [] : [thread] };
}

/** Returns the default description of the issue: a task list of the threads with quotes. `baseUrl` is the server's URL. */
export async function describeFollowUp(
  db: Reader,
  { mergeRequest: { iid, project }, threads }: FollowUp,
  baseUrl: string,
): Promise<string | Failure<'invalid'>> {
  if (threads.length === 0) return `There are no unresolved discussions. Review the conversation in !${iid}`;
  const noteIds = threads.map((thread) => findQuotedNote(thread).id);
  const notesSize = await sumNoteSizes(db, noteIds);
  if (notesSize > MAX_DESCRIPTION_BYTES) return descriptionTooLong(notesSize);
  const textsById = await loadNoteTexts(db, noteIds);
  const items = threads.map((thread) => {
    const note = findQuotedNote(thread);
    const { username, body } = textsById.get(note.id)!;
    const action = note === thread.notes[0] ? 'started' : 'commented on';
    const url = `${baseUrl}/${project.full_path}/-/merge_requests/${iid}#note_${note.id}`;
    const otherCount = thread.notes.length - 1;
    const others = otherCount === 0 ? '' : ` (+${otherCount} ${otherCount === 1 ? 'comment' : 'comments'})`;
    const quote = body.split(/\r\n|\r|\n/).map((line) => `    > ${line}`);
    return `- [ ] @${username} ${action} a [discussion](${url}): ${others}\n\n${quote.join('\n')}`;
  });
  const noun = threads.length === 1 ? 'discussion' : 'discussions';
  const description = [`The following ${noun} from !${iid} should be addressed:`, ...items].join('\n\n');
  const size = Buffer.byteLength(description);
  return size > MAX_DESCRIPTION_BYTES ? descriptionTooLong(size) : description;
}

const descriptionTooLong = (bytes: number) => invalid({ description: [describeTooLong(bytes, MAX_DESCRIPTION_BYTES)] });

/** Returns the first unresolved note of a thread; if there is none, its first note. */
const findQuotedNote = ({ notes }: Thread) => notes.find(isUnresolved) ?? notes[0];

/** Resolves the threads that the caller may resolve, each with a reply that names the issue. Requires the lock `notesLockKey`. */
export async function resolveFollowedThreads(
  uow: UnitOfWork<SignedInCaller>,
  { mergeRequest, threads }: FollowUp,
  { id, iid }: Issue,
): Promise<void> {
  for (const thread of threads) {
    if (!thread.notes.some(isResolvable) || !mayResolve(uow.actor, mergeRequest, thread)) continue;
    await resolveCurrentThread(uow, { noteable: mergeRequest, caller: uow.actor }, thread, {
      resolved: true,
    });
    await uow.record({
      noteOn: { type: 'MergeRequest', id: mergeRequest.id },
      text: continuedInIssueText(`#${iid}`),
      mentionedResource: { type: 'Issue', id },
      thread: thread.notes[0],
    });
  }
}
