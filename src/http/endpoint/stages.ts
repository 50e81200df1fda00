/**
 * The named orders in which a request is checked (contract/conventions.md §1). An endpoint with another order than
 * `standard` declares it as `stageOrder`.
 */
export const STAGE_ORDERS = {
  /** Body, media type, credentials and parameters first; then the resources in the path and the permission. */
  standard: ['body', 'credentials', 'parameters', 'load', 'authorize', 'precondition'],
  /** Files and commits: the project is loaded before a byte of the body is read; the handler reads the body. */
  projectBeforeBody: ['credentials', 'load', 'parameters', 'authorize', 'precondition'],
  /**
   * Git, LFS, alerts and error reports: `load` authenticates by HTTP Basic or a key of the project, and the handler reads the
   * body. API credentials in the request are ignored. Health checks use it too, without authentication.
   */
  customAuthentication: ['load', 'parameters', 'authorize'],
  /**
   * Pages (session cookie only), OAuth clients and runners: `load` authenticates by the client's own token, a cookie or a
   * parameter, so the body is read first. API credentials in the request are ignored.
   */
  clientToken: ['body', 'parameters', 'load', 'authorize', 'precondition'],
  /** The group in the path (404) and the tier (403) are checked before parameters, resources of the group after them. */
  parentBeforeParameters: ['body', 'credentials', 'loadParent', 'parameters', 'load', 'authorize', 'precondition'],
  /** Resources that answer 404 and 403 before they validate parameters. */
  accessBeforeParameters: ['body', 'credentials', 'load', 'authorize', 'parameters', 'precondition'],
} as const satisfies Record<string, readonly Stage[]>;

export type Stage = 'body' | 'credentials' | 'loadParent' | 'load' | 'parameters' | 'authorize' | 'precondition';
export type StageOrder = keyof typeof STAGE_ORDERS;
