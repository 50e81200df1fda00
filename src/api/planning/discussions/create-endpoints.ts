import type { Act } from '../../../facts/act.ts';
import type { Git } from '../../../git/git.ts';
import { readCommit } from '../../../git/objects.ts';
import { zeroId } from '../../../git/refs.ts';
import { forThings, type Noteable, type NoteableKind, type ThingOfCommit } from '../../../http/access/things.ts';
import { created } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { description, text } from '../../../http/parameters/texts.ts';
import { dateTime } from '../../../http/parameters/types.ts';
import { FORBIDDEN } from '../../../http/refusals/texts.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import { epicThing } from '../epics/index.ts';
import { issueThing } from '../issues/index.ts';
import { mergeRequestThing } from '../merge-requests/index.ts';
import {
  type Beginning,
  commentingOn,
  commitThing,
  createNote,
  NOTE_REFUSALS,
  type Thread,
  turnOfNotes,
} from '../notes/index.ts';
import { Discussion } from './entities.ts';
import { POSITION_REFUSALS, placed, positionParam, type SaidPosition } from './position.ts';

// How threads begin: anywhere with a first note, on merge requests and commits also at a place in a diff.

const params = { body: required(description), created_at: optional(dateTime) };

const REFUSALS = { internal: FORBIDDEN, ...NOTE_REFUSALS } as const;

interface Said {
  readonly body: string;
  readonly created_at?: string | null | undefined;
}

async function begin(
  act: Act<SignedIn>,
  kind: NoteableKind,
  thing: Noteable,
  { body, created_at }: Said,
  begins: Beginning,
): Promise<Thread | Refused<keyof typeof REFUSALS>> {
  const note = await createNote(act, kind, thing, { body, internal: false, createdAt: created_at ?? null, begins });
  return isRefused(note) ? note : { id: note.discussion_id, notes: [note] };
}

const NOT_IN_A_DIFF: Beginning = { position: null, commitSha: null };

export const [createIssueDiscussion, createEpicDiscussion] = forThings([issueThing, epicThing], (kind) =>
  endpoint({
    post: `${kind.path}/discussions`,
    summary: `Begin a thread on ${kind.aThing}`,
    access: commentingOn(kind),
    params,
    turn: (call) => turnOfNotes(call),
    refuses: REFUSALS,
    records: kind.place === 'project' ? ['commented DiscussionNote', 'note mention'] : ['note mention'],
    answer: created(Discussion),
    write: (act, call) => begin(act, kind, call.thing, call.params, NOT_IN_A_DIFF),
  }),
);

export const createMergeRequestDiscussion = endpoint({
  post: `${mergeRequestThing.path}/discussions`,
  summary: 'Begin a thread on a merge request, or on a place in what it changes',
  access: commentingOn(mergeRequestThing),
  params: { ...params, position: optional(positionParam), commit_id: optional(text) },
  refuses: { ...REFUSALS, ...POSITION_REFUSALS },
  records: ['commented DiscussionNote', 'commented DiffNote', 'note mention'],
  answer: created(Discussion),
  async handle({ caller, thing, params: said }, { git, acting }) {
    const begins = await placeIn(git, thing, said.position);
    if (isRefused(begins)) return begins;
    const commitSha = begins.position === null ? null : await commitNamed(git, thing, said.commit_id);
    if (isRefused(commitSha)) return commitSha;
    return acting(caller, (act) => begin(act, mergeRequestThing, thing, said, { ...begins, commitSha }), {
      turn: turnOfNotes({ thing }),
    });
  },
});

export const createCommitDiscussion = endpoint({
  post: `${commitThing.path}/discussions`,
  summary: 'Begin a thread on a commit, or on a place in its diff',
  access: commentingOn(commitThing),
  params: { ...params, position: optional(positionParam) },
  refuses: { ...REFUSALS, ...POSITION_REFUSALS },
  records: ['commented DiscussionNote', 'commented DiffNote'],
  answer: created(Discussion),
  async handle({ caller, thing, params: said }, { git, acting }) {
    if (said.position && !isOwnDiff(thing, said.position)) return refused('nowhere');
    const begins = await placeIn(git, thing, said.position);
    if (isRefused(begins)) return begins;
    return acting(caller, (act) => begin(act, commitThing, thing, said, begins), { turn: turnOfNotes({ thing }) });
  },
});

type InRepository = Extract<Noteable, { readonly project: object }>;

async function placeIn(
  git: Git,
  { project }: InRepository,
  said: SaidPosition | null | undefined,
): Promise<Beginning | Refused<keyof typeof POSITION_REFUSALS>> {
  if (!said) return NOT_IN_A_DIFF;
  const position = await placed(git, project, said);
  return isRefused(position) ? position : { position, commitSha: null };
}

/** What a commit has changed is seen from its first parent. */
function isOwnDiff({ commit }: ThingOfCommit, { base_sha, head_sha }: SaidPosition): boolean {
  return head_sha === commit.id && base_sha === (commit.parentIds[0] ?? zeroId);
}

/** A commit that the repository has. */
async function commitNamed(
  git: Git,
  { project }: InRepository,
  sha: string | null | undefined,
): Promise<string | null | Refused<'nowhere'>> {
  if (!sha) return null;
  const isThere = /^[0-9a-f]{40}$/.test(sha) && (await readCommit(git, repositoryOf(git, project), sha)) !== null;
  return isThere ? sha : refused('nowhere');
}
