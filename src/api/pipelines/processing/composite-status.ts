import type { JobStatus } from '#database/tables/pipelines.ts';

/** What a set of jobs is, taken together (contract/runners.md "States"). Pure. */

/** What counts of a job for the set that it is in. */
export interface StatusPart {
  readonly status: JobStatus;
  readonly allow_failure: boolean;
}

/** `warning`: it has failed or was canceled, and may; `ignored`: it waits to be played, and nobody needs to. */
type CountedStatus = JobStatus | 'warning' | 'ignored';

/** How many jobs of each sign a set has: sets are put together without looking at their jobs again. */
export class StatusCounter {
  readonly #signs = new Map<CountedStatus, number>();
  #size = 0;

  add(part: StatusPart): void {
    const sign = toCountedStatus(part);
    this.#signs.set(sign, (this.#signs.get(sign) ?? 0) + 1);
    this.#size += 1;
  }

  get size(): number {
    return this.#size;
  }

  has(...signs: readonly CountedStatus[]): boolean {
    return signs.some((sign) => this.#signs.has(sign));
  }

  hasOnly(...signs: readonly CountedStatus[]): boolean {
    return [...this.#signs.keys()].every((sign) => signs.includes(sign));
  }

  /** What they are together; of no job: success. */
  composite(): JobStatus {
    if (this.#size === 0) return 'success';
    for (const [status, signs] of RULES_FOR_ONLY) if (this.hasOnly(...signs)) return status;
    for (const [status, signs] of RULES_FOR_ANY) if (this.has(...signs)) return status;
    return 'failed';
  }
}

/** What the jobs are together: also the status of a pipeline that has just these. */
export function compositeStatus(parts: Iterable<StatusPart>): JobStatus {
  const counter = new StatusCounter();
  for (const part of parts) counter.add(part);
  return counter.composite();
}

function toCountedStatus({ status, allow_failure }: StatusPart): CountedStatus {
  if (!allow_failure) return status;
  if (status === 'failed' || status === 'canceled') return 'warning';
  return status === 'manual' ? 'ignored' : status;
}

type CompositeRule = readonly [status: JobStatus, signs: readonly CountedStatus[]];

/** The first that holds, before those below: nothing but these signs is there. */
const RULES_FOR_ONLY: readonly CompositeRule[] = [
  ['skipped', ['skipped', 'ignored']],
  ['success', ['success', 'skipped', 'warning', 'ignored']],
  ['created', ['created', 'warning', 'ignored']],
  ['canceled', ['canceled', 'success', 'skipped', 'warning', 'ignored']],
  ['pending', ['pending', 'created', 'skipped', 'warning', 'ignored']],
];

/** The first that holds: one of these signs is there. */
const RULES_FOR_ANY: readonly CompositeRule[] = [
  ['running', ['running', 'pending']],
  ['waiting_for_resource', ['waiting_for_resource']],
  ['manual', ['manual']],
  ['scheduled', ['scheduled']],
  ['preparing', ['preparing', 'waiting_for_callback']],
  ['running', ['created']],
  ['canceling', ['canceling']],
];
