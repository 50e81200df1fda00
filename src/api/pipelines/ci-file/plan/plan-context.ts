import type { PipelineSource } from '#database/schema.ts';
import type { PathSource, Paths } from '../expressions/paths.ts';
import type { CiVariable, ScopedVariable } from '../expressions/variables.ts';

/**
 * Returns the stored variables for jobs of this environment; for null those of jobs without an environment and of
 * `workflow`.
 */
type VariablesByEnvironment = (environment: string | null) => readonly CiVariable[];

/** The context in which a pipeline is planned. */
export interface PlanContext {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: PipelineSource;
  readonly projectPath: string;
  /** Predefined variables; the variables of the file override them. */
  readonly predefinedVariables: readonly CiVariable[];
  /** Stored variables of instance, groups and project; they override those of the file. */
  readonly storedVariables: VariablesByEnvironment;
  /** Variables given with the pipeline; they override all others. */
  readonly pipelineVariables: readonly CiVariable[];
  /** Changed paths; null: unknown, so every path counts as changed. */
  readonly changedPaths: readonly string[] | null;
  /** All paths at the commit, for `exists`; null: too many to check. */
  readonly files: readonly string[] | null;
  readonly loadPaths: LoadPaths;
}

/**
 * Loads the paths of a source that a rule of the CI file names. If that fails, returns the text of the error in the CI
 * file.
 */
export type LoadPaths = (source: PathSource) => Promise<Paths | string>;

/** Which parts of the context the file uses. */
export interface ContextNeeds {
  readonly changes: boolean;
  readonly exists: boolean;
  readonly environments: boolean;
}

/** A stored variable that jobs of the pipeline may get, depending on their environment. */
export interface StoredVariable extends ScopedVariable {
  readonly variable: CiVariable;
}

/** The context in the form that is sent to the planning thread. */
export interface PlanContextData extends Omit<PlanContext, 'storedVariables' | 'loadPaths'> {
  readonly storedVariables: readonly StoredVariable[];
  /** Whether the ref is protected. */
  readonly isProtectedRef: boolean;
}
