// `npm run test:clients`: the real clients against the real server. Each is installed on demand; one that cannot be had is
// skipped with the reason; `npm run test:clients -- git` runs only those named. The last line is `N passed, N failed, N skipped`.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD, startVictim, TOKEN } from '../crash/process.ts';
import { type CargoProgram, cargoProgram } from './cargo.ts';
import {
  type DebianPackage,
  installFromDebian,
  listGemLibraries,
  programOfDebian,
  unpackFromDebian,
} from './debian.ts';
import { fetchSource, type GitSource } from './git-source.ts';
import { type GoProgram, goProgram } from './go.ts';
import { classPathOf, compileWithMaven, type JavaProgram } from './maven.ts';
import type { Program } from './program.ts';

interface Client {
  readonly name: string;
  /** None where the client's own program drives itself. */
  readonly command: readonly string[];
  readonly debian?: DebianPackage;
  /** The release of Debian that has the program, named as the client, where the machine has none: the script's `CLIENT`. */
  readonly laterDebian?: string;
  /** What npm installs for it alone, in a folder of its own outside of the project: the script's `CLIENT_CACHE`. */
  readonly npm?: readonly string[];
  /** What pip installs for it alone, in the folder `lib` of the same place, where Python looks first. */
  readonly pip?: readonly string[];
  /** The program, named as the client, that Go builds where the machine has none: the script's `CLIENT`. */
  readonly go?: GoProgram;
  /** The program that Cargo builds: the script's `CLIENT`. */
  readonly cargo?: CargoProgram;
  /** The program that Java compiles with a library of Maven. */
  readonly java?: JavaProgram;
  /** The packages of a later release of Debian whose gems Ruby loads before the machine's own. */
  readonly gems?: { readonly release: string; readonly packages: readonly string[] };
  /** What git fetches into the folder `source` of the same place. */
  readonly source?: GitSource;
}

const here = import.meta.dirname;

const RUBY_GITLAB: DebianPackage = { name: 'ruby-gitlab', probe: ['/usr/bin/ruby', '-e', "require 'gitlab'"] };
const CHROMIUM: DebianPackage = { name: 'chromium', probe: ['/usr/bin/chromium', '--version'] };

