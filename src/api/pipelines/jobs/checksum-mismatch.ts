import type { ProvenJob } from '#authorization/job-authentication.ts';
import type { Services } from '#http/services.ts';

/**
 * Tells in the server's log that the log of a job is not what its runner has sent, by the CRC-32 that the runner says at the
 * end: nobody is refused for it (contract/runners.md §3.5). What is no CRC-32 can't be compared.
 */
export function logWrongChecksum(
  { log }: Pick<Services, 'log'>,
  { id, trace_size, trace_checksum }: ProvenJob,
  said: string | null | undefined,
): void {
  const [, digits] = /^crc32:([0-9a-f]{1,8})$/i.exec(said ?? '') ?? [];
  const checksum = trace_size === 0 ? 0 : trace_checksum;
  if (digits === undefined || checksum === null || Number.parseInt(digits, 16) === checksum) return;
  log.warn({ job_id: id, trace_size }, 'The log of a job is not what its runner has sent');
}
