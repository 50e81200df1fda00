import { Type } from 'typebox';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import {
  type CommitNoteable,
  forNoteables,
  type Noteable,
  type NoteableContext,
  type NoteableKind,
} from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { longText, string } from '#http/parameters/texts.ts';
import { dateTime } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { epicNoteable } from '../epics/index.ts';
import { issueNoteable } from '../issues/index.ts';
import { mergeRequestNoteable } from '../merge-requests/index.ts';
import {
  commitNoteableKind,
  createNote,
  createNoteAccess,
  createNoteOrQuickActionsEntity,
  NOTE_ERRORS,
  Note,
  QUICK_ACTION_ERRORS,
  type Thread,
  type ThreadStart,
  writeNoteWithQuickActions,
} from '../notes/index.ts';
import { POSITION_ERRORS, type PositionParams, positionParam, validatePosition } from './position.ts';

/** A thread with all its notes (contract/planning.md §1 "Discussion"). */
export const Discussion = entity('Discussion', {
  id: Type.String({ description: '40 hexadecimal digits.' }),
  individual_note: Type.Boolean({ description: 'Whether this is a single comment or system note without replies.' }),
  notes: Type.Array(Note.schema, { description: 'Oldest first.' }),
}).from(
  async (threads: readonly Thread[], context) => {
    const serializedNotes = await Note.serializeAll(
      threads.flatMap(({ notes }) => notes),
      context,
    );
    return new Map(serializedNotes.map((note) => [note.id, note]));
  },
  ({ id, notes }, _context, notesById) => ({
    id,
    individual_note: notes[0].type === null,
    notes: notes.flatMap((note) => notesById.get(note.id) ?? []),
  }),
);

// Creation of threads: with a first note on any noteable; on merge requests and commits also at a position in a diff.

/** Parameters of the first note of a thread, and of replies. */
export const THREAD_NOTE_PARAMS = {
  body: describe(required(longText), 'Markdown. Lines like `/close` are quick actions.'),
  created_at: describe(optional(dateTime), 'Only Owners and administrators may set it; ignored for others.'),
};

const NOTE_CREATION_ERRORS = { internalNotAllowed: FORBIDDEN, ...NOTE_ERRORS, ...QUICK_ACTION_ERRORS } as const;

const CreatedDiscussion = createNoteOrQuickActionsEntity(Discussion);

interface DiscussionParams {
  readonly body: string;
  readonly created_at?: string | null | undefined;
}

/** Creates a thread with a first note; quick actions in the body are executed. */
function createDiscussion(
  services: RefServices,
  target: NoteableContext<Noteable> & { readonly kind: NoteableKind; readonly base: { readonly url: string } },
  { body, created_at }: DiscussionParams,
  threadStart: ThreadStart,
) {
  return writeNoteWithQuickActions(services, target, body, {
    baseUrl: target.base.url,
    async write(uow, noteText): Promise<Thread | Failure<keyof typeof NOTE_CREATION_ERRORS>> {
      const input = { ...noteText, internal: false, createdAt: created_at ?? null, threadStart };
      const note = await createNote(uow, target.kind, target.noteable, input);
      return isFailure(note) ? note : { id: note.discussion_id, notes: [note] };
    },
  });
}

/** The start of a thread that is not in a diff. */
const OUTSIDE_DIFF: ThreadStart = { position: null, commitSha: null };

export const [createIssueDiscussion, createEpicDiscussion] = forNoteables([issueNoteable, epicNoteable], (kind) =>
  endpoint({
    post: `${kind.path}/discussions`,
    summary: `Create a thread on ${kind.nounWithArticle}`,
    description:
      'Creates a thread with a first note. Quick actions in the text are executed and removed. If the text contains nothing else, no thread is created and the response is 202 with their effects. Members only may comment if the discussion is locked.',
    access: createNoteAccess(kind),
    params: THREAD_NOTE_PARAMS,
    errors: NOTE_CREATION_ERRORS,
    activity: kind.parentType === 'project' ? ['commented DiscussionNote', 'note mention'] : ['note mention'],
    response: { ...created(CreatedDiscussion), otherStatuses: [202] },
    handle: ({ caller, noteable, base, params }, services) =>
      createDiscussion(services, { kind, noteable, caller, base }, params, OUTSIDE_DIFF),
  }),
);

