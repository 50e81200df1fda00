import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// A minimal runner that implements the runner protocol (contract/runners.md §3). It runs each script in a shell.

const run = promisify(execFile);

interface AssignedJob {
  readonly id: number;
  readonly token: string;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
  readonly steps: readonly { readonly script: readonly string[] }[];
  readonly artifacts: readonly { readonly artifact_type: string; readonly artifact_format: string }[] | null;
  readonly dependencies: readonly { readonly id: number; readonly artifacts_file?: { readonly size: number } }[];
}

/** The result of a job run. */
export interface JobResult {
  readonly name: string;
  readonly status: string;
  readonly log: string;
  /** The artifacts that it downloaded from its dependencies. */
  readonly files: readonly string[];
}

/** Returns a runner for the server at this address; it runs one job at a time. */
export function referenceRunner(address: string, token: string) {
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string | FormData) =>
    fetch(`${address}/api/v4${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const json = { 'Content-Type': 'application/json' };

  async function runJob(job: AssignedJob): Promise<JobResult> {
    const own = { 'JOB-TOKEN': job.token };
    const files: string[] = [];
    for (const { id, artifacts_file } of job.dependencies) {
      if (artifacts_file) files.push(await (await ask('GET', `/jobs/${id}/artifacts`, own)).text());
    }
    const { log, failed } = await execute(job);
    await ask('PATCH', `/jobs/${job.id}/trace`, { ...own, 'Content-Range': `0-${log.length}` }, log);
    for (const { artifact_type, artifact_format } of failed ? [] : (job.artifacts ?? [])) {
      const form = new FormData();
      form.set('file', new Blob([`of ${nameOf(job)}`]), 'artifacts.zip');
      await ask(
        'POST',
        `/jobs/${job.id}/artifacts?${new URLSearchParams({ artifact_type, artifact_format })}`,
        own,
        form,
      );
    }
    const end = { token: job.token, state: failed ? 'failed' : 'success', failure_reason: 'script_failure' };
    const told = await ask('PUT', `/jobs/${job.id}`, json, JSON.stringify(end));
    return { name: nameOf(job), status: told.headers.get('job-status') ?? '', log, files };
  }

  return {
    /** Requests the next job and runs it; returns null if no job is available. */
    async next(): Promise<JobResult | null> {
      const answer = await ask('POST', '/jobs/request', json, JSON.stringify({ token, system_id: 's_reference' }));
      return answer.status === 201 ? runJob((await answer.json()) as AssignedJob) : null;
    },
  };
}

function nameOf({ variables }: AssignedJob): string {
  return variables.find(({ key }) => key === 'CI_JOB_NAME')?.value ?? '';
}

async function execute({ steps, variables }: AssignedJob): Promise<{ readonly log: string; readonly failed: boolean }> {
  const env = { PATH: process.env.PATH, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
  const script = steps[0]?.script.join('\n') ?? '';
  try {
    const { stdout } = await run('sh', ['-e', '-c', script], { env });
    return { log: stdout, failed: false };
  } catch (error) {
    return { log: (error as { stdout?: string }).stdout ?? '', failed: true };
  }
}
