export type OutboundFailureKind =
  /** The URL or one of its addresses is not allowed; `message` is the reason. */
  | 'blocked'
  /** The host has no address. */
  | 'unresolved'
  /** No connection, or it broke. */
  | 'unreachable'
  /** Not connected or not finished in time. */
  | 'timeout'
  /** The response is longer than allowed. */
  | 'tooLarge'
  | 'tooManyRedirects'
  /** The response is not HTTP, or redirects to an invalid URL. */
  | 'badAnswer'
  /** The caller's signal aborted. */
  | 'aborted';

/** Why an outbound request, or the body of its response, failed. The message contains no secret. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: OutboundFailureKind;

  constructor(kind: OutboundFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.kind === 'unresolved' || this.kind === 'unreachable' || this.kind === 'timeout';
  }
}