export const createMergeRequestDiscussion = endpoint({
  post: `${mergeRequestNoteable.path}/discussions`,
  summary: 'Create a thread on a merge request or diff',
  description:
    'Creates a thread with a first note, with `position` on a line or file of the diff. The position is checked against the diff and stays as it is after later pushes. Quick actions in the text are executed and removed. If the text contains nothing else, no thread is created and the response is 202 with their effects.',
  access: createNoteAccess(mergeRequestNoteable),
  params: {
    ...THREAD_NOTE_PARAMS,
    position: optional(positionParam),
    commit_id: describe(optional(string), 'With `position`: the commit of the merge request whose diff it refers to.'),
  },
  errors: { ...NOTE_CREATION_ERRORS, ...POSITION_ERRORS },
  activity: ['commented DiscussionNote', 'commented DiffNote', 'note mention'],
  response: { ...created(CreatedDiscussion), otherStatuses: [202] },
  async handle({ caller, noteable, base, params }, services) {
    const threadStart = await toThreadStart(services.git, noteable, params.position);
    if (isFailure(threadStart)) return threadStart;
    const commitSha =
      threadStart.position === null ? null : await findCommitSha(services.git, noteable, params.commit_id);
    if (isFailure(commitSha)) return commitSha;
    return createDiscussion(services, { kind: mergeRequestNoteable, noteable, caller, base }, params, {
      ...threadStart,
      commitSha,
    });
  },
});

export const createCommitDiscussion = endpoint({
  post: `${commitNoteableKind.path}/discussions`,
  summary: 'Create a thread on a commit or its diff',
  description:
    "Creates a thread with a first note, with `position` on a line or file of the commit's diff. The only quick action is `/tag`. If the text contains nothing else, no thread is created and the response is 202 with its effects.",
  access: createNoteAccess(commitNoteableKind),
  params: {
    ...THREAD_NOTE_PARAMS,
    position: describe(optional(positionParam), 'Must refer to the diff between the commit and its first parent.'),
  },
  errors: { ...NOTE_CREATION_ERRORS, ...POSITION_ERRORS },
  activity: ['commented DiscussionNote', 'commented DiffNote'],
  response: { ...created(CreatedDiscussion), otherStatuses: [202] },
  async handle({ caller, noteable, base, params }, services) {
    if (params.position && !isDiffOfCommit(noteable, params.position)) return fail('invalidPosition');
    const threadStart = await toThreadStart(services.git, noteable, params.position);
    if (isFailure(threadStart)) return threadStart;
    return createDiscussion(services, { kind: commitNoteableKind, noteable, caller, base }, params, threadStart);
  },
});

type RepositoryNoteable = Extract<Noteable, { readonly project: object }>;

/** Returns the start of a thread at this position, or outside a diff if there is none. */
async function toThreadStart(
  git: Git,
  { project }: RepositoryNoteable,
  positionParams: PositionParams | null | undefined,
): Promise<ThreadStart | Failure<keyof typeof POSITION_ERRORS>> {
  if (!positionParams) return OUTSIDE_DIFF;
  const position = await validatePosition(git, project, positionParams);
  return isFailure(position) ? position : { position, commitSha: null };
}

/** Returns whether the position is in the diff between the commit and its first parent. */
function isDiffOfCommit({ commit }: CommitNoteable, { base_sha, head_sha }: PositionParams): boolean {
  return head_sha === commit.id && base_sha === (commit.parentIds[0] ?? ZERO_ID);
}

/** Returns the SHA if the repository has this commit, null if none is given, else a failure. */
async function findCommitSha(
  git: Git,
  { project }: RepositoryNoteable,
  sha: string | null | undefined,
): Promise<string | null | Failure<'invalidPosition'>> {
  if (!sha) return null;
  const exists = /^[0-9a-f]{40}$/.test(sha) && (await readCommit(git, getRepository(git, project), sha)) !== null;
  return exists ? sha : fail('invalidPosition');
}
