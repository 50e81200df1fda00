// The baseline of a JSON read, as a separate process: bare Fastify, prepared statements for the token and the project on
// the same database, and one JSON.stringify per request. For reads during commits, it makes the commits itself. Prints its
// address.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

const [dataDir = '.'] = process.argv.slice(2);
const database = new DatabaseSync(join(dataDir, 'hearth.sqlite3'), { readOnly: true });
const byDigest = database.prepare(
  `select t.id, t.scopes, t.expires_at, t.revoked, t.last_used_at, u.id as user_id, u.username, u.name, u.email, u.state, u.admin
   from access_tokens t join users u on u.id = t.user_id where t.digest = ?`,
);
const projectById = database.prepare(
  `select p.*, r.*, o.full_path, o.full_name from projects p join repositories r on r.project_id = p.id
   join routes o on o.project_id = p.id where p.id = ?`,
);
const projectsPage = database.prepare(
  `select p.*, r.*, o.full_path, o.full_name, n.path as namespace_path, n.name as namespace_name from projects p
   join repositories r on r.project_id = p.id join routes o on o.project_id = p.id
   join namespaces n on n.id = p.namespace_id order by p.created_at desc, p.id desc limit 21`,
);
/** Prepares the first page of a list of the large project. */
const pageOf = (table: 'issues' | 'activity_events') =>
  database.prepare(
    `select t.*, u.username, u.name as author_name from ${table} t join users u on u.id = t.author_id
     where t.project_id = (select id from projects where path = 'project-1') order by t.created_at desc, t.id desc limit 21`,
  );

const environments = database.prepare(
  `select * from environments where project_id = (select id from projects where path = 'project-1') order by id limit 21`,
);

/** The query of each benchmark; any other name reads one project. */
const reads: Readonly<Record<string, { all(): unknown }>> = {
  projects: projectsPage,
  issues: pageOf('issues'),
  events: pageOf('activity_events'),
  environments,
};

// Commits with the durability of Hearth's. They go to another file, because Hearth would treat them as commits of another
// process.
const own = new DatabaseSync(join(dataDir, 'floor.sqlite3'));
own.exec(
  'pragma journal_mode = wal; pragma synchronous = full; create table if not exists flags (name text primary key, value)',
);
const setFlag = own.prepare('insert into flags values (?, ?) on conflict (name) do update set value = excluded.value');

const bodies = new Map<string, unknown>();
const known = (token: unknown) => byDigest.get(createHash('sha256').update(String(token)).digest('hex'));
const fastify = Fastify({ logger: false });
fastify.put('/body/:name', { bodyLimit: 100_000_000 }, async (request) => {
  bodies.set((request.params as { name: string }).name, request.body);
  return {};
});
fastify.get('/read/:name', async (request, reply) => {
  const { name } = request.params as { name: string };
  known(request.headers['private-token']);
  if (reads[name]) reads[name].all();
  else projectById.get(1);
  const body = JSON.stringify(bodies.get(name));
  return reply.header('Content-Type', 'application/json').send(body);
});
fastify.post('/commit', async (request) => {
  known(request.headers['private-token']);
  own.exec('begin immediate');
  setFlag.run('between', Math.random() < 0.5 ? 'true' : 'false');
  own.exec('commit');
  return { name: 'between' };
});
process.stdout.write(`${await fastify.listen({ port: 0 })}\n`);
