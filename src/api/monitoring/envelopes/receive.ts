import { HttpError } from '#http/errors/http-error.ts';
import { MEBIBYTE, readBytes } from '#http/request/body.ts';
import { reserveBodyMemory } from '#http/request/body-memory.ts';
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
import type { ReportSender, SenderAuthentication } from './access.ts';
import { createEnvelopeReader, MAX_PAYLOAD_BYTES } from './envelope-reader.ts';
import type { INGESTION_ERRORS } from './errors.ts';
import type { Receipt } from './event-reader.ts';
import { buildEventReport, buildReport, type ErrorReport, STORED_ITEM_TYPES } from './report.ts';
import { storeReport } from './store-report.ts';

/**
 * Receives reports of SDKs. A report is stored durably when the returned promise resolves (contract/monitoring.md §10 to
 * §12).
 */

type IngestionServices = Pick<Services, 'clock' | 'runUnitOfWork'>;

/** Maximum size of a body as sent, in bytes. */
const MAX_BODY_BYTES = 20 * MEBIBYTE;
/** Maximum size of a body after decompression, in bytes. */
const MAX_DECODED_BYTES = 50 * MEBIBYTE;
/** Maximum size of an event in Base64, in bytes. Base64 takes four bytes for three, plus line breaks. */
const MAX_BASE64_BYTES = 2 * MAX_PAYLOAD_BYTES;

interface IngestionCall extends SenderAuthentication {
  readonly request: IncomingRequest;
}

/** A body while it is being decoded. */
interface DecodedBody {
  readonly chunks: Chunks;
  readonly receipt: Receipt;
  /** Reserves memory for this many decoded bytes; throws 503 if all bodies together take too much memory. */
  readonly reserveMemory: (decodedBytes: number) => void;
}

type IngestionFailure = Failure<keyof typeof INGESTION_ERRORS>;
type ParsedReport = { readonly sender: ReportSender; readonly report: ErrorReport };

/** The response to an accepted report. */
type ReportResponse = { id?: string };

/** Receives an envelope: a header and items, each with its own payload. */
export function receiveEnvelope(
  call: IngestionCall,
  services: IngestionServices,
): Promise<ReportResponse | IngestionFailure> {
  return receiveReport(call, services, 'invalidEnvelope', (body) => parseEnvelope(call, body));
}

/** Receives a single event, which older SDKs send without an envelope. */
export function receiveEvent(
  call: IngestionCall,
  services: IngestionServices,
): Promise<ReportResponse | IngestionFailure> {
  return receiveReport(call, services, 'invalidEvent', (body) => parseSingleEvent(call, body));
}

/** Decodes, parses and stores a report. `decodingFailure`: the failure for a body that cannot be decompressed. */
async function receiveReport(
  { request }: IngestionCall,
  services: IngestionServices,
  decodingFailure: 'invalidEnvelope' | 'invalidEvent',
  parse: (body: DecodedBody) => Promise<ParsedReport | IngestionFailure>,
): Promise<ReportResponse | IngestionFailure> {
  const contentEncoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (contentEncoding === null) return fail('unsupportedEncoding');
  const bytes = await readBody(request);
  if (isFailure(bytes)) return bytes;
  const receipt = { receivedAt: timestamp(services.clock), address: request.clientAddress };
  // The decoded bytes are in memory in addition to the bytes as sent.
  const reserveMemory = (decodedBytes: number) => reserveBodyMemory(request, bytes.length + decodedBytes);
  const parsing = readDecoded(
    bytes,
    contentEncoding,
    (chunks) => parse({ chunks, receipt, reserveMemory }),
    request.client,
  );
  const parsedReport = await parsing.catch((error: unknown) => {
    if (error instanceof DecodingError) return fail(decodingFailure);
    throw error;
  });
  if (isFailure(parsedReport)) return parsedReport;
  const { sender, report } = parsedReport;
  const failure = await storeReport(services, sender, report, request.client);
  return failure ?? (report.id === null ? {} : { id: report.id });
}

async function readBody(request: IncomingRequest): Promise<Buffer | Failure<'tooLarge'>> {
  try {
    return await readBytes(request, MAX_BODY_BYTES);
  } catch (error) {
    if (error instanceof HttpError && error.status === 413) return fail('tooLarge');
    throw error;
  }
}

async function parseEnvelope(
  { authenticateSender }: IngestionCall,
  { chunks, receipt, reserveMemory }: DecodedBody,
): Promise<ParsedReport | IngestionFailure> {
  const reader = createEnvelopeReader(STORED_ITEM_TYPES);
  let sender: ReportSender | null = null;
  let decodedSize = 0;
  // Authentication failures take precedence over failures of the rest of the envelope.
  const authenticateOnce = async () => {
    if (sender !== null || reader.header === null) return null;
    const authentication = await authenticateSender(reader.header.dsn);
    if (isFailure(authentication)) return authentication;
    sender = authentication;
    return null;
  };
  for await (const chunk of chunks) {
    decodedSize += chunk.length;
    if (decodedSize > MAX_DECODED_BYTES) return fail('tooLarge');
    const parseFailure = reader.push(chunk);
    const failure = (await authenticateOnce()) ?? parseFailure;
    if (failure !== null) return failure;
    reserveMemory(reader.payloadBytes);
  }
  const parseFailure = reader.end();
  const failure = (await authenticateOnce()) ?? parseFailure;
  if (failure !== null) return failure;
  const report = await buildReport(reader.header ?? {}, reader.items, receipt);
  return isFailure(report) ? report : { sender: sender as unknown as ReportSender, report };
}

const [OPENING_BRACE, SPACE] = [0x7b, 0x20] as const;

/** Parses the JSON of an event, or its Base64-encoded zlib data, which older SDKs send. */
async function parseSingleEvent(
  { authenticateSender }: IngestionCall,
  { chunks, receipt }: DecodedBody,
): Promise<ParsedReport | IngestionFailure> {
  const sender = await authenticateSender(null);
  if (isFailure(sender)) return sender;
  const bytes = await collectBytes(chunks, MAX_BASE64_BYTES);
  if (bytes === null) return fail('tooLarge');
  const isJson = bytes.find((byte) => byte > SPACE) === OPENING_BRACE;
  const payload = isJson ? bytes : await inflateBase64(bytes);
  if (payload === null || payload.length > MAX_PAYLOAD_BYTES) return fail('tooLarge');
  const report = await buildEventReport(payload, receipt);
  return isFailure(report) ? report : { sender, report };
}

/** Decodes Base64 and inflates the result. Returns null if it is too large. */
function inflateBase64(base64: Buffer): Promise<Buffer | null> {
  const bytes = Buffer.from(base64.toString('latin1'), 'base64');
  return collectBytes(decodeChunks(bytes, 'deflate'), MAX_PAYLOAD_BYTES);
}
