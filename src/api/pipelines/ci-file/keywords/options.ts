import type { VariableType } from '#database/tables/pipelines.ts';

/** What a job's row keeps of the CI file (`jobs.options`, as JSON): what runners are given, and what the server asks later. */
export interface JobOptions {
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  /** Null: there is none, and no step of it. */
  readonly after_script: readonly string[] | null;
  /** The variables of the file: global ones, the job's, those of the rule that let it in; the later wins. */
  readonly variables: readonly FileVariable[];
  readonly image: Image | null;
  readonly services: readonly Service[];
  readonly cache: readonly Cache[];
  readonly artifacts: Artifacts | null;
  /** `[]`: of none; null: not said. */
  readonly dependencies: readonly string[] | null;
  readonly retry: Retry | null;
  /** `allow_failure: exit_codes`. */
  readonly allow_failure_exit_codes: readonly number[] | null;
  readonly environment: Environment | null;
  /** Seconds that a delayed job waits. */
  readonly start_in: number | null;
  readonly hooks: { readonly pre_get_sources_script?: readonly string[] };
  /** Of a job that is one of several: `CI_NODE_INDEX`, `CI_NODE_TOTAL`. */
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly interruptible: boolean;
  /** A regular expression between slashes. */
  readonly coverage: string | null;
  readonly manual_confirmation: string | null;
  /** As the file has them. */
  readonly id_tokens: unknown;
  readonly release: unknown;
  readonly secrets: unknown;
}

export interface FileVariable {
  readonly key: string;
  readonly value: string;
  readonly raw: boolean;
}

/** A variable of a pipeline, given when it was made. */
export interface PipelineVariable {
  readonly key: string;
  readonly value: string;
  readonly variable_type: VariableType;
  readonly raw: boolean;
}

export interface Image {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly ports: readonly unknown[];
  readonly executor_opts: Readonly<Record<string, unknown>>;
  readonly pull_policy: readonly string[] | null;
}

export interface Service extends Image {
  readonly alias: string | null;
  readonly command: readonly string[] | null;
  readonly variables: readonly FileVariable[];
}

export interface Cache {
  /** The text of `key`, or the files whose last commits it is made of. */
  readonly key: string | { readonly files: readonly string[]; readonly prefix: string | null };
  readonly untracked: boolean;
  readonly paths: readonly string[];
  readonly policy: string;
  readonly when: 'on_success' | 'on_failure' | 'always';
  readonly fallback_keys: readonly string[];
  readonly unprotect: boolean;
}

export interface Artifacts {
  readonly name: string | null;
  readonly untracked: boolean;
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly when: 'on_success' | 'on_failure' | 'always';
  /** As the file says it: `1 week`, `never`. */
  readonly expire_in: string | null;
  readonly expose_as: string | null;
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Paths by kind of report (`junit`, `dotenv`, ...). */
  readonly reports: Readonly<Record<string, readonly string[]>>;
}

export interface Retry {
  readonly max: number;
  /** Reasons of failure, or `always`. */
  readonly when: readonly string[];
  readonly exit_codes: readonly number[];
}

export interface Environment {
  /** Not expanded; the job's row has the expanded one. */
  readonly name: string;
  readonly url: string | null;
  readonly action: 'start' | 'stop' | 'prepare' | 'verify' | 'access';
  readonly on_stop: string | null;
  readonly auto_stop_in: string | null;
  readonly deployment_tier: string | null;
  readonly kubernetes: unknown;
}
