import type { AuthenticatedJob } from '#authorization/job-authentication.ts';
import type { Services } from '#http/services.ts';

/**
 * Logs a warning if the stored log of a job differs from what its runner sent, by the CRC-32 that the runner reports at the end.
 * The request is not rejected (contract/runners.md §3.5). Other checksums are ignored.
 */
export function logChecksumMismatch(
  { log }: Pick<Services, 'log'>,
  { id, trace_size, trace_checksum }: AuthenticatedJob,
  said: string | null | undefined,
): void {
  const [, digits] = /^crc32:([0-9a-f]{1,8})$/i.exec(said ?? '') ?? [];
  const checksum = trace_size === 0 ? 0 : trace_checksum;
  if (digits === undefined || checksum === null || Number.parseInt(digits, 16) === checksum) return;
  log.warn({ job_id: id, trace_size }, 'The log of a job is not what its runner has sent');
}
