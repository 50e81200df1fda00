import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// A small runner that speaks the protocol as runners do (contract/runners.md §3): it runs each script line in a shell.

const run = promisify(execFile);

interface Given {
  readonly id: number;
  readonly token: string;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
  readonly steps: readonly { readonly script: readonly string[] }[];
  readonly artifacts: readonly { readonly artifact_type: string; readonly artifact_format: string }[] | null;
  readonly dependencies: readonly { readonly id: number; readonly artifacts_file?: { readonly size: number } }[];
}

/** What became of a job that was run. */
export interface Ran {
  readonly name: string;
  readonly status: string;
  readonly log: string;
  /** What it was given of jobs before it. */
  readonly files: readonly string[];
}

/** A runner of the server at this address, which takes one job at a time. */
export function referenceRunner(address: string, token: string) {
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string | FormData) =>
    fetch(`${address}/api/v4${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const json = { 'Content-Type': 'application/json' };

  async function runJob(job: Given): Promise<Ran> {
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
    /** Takes the next job and runs it; null: there is none. */
    async next(): Promise<Ran | null> {
      const answer = await ask('POST', '/jobs/request', json, JSON.stringify({ token, system_id: 's_reference' }));
      return answer.status === 201 ? runJob((await answer.json()) as Given) : null;
    },
  };
}

function nameOf({ variables }: Given): string {
  return variables.find(({ key }) => key === 'CI_JOB_NAME')?.value ?? '';
}

async function execute({ steps, variables }: Given): Promise<{ readonly log: string; readonly failed: boolean }> {
  const env = { PATH: process.env.PATH, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
  const script = steps[0]?.script.join('\n') ?? '';
  try {
    const { stdout } = await run('sh', ['-e', '-c', script], { env });
    return { log: stdout, failed: false };
  } catch (error) {
    return { log: (error as { stdout?: string }).stdout ?? '', failed: true };
  }
}
