/** The jobs of a pipeline as a graph of their needs. */

export interface NeedingJob {
  readonly id: number;
  /** The position of its stage, from 0. */
  readonly stage: number;
  /** The ids of the jobs that it waits for; null: for all jobs of earlier stages. */
  readonly needs: readonly number[] | null;
}

interface NeedsLayout<Job> {
  /** One row for each job; a job is below all jobs that it waits for. */
  readonly rows: readonly { readonly job: Job; readonly depth: number }[];
  /** Rows of the jobs of each `needs`. */
  readonly edges: readonly { readonly from: number; readonly to: number }[];
  readonly maxDepth: number;
}

/** Places each job one step further than all jobs that it waits for. */
export function layoutNeeds<Job extends NeedingJob>(jobs: readonly Job[]): NeedsLayout<Job> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const depths = new Map<number, number>();
  const depthOf = (job: Job): number => {
    const knownDepth = depths.get(job.id);
    if (knownDepth !== undefined) return knownDepth;
    // A cycle cannot exist; a wrong response would end here.
    depths.set(job.id, 0);
    const before =
      job.needs === null
        ? jobs.filter(({ stage }) => stage < job.stage)
        : job.needs.flatMap((id) => byId.get(id) ?? []);
    const depth = before.reduce((max, other) => Math.max(max, depthOf(other) + 1), 0);
    depths.set(job.id, depth);
    return depth;
  };
  const rows = jobs
    .map((job) => ({ job, depth: depthOf(job) }))
    .sort((a, b) => a.depth - b.depth || a.job.stage - b.job.stage || a.job.id - b.job.id);
  const rowOf = new Map(rows.map(({ job }, row) => [job.id, row]));
  const edges = rows.flatMap(({ job }, to) =>
    (job.needs ?? []).flatMap((id) => {
      const from = rowOf.get(id);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  return { rows, edges, maxDepth: rows.at(-1)?.depth ?? 0 };
}
