/** The jobs of a pipeline by stage and attempt. */

interface AttemptedJob {
  readonly id: number;
  readonly name: string;
  readonly stage: string;
}

/** A job with the attempts before it, the oldest first. */
interface JobWithAttempts<Job> {
  readonly job: Job;
  readonly earlier: readonly Job[];
}

export interface Stage<Job> {
  readonly name: string;
  readonly jobs: readonly JobWithAttempts<Job>[];
}

/**
 * Returns the stages of a pipeline in their order, each with its jobs. Ids grow with the stage when a pipeline is created, so that
 * the first attempts have the order; later attempts have greater ids.
 */
export function groupByStage<Job extends AttemptedJob>(jobs: readonly Job[]): Stage<Job>[] {
  const oldestFirst = [...jobs].sort((a, b) => a.id - b.id);
  return [...Map.groupBy(oldestFirst, ({ stage }) => stage)].map(([name, stageJobs]) => ({
    name,
    jobs: [...Map.groupBy(stageJobs, (job) => job.name).values()].map((attempts) => ({
      job: attempts.at(-1)!,
      earlier: attempts.slice(0, -1),
    })),
  }));
}
