import { Agent, request } from 'node:http';

/** A load on a local URL: a fixed number of requests over a few keep-alive connections. */
export interface Load {
  /** One path for all requests, or one for each. */
  readonly url: string | ((index: number) => string);
  readonly method?: string;
  /** The same headers for all requests, or those of each. */
  readonly headers?: Readonly<Record<string, string>> | ((index: number) => Readonly<Record<string, string>>);
  readonly body?: (index: number) => string;
  readonly requests: number;
  readonly connections?: number;
}

export interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Median of one request, milliseconds. */
  readonly median: number;
}

export async function measure(load: Load): Promise<Measured> {
  const connections = load.connections ?? 4;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    while (next < load.requests) {
      const index = next++;
      const begun = performance.now();
      await once(load, agent, index);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return { rate: load.requests / seconds, median: medianOf(times) };
}

function once(load: Load, agent: Agent, index: number): Promise<void> {
  const body = load.body?.(index);
  const headers = {
    ...(typeof load.headers === 'function' ? load.headers(index) : load.headers),
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const url = typeof load.url === 'string' ? load.url : load.url(index);
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: load.method ?? 'GET', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve();
        else reject(new Error(`${load.method ?? 'GET'} ${url} answered ${status}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The measurements of server and baseline, and their ratio. */
export interface BesideFloor {
  readonly ours: Measured;
  readonly floor: Measured;
  /** The median ratio of the rates per round: a temporary load on the machine spoils one round, not the others. */
  readonly ratio: number;
}

/** Measures both in alternating rounds, so that both see the same machine load; returns the medians. */
export async function inTurns(
  rounds: number,
  ours: () => Promise<Measured>,
  floor: () => Promise<Measured>,
): Promise<BesideFloor> {
  const measured: { ours: Measured[]; floor: Measured[] } = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    measured.floor.push(await floor());
    measured.ours.push(await ours());
  }
  const middle = (all: Measured[]): Measured => ({
    rate: medianOf(all.map(({ rate }) => rate)),
    median: medianOf(all.map(({ median }) => median)),
  });
  const ratio = medianOf(measured.ours.map(({ rate }, round) => rate / measured.floor[round]!.rate));
  return { ours: middle(measured.ours), floor: middle(measured.floor), ratio };
}

/** `1234/s, floor 2345/s, ratio 0.53, median 1.23 ms`. */
export function describe({ ours, floor, ratio }: BesideFloor): string {
  const [rate, theirs] = [ours.rate, floor.rate].map((each) => `${each.toFixed(0)}/s`);
  return `${rate}, floor ${theirs}, ratio ${ratio.toFixed(2)}, median ${ours.median.toFixed(2)} ms`;
}
