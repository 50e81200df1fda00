import { advertise, type Service } from '#git/transport/advertise-refs.ts';
import { uploadPack } from '#git/transport/upload-pack.ts';
import { open, signedInCaller } from '#http/access/access.ts';
import { fetchAccess, mayFetchStill, pushAccess, whyNoPush } from '#http/access/git-access.ts';
import type { GitAction } from '#http/access/git-rules.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { Reply, stream, text } from '#http/endpoint/responses.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { push } from './push.ts';
import { receivingProject } from './push-to-project.ts';
import { receivingWiki } from './push-to-wiki.ts';
import { type Allowed, allowedSince, whileAllowed } from './recheck-access.ts';
import { begunBody } from './request-body.ts';
import { headersOf, served } from './serve.ts';

const ACTIONS: Readonly<Record<string, GitAction>> = { 'git-upload-pack': 'fetch', 'git-receive-pack': 'push' };

export const advertiseRefs = endpoint({
  get: '/*repository_path.git/info/refs',
  summary: 'What a git client may fetch or push to',
  access: fetchAccess(({ request }) => ACTIONS[serviceOf(request)] ?? null),
  stageOrder: 'ownCredentials',
  body: 'raw',
  root: true,
  response: stream,
  async handle({ repository, allRefs, request }, { git, log }) {
    const service = serviceOf(request) as Service;
    const body = await served({ request, git, log }, (output) => {
      const protocol = single(request.headers['git-protocol']);
      return advertise(git, repositoryOf(git, repository), service, {
        output,
        protocol,
        allRefs,
        defaultBranch: repository.default_branch,
      });
    });
    return { headers: headersOf(service, 'advertisement'), body };
  },
});

export const advertiseRefsElsewhere = endpoint({
  get: '/*repository_path/info/refs',
  summary: 'Leads git clients that leave out .git to the repository',
  access: open(),
  stageOrder: 'ownCredentials',
  root: true,
  response: text,
  handle({ request }) {
    const path = request.path.replace(/\/info\/refs$/, '.git/info/refs');
    const location = `${request.baseUrl}${path}${request.query === '' ? '' : `?${request.query}`}`;
    return new Reply(`Moved to ${location}\n`, { status: 301, headers: { Location: location } });
  },
});

export const fetchPack = endpoint({
  post: '/*repository_path.git/git-upload-pack',
  summary: 'Fetch',
  access: fetchAccess(() => 'fetch'),
  stageOrder: 'ownCredentials',
  body: 'raw',
  root: true,
  response: stream,
  async handle({ repository, allRefs, request, params }, services) {
    const { git, log } = services;
    const allowed = allowedToFetch(services, request, params);
    const begun = await begunBody(request);
    const body = await served({ request, git, log }, (output) => {
      const input = whileAllowed(begun, allowed);
      const protocol = single(request.headers['git-protocol']);
      return uploadPack(git, repositoryOf(git, repository), {
        input,
        output,
        protocol,
        allRefs,
        defaultBranch: repository.default_branch,
      });
    });
    return { headers: headersOf('git-upload-pack', 'result'), body };
  },
});

export const receivePush = endpoint({
  post: '/*repository_path.git/git-receive-pack',
  summary: 'Push',
  access: pushAccess(),
  stageOrder: 'ownCredentials',
  body: 'raw',
  root: true,
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
    const caller = signedInCaller(call.caller);
    const whyNot = () => whyNoPush(services, request, call.params.repository_path);
    const input = await begunBody(request);
    const receiving = target.project
      ? receivingProject({ project: target.project, caller, whyNot })
      : await receivingWiki(services, { place: target.wikiOf, caller, whyNot });
    const body = await served({ ...services, request }, (output) => push(services, receiving, { input, output }));
    return { headers: headersOf('git-receive-pack', 'result'), body };
  },
});

/** Of whoever has been let in just now. */
function allowedToFetch(
  services: Services,
  request: Incoming,
  { repository_path }: { readonly repository_path: string },
): Allowed {
  return allowedSince(services.clock.now(), services.clock, () => mayFetchStill(services, request, repository_path));
}

function serviceOf(request: Incoming): string {
  return new URLSearchParams(request.query).get('service') ?? '';
}
