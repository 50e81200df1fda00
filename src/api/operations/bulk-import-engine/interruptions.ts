import type { ImportFailure } from './failures.ts';

/** How the copying of an entity ends before it is done. */

/** The work rests until then: the same call is to be tried again, or others have their turn. */
export class ComeBack extends Error {
  readonly at: string;
  /** What is tried again, and how often that was. */
  readonly again: { readonly call: string; readonly retries: number } | null;

  constructor(at: string, again: ComeBack['again'] = null) {
    super('Comes back later');
    this.at = at;
    this.again = again;
  }
}

/** The call has come to nothing, and will not be tried again. */
export class CallFailed extends Error {
  readonly failure: ImportFailure;

  constructor(message: string) {
    super(message);
    this.failure = { step: 'extractor', class: 'BulkImports::NetworkError', message };
  }
}

/** The import was cancelled or has ended otherwise, or the server stops. */
export class Stopped extends Error {}

/** The importing user may do nothing any more: he is blocked, or gone. */
export class ShutOut extends Error {}

/** The group or project that was being filled is not there any more. */
export class DestinationGone extends Error {}
