// Checks the OpenAPI document with a linter and its recommended rules: `redocly` or `spectral`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './step.ts';

const { HEARTH, CLIENT_CACHE } = process.env;
const [linter] = process.argv.slice(2);
const place = mkdtempSync(join(CLIENT_CACHE!, 'run-'));

interface Finding {
  readonly rule: string;
  readonly isError: boolean;
  readonly where: string;
}

/**
 * Warnings that are right and stay: two operations of the API only answer with errors, and one path has a fixed segment where
 * others have a parameter.
 */
const EXPECTED_WARNINGS = [
  'operation-2xx-response /api/v4/projects/{id}/packages/{package_id}/pipelines',
  'operation-2xx-response /api/v4/runners/router/discovery',
  'operation-success-response /api/v4/runners/router/discovery',
  'no-ambiguous-paths /api/v4/projects/user/{user_id}',
];

function run(program: string, ...args: readonly string[]): string {
  const command = [join(CLIENT_CACHE!, 'node_modules', program), ...args];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: place, encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.notEqual(stdout, '', stderr);
  return stdout;
}

function lintWithRedocly(): Finding[] {
  const output = run(
    '@redocly/cli/bin/cli.js',
    'lint',
    '--extends',
    'recommended',
    '--format',
    'json',
    '--max-problems',
    '1000',
    'openapi.json',
  );
  const { problems } = JSON.parse(output) as {
    problems: { ruleId: string; severity: string; location: { pointer?: string }[] }[];
  };
  return problems.map(({ ruleId, severity, location }) => {
    const pointer = (location[0]?.pointer ?? '').replace(/^#\/paths\//, '').split('/')[0] ?? '';
    return { rule: ruleId, isError: severity === 'error', where: pointer.replaceAll('~1', '/') };
  });
}

function lintWithSpectral(): Finding[] {
  writeFileSync(join(place, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  const output = run(
    '@stoplight/spectral-cli/dist/index.js',
    'lint',
    'openapi.json',
    '--ruleset',
    'rules.yaml',
    '--format',
    'json',
    '--quiet',
  );
  const findings = JSON.parse(output) as { code: string; severity: number; path: string[] }[];
  return findings.map(({ code, severity, path }) => ({
    rule: code,
    isError: severity === 0,
    where: path[0] === 'paths' ? (path[1] ?? '') : path.join('/'),
  }));
}

try {
  const answer = await fetch(`${HEARTH}/api/v4/openapi.json`);
  writeFileSync(join(place, 'openapi.json'), await answer.text());
  const findings = linter === 'redocly' ? lintWithRedocly() : lintWithSpectral();
  const describe = (found: readonly Finding[]) => found.map(({ rule, where }) => `${rule} ${where}`);
  await step(`${linter} finds no errors`, () => {
    assert.deepEqual(describe(findings.filter(({ isError }) => isError)), []);
  });
  await step(`${linter} finds no warnings but the expected ones`, () => {
    const warnings = describe(findings.filter(({ isError }) => !isError));
    assert.deepEqual(
      warnings.filter((warning) => !EXPECTED_WARNINGS.includes(warning)),
      [],
    );
  });
} finally {
  rmSync(place, { recursive: true, force: true });
}
