import { LRUCache } from 'lru-cache';
import type { Caller } from '#authentication/caller.ts';
import type { Config } from '#config.ts';
import type { CurrentDatabase, Reads } from '#database/database.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { hasBody } from '#http/request/body.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { AskedBefore } from '#runtime/admission-filter.ts';
import { today } from '#runtime/clock.ts';
import { bytesOf } from '#runtime/heap-size.ts';
import type { View } from './request-view.ts';
import type { Outgoing } from './response.ts';

/**
 * JSON answers of endpoints that only read, and of which nobody has asked for the moment: functions of the database, of the
 * request's line, of the caller and of the day. They are kept for as long as what their requests have read is what they would
 * read again, whoever commits, which is asked in each request, before and after the answer is made. Credentials, scopes, what the path names and the ability are checked all the same.
 */

/** What is kept at most, in bytes of the heap; a longer URL is not worth its key. */
const KEPT = 8 * 2 ** 20;
/** Of an entry besides: its place in the cache, and the names of the tables that were read for it. */
const ENTRY = 800;
const LONGEST_URL = 2_000;

interface Known {
  readonly outgoing: Outgoing;
  readonly reads: Reads;
}

interface Answers {
  readonly asked: AskedBefore;
  readonly known: LRUCache<string, Known>;
}

/** A server is known by its configuration: each request sees a database of its own. */
const answersOf = new WeakMap<Config, Answers>();

interface Asked {
  readonly endpoint: Endpoint;
  readonly request: Incoming;
  readonly caller: Caller;
  readonly services: Services;
  /** With which it reads. */
  readonly database: CurrentDatabase;
}

/** The answer as it was made of what the database still holds, or as it is made now. */
export async function rememberedAnswer(asked: Asked, view: View, make: () => Promise<Outgoing>): Promise<Outgoing> {
  if (!isRemembered(asked.endpoint) || tooMuch(asked.request)) return make();
  const { database, services } = asked;
  const asking = database.version();
  if (asking instanceof Promise) await asking;
  const answers = answersFor(services.config);
  const key = keyOf(asked);
  const before = answers.known.get(key);
  if (before?.reads.hold()) return before.outgoing;
  const again = answers.asked.note(key);
  const outgoing = await make();
  // What is made while it is sent is gone when it is sent.
  if (!again || outgoing.status !== 200 || view.timed || typeof outgoing.body !== 'string') return outgoing;
  // Made of one state only: what was committed meanwhile may be in one half of it.
  await database.current().version();
  const reads = database.reads();
  if (reads.hold() && keyOf(asked) === key) answers.known.set(key, { outgoing, reads });
  return outgoing;
}

function answersFor(config: Config): Answers {
  let answers = answersOf.get(config);
  if (answers === undefined) {
    const sizeCalculation = ({ outgoing }: Known, key: string) => ENTRY + bytesOf(key) + bytesOf(outgoing);
    answers = {
      asked: new AskedBefore(),
      known: new LRUCache({ maxSize: KEPT, maxEntrySize: KEPT / 16, sizeCalculation }),
    };
    answersOf.set(config, answers);
  }
  return answers;
}

/** Gives up what is kept. */
export function forgetAnswers(config: Config): void {
  answersOf.get(config)?.known.clear();
}

export function isRemembered({ method, handler: way, response: answer }: Endpoint): boolean {
  return method === 'GET' && way.kind === 'read' && answer.schema !== null;
}

function tooMuch(request: Incoming): boolean {
  return hasBody(request) || request.path.length + request.query.length > LONGEST_URL;
}

/** The path names the endpoint; the whole line stands in links. */
function keyOf({ request, caller, services }: Asked): string {
  const { baseUrl, path, query } = request;
  const token = caller.token === null ? '' : `${caller.token.kind} ${caller.token.id}`;
  return `${caller.user?.id ?? ''} ${token} ${caller.site?.id ?? ''} ${today(services.clock)} ${baseUrl}${path}?${query}`;
}
