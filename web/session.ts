/** The session of this visitor, which the server writes into the HTML of the application. */
export interface Session {
  /** Scheme and host of the server. */
  readonly origin: string;
  /** The path of the server below its host, without a trailing slash: `/hearth`, or an empty text. */
  readonly basePath: string;
  /** Null without a sign-in. */
  readonly userId: number | null;
  /** The token that writing requests send; null without a session. */
  readonly csrfToken: string | null;
}
