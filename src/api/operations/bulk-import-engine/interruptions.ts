import type { ImportFailure } from './failures.ts';

/** Errors that interrupt or end the run of an entity. */

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
