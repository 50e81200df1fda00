import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVictim, TOKEN } from '../crash/process.ts';
import { execute, findFreePort, readDeployFile, waitForPort, withScratch } from './tools.ts';

type Placement = 'host' | 'prefix';

interface ProxySetup {
  readonly scratch: string;
  /** The port at which the proxy speaks TLS. */
  readonly port: number;
  /** Address of Hearth, such as `127.0.0.1:40123`. */
  readonly upstream: string;
  /** Files of a certificate for `localhost`, and its key. */
  readonly certificate: string;
  readonly key: string;
}

/** A push and a clone of 200 MB pass through nginx with the example's configuration. */
export function checkNginx(placement: Placement): Promise<void> {
  return checkProxy(placement, async ({ scratch, port, upstream, certificate, key }) => {
    const plainPort = await findFreePort();
    const site = readDeployFile(`nginx/${placement}.conf`)
      .replace(/^\s+listen \[::\]:.*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`)
      .replaceAll('git.example.com;', 'localhost;')
      .replace('server 127.0.0.1:8080;', `server ${upstream};`)
      .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    const file = join(scratch, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `  ${name}_temp_path ${join(scratch, name)};`,
    );
    // The user that runs the check owns its directory.
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;\n' : ''}pid ${scratch}/nginx.pid;\nevents {}\nhttp {\n  access_log off;\n${paths.join('\n')}\n${site}\n}\n`,
    );
    const options = ['-p', scratch, '-c', file, '-e', join(scratch, 'nginx.log')];
    await execute('nginx', ['-t', ...options]);
    return spawn('nginx', [...options, '-g', 'daemon off;'], { stdio: 'ignore' });
  });
}

/** A push and a clone of 200 MB pass through Caddy with the example's configuration. */
export function checkCaddy(placement: Placement): Promise<void> {
  return checkProxy(placement, async ({ scratch, port, upstream, certificate, key }) => {
    const site = readDeployFile(`caddy/Caddyfile.${placement}`)
      .replace('git.example.com {', `https://localhost:${port} {\n\ttls ${certificate} ${key}`)
      .replace('127.0.0.1:8080', upstream);
    const file = join(scratch, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    const env = { ...process.env, XDG_DATA_HOME: scratch, XDG_CONFIG_HOME: scratch };
    const options = ['--config', file, '--adapter', 'caddyfile'];
    await execute('caddy', ['validate', ...options], { env });
    return spawn('caddy', ['run', ...options], { stdio: 'ignore', env });
  });
}

function checkProxy(placement: Placement, start: (setup: ProxySetup) => Promise<ChildProcess>): Promise<void> {
  return withScratch(async (scratch) => {
    const port = await findFreePort();
    const url = `https://localhost:${port}${placement === 'prefix' ? '/hearth' : ''}`;
    const settings = { HEARTH_EXTERNAL_URL: url, HEARTH_TRUSTED_PROXIES: '127.0.0.1' };
    const server = await startVictim(join(scratch, 'data'), undefined, settings);
    let proxy: ChildProcess | undefined;
    try {
      const files = { certificate: join(scratch, 'certificate.pem'), key: join(scratch, 'key.pem') };
      await createCertificate(files);
      proxy = await start({ scratch, port, upstream: new URL(server.address).host, ...files });
      await waitForPort(port);
      await pushAndClone(url, scratch, files.certificate);
      await checkPaths(url, files.certificate);
    } finally {
      if (proxy?.exitCode === null) {
        proxy.kill();
        await once(proxy, 'exit');
      }
      await server.stop();
    }
  });
}

async function createCertificate({ certificate, key }: { certificate: string; key: string }): Promise<void> {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', certificate];
  await execute('openssl', ['req', ...options, ...subject]);
}

const MEGABYTES = 200;

async function pushAndClone(url: string, scratch: string, certificate: string): Promise<void> {
  const env = {
    ...process.env,
    GIT_SSL_CAINFO: certificate,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  await curl(certificate, '--data', 'name=large', `${url}/api/v4/projects`);
  const source = join(scratch, 'source');
  mkdirSync(source);
  const git = (...args: string[]) =>
    execute('git', ['-c', 'gc.auto=0', '-c', 'core.compression=0', ...args], { cwd: source, env });
  await git('init', '--quiet', '--initial-branch=main');
  await execute('sh', ['-c', `head -c ${MEGABYTES}000000 /dev/urandom > large`], { cwd: source });
  await git('add', 'large');
  await git('commit', '--quiet', '--message', 'Add a large file');
  const remote = `${url.replace('://', `://root:${TOKEN}@`)}/root/large.git`;
  await git('push', '--quiet', remote, 'HEAD:refs/heads/main');
  await git('clone', '--quiet', '--bare', remote, join(scratch, 'copy.git'));
  const [head, copied] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('--git-dir', join(scratch, 'copy.git'), 'rev-parse', 'main'),
  ]);
  assert.equal(copied, head);
}

/** Encoded slashes arrive as they are, URLs in responses have the external URL, and the metrics are hidden. */
async function checkPaths(url: string, certificate: string): Promise<void> {
  const project = JSON.parse(await curl(certificate, `${url}/api/v4/projects/root%2Flarge`)) as { web_url: string };
  assert.equal(project.web_url, `${url}/root/large`);
  for (const path of ['/-/metrics', '//-/metrics', '/-//metrics', '/-/metrics/', '/%2D/metrics']) {
    const { status, headers } = await statusOf(certificate, `${url}${path}`);
    assert.equal(status, 404, path);
    assert.ok(!headers.toLowerCase().includes('x-request-id'), `the proxy itself answers ${path}`);
  }
  assert.equal((await statusOf(certificate, `${url}/-/health`)).status, 200);
}

function curl(certificate: string, ...args: string[]): Promise<string> {
  const options = [
    '--silent',
    '--show-error',
    '--fail',
    '--cacert',
    certificate,
    '--header',
    `PRIVATE-TOKEN: ${TOKEN}`,
  ];
  return execute('curl', [...options, ...args]);
}

async function statusOf(certificate: string, url: string): Promise<{ status: number; headers: string }> {
  const headers = await execute('curl', ['--silent', '--head', '--cacert', certificate, url]);
  return { status: Number(/^HTTP\/\S+ (\d+)/.exec(headers)?.[1]), headers };
}
