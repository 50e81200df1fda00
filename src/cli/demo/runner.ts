import type { StoryClock } from './story-clock.ts';

/** A runner of the demo: it takes jobs and reports logs and results, but executes nothing. */
export interface DemoRunner {
  /** Runs all waiting jobs. Those that `fails` names report a failure. */
  runAll(fails?: (jobName: string) => boolean): Promise<void>;
}

interface AssignedJob {
  readonly id: number;
  readonly token: string;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
  readonly steps: readonly { readonly script: readonly string[] }[];
}

/** Creates a runner with its authentication token. `settle` runs background jobs of the server. */
export function createDemoRunner(
  address: string,
  runnerToken: string,
  { clock, settle }: { readonly clock: StoryClock; readonly settle: () => Promise<void> },
): DemoRunner {
  const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body: string) => {
    const response = await fetch(`${address}/api/v4${path}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`The demo failed: ${method} ${path} answered ${response.status}: ${text}`);
    return { status: response.status, text };
  };
  const json = { 'Content-Type': 'application/json' };

  async function run(job: AssignedJob, fails: (jobName: string) => boolean): Promise<void> {
    const name = job.variables.find(({ key }) => key === 'CI_JOB_NAME')?.value ?? '';
    const isFailed = fails(name);
    const script = job.steps.flatMap((step) => step.script);
    clock.pass(getDuration(name));
    const log = formatLog(name, script, isFailed);
    const headers = {
      'JOB-TOKEN': job.token,
      'Content-Range': `0-${Buffer.byteLength(log) - 1}`,
      'Content-Type': 'text/plain',
    };
    await send('PATCH', `/jobs/${job.id}/trace`, headers, log);
    const result = {
      token: job.token,
      ...(isFailed ? { state: 'failed', failure_reason: 'script_failure' } : { state: 'success' }),
    };
    await send('PUT', `/jobs/${job.id}`, json, JSON.stringify(result));
  }

  return {
    async runAll(fails = () => false) {
      for (;;) {
        await settle();
        const request = { token: runnerToken, system_id: 's_demo', info: { name: 'demo', version: '1.0.0' } };
        const { status, text } = await send('POST', '/jobs/request', json, JSON.stringify(request));
        if (status !== 201) return;
        await run(JSON.parse(text) as AssignedJob, fails);
      }
    },
  };
}

/** Seconds that a job takes: the same for each run of its name. */
const getDuration = (name: string) => 20 + ((name.length * 37) % 140);

function formatLog(name: string, script: readonly string[], isFailed: boolean): string {
  const section = (title: string, lines: readonly string[]) =>
    `section_start:0:${title}\r\u001b[0K\u001b[36;1m${title.replaceAll('_', ' ')}\u001b[0;m\n${lines.join('\n')}\nsection_end:0:${title}\r\u001b[0K`;
  const commands = script.flatMap((command) => [
    `\u001b[32;1m$ ${command}\u001b[0;m`,
    ...describeOutput(name, isFailed),
  ]);
  const end = isFailed ? '\u001b[31;1mERROR: Job failed: exit code 1\u001b[0;m' : '\u001b[32;1mJob succeeded\u001b[0;m';
  return `${[section('get_sources', ['Fetching changes...', 'Checking out the commit']), section('step_script', commands), end].join('\n')}\n`;
}

/** Returns the output of the commands of a job. */
function describeOutput(name: string, isFailed: boolean): readonly string[] {
  if (isFailed) return ['ok 1 - starts', 'not ok 2 - gives the expected result', '# 1 of 2 failed'];
  if (/test|simulation/.test(name)) return ['ok 1 - starts', 'ok 2 - gives the expected result', '# 2 passed'];
  if (name.startsWith('deploy') || name === 'publish') return ['sent 48,112 bytes  received 1,204 bytes', 'Done'];
  return ['Done'];
}
