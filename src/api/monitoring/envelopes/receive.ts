import { HttpError } from '#http/errors/http-error.ts';
import { MEBIBYTE, readBytes } from '#http/request/body.ts';
import { reserve } from '#http/request/body-memory.ts';
import {
  type Chunks,
  collectBytes,
  DecodingError,
  decodeChunks,
  parseEncoding,
  readDecoded,
} from '#http/request/content-encoding.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { ReportSender, ToAdmit } from './access.ts';
import { envelopeReader, LARGEST_PAYLOAD } from './envelope-reader.ts';
import type { REFUSALS } from './errors.ts';
import type { Receipt } from './event-reader.ts';
import { type ErrorReport, reportOf, reportOfEvent, STORED_FIELDS } from './report.ts';
import { keep } from './store-report.ts';

/** What a request reports, kept when this resolves (contract/monitoring.md §10 to §12). */

/** A body as it is sent, and what comes of it. */
const LARGEST_SENT = 20 * MEBIBYTE;
const LARGEST_DECODED = 50 * MEBIBYTE;
/** Base64 has four bytes for three, and maybe some ends of lines. */
const LARGEST_BASE64 = 2 * LARGEST_PAYLOAD;

interface Call extends ToAdmit {
  readonly request: IncomingRequest;
}

/** A body that is being decoded. */
interface Arrived {
  readonly pieces: Chunks;
  readonly receipt: Receipt;
  /** So many bytes of it are kept; refused with 503 where bodies hold too much. */
  readonly hold: (kept: number) => void;
}

type No = Failure<keyof typeof REFUSALS>;
type Received = { readonly sender: ReportSender; readonly report: ErrorReport };

/** What the sender of an accepted report hears. */
type Told = { id?: string };

export function receiveEnvelope(call: Call, services: Services): Promise<Told | No> {
  return receive(call, services, 'invalidEnvelope', (arrived) => readEnvelope(call, arrived));
}

export function receiveEvent(call: Call, services: Services): Promise<Told | No> {
  return receive(call, services, 'invalidEvent', (arrived) => readEventAlone(call, arrived));
}

async function receive(
  { request }: Call,
  services: Services,
  undecodable: 'invalidEnvelope' | 'invalidEvent',
  read: (arrived: Arrived) => Promise<Received | No>,
): Promise<Told | No> {
  const encoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (encoding === null) return fail('unsupportedEncoding');
  const bytes = await bytesOf(request);
  if (isFailure(bytes)) return bytes;
  const receipt = { receivedAt: timestamp(services.clock), address: request.clientAddress };
  // What is kept of the decoded bytes is in memory beside those that were sent.
  const hold = (kept: number) => reserve(request, bytes.length + kept);
  const reading = readDecoded(bytes, encoding, (pieces) => read({ pieces, receipt, hold }), request.client);
  const received = await reading.catch((error: unknown) => {
    if (error instanceof DecodingError) return fail(undecodable);
    throw error;
  });
  if (isFailure(received)) return received;
  const { sender, report } = received;
  const no = await keep(services, sender, report, request.client);
  return no ?? (report.id === null ? {} : { id: report.id });
}

async function bytesOf(request: IncomingRequest): Promise<Buffer | Failure<'tooLarge'>> {
  try {
    return await readBytes(request, LARGEST_SENT);
  } catch (error) {
    if (error instanceof HttpError && error.status === 413) return fail('tooLarge');
    throw error;
  }
}

async function readEnvelope({ admit }: Call, { pieces, receipt, hold }: Arrived): Promise<Received | No> {
  const reader = envelopeReader(STORED_FIELDS);
  let sender: ReportSender | null = null;
  let size = 0;
  /** Who it is comes before what is wrong with the rest. */
  const admitted = async () => {
    if (sender !== null || reader.header === null) return null;
    const found = await admit(reader.header.dsn);
    if (isFailure(found)) return found;
    sender = found;
    return null;
  };
  for await (const piece of pieces) {
    size += piece.length;
    if (size > LARGEST_DECODED) return fail('tooLarge');
    const wrong = reader.push(piece);
    const no = (await admitted()) ?? wrong;
    if (no !== null) return no;
    hold(reader.size);
  }
  const wrong = reader.end();
  const no = (await admitted()) ?? wrong;
  if (no !== null) return no;
  const report = await reportOf(reader.header ?? {}, reader.items, receipt);
  return isFailure(report) ? report : { sender: sender as unknown as ReportSender, report };
}

const [BRACE, SPACE] = [0x7b, 0x20] as const;

/** An event's JSON, or what older SDKs make of it: its zlib data in Base64. */
async function readEventAlone({ admit }: Call, { pieces, receipt }: Arrived): Promise<Received | No> {
  const sender = await admit(null);
  if (isFailure(sender)) return sender;
  const bytes = await collectBytes(pieces, LARGEST_BASE64);
  if (bytes === null) return fail('tooLarge');
  const isJson = bytes.find((byte) => byte > SPACE) === BRACE;
  const payload = isJson ? bytes : await inflated(bytes);
  if (payload === null || payload.length > LARGEST_PAYLOAD) return fail('tooLarge');
  const report = await reportOfEvent(payload, receipt);
  return isFailure(report) ? report : { sender, report };
}

function inflated(base64: Buffer): Promise<Buffer | null> {
  const bytes = Buffer.from(base64.toString('latin1'), 'base64');
  return collectBytes(decodeChunks(bytes, 'deflate'), LARGEST_PAYLOAD);
}
