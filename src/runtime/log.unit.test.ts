import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createLog } from './log.ts';

function capture(logLevel: 'debug' | 'info' | 'silent') {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: () => new Date('2026-01-02T03:04:05.678Z') };
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: createLog({ logLevel }, { clock, destination }) };
}

test('writes each line as a JSON object with level, time, process, fields and message', () => {
  const { lines, log } = capture('info');
  log.info({ port: 8080 }, 'listening');
  const time = '2026-01-02T03:04:05.678Z';
  assert.deepEqual(lines, [{ level: 'info', time, pid: process.pid, port: 8080, msg: 'listening' }]);
});

test('omits lines below the level', () => {
  const { lines, log } = capture('info');
  log.debug('no');
  log.warn('yes');
  log.error('yes');
  assert.deepEqual(
    lines.map((line) => line.level),
    ['warn', 'error'],
  );
  const silent = capture('silent');
  silent.log.error('no');
  assert.deepEqual(silent.lines, []);
});

test('a child adds its fields to each of its lines', () => {
  const { lines, log } = capture('debug');
  log.child({ requestId: 'r1' }).child({ job: 3 }).debug('done');
  assert.equal(lines[0]?.requestId, 'r1');
  assert.equal(lines[0]?.job, 3);
});

test('writes no secrets from messages, fields, children or errors', () => {
  const { lines, log } = capture('debug');
  const fields = { headers: { authorization: 'hunter2' }, err: new Error('https://u:hunter2@h') };
  log.child({ token: 'hunter2' }).error(fields, 'GET https://u:hunter2@h/?token=hunter2');
  assert.equal(lines.length, 1);
  assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
});

test('a closed log removes its listeners from the process', () => {
  const before = process.listenerCount('exit');
  const log = createLog({ logLevel: 'error' });
  assert.equal(process.listenerCount('exit'), before + 1);
  log.child({ job: 1 }).close();
  assert.equal(process.listenerCount('exit'), before);
});

test('does not block when the reader of the log has exited', async () => {
  const program = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    const log = createLog({ logLevel: 'info' });
    process.stdin.once('end', () => {
      log.error('nobody reads this');
      log.info('nor this');
      log.close();
      process.stderr.write('went on');
    }).resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { timeout: 30_000 });
  child.stdout.destroy();
  child.stdin.end();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.deepEqual([said, code], ['went on', 0]);
});
