import type { PipelineSource } from '#database/tables/pipelines.ts';
import type { CiVariable } from '../expressions/variables.ts';

/** What is kept for jobs of this environment; null: for those without one, and for `workflow`. */
export type VariablesFor = (environment: string | null) => readonly CiVariable[];

/** What a pipeline is made for. */
export interface PlanContext {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: PipelineSource;
  readonly projectPath: string;
  /** Those that everything in the file counts before. */
  readonly predefined: readonly CiVariable[];
  /** Those that instance, groups and project keep, which count before the file's. */
  readonly keptFor: VariablesFor;
  /** Those that come with the pipeline, and count before all others. */
  readonly given: readonly CiVariable[];
  /** Null where nothing says what has changed: then everything has. */
  readonly changedPaths: readonly string[] | null;
  /** All paths at the commit, for `exists`; null: too many to look at. */
  readonly files: readonly string[] | null;
}
