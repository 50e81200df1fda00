/** Reasons of a failed outbound request. */
export type OutboundFailureKind =
  /** The URL or one of its addresses is not allowed; `message` is the reason. */
  | 'blocked'
  /** The host has no address. */
  | 'unresolved'
  /** The connection failed or broke. */
  | 'unreachable'
  /** The connection or the response took too long. */
  | 'timeout'
  /** The response is longer than allowed. */
  | 'tooLarge'
  | 'tooManyRedirects'
  /** The response is not HTTP, or redirects to an invalid URL. */
  | 'badAnswer'
  /** The caller's signal aborted. */
  | 'aborted';

/** The failure of an outbound request or of its response body. The message contains no secret. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: OutboundFailureKind;

  constructor(kind: OutboundFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** True if a retry of the same request may succeed. */
  get isTemporary(): boolean {
    return this.kind === 'unresolved' || this.kind === 'unreachable' || this.kind === 'timeout';
  }
}
