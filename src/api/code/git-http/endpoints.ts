import { pipeline, type Readable, Transform } from 'node:stream';
import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Wiki } from '#domain/wikis.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidBranchName, isValidTagName, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { type GitService, sendRefAdvertisement, uploadPack } from '#git/transport/upload-pack.ts';
import { requireSignedInCaller } from '#http/access/access.ts';
import { canStillFetch, fetchAccess, type GitTarget, getPushDenial, pushAccess } from '#http/access/git-access.ts';
import type { GitAction } from '#http/access/git-rules.ts';
import { GIT_ENDPOINT } from '#http/access/git-rules.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginWikiRefUpdate } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { findOrCreateWiki } from '#repositories/wikis/find-or-create.ts';
import type { Clock } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { checkOtherRef } from './check-push.ts';
import { type PushTarget, receivePushToTarget, warnAboutPushOptions } from './push.ts';
import { createProjectPushTarget } from './push-to-project.ts';
import { createSnippetPushTarget } from './push-to-snippet.ts';
import { createGitHeaders, startReadingGitBody, streamGitResponse } from './serve.ts';

/** Milliseconds for which an access check stays valid. Most requests end earlier. */
const RECHECK_INTERVAL_MS = 5_000;

/** Returns whether a client still has access. */
type AccessCheck = () => Promise<boolean>;

/** Returns a check that calls `recheck` only if the last check is too old. `since`: time of the first check. */
function createAccessCheck(since: Date, clock: Clock, recheck: AccessCheck): AccessCheck {
  let lastCheckMs = since.getTime();
  return async () => {
    const nowMs = clock.now().getTime();
    if (nowMs - lastCheckMs < RECHECK_INTERVAL_MS) return true;
    if (!(await recheck())) return false;
    lastCheckMs = nowMs;
    return true;
  };
}

/**
 * Returns a stream of the request body that fails as soon as the client has lost access. A request may take hours, and git
 * sends the state of the repository at the end of the request.
 */
function streamWhileAllowed(body: Readable, checkAccess: AccessCheck): Readable {
  const checkingStream = new Transform({
    transform(chunk, _encoding, done) {
      checkAccess().then(
        (isAllowed) =>
          isAllowed ? done(null, chunk) : done(new Error('The client has lost access to the repository')),
        (error: unknown) => done(error as Error),
      );
    },
  });
  // The reader sees errors of both streams.
  pipeline(body, checkingStream, () => {});
  return checkingStream;
}

const ACTIONS_BY_SERVICE: Readonly<Record<string, GitAction>> = {
  'git-upload-pack': 'fetch',
  'git-receive-pack': 'push',
};

export const advertiseRefs = endpoint({
  get: '/*repository_path.git/info/refs',
  summary: 'Get the advertised refs of a repository',
  description:
    'First request of a git client for a fetch or push: returns the refs of the repository and what the server ' +
    'supports. `service` selects fetch (`git-upload-pack`) or push (`git-receive-pack`). Callers need a token or, ' +
    'for public repositories, no credentials.',
  access: fetchAccess(({ request }) => ACTIONS_BY_SERVICE[getRequestedService(request)] ?? null, 'siteFetch'),
  ...GIT_ENDPOINT,
  response: stream,
  async handle({ repository, allRefs, request }, { git, log }) {
    // The access check has rejected all other values.
    const service = getRequestedService(request) as GitService;
    const body = await streamGitResponse({ request, git, log }, (output) => {
      const protocol = firstHeader(request.headers['git-protocol']);
      return sendRefAdvertisement(git, getRepository(git, repository), service, {
        output,
        protocol,
        allRefs,
        defaultBranch: repository.default_branch,
      });
    });
    return { headers: createGitHeaders(service, 'advertisement'), body };
  },
});

export const fetchPack = endpoint({
  post: '/*repository_path.git/git-upload-pack',
  summary: 'Fetch a pack from a repository',
  description:
    'Second request of a fetch or clone: returns a pack with the objects that the client lacks. A long request fails ' +
    'when the client loses access.',
  access: fetchAccess(() => 'fetch', 'repeatedSiteFetch'),
  ...GIT_ENDPOINT,
  response: stream,
  async handle({ repository, allRefs, request, params }, services) {
    const { git, log } = services;
    const checkAccess = createFetchCheck(services, request, params);
    const requestBody = await startReadingGitBody(request);
    const body = await streamGitResponse({ request, git, log }, (output) => {
      const input = streamWhileAllowed(requestBody, checkAccess);
      const protocol = firstHeader(request.headers['git-protocol']);
      return uploadPack(git, getRepository(git, repository), {
        input,
        output,
        protocol,
        allRefs,
        defaultBranch: repository.default_branch,
      });
    });
    return { headers: createGitHeaders('git-upload-pack', 'result'), body };
  },
});

