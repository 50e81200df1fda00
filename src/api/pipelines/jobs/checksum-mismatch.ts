import type { AuthenticatedJob } from '#authorization/job-authentication.ts';
import type { Services } from '#http/services.ts';

/**
 * Logs a warning if the CRC-32 that a runner reports for the job log differs from that of the stored log. The request
 * is not rejected (contract/runners.md §3.5). Checksums of other algorithms are ignored.
 */
export function logChecksumMismatch(
  { log }: Pick<Services, 'log'>,
  { id, trace_size, trace_checksum }: AuthenticatedJob,
  reportedChecksum: string | null | undefined,
): void {
  const [, digits] = /^crc32:([0-9a-f]{1,8})$/i.exec(reportedChecksum ?? '') ?? [];
  const checksum = trace_size === 0 ? 0 : trace_checksum;
  if (digits === undefined || checksum === null || Number.parseInt(digits, 16) === checksum) return;
  log.warn({ job_id: id, trace_size }, 'The stored log of a job does not match the checksum that its runner reported');
}
