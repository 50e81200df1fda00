import { createGitHeaders, startReadingGitBody, streamGitResponse } from '#api/code/git-http/index.ts';
import type { Database } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Git, gitForClient } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';
import { sendRefAdvertisement, uploadPack } from '#git/transport/upload-pack.ts';
import { credentialsRequired } from '#http/access/git-rules.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type OutgoingResponse, toErrorResponse } from '#http/server/response/response.ts';
import type { Log } from '#runtime/log.ts';
import { collapseSlashes } from '#text/trim.ts';
import { getCopy } from '../sync/copies.ts';
import { findServableCopy, type RegistryRow } from '../sync/registry.ts';
import type { CallerChecks } from './caller-checks.ts';

interface FetchServices {
  readonly database: Database;
  readonly git: Git;
  readonly log: Log;
  readonly checks: CallerChecks;
}

/** Parses a request of a git fetch; null for other requests. */
export function parseFetch({
  method,
  path,
  query,
}: IncomingRequest): { readonly address: string; readonly isFirstRequest: boolean } | null {
  const [, address, endpoint] =
    /^\/([\w.%/-]+?)(?:\.git)?\/(info\/refs|git-upload-pack)$/.exec(collapseSlashes(path)) ?? [];
  if (address === undefined) return null;
  if (endpoint === 'git-upload-pack') return method === 'POST' ? { address, isFirstRequest: false } : null;
  return method === 'GET' && query === 'service=git-upload-pack' ? { address, isFirstRequest: true } : null;
}

/** Serves a fetch from the local copy if the caller may fetch it; null: proxy the request. */
export async function serveFetch(services: FetchServices, request: IncomingRequest): Promise<OutgoingResponse | null> {
  const parsedFetch = parseFetch(request);
  const copy = parsedFetch && (await findCopyAt(services, parsedFetch.address));
  if (!copy || !(await services.checks.canFetch(request, copy))) return null;
  const git = gitForClient(services.git, request.client);
  const repository = getCopy(git, copy.storage ?? 'default', copy);
  return parsedFetch.isFirstRequest
    ? serveAdvertisement(services, git, repository, request)
    : servePack(services, git, repository, request);
}

/**
 * While the primary is unavailable: responds to a fetch without credentials with the authentication request that the
 * primary sent before; null if there is none.
 */
export async function challengeFetch(
  services: FetchServices,
  request: IncomingRequest,
): Promise<OutgoingResponse | null> {
  const parsedFetch = parseFetch(request);
  const copy = parsedFetch && (await findCopyAt(services, parsedFetch.address));
  return copy && (await services.checks.requiresCredentials(request, copy))
    ? toErrorResponse(credentialsRequired())
    : null;
}

/** Returns the copy at this address that may be served. */
async function findCopyAt({ database }: FetchServices, address: string): Promise<RegistryRow | null> {
  return (await findServableCopy(database.reader, foldCase(decodeAddress(address)))) ?? null;
}

async function serveAdvertisement(
  { log }: FetchServices,
  git: Git,
  repository: Repository,
  request: IncomingRequest,
): Promise<OutgoingResponse> {
  const protocol = firstHeader(request.headers['git-protocol']);
  const body = await streamGitResponse({ request, git, log }, (output) =>
    sendRefAdvertisement(git, repository, 'git-upload-pack', { output, protocol }),
  );
  return { status: 200, headers: createGitHeaders('git-upload-pack', 'advertisement'), body };
}

async function servePack(
  { log }: FetchServices,
  git: Git,
  repository: Repository,
  request: IncomingRequest,
): Promise<OutgoingResponse> {
  const protocol = firstHeader(request.headers['git-protocol']);
  const input = await startReadingGitBody(request);
  const body = await streamGitResponse({ request, git, log }, (output) =>
    uploadPack(git, repository, { input, output, protocol }),
  );
  return { status: 200, headers: createGitHeaders('git-upload-pack', 'result'), body };
}

/** Returns the decoded address; an empty text, which matches no copy, if its encoding is invalid. */
function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return '';
  }
}
