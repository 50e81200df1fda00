import { collapseSlashes } from '#text/slashes.ts';

/** Paths to which SDKs send error reports, by the three forms of a DSN (contract/monitoring.md §10). */
const REPORT_PATH =
  /^\/(?:errortracking\/api\/v1\/projects\/api|api\/v4\/error_tracking\/collector\/api|api(?=\/(?!v\d)))\/[^/]+\/(?:envelope|store)$/;

/** Returns whether requests to this path send error reports or sessions. */
export function isReportPath(path: string): boolean {
  return REPORT_PATH.test(collapseSlashes(path));
}
