import { sql } from 'kysely';
import { open } from '../../../http/access/access.ts';
import { plainText, Reply } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';

export const readLiveness = endpoint({
  get: '/-/liveness',
  summary: 'Is the process running',
  access: open(),
  root: true,
  answer: plainText,
  read: () => 'Hearth is running\n',
});

export const readReadiness = endpoint({
  get: '/-/readiness',
  summary: 'Can the server serve',
  access: open(),
  root: true,
  answer: plainText,
  async read(db) {
    try {
      await sql`select 1`.execute(db);
      return 'Hearth is ready\n';
    } catch {
      return new Reply('The database is not available\n', { status: 503 });
    }
  },
});

export const readMetrics = endpoint({
  get: '/-/metrics',
  summary: 'Metrics in the format of Prometheus',
  access: open(),
  root: true,
  answer: plainText,
  async handle(_call, { metrics }) {
    return new Reply(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } });
  },
});