/** A Sentry SDK: what reports with it, which `sentry/drive.ts` starts. */
const sentry = (kind: string, ...sender: readonly string[]) => [
  process.execPath,
  join(here, 'sentry/drive.ts'),
  kind,
  ...sender,
];
const sentryOfNode = (version: string): Client => ({
  name: `sentry-node-${Number.parseInt(version, 10)}`,
  command: sentry('node', process.execPath, join(here, 'sentry/send.ts')),
  npm: [`@sentry/node@${version}`],
});
const every: readonly Client[] = [
  { name: 'git', command: [process.execPath, join(here, 'git.ts')] },
  {
    name: 'git-lfs',
    command: [process.execPath, join(here, 'git-lfs.ts')],
    debian: { name: 'git-lfs', probe: ['git', 'lfs', 'version'] },
  },
  {
    name: 'git-lfs-3.8',
    command: [process.execPath, join(here, 'git-lfs.ts')],
    go: { module: 'github.com/git-lfs/git-lfs/v3', version: 'v3.8.1', program: 'git-lfs' },
  },
  {
    name: 'isomorphic-git',
    command: [process.execPath, join(here, 'isomorphic-git.ts')],
    npm: ['isomorphic-git@1.44.19'],
  },
  {
    name: 'gitlab4j',
    command: ['java', 'DriveGitLab4J'],
    java: { artifact: 'org.gitlab4j:gitlab4j-api:6.2.0', source: join(here, 'DriveGitLab4J.java') },
  },
  { name: 'gitbeaker', command: [process.execPath, join(here, 'gitbeaker.ts')] },
  {
    name: 'typescript',
    command: [process.execPath, join(here, 'typescript.ts')],
    npm: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  },
  {
    name: 'oapi-codegen',
    command: [process.execPath, join(here, 'oapi-codegen.ts')],
    go: {
      module: 'github.com/oapi-codegen/oapi-codegen/v2',
      version: 'v2.8.2',
      main: 'cmd/oapi-codegen',
    },
  },
  {
    name: 'redocly',
    command: [process.execPath, join(here, 'openapi-lint.ts'), 'redocly'],
    npm: ['@redocly/cli@2.77.0'],
  },
  {
    name: 'spectral',
    command: [process.execPath, join(here, 'openapi-lint.ts'), 'spectral'],
    npm: ['@stoplight/spectral-cli@6.16.3'],
  },
  {
    name: 'chromium',
    command: [process.execPath, join(here, 'chromium.ts')],
    debian: CHROMIUM,
  },
  {
    name: 'documentation-page',
    command: [process.execPath, join(here, 'documentation-page.ts')],
    debian: CHROMIUM,
  },
  {
    name: 'python-gitlab',
    command: ['/usr/bin/python3', join(here, 'python-gitlab.py')],
    debian: { name: 'python3-gitlab', probe: ['/usr/bin/python3', '-c', 'import gitlab'] },
  },
  {
    name: 'python-gitlab-8',
    command: ['/usr/bin/python3', join(here, 'python-gitlab.py')],
    pip: ['python-gitlab==8.6.0'],
  },
  {
    name: 'ruby-gitlab',
    command: ['/usr/bin/ruby', join(here, 'ruby-gitlab.rb')],
    debian: RUBY_GITLAB,
  },
  {
    name: 'ruby-gitlab-6',
    command: ['/usr/bin/ruby', join(here, 'ruby-gitlab.rb')],
    debian: RUBY_GITLAB,
    gems: { release: 'sid', packages: ['ruby-gitlab'] },
  },
  {
    name: 'gitlab-runner',
    command: [process.execPath, join(here, 'gitlab-runner.ts')],
    go: {
      module: 'gitlab.com/gitlab-org/gitlab-runner',
      version: 'v1.11.1-0.20200110014830-8e5683f82927',
      replace: [
        'github.com/minio/go-homedir => github.com/mitchellh/go-homedir v1.1.0',
        'github.com/docker/docker => github.com/docker/engine v1.4.2-0.20190822180741-9552f2b2fdde',
      ],
    },
  },
  {
    name: 'gitlab-runner-19',
    command: [process.execPath, join(here, 'gitlab-runner.ts')],
    go: { module: 'gitlab.com/gitlab-org/gitlab-runner', version: 'v1.11.1-0.20260903214710-fc1f1862bd91' },
  },
  {
    name: 'client-go',
    command: [],
    go: {
      module: 'gitlab.com/gitlab-org/api/client-go/v2',
      version: 'v2.64.0',
      source: join(here, 'client-go.go'),
    },
  },
  {
    name: 'glab',
    command: [process.execPath, join(here, 'glab.ts')],
    laterDebian: 'trixie',
  },
  {
    name: 'alertmanager',
    command: [process.execPath, join(here, 'alertmanager.ts')],
    debian: { name: 'prometheus-alertmanager', probe: ['/usr/bin/prometheus-alertmanager', '--version'] },
  },
  {
    name: 'prometheus-alertmanager',
    command: [process.execPath, join(here, 'alertmanager.ts')],
    laterDebian: 'sid',
  },
  {
    name: 'alertmanager-0.35',
    command: [process.execPath, join(here, 'alertmanager.ts')],
    go: {
      module: 'github.com/prometheus/alertmanager',
      version: 'v0.35.0',
      main: 'cmd/alertmanager',
      files: { 'ui/app/dist/elm/index.html': '', 'ui/app/dist/mantine/index.html': '' },
    },
  },
  {
    name: 'sentry-python',
    command: sentry('python', '/usr/bin/python3', join(here, 'sentry/send.py')),
    pip: ['sentry-sdk==2.75.0'],
  },
  {
    name: 'sentry-python-1',
    command: sentry('python', '/usr/bin/python3', join(here, 'sentry/send.py')),
    debian: { name: 'python3-sentry-sdk', probe: ['/usr/bin/python3', '-c', 'import sentry_sdk'] },
  },
  {
    name: 'raven-python',
    command: sentry('python-raven', '/usr/bin/python3', join(here, 'sentry/send-raven.py')),
    pip: ['raven==6.10.0'],
  },
  {
    name: 'ci-files',
    command: [process.execPath, join(here, 'ci-files.ts')],
    debian: {
      name: 'ruby-activemodel ruby-re2 ruby-chronic-duration',
      probe: ['/usr/bin/ruby', '-e', "require 'active_model'; require 're2'; require 'gitlab_chronic_duration'"],
    },
    source: {
      repository: 'https://gitlab.com/gitlab-org/gitlab.git',
      tag: 'v18.9.0-ee',
      folders: [
        'lib/gitlab',
        'ee/lib/ee/gitlab/ci',
        'ee/lib/gitlab/ci',
        'gems/gitlab-utils/lib',
        'app/models/concerns/enums',
      ],
    },
  },
  sentryOfNode('11.12.0'),
  sentryOfNode('10.78.0'),
  sentryOfNode('9.47.2'),
  {
    name: 'raven-node',
    command: sentry('node-raven', process.execPath, join(here, 'sentry/send-raven.ts')),
    npm: ['raven@2.6.4'],
  },
  {
    name: 'sentry-browser',
    command: sentry('browser', process.execPath, join(here, 'sentry/send-browser.ts')),
    debian: CHROMIUM,
    npm: ['@sentry/browser@11.12.0'],
  },
  {
    name: 'sentry-go',
    command: sentry('go'),
    go: { module: 'github.com/getsentry/sentry-go', version: 'v0.50.0', source: join(here, 'sentry/send.go') },
  },
  {
    name: 'sentry-rust',
    command: sentry('rust'),
    cargo: {
      dependencies: [
        'sentry = { version = "=0.49.5", default-features = false, features = ["backtrace", "contexts", "debug-images", "panic", "release-health", "ureq"] }',
      ],
      source: join(here, 'sentry/send.rs'),
    },
  },
  {
    name: 'sentry-java',
    command: sentry('java', 'java', 'Send'),
    java: { artifact: 'io.sentry:sentry:8.64.0', source: join(here, 'sentry/Send.java') },
  },
  {
    name: 'sentry-java-1',
    command: sentry('java-1', 'java', 'SendOld'),
    java: { artifact: 'io.sentry:sentry:1.7.30', source: join(here, 'sentry/SendOld.java') },
  },
  {
    name: 'sentry-ruby',
    command: sentry('ruby', '/usr/bin/ruby', join(here, 'sentry/send.rb')),
    debian: { name: 'ruby-concurrent', probe: ['/usr/bin/ruby', '-e', "require 'concurrent'"] },
    gems: { release: 'sid', packages: ['ruby-sentry-ruby-core'] },
  },
  {
    name: 'raven-ruby',
    command: sentry('ruby-raven', '/usr/bin/ruby', join(here, 'sentry/send-raven.rb')),
    debian: { name: 'ruby-sentry-raven', probe: ['/usr/bin/ruby', '-e', "require 'raven'"] },
  },
];

