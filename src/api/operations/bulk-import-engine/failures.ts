import { randomUUID } from 'node:crypto';
import type { Transaction } from '#database/database.ts';
import { toStorableText } from '#database/dialect.ts';
import type { Failure, FieldErrors } from '#runtime/failure.ts';
import type { SourceObjectRef } from '../bulk-import-relations/index.ts';

// Failure records of imports; their messages reveal no paths and URLs (contract/operations.md §1.2 "Failure texts").

interface FailureContext {
  readonly importId: number;
  readonly entityId: number;
  /** Name of the relation: `issues`, or `issues, notes` for a child list. */
  readonly relation: string;
}

export interface ImportFailure {
  /** Step that failed: fetching, parsing or storing. */
  readonly step: 'extractor' | 'transformer' | 'loader';
  /** Ruby class of the exception that GitLab reports in this case. */
  readonly class: string;
  readonly message: string;
  readonly objectRef?: SourceObjectRef | undefined;
}

/** Inserts a failure record and sets `has_failures` of the entity and the import. */
export async function recordFailure(tx: Transaction, context: FailureContext, failure: ImportFailure): Promise<void> {
  await tx
    .insertInto('bulk_import_failures')
    .values({
      entity_id: context.entityId,
      relation: context.relation,
      step: failure.step,
      exception_class: failure.class,
      exception_message: redactPaths(failure.message),
      correlation_id: randomUUID().replaceAll('-', ''),
      source_url: truncate(failure.objectRef?.url),
      source_title: truncate(failure.objectRef?.title),
      created_at: tx.now,
    })
    .execute();
  await tx
    .updateTable('bulk_import_entities')
    .set({ has_failures: true })
    .where('id', '=', context.entityId)
    .where('has_failures', '=', false)
    .execute();
  await tx
    .updateTable('bulk_imports')
    .set({ has_failures: true })
    .where('id', '=', context.importId)
    .where('has_failures', '=', false)
    .execute();
}

/** Maximum length of a stored text, in characters. */
const MAX_TEXT_LENGTH = 255;

/** Makes a text storable and cuts it to 255 code points, each of at most two UTF-16 code units. */
const truncate = (text: string | null | undefined): string | null =>
  text == null ? null : [...toStorableText(text.slice(0, 2 * MAX_TEXT_LENGTH))].slice(0, MAX_TEXT_LENGTH).join('');

/** Replaces every word with a slash, which may be a URL or a path, and truncates the message. */
export function redactPaths(message: string): string {
  const words = message.slice(0, 4096).split(/(\s)/);
  return truncate(words.map((word) => (word.includes('/') ? '[FILTERED]' : word)).join(''))!;
}

/** Converts a failure of a domain function to a failure record with one message, which joins all field errors. */
export function toImportFailure(failure: Failure): ImportFailure {
  const { errors, message } = failure.values as { errors?: FieldErrors; message?: unknown };
  const texts = Object.entries(errors ?? {}).flatMap(([field, fieldErrors]) =>
    fieldErrors.map((text) => `${toSentenceCase(field)} ${text}`),
  );
  const text = texts.length > 0 ? `Validation failed: ${texts.join(', ')}` : String(message ?? failure.code);
  return { step: 'loader', class: 'ActiveRecord::RecordInvalid', message: text };
}

/** Turns `due_date` into `Due date`. */
const toSentenceCase = (field: string) => field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');

// Errors that interrupt or end the run of an entity.

/** Interrupts the run until `at`: to retry a call, or to yield to other entities. */
export class ResumeLater extends Error {
  readonly at: string;
  /** The call to retry, with its number of retries; null if the run only yields. */
  readonly retry: { readonly call: string; readonly retries: number } | null;

  constructor(at: string, retry: ResumeLater['retry'] = null) {
    super('The run of the entity resumes later');
    this.at = at;
    this.retry = retry;
  }
}

/** A call that failed and is not retried. */
export class CallFailed extends Error {
  readonly failure: ImportFailure;

  constructor(message: string) {
    super(message);
    this.failure = { step: 'extractor', class: 'BulkImports::NetworkError', message };
  }
}

/** The import was cancelled or ended otherwise, or the server stops. */
export class ImportStopped extends Error {}

/** The importing user is blocked or deleted. */
export class ImporterBlocked extends Error {}

/** The destination group or project was deleted. */
export class DestinationDeleted extends Error {}
