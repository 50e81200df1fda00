import { HttpError } from '#http/errors/http-error.ts';
import { MEBIBYTE, readBytes } from '#http/request/body.ts';
import { reserveBodyMemory } from '#http/request/body-memory.ts';
import {
  collectBytes,
  DecodingError,
  decodeChunks,
  type Encoding,
  MAX_SYNC_BYTES,
  parseEncoding,
  parseLargeBody,
  readDecoded,
  readDecodedChunks,
} from '#http/request/decoded-body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { INGESTION_ERRORS, ReportSender, SenderAuthentication } from './access.ts';
import { createEnvelopeReader, MAX_PAYLOAD_BYTES } from './envelope-reader.ts';
import { buildEventReport, buildReport, type ErrorReport, STORED_ITEM_TYPES } from './report.ts';
import { storeReport } from './store-report.ts';

// Receives reports of SDKs. A report is stored durably when the returned promise resolves (contract/monitoring.md §10 to
// §12).

type IngestionServices = Pick<Services, 'clock' | 'metrics' | 'runUnitOfWork'>;

/** Maximum sizes of an envelope, in bytes. Items before a limit are stored: the events precede the large attachments. */
const ENVELOPE_LIMITS = { maxSentBytes: 200 * MEBIBYTE, maxDecodedBytes: 200 * MEBIBYTE };
/** Maximum size of a single event as sent, in bytes. */
const MAX_BODY_BYTES = 20 * MEBIBYTE;
/** Maximum size of an event in Base64, in bytes. Base64 takes four bytes for three, plus line breaks. */
const MAX_BASE64_BYTES = 2 * MAX_PAYLOAD_BYTES;

interface IngestionCall extends SenderAuthentication {
  readonly request: IncomingRequest;
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
  return receiveReport(call, services, 'invalidEnvelope', (encoding) => parseEnvelope(call, services, encoding));
}

/** Receives a single event, which older SDKs send without an envelope. */
export function receiveEvent(
  call: IngestionCall,
  services: IngestionServices,
): Promise<ReportResponse | IngestionFailure> {
  return receiveReport(call, services, 'invalidEvent', (encoding) => parseSingleEvent(call, services, encoding));
}

/** Decodes, parses and stores a report. `decodingFailure`: the failure for a body that cannot be decompressed. */
async function receiveReport(
  { request }: IngestionCall,
  services: IngestionServices,
  decodingFailure: 'invalidEnvelope' | 'invalidEvent',
  parse: (encoding: Encoding) => Promise<ParsedReport | IngestionFailure>,
): Promise<ReportResponse | IngestionFailure> {
  const encoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (encoding === null) return fail('unsupportedEncoding');
  const parsedReport = await parse(encoding).catch((error: unknown) => {
    if (error instanceof DecodingError) return fail(decodingFailure);
    if (isBodyTooLarge(error)) return fail('tooLarge');
    throw error;
  });
  if (isFailure(parsedReport)) return parsedReport;
  const { sender, report } = parsedReport;
  const failure = await storeReport(services, sender, report, request.client);
  return failure ?? (report.id === null ? {} : { id: report.id });
}

const isBodyTooLarge = (error: unknown) => error instanceof HttpError && error.status === 413;

/**
 * Parses an envelope while it arrives. Items that are too large are dropped and counted, and so is the rest of an envelope over
 * a limit. Fails if nothing is left to store.
 */
async function parseEnvelope(
  { authenticateSender, request }: IngestionCall,
  { clock, metrics }: IngestionServices,
  encoding: Encoding,
): Promise<ParsedReport | IngestionFailure> {
  const reader = createEnvelopeReader(STORED_ITEM_TYPES);
  let sender: ReportSender | null = null;
  // Authentication failures take precedence over failures of the rest of the envelope.
  const authenticateOnce = async () => {
    if (sender !== null || reader.header === null) return null;
    const authentication = await authenticateSender(reader.header.dsn);
    if (isFailure(authentication)) return authentication;
    sender = authentication;
    return null;
  };
  const readItems = async (): Promise<IngestionFailure | null> => {
    for await (const chunk of readDecodedChunks(request, encoding, ENVELOPE_LIMITS)) {
      const parseFailure = reader.push(chunk);
      const failure = (await authenticateOnce()) ?? parseFailure;
      if (failure !== null) return failure;
      reserveBodyMemory(request, reader.payloadBytes);
    }
    const parseFailure = reader.end();
    return (await authenticateOnce()) ?? parseFailure;
  };
  const failure = await readItems().catch((error: unknown) => {
    if (isBodyTooLarge(error)) return fail('tooLarge');
    throw error;
  });
  const isIncomplete = failure?.code === 'tooLarge' && sender !== null;
  if (failure !== null && !isIncomplete) return failure;
  const receipt = { receivedAt: timestamp(clock), address: request.clientAddress };
  const build = () => buildReport(reader.header ?? {}, reader.items, receipt);
  const report = await (reader.payloadBytes > MAX_SYNC_BYTES ? parseLargeBody(build, request.client) : build());
  if (isFailure(report)) return report;
  const droppedCount = reader.droppedCount + (isIncomplete ? 1 : 0);
  if (droppedCount > 0) metrics.recordDroppedItems('error', droppedCount);
  if (droppedCount > 0 && isEmpty(report)) return fail('tooLarge');
  // Not null, because an accepted envelope has a header; TypeScript does not see the assignment in the callback.
  return { sender: sender as unknown as ReportSender, report };
}

const isEmpty = ({ events, sessionUpdates, sessionCounts }: ErrorReport) =>
  events.length + sessionUpdates.length + sessionCounts.length === 0;

const [OPENING_BRACE, SPACE] = [0x7b, 0x20] as const;

/** Parses the JSON of an event, or its Base64-encoded zlib data, which older SDKs send. */
async function parseSingleEvent(
  { authenticateSender, request }: IngestionCall,
  { clock }: IngestionServices,
  encoding: Encoding,
): Promise<ParsedReport | IngestionFailure> {
  const receivedBody = await readBytes(request, MAX_BODY_BYTES);
  const receipt = { receivedAt: timestamp(clock), address: request.clientAddress };
  return readDecoded(
    receivedBody,
    encoding,
    async (chunks) => {
      const sender = await authenticateSender(null);
      if (isFailure(sender)) return sender;
      const bytes = await collectBytes(chunks, MAX_BASE64_BYTES);
      if (bytes === null) return fail('tooLarge');
      const isJson = bytes.find((byte) => byte > SPACE) === OPENING_BRACE;
      const payload = isJson ? bytes : await inflateBase64(bytes);
      if (payload === null || payload.length > MAX_PAYLOAD_BYTES) return fail('tooLarge');
      const report = await buildEventReport(payload, receipt);
      return isFailure(report) ? report : { sender, report };
    },
    request.client,
  );
}

/** Decodes Base64 and inflates the result. Returns null if it is too large. */
function inflateBase64(base64: Buffer): Promise<Buffer | null> {
  const bytes = Buffer.from(base64.toString('latin1'), 'base64');
  return collectBytes(decodeChunks(bytes, 'deflate'), MAX_PAYLOAD_BYTES);
}
