export type FailureKind =
  /** The URL or an address it leads to is not allowed; `message` is the reason. */
  | 'blocked'
  /** The host has no address. */
  | 'unresolved'
  /** No connection, or it broke. */
  | 'unreachable'
  /** Not connected or not finished in time. */
  | 'timeout'
  /** The answer is longer than allowed. */
  | 'tooLarge'
  | 'tooManyRedirects'
  /** What came back is no HTTP answer, or redirects to no URL. */
  | 'badAnswer'
  /** The caller's signal. */
  | 'aborted';

/** Why an outbound request gave no answer, or why its body broke off. The message holds no secret. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** Might the same request succeed later? */
  get passing(): boolean {
    return this.kind === 'unresolved' || this.kind === 'unreachable' || this.kind === 'timeout';
  }
}