export const receivePush = endpoint({
  post: '/*repository_path.git/git-receive-pack',
  summary: 'Push a pack to a repository',
  description:
    'Second request of a push: stores the objects and moves the refs, or none of them if a check rejects one. Git ' +
    'prints the reason. Push options for pipelines and merge requests are carried out before the answer. A first ' +
    'push to an empty repository determines the default branch.',
  access: pushAccess(),
  ...GIT_ENDPOINT,
  activity: [
    'pushed new branch',
    'pushed to branch',
    'deleted branch',
    'pushed new tag',
    'pushed to tag',
    'deleted tag',
    'protected_branch_created',
    'created WikiPage::Meta',
    'updated WikiPage::Meta',
    'destroyed WikiPage::Meta',
  ],
  response: stream,
  async handle({ target, request, ...call }, services) {
    const caller = requireSignedInCaller(call.caller);
    const explainRefusal = () => getPushDenial(services, request, call.params.repository_path);
    const input = await startReadingGitBody(request);
    const pushTarget = await createPushTarget(services, target, { caller, explainRefusal, baseUrl: request.baseUrl });
    const body = await streamGitResponse({ ...services, request }, (output) =>
      receivePushToTarget(services, pushTarget, { input, output }),
    );
    return { headers: createGitHeaders('git-receive-pack', 'result'), body };
  },
});

/** Returns the project, snippet or wiki to which the caller pushes. */
async function createPushTarget(services: Services, target: GitTarget, pusher: Pusher): Promise<PushTarget> {
  const { pushOptionHandlers: optionHandlers } = services;
  if (target.project) return createProjectPushTarget({ project: target.project, optionHandlers, ...pusher });
  if (target.snippet) return createSnippetPushTarget({ snippet: target.snippet, ...pusher });
  return createWikiPushTarget(services, { parent: target.wikiParent, ...pusher });
}

/** The pushing user. */
interface Pusher {
  readonly caller: SignedInCaller;
  /** Returns the error message for a caller who has lost access. */
  readonly explainRefusal: () => Promise<string>;
  /** Base URL of the request, for links in the messages of push options. */
  readonly baseUrl: string;
}

/** Returns a periodic check of whether the caller, who has just been authorized, can still fetch. */
function createFetchCheck(
  services: Services,
  request: IncomingRequest,
  { repository_path }: { readonly repository_path: string },
): AccessCheck {
  return createAccessCheck(services.clock.now(), services.clock, () =>
    canStillFetch(services, request, repository_path),
  );
}

function getRequestedService(request: IncomingRequest): string {
  return new URLSearchParams(request.query).get('service') ?? '';
}

/** A push to the wiki of a group or project. */
interface WikiPush {
  readonly parent: GroupOrProject;
  readonly caller: SignedInCaller;
  /** Returns the error message for a caller who has lost access. */
  readonly explainRefusal: () => Promise<string>;
}

/**
 * Returns the push target of a wiki, which its first push creates. Callers who may write may also force-push, but
 * cannot delete the default branch.
 */
async function createWikiPushTarget(
  services: RefServices,
  { parent, caller, explainRefusal }: WikiPush,
): Promise<PushTarget> {
  const wiki = await findOrCreateWiki(services, caller, parent);
  if (isFailure(wiki)) throw new HttpError(403, REPOSITORY_READ_ONLY[1]);
  return {
    location: wiki,
    begin: async (services, { changes }) =>
      checkWikiPush(wiki, changes) ?? writeIntent(services, { wiki, caller, explainRefusal }, changes),
    applyOptions: warnAboutPushOptions,
  };
}

/** Returns the error message for the first rejected change; null if the push is allowed. */
function checkWikiPush({ default_branch }: Wiki, changes: readonly RefChange[]): string | null {
  const rejections = changes.map((change) => {
    const { ref, oldId, newId } = change;
    const [isCreated, isDeleted] = [oldId === ZERO_ID, newId === ZERO_ID];
    if (ref.startsWith(HEADS)) {
      const name = ref.slice(HEADS.length);
      if (isDeleted) return name === default_branch ? 'The default branch of a wiki cannot be deleted.' : null;
      return isCreated && !isValidBranchName(name) ? 'Branch name is invalid' : null;
    }
    if (!ref.startsWith(TAGS)) return checkOtherRef(ref, change);
    return isCreated && !isDeleted && !isValidTagName(ref.slice(TAGS.length)) ? 'Tag name invalid' : null;
  });
  return rejections.find((rejection) => rejection !== null) ?? null;
}

/** Stores the intent of a push to a wiki. Returns the intent, or the error message for the client. */
async function writeIntent(
  services: RefServices,
  { wiki, caller, explainRefusal }: Pick<WikiPush, 'caller' | 'explainRefusal'> & { readonly wiki: Wiki },
  changes: readonly RefChange[],
): Promise<Intent | string> {
  try {
    const intent = await beginWikiRefUpdate(services, { wiki, actor: { caller, may: 'create_wiki' }, changes });
    return isFailure(intent) ? REPOSITORY_READ_ONLY[1] : intent;
  } catch (error) {
    if (error instanceof AccessRevoked) return explainRefusal();
    throw error;
  }
}