const count = { passed: 0, failed: 0, skipped: 0 };
const named = process.argv.slice(2);
for (const client of every) if (named.length === 0 || named.includes(client.name)) await drive(client);
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
process.exit(count.failed === 0 ? 0 : 1);

async function drive(client: Client): Promise<void> {
  const { name, command } = client;
  const cache = join(homedir(), '.cache/hearth-clients', name);
  const installed = install(client, cache);
  if (installed.reason !== undefined) return skip(name, installed.reason);
  const dataDir = mkdtempSync(join(tmpdir(), 'hearth-client-'));
  const server = await startVictim(dataDir, undefined);
  const startTime = Date.now();
  try {
    const given = { HEARTH: server.address, TOKEN, PASSWORD, CLIENT_CACHE: cache, CLIENT: installed.program };
    const env = { ...process.env, ...given, NODE_NO_WARNINGS: '1', ...libraries(client, cache) };
    const words = command.length > 0 ? command : [installed.program];
    const { stdout, stderr, status } = await started(words, env);
    for (const line of stdout.split('\n').filter((text) => /^(not )?ok /.test(text))) {
      process.stdout.write(`${name}: ${line}\n`);
      if (line.startsWith('ok ')) count.passed++;
      else count.failed++;
    }
    if (status !== 0 && !/^not ok /m.test(stdout)) {
      count.failed++;
      process.stdout.write(`${name}: ended with ${status}\n${stderr}\n`);
    }
    process.stdout.write(`${name}: took ${((Date.now() - startTime) / 1000).toFixed(1)} s\n`);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Installs what the client needs. Returns its program, empty where the script finds the client itself. */
function install(client: Client, cache: string): Program {
  const { name, debian, laterDebian, npm, pip, go, cargo, java, gems, source } = client;
  if (debian && !installFromDebian(debian)) return { reason: `the Debian package ${debian.name} cannot be had here` };
  if (npm && !installFromNpm(cache, npm)) return { reason: `npm cannot bring ${npm.join(' ')} here` };
  if (pip && !installFromPip(cache, pip)) return { reason: `pip cannot bring ${pip.join(' ')} here` };
  if (source && !fetchSource(source, join(cache, 'source')))
    return { reason: `git cannot fetch ${source.repository} here` };
  const reason =
    (java && compileWithMaven(cache, java)) ?? (gems && unpackFromDebian(cache, gems.release, gems.packages));
  if (reason) return { reason };
  if (laterDebian) return programOfDebian(name, cache, laterDebian);
  if (cargo) return cargoProgram(name, cache, cargo);
  return go ? goProgram(name, cache, go) : { program: '' };
}

/** Returns the variables by which a language finds the libraries of the client. */
function libraries({ pip, java, gems }: Client, cache: string): NodeJS.ProcessEnv {
  return {
    ...(pip && { PYTHONPATH: join(cache, 'lib') }),
    ...(java && { CLASSPATH: classPathOf(cache) }),
    ...(gems && { RUBYLIB: listGemLibraries(cache).join(':') }),
  };
}

function skip(name: string, reason: string): void {
  count.skipped++;
  process.stdout.write(`${name}: skipped, ${reason}\n`);
}

function installFromNpm(folder: string, packages: readonly string[]): boolean {
  mkdirSync(folder, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  return succeeds(spawnSync('npm', ['install', ...options, ...packages], { cwd: folder }));
}

function installFromPip(folder: string, packages: readonly string[]): boolean {
  const options = ['--quiet', '--disable-pip-version-check', '--upgrade', '--target', join(folder, 'lib')];
  return succeeds(spawnSync('python3', ['-m', 'pip', 'install', ...options, ...packages]));
}

function succeeds({ status }: SpawnSyncReturns<Buffer>): boolean {
  return status === 0;
}

/** Not spawnSync: the server's output has to be read meanwhile. */
async function started(command: readonly string[], env: NodeJS.ProcessEnv) {
  const { execFile } = await import('node:child_process');
  return new Promise<{ stdout: string; stderr: string; status: number }>((resolve) => {
    execFile(command[0]!, command.slice(1), { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error === null ? 0 : 1 }),
    );
  });
}
