import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { zeroId } from '#git/refs/refs.ts';
import {
  forThings,
  type InThing,
  type Noteable,
  type NoteableKind,
  type ThingOfCommit,
} from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { description, string } from '#http/parameters/texts.ts';
import { dateTime } from '#http/parameters/types.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { epicThing } from '../epics/index.ts';
import { issueThing } from '../issues/index.ts';
import { mergeRequestThing } from '../merge-requests/index.ts';
import {
  type Beginning,
  COMMAND_REFUSALS,
  commentingOn,
  commitThing,
  createNote,
  NOTE_REFUSALS,
  orCommanded,
  sayAndDo,
  type Thread,
} from '../notes/index.ts';
import { Discussion } from './entities.ts';
import { POSITION_REFUSALS, placed, positionParam, type SaidPosition } from './position.ts';

// How threads begin: anywhere with a first note, on merge requests and commits also at a place in a diff.

const params = { body: required(description), created_at: optional(dateTime) };

const REFUSALS = { internal: FORBIDDEN, ...NOTE_REFUSALS, ...COMMAND_REFUSALS } as const;

const Begun = orCommanded(Discussion);

interface Said {
  readonly body: string;
  readonly created_at?: string | null | undefined;
}

function begin(
  services: RefServices,
  on: InThing<Noteable> & { readonly kind: NoteableKind },
  { body, created_at }: Said,
  begins: Beginning,
) {
  return sayAndDo(services, on, body, {
    async say(uow, said): Promise<Thread | Failure<keyof typeof REFUSALS>> {
      const wish = { ...said, internal: false, createdAt: created_at ?? null, begins };
      const note = await createNote(uow, on.kind, on.thing, wish);
      return isFailure(note) ? note : { id: note.discussion_id, notes: [note] };
    },
  });
}

const NOT_IN_A_DIFF: Beginning = { position: null, commitSha: null };

export const [createIssueDiscussion, createEpicDiscussion] = forThings([issueThing, epicThing], (kind) =>
  endpoint({
    post: `${kind.path}/discussions`,
    summary: `Begin a thread on ${kind.aThing}`,
    access: commentingOn(kind),
    params,
    errors: REFUSALS,
    activity: kind.place === 'project' ? ['commented DiscussionNote', 'note mention'] : ['note mention'],
    response: created(Begun),
    handle: ({ caller, thing, params: said }, services) =>
      begin(services, { kind, thing, caller }, said, NOT_IN_A_DIFF),
  }),
);

export const createMergeRequestDiscussion = endpoint({
  post: `${mergeRequestThing.path}/discussions`,
  summary: 'Begin a thread on a merge request, or on a place in what it changes',
  access: commentingOn(mergeRequestThing),
  params: { ...params, position: optional(positionParam), commit_id: optional(string) },
  errors: { ...REFUSALS, ...POSITION_REFUSALS },
  activity: ['commented DiscussionNote', 'commented DiffNote', 'note mention'],
  response: created(Begun),
  async handle({ caller, thing, params: said }, services) {
    const begins = await placeIn(services.git, thing, said.position);
    if (isFailure(begins)) return begins;
    const commitSha = begins.position === null ? null : await commitNamed(services.git, thing, said.commit_id);
    if (isFailure(commitSha)) return commitSha;
    return begin(services, { kind: mergeRequestThing, thing, caller }, said, { ...begins, commitSha });
  },
});

export const createCommitDiscussion = endpoint({
  post: `${commitThing.path}/discussions`,
  summary: 'Begin a thread on a commit, or on a place in its diff',
  access: commentingOn(commitThing),
  params: { ...params, position: optional(positionParam) },
  errors: { ...REFUSALS, ...POSITION_REFUSALS },
  activity: ['commented DiscussionNote', 'commented DiffNote'],
  response: created(Begun),
  async handle({ caller, thing, params: said }, services) {
    if (said.position && !isOwnDiff(thing, said.position)) return fail('nowhere');
    const begins = await placeIn(services.git, thing, said.position);
    if (isFailure(begins)) return begins;
    return begin(services, { kind: commitThing, thing, caller }, said, begins);
  },
});

type InRepository = Extract<Noteable, { readonly project: object }>;

async function placeIn(
  git: Git,
  { project }: InRepository,
  said: SaidPosition | null | undefined,
): Promise<Beginning | Failure<keyof typeof POSITION_REFUSALS>> {
  if (!said) return NOT_IN_A_DIFF;
  const position = await placed(git, project, said);
  return isFailure(position) ? position : { position, commitSha: null };
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
): Promise<string | null | Failure<'nowhere'>> {
  if (!sha) return null;
  const isThere = /^[0-9a-f]{40}$/.test(sha) && (await readCommit(git, repositoryOf(git, project), sha)) !== null;
  return isThere ? sha : fail('nowhere');
}
