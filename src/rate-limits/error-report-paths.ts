/** Where SDKs report errors to, by DSNs of three forms (contract/monitoring.md §10). */
const REPORTS =
  /^\/(?:errortracking\/api\/v1\/projects\/api|api\/v4\/error_tracking\/collector\/api|api(?=\/(?!v\d)))\/[^/]+\/(?:envelope|store)\/?$/;

/** Is it the path of a call that brings errors or sessions? */
export function isReportPath(path: string): boolean {
  return REPORTS.test(path);
}
