import { begunBody, headersOf, served } from '#api/code/git-http/index.ts';
import type { Database } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Git, gitFor } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';
import { advertise } from '#git/transport/advertise-refs.ts';
import { uploadPack } from '#git/transport/upload-pack.ts';
import { accessDenied } from '#http/access/git-rules.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import { type Outgoing, refusalReply } from '#http/server/response/response.ts';
import type { Log } from '#runtime/log.ts';
import { copyOf } from '../sync/copy-repository.ts';
import { type Copy, servedAt } from '../sync/registry.ts';
import type { Checks } from './caller-checks.ts';

interface Serving {
  readonly database: Database;
  readonly git: Git;
  readonly log: Log;
  readonly checks: Checks;
}

/** What a git client asks for who fetches; null: it is something else that is asked for. */
export function fetchOf({
  method,
  path,
  query,
}: Incoming): { readonly address: string; readonly begins: boolean } | null {
  const [, address, end] = /^\/([\w.%/-]+)\.git\/(info\/refs|git-upload-pack)$/.exec(path) ?? [];
  if (address === undefined) return null;
  if (end === 'git-upload-pack') return method === 'POST' ? { address, begins: false } : null;
  return method === 'GET' && query === 'service=git-upload-pack' ? { address, begins: true } : null;
}

/** A fetch from the copy that is here, of whoever may; null: the primary answers. */
export async function serveFetch(serving: Serving, request: Incoming): Promise<Outgoing | null> {
  const wanted = fetchOf(request);
  const copy = wanted && (await copyAt(serving, wanted.address));
  if (!copy || !(await serving.checks.mayFetch(request, copy))) return null;
  const git = gitFor(serving.git, request.client);
  const repository = copyOf(git, copy.storage ?? 'default', copy);
  return wanted.begins ? advertised(serving, git, repository, request) : packed(serving, git, repository, request);
}

/** While the primary is away: the question which git waits for before it says who fetches what is here; null: there is none. */
export async function askWhoFetches(serving: Serving, request: Incoming): Promise<Outgoing | null> {
  const wanted = fetchOf(request);
  const copy = wanted && (await copyAt(serving, wanted.address));
  return copy && (await serving.checks.wantedToKnowWho(request, copy)) ? refusalReply(accessDenied()) : null;
}

/** The copy at this address that may be served. */
async function copyAt({ database }: Serving, address: string): Promise<Copy | null> {
  return (await servedAt(database.reader, foldCase(decoded(address)))) ?? null;
}

async function advertised({ log }: Serving, git: Git, repository: Repository, request: Incoming): Promise<Outgoing> {
  const protocol = single(request.headers['git-protocol']);
  const body = await served({ request, git, log }, (output) =>
    advertise(git, repository, 'git-upload-pack', { output, protocol }),
  );
  return { status: 200, headers: headersOf('git-upload-pack', 'advertisement'), body };
}

async function packed({ log }: Serving, git: Git, repository: Repository, request: Incoming): Promise<Outgoing> {
  const protocol = single(request.headers['git-protocol']);
  const input = await begunBody(request);
  const body = await served({ request, git, log }, (output) =>
    uploadPack(git, repository, { input, output, protocol }),
  );
  return { status: 200, headers: headersOf('git-upload-pack', 'result'), body };
}

/** What is no text is the address of nothing. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return '';
  }
}
