import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { HttpError } from '#http/errors/http-error.ts';
import { parseJson } from '#http/request/json-body.ts';
import { createOutbound, type Outbound, type OutboundAnswer, OutboundFailure } from '#outbound-http/index.ts';

/** Why the primary has not answered as it should. */
export class PrimaryFailure extends Error {
  override readonly name = 'PrimaryFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

type FailureKind =
  /** Nobody answers, or somebody who cannot at present: later perhaps. */
  | 'away'
  /** It does not know who asks, any more or yet. */
  | 'rejected'
  /** Whoever asks may not, or what is asked for is not there. */
  | 'refused'
  /** What it says is not what a primary says. */
  | 'nonsense';

/** A page of a hundred of anything is shorter, in bytes, and holds less. */
const LONGEST_ANSWER = 2 * 1024 * 1024;
const BOUNDS = { depth: 10, items: 100_000, elements: 100_000, names: 100_000 };

export interface Question {
  readonly method?: string;
  /** Below the primary's address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Asks one server, whose address is the operator's: it may be a private one, and it does not lead to another. */
export interface Asking {
  json<Shape extends TSchema>(question: Question, shape: Shape): Promise<Static<Shape>>;
  /** The same with its headers. */
  answer<Shape extends TSchema>(
    question: Question,
    shape: Shape,
  ): Promise<{ readonly value: Static<Shape>; readonly headers: IncomingHttpHeaders }>;
  /** An answer of any status, of which nothing has been read. The caller reads or destroys its body. */
  raw(question: Question, limits?: { readonly totalMs: number; readonly maxBytes: number }): Promise<OutboundAnswer>;
}

export function createAsking(base: string, userAgent: string): Asking {
  const rules = { allowLocalRequests: true, allowList: [], maxResponseBytes: null, ownUrl: null };
  const outbound = createOutbound({ rules: () => rules, userAgent });
  const raw: Asking['raw'] = (question, limits) => ask(outbound, base, question, limits);
  const answer: Asking['answer'] = async (question, shape) => {
    const { status, headers, body } = await raw(question, { totalMs: 60_000, maxBytes: LONGEST_ANSWER });
    const bytes = await whole(body);
    if (status < 200 || status > 299) throw failureOf(status, bytes);
    const value = await parsed(bytes);
    if (!Value.Check(shape, value)) {
      throw new PrimaryFailure('nonsense', `The answer to ${withoutQuery(question)} is not what a primary says`);
    }
    return { value: value as Static<typeof shape>, headers };
  };
  return { raw, answer, json: async (question, shape) => (await answer(question, shape)).value };
}

async function ask(
  outbound: Outbound,
  base: string,
  { method = 'GET', path, headers, body, signal }: Question,
  limits: { readonly totalMs?: number; readonly maxBytes?: number } = {},
): Promise<OutboundAnswer> {
  const sent: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await outbound.request({
      method,
      url: base + path,
      headers: { accept: 'application/json', ...sent, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      ...limits,
      maxRedirects: 0,
    });
  } catch (error) {
    throw asPrimaryFailure(error);
  }
}

async function whole(body: Readable): Promise<Buffer> {
  try {
    return Buffer.concat(await body.toArray());
  } catch (error) {
    throw asPrimaryFailure(error);
  }
}

/** What the way to the primary, or what came on it, has failed with, as a failure of the primary. */
function asPrimaryFailure(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  return new PrimaryFailure(error.passing || error.kind === 'aborted' ? 'away' : 'nonsense', error.message);
}

const TEXT_OF_LEEWAY = 'Signature not within leeway';

function failureOf(status: number, bytes: Buffer): PrimaryFailure {
  // Clocks that differ are set right one day: the site is the primary's all the same.
  if (status === 401 && bytes.includes(TEXT_OF_LEEWAY)) {
    return new PrimaryFailure('away', 'The clocks of primary and secondary differ by more than a minute');
  }
  if (status === 401) return new PrimaryFailure('rejected', 'The primary does not know these credentials');
  const kind = status >= 500 || status === 429 || status === 408 ? 'away' : 'refused';
  return new PrimaryFailure(kind, `The primary answered ${status}`);
}

async function parsed(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, BOUNDS);
  } catch (error) {
    if (error instanceof HttpError)
      throw new PrimaryFailure('nonsense', 'The primary answered something else than JSON');
    throw error;
  }
}

function withoutQuery({ path }: Question): string {
  return path.replace(/\?.*/s, '');
}
