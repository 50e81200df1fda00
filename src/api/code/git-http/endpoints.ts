import type { SignedInCaller } from '#authentication/caller.ts';
import { type GitService, sendRefAdvertisement } from '#git/transport/advertise-refs.ts';
import { uploadPack } from '#git/transport/upload-pack.ts';
import { requireSignedInCaller } from '#http/access/access.ts';
import { canStillFetch, fetchAccess, type GitTarget, getPushDenial, pushAccess } from '#http/access/git-access.ts';
import type { GitAction } from '#http/access/git-rules.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type PushTarget, receivePushToTarget } from './push.ts';
import { createProjectPushTarget } from './push-to-project.ts';
import { createSnippetPushTarget } from './push-to-snippet.ts';
import { createWikiPushTarget } from './push-to-wiki.ts';
import { type AccessCheck, createAccessCheck, streamWhileAllowed } from './recheck-access.ts';
import { startReadingGitBody } from './request-body.ts';
import { createGitHeaders, streamGitResponse } from './serve.ts';

const ACTIONS_BY_SERVICE: Readonly<Record<string, GitAction>> = {
  'git-upload-pack': 'fetch',
  'git-receive-pack': 'push',
};

export const advertiseRefs = endpoint({
  get: '/*repository_path.git/info/refs',
  summary: 'Get the advertised refs of a repository',
  access: fetchAccess(({ request }) => ACTIONS_BY_SERVICE[requestedService(request)] ?? null, 'siteFetch'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
  response: stream,
  async handle({ repository, allRefs, request }, { git, log }) {
    const service = requestedService(request) as GitService;
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
  access: fetchAccess(() => 'fetch', 'repeatedSiteFetch'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
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
  access: pushAccess(),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
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

async function createPushTarget(services: Services, target: GitTarget, pusher: Pusher): Promise<PushTarget> {
  const { pushOptionHandlers: optionHandlers } = services;
  if (target.project) return createProjectPushTarget({ project: target.project, optionHandlers, ...pusher });
  if (target.snippet) return createSnippetPushTarget({ snippet: target.snippet, ...pusher });
  return createWikiPushTarget(services, { parent: target.wikiParent, ...pusher });
}

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

function requestedService(request: IncomingRequest): string {
  return new URLSearchParams(request.query).get('service') ?? '';
}
