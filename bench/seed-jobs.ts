import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { hashToken } from '#security/tokens.ts';
import { PROJECT } from './seed-issues.ts';

/** One project with a long history of finished jobs, and runners that request jobs. */

interface Seeding {
  readonly numbers: (from: number, to: number) => RawBuilder<unknown>;
  readonly moment: (n: string) => RawBuilder<unknown>;
}

const JOBS_OF_PIPELINE = 20;
const RUNNERS = 200;

/** Inserts the jobs of a range of numbers with their pipelines. The first batch also inserts the runners. */
export async function jobs(tx: Transaction, from: number, to: number, { numbers, moment }: Seeding): Promise<void> {
  if (from === 1) await runners(tx);
  const user = sql`(select id from users where username_key = 'seed-1')`;
  const [first, last] = [Math.ceil(from / JOBS_OF_PIPELINE), Math.floor(to / JOBS_OF_PIPELINE)];
  const status = (n: string) =>
    sql.raw(`case ${n} % 10 when 3 then 'failed' when 7 then 'canceled' else 'success' end`);
  await sql`insert into pipelines (project_id, iid, ref, tag, sha, before_sha, source, status, protected, user_id, started_at,
      finished_at, created_at, updated_at)
    ${numbers(first, last)} select ${PROJECT}, n.i, 'branch-' || (n.i % 100), false, ${'a'.repeat(40)}, ${'0'.repeat(40)}, 'push',
      ${status('n.i')}, false, ${user}, ${moment('n.i')}, ${moment('n.i + 1')}, ${moment('n.i')}, ${moment('n.i + 1')} from n`.execute(
    tx,
  );
  const place = sql.raw(`case when n.i % ${JOBS_OF_PIPELINE} < 10 then 0 else 1 end`);
  await sql`insert into jobs (project_id, pipeline_id, name, stage, stage_index, status, run_when, allow_failure, retried, protected,
      user_id, runner_id, trace_size, queued_at, started_at, finished_at, created_at, updated_at, options)
    ${numbers(from, to)} select p.project_id, p.id, 'job ' || (n.i % ${sql.lit(JOBS_OF_PIPELINE)}), 'test', ${place}, ${status('n.i')},
      'on_success', false, false, false, ${user}, (select min(id) from runners) + n.i % ${sql.lit(RUNNERS)}, 0,
      ${moment('n.i')}, ${moment('n.i')}, ${moment('n.i + 1')}, ${moment('n.i')}, ${moment('n.i + 1')}, '{"script":["true"]}'
    from n join pipelines p on p.project_id = ${PROJECT} and p.iid = (n.i - 1) / ${sql.lit(JOBS_OF_PIPELINE)} + 1`.execute(
    tx,
  );
}

/** The tokens of the runners. All are instance runners and differ by their tags. */
export const RUNNER_TOKENS = Array.from({ length: RUNNERS }, (_, number) => `glrt-bench-runner-${number}`);

async function runners(tx: Transaction): Promise<void> {
  for (const [number, token] of RUNNER_TOKENS.entries()) {
    const { id } = await tx
      .insertInto('runners')
      .values({
        runner_type: 'instance_type',
        token_digest: hashToken(token),
        registration_type: 'authenticated_user',
        paused: false,
        locked: false,
        run_untagged: true,
        access_level: 'not_protected',
        created_at: tx.now,
        updated_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const tag = { runner_id: id, name: `tag-${number % 10}`, position: 0 };
    await tx.insertInto('runner_tags').values(tag).execute();
  }
}
