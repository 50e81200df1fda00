import type { Columns } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';

// Computes the combined status of a set of jobs (contract/runners.md "States"). Pure.

/** The fields of a job that count for the combined status. */
export type CountedJob = Columns<'jobs', 'status' | 'allow_failure'>;

/** `warning`: a failed or canceled job that may fail; `ignored`: an optional manual job. */
type CountedStatus = JobStatus | 'warning' | 'ignored';

/** Counts the jobs of a set by status, so that adding jobs does not require reading the earlier ones again. */
export class StatusCounter {
  readonly #countsByStatus = new Map<CountedStatus, number>();
  #size = 0;

  add(job: CountedJob): void {
    const countedStatus = toCountedStatus(job);
    this.#countsByStatus.set(countedStatus, (this.#countsByStatus.get(countedStatus) ?? 0) + 1);
    this.#size += 1;
  }

  get size(): number {
    return this.#size;
  }

  hasAny(...statuses: readonly CountedStatus[]): boolean {
    return statuses.some((status) => this.#countsByStatus.has(status));
  }

  hasOnly(...statuses: readonly CountedStatus[]): boolean {
    return [...this.#countsByStatus.keys()].every((status) => statuses.includes(status));
  }

  /** Returns the combined status; `success` for an empty set. */
  getCompositeStatus(): JobStatus {
    if (this.#size === 0) return 'success';
    for (const [status, statuses] of RULES_FOR_ONLY) if (this.hasOnly(...statuses)) return status;
    for (const [status, statuses] of RULES_FOR_ANY) if (this.hasAny(...statuses)) return status;
    return 'failed';
  }
}

/** Returns the combined status of these jobs, which is also the status of a pipeline that consists of them. */
export function getCompositeStatus(jobs: Iterable<CountedJob>): JobStatus {
  const counter = new StatusCounter();
  for (const job of jobs) counter.add(job);
  return counter.getCompositeStatus();
}

function toCountedStatus({ status, allow_failure }: CountedJob): CountedStatus {
  if (!allow_failure) return status;
  if (status === 'failed' || status === 'canceled') return 'warning';
  return status === 'manual' ? 'ignored' : status;
}

type CompositeRule = readonly [status: JobStatus, statuses: readonly CountedStatus[]];

/** Checked first, in this order: a rule applies if the set has only these statuses. */
const RULES_FOR_ONLY: readonly CompositeRule[] = [
  ['skipped', ['skipped', 'ignored']],
  ['success', ['success', 'skipped', 'warning', 'ignored']],
  ['created', ['created', 'warning', 'ignored']],
  ['canceled', ['canceled', 'success', 'skipped', 'warning', 'ignored']],
  ['pending', ['pending', 'created', 'skipped', 'warning', 'ignored']],
];

/** Checked next, in this order: a rule applies if the set has one of these statuses. */
const RULES_FOR_ANY: readonly CompositeRule[] = [
  ['running', ['running', 'pending']],
  ['waiting_for_resource', ['waiting_for_resource']],
  ['manual', ['manual']],
  ['scheduled', ['scheduled']],
  ['preparing', ['preparing', 'waiting_for_callback']],
  ['running', ['created']],
  ['canceling', ['canceling']],
];
