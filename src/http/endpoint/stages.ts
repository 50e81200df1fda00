/**
 * The named orders in which a request is checked (contract/conventions.md §1). An endpoint that differs from the
 * standard names its order; there is no other way to differ.
 */
export const ORDERS = {
  /** Body, media type, credentials, parameters, then what the path names and the permission. */
  standard: ['body', 'credentials', 'parameters', 'find', 'allow', 'precondition'],
  /** Files and commits: the project is known before a byte of the body is looked at; the handler reads the body. */
  projectBeforeBody: ['credentials', 'find', 'parameters', 'allow', 'precondition'],
  /** git and LFS: credentials of their own (HTTP Basic), which what is found looks at; plain-text errors. */
  ownCredentials: ['find', 'parameters', 'allow'],
  /**
   * Pages, whose visitor is known by the session in the cookie alone, and the calls of OAuth clients and of runners, which
   * prove themselves by what they send: what is found looks at it. A credential that comes along is not.
   */
  ownProof: ['body', 'parameters', 'find', 'allow', 'precondition'],
  /** The group of the path (404) and what the tier offers (403) come before parameters, what lies in the group after them. */
  placeBeforeParameters: ['body', 'credentials', 'place', 'parameters', 'find', 'allow', 'precondition'],
  /** Families that answer 404 and 403 before they look at parameters. */
  accessBeforeParameters: ['body', 'credentials', 'find', 'allow', 'parameters', 'precondition'],
} as const satisfies Record<string, readonly Stage[]>;

export type Stage = 'body' | 'credentials' | 'place' | 'find' | 'parameters' | 'allow' | 'precondition';
export type StageOrder = keyof typeof ORDERS;
