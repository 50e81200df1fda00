import type { VariableType } from '#database/schema.ts';

/** The part of the CI file that is stored with a job (`jobs.options`, as JSON), for runners and for later checks. */
export interface JobOptions {
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  /** Null: no `after_script` step. */
  readonly after_script: readonly string[] | null;
  /** The variables of the file in order: global ones, the job's, those of the matching rule. Later ones win. */
  readonly variables: readonly FileVariable[];
  readonly image: JobImage | null;
  readonly services: readonly JobService[];
  readonly cache: readonly JobCache[];
  readonly artifacts: JobArtifacts | null;
  /** `[]`: no dependencies; null: not set. */
  readonly dependencies: readonly string[] | null;
  readonly retry: JobRetry | null;
  /** `allow_failure: exit_codes`. */
  readonly allow_failure_exit_codes: readonly number[] | null;
  readonly environment: JobEnvironment | null;
  /** Delay of a delayed job in seconds. */
  readonly start_in: number | null;
  readonly hooks: { readonly pre_get_sources_script?: readonly string[] };
  /** For parallel jobs: `CI_NODE_INDEX` and `CI_NODE_TOTAL`. */
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly interruptible: boolean;
  /** A regular expression between slashes. */
  readonly coverage: string | null;
  readonly manual_confirmation: string | null;
  /** Stored as written in the file. */
  readonly id_tokens: unknown;
  readonly release: unknown;
  readonly secrets: unknown;
}

/** A variable of the CI file. */
export interface FileVariable {
  readonly key: string;
  readonly value: string;
  readonly raw: boolean;
}

/** A variable given when the pipeline was created. */
export interface PipelineVariableInput {
  readonly key: string;
  readonly value: string;
  readonly variable_type: VariableType;
  readonly raw: boolean;
}

export interface JobImage {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly ports: readonly unknown[];
  readonly executor_opts: Readonly<Record<string, unknown>>;
  readonly pull_policy: readonly string[] | null;
}

export interface JobService extends JobImage {
  readonly alias: string | null;
  readonly command: readonly string[] | null;
  readonly variables: readonly FileVariable[];
}

export interface JobCache {
  /** The cache key, or the files whose last commits determine it. */
  readonly key: string | { readonly files: readonly string[]; readonly prefix: string | null };
  readonly untracked: boolean;
  readonly paths: readonly string[];
  readonly policy: string;
  readonly when: 'on_success' | 'on_failure' | 'always';
  readonly fallback_keys: readonly string[];
  readonly unprotect: boolean;
}

export interface JobArtifacts {
  readonly name: string | null;
  readonly untracked: boolean;
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly when: 'on_success' | 'on_failure' | 'always';
  /** As written in the file: `1 week`, `never`. */
  readonly expire_in: string | null;
  readonly expose_as: string | null;
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Paths by report type (`junit`, `dotenv`, ...). */
  readonly reports: Readonly<Record<string, readonly string[]>>;
}

export interface JobRetry {
  readonly max: number;
  /** Failure reasons, or `always`. */
  readonly when: readonly string[];
  readonly exit_codes: readonly number[];
}

export interface JobEnvironment {
  /** The name as written; the job's row holds the expanded name. */
  readonly name: string;
  readonly url: string | null;
  readonly action: 'start' | 'stop' | 'prepare' | 'verify' | 'access';
  readonly on_stop: string | null;
  readonly auto_stop_in: string | null;
  readonly deployment_tier: string | null;
  readonly kubernetes: unknown;
}
