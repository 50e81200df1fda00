// What the scripts that drive a client have in common: one line a step, `ok …` or `not ok …` with the reason, which run.ts reads.

const { HEARTH = '', TOKEN = '' } = process.env;

/** Does one thing and tells what became of it; the next step is tried whatever it was. */
export async function step(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    process.stdout.write(`ok ${name}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`not ok ${name}: ${reasonOf(error)}\n`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const more = [error.cause, 'stderr' in error ? error.stderr : undefined].filter((part) => part !== undefined);
  const text = [error.message, ...more.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))].join(
    '\n',
  );
  return text.split('\n').slice(0, 8).join(' / ');
}

/** A call of the API that prepares a step, as the administrator. */
export function api(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
  return fetch(`${HEARTH}/api/v4${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
}
