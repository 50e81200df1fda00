import assert from 'node:assert/strict';
import test from 'node:test';
import { findConfigurationError, planRequiredPipeline } from '../plan/fixtures.testing.ts';

const withInputs = (inputs: string, content: string) => `spec:\n  inputs: ${inputs}\n---\n${content}\n`;

async function listScripts(text: string): Promise<Record<string, readonly string[]>> {
  const { jobs } = await planRequiredPipeline(text);
  return Object.fromEntries(jobs.map(({ name, options }) => [name, options.script]));
}

for (const [inputs, content, scripts] of [
  ['{env: {default: prod}}', "a: {script: 'echo $[[ inputs.env ]]'}", { a: ['echo prod'] }],
  [
    '{env: {default: prod}}',
    "'$[[ inputs.env ]]-job': {script: '$[[inputs.env]]-$[[ inputs.env ]]'}",
    { 'prod-job': ['prod-prod'] },
  ],
  ['{n: {default: 3, type: number}}', "a: {script: 'x $[[ inputs.n ]]'}", { a: ['x 3'] }],
  [
    '{n: {default: "2", type: number}}',
    "a: {script: x, parallel: '$[[ inputs.n ]]'}",
    { 'a 1/2': ['x'], 'a 2/2': ['x'] },
  ],
  [
    '{f: {default: true, type: boolean}}',
    "a: {script: 'x $[[ inputs.f ]]', interruptible: '$[[ inputs.f ]]'}",
    { a: ['x true'] },
  ],
  [
    '{l: {default: [a, b], type: array}}',
    "a: {script: [x, '$[[ inputs.l ]]', 'y $[[ inputs.l ]]']}",
    { a: ['x', 'a', 'b', 'y ["a", "b"]'] },
  ],
  ['{s: {default: 5}}', "a: {script: '$[[ inputs.s ]]'}", { a: ['5'] }],
  ['{s: {default: abcdef}}', "a: {script: '$[[ inputs.s | truncate(1,3) ]]'}", { a: ['bcd'] }],
  ['{s: {default: "a b"}}', "a: {script: 'echo $[[ inputs.s | posix_escape ]]'}", { a: ['echo a\\ b'] }],
  ['{s: {default: x, options: [x, y], regex: ^x}}', "a: {script: '$[[ inputs.s ]]'}", { a: ['x'] }],
  ['{}', "a: {script: '$[[ matrix.A ]]'}", { a: ['$[[ matrix.A ]]'] }],
] as const) {
  test(`inserts the inputs ${inputs} into ${content}`, async () =>
    assert.deepEqual(await listScripts(withInputs(inputs, content)), scripts));
}

test('inserts nothing in a file without a header', async () => {
  assert.deepEqual(await listScripts("a: {script: '$[[ inputs.a ]]'}"), { a: ['$[[ inputs.a ]]'] });
});

test('included files have inputs of their own', async () => {
  const files = { 'a.yml': withInputs('{s: {default: x}}', "b: {script: '$[[ inputs.s ]]'}") };
  const { jobs } = await planRequiredPipeline('include: a.yml\nc: {script: y}', {}, files);
  assert.deepEqual(
    jobs.map(({ options }) => options.script),
    [['x'], ['y']],
  );
});

const JOB = 'a: {script: x}';

for (const [file, error] of [
  [
    withInputs('{env: , b: {}}', JOB),
    '`env` input: required value has not been provided, `b` input: required value has not been provided',
  ],
  [withInputs('{n: {default: x, type: number}}', JOB), '`n` input: default value is not a number'],
  [withInputs('{n: {default: x, type: boolean}}', JOB), '`n` input: default value is not a boolean'],
  [withInputs('{n: {default: x, type: array}}', JOB), '`n` input: default value is not an array'],
  [withInputs('{n: {default: x, type: foo}}', JOB), 'header:spec:inputs:n input type unknown value: foo'],
  [withInputs('{n: {default: x, foo: y}}', JOB), 'header:spec:inputs:n config contains unknown keys: foo'],
  [withInputs('{n: {default: x, regex: 1}}', JOB), 'header:spec:inputs:n input regex should be a string'],
  [withInputs('{n: {default: x, options: y}}', JOB), 'header:spec:inputs:n input options should be an array'],
  [withInputs('{n: text}', JOB), 'header:spec:inputs:n config should be a hash'],
  [withInputs('[n]', JOB), 'header:spec:inputs config should be a hash'],
  [`spec: {foo: 1}\n---\n${JOB}`, 'header:spec config contains unknown keys: foo'],
  [`spec: {}\nfoo: 1\n---\n${JOB}`, 'header config contains unknown keys: foo'],
  [
    withInputs('{n: {default: x, options: [y]}}', JOB),
    '`n` input: `x` cannot be used because it is not in the list of allowed options',
  ],
  [
    withInputs('{n: {default: 1, type: number, options: [2]}}', JOB),
    '`n` input: `1` cannot be used because it is not in the list of the allowed options',
  ],
  [
    withInputs('{n: {default: true, type: boolean, options: [true]}}', JOB),
    '`n` input: Options can only be used with string and number inputs',
  ],
  [withInputs('{n: {default: x, regex: ^y}}', JOB), '`n` input: default value does not match required RegEx pattern'],
  [withInputs("{n: {default: x, regex: '('}}", JOB), '`n` input: invalid regular expression'],
  [
    withInputs('{n: {default: x}}', "a: {script: '$[[ inputs.m ]]'}"),
    'unknown interpolation provided: `m` in `inputs.m`',
  ],
  [
    withInputs('{n: {default: x}}', "a: {script: '$[[ inputs.n.o ]]'}"),
    'unknown interpolation provided: `o` in `inputs.n.o`',
  ],
  [
    withInputs('{n: {default: x}}', "a: {script: '$[[ foo ]]'}"),
    'invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]',
  ],
  [
    withInputs('{n: {default: x}}', "a: {script: '$[[ inputs.n | foo ]]'}"),
    'no function matching `foo`: check that the function name, arguments, and types are correct',
  ],
  [
    withInputs('{n: {default: 1, type: number}}', "a: {script: '$[[ inputs.n | truncate(0,1) ]]'}"),
    'error in `truncate` function: invalid input type: truncate can only be used with string inputs',
  ],
  [
    withInputs('{n: {default: x}}', `a: {script: '$[[ inputs.n${' | truncate(0,1)'.repeat(4)} ]]'}`),
    'too many functions in interpolation block',
  ],
] as const) {
  test(`rejects ${JSON.stringify(file)}: ${error}`, async () =>
    assert.equal(await findConfigurationError(file), error));
}

for (const [description, file] of [
  [
    'arrays that are copied into an array',
    withInputs(
      `{n: {type: array, default: '[${Array(2_000).fill(1)}]'}}`,
      `a: {script: [${Array(300).fill("'$[[ inputs.n ]]'")}]}`,
    ),
  ],
  [
    'functions of a long text',
    withInputs(
      `{n: {default: ${'x'.repeat(60_000)}}}`,
      `a:\n  script:\n${Array.from({ length: 2_000 }, (_, start) => `    - '$[[ inputs.n | truncate(${start},1) ]]'\n`).join('')}`,
    ),
  ],
  [
    'an expensive regular expression for a long text',
    withInputs(`{n: {default: ${'x'.repeat(60_000)}, regex: '(x{0,200}y){2}$'}}`, JOB),
  ],
] as const) {
  test(`rejects a file with ${description}`, async () =>
    assert.match((await findConfigurationError(file)) ?? '', /too big/));
}
