import assert from 'node:assert/strict';
import test from 'node:test';
import { findConfigurationError, planFile } from './plan/fixtures.testing.ts';

/** The table of contract/runners.md §6, and what hangs on it: a file and its first error. */
const STAGES = 'stages config should be an array of strings or a nested array of strings up to 10 levels deep';
const COMMANDS = 'config should be a string or a nested array of strings up to 10 levels deep';
const job = (lines: string) => `J:\n  script: make\n  ${lines.replaceAll('\n', '\n  ')}\n`;

const ERRORS: readonly (readonly [file: string, error: string])[] = [
  ['', 'Please provide content of .gitlab-ci.yml'],
  ['# nothing\n', 'jobs config should contain at least one visible job'],
  ['---\n---\n', 'jobs config should contain at least one visible job'],
  ['- a\n- b\n', 'Invalid configuration format'],
  ['just words', 'Invalid configuration format'],
  ['a: [', 'Flow sequence in block collection must be sufficiently indented and end with a ] at line 1 column 5'],
  ['a: b: c', 'Nested mappings are not allowed in compact mappings at line 1 column 4'],
  ['a: *unknown', 'Unknown alias: unknown at line 1 column 4'],
  ['.template: {script: a}', 'jobs config should contain at least one visible job'],
  ['stages: [a]', 'jobs config should contain at least one visible job'],
  ['J: {stage: test}', 'jobs j config should implement the script:, run:, or trigger: keyword'],
  ['Build It: 1', 'jobs build_it config should implement the script:, run:, or trigger: keyword'],
  ['J: {script: []}', "jobs:j script can't be blank"],
  ['.x:\nJ: {script: a}', "jobs:.x config can't be blank"],
  ['.x: {}\nJ: {script: a}', "jobs:.x config can't be blank"],
  [job('retry: {when: foo}'), 'retry when is not included in the list'],
  [job(`rules: [{if: "\${A} == 1"}]`), 'jobs:j:rules:rule if invalid expression syntax'],
  [job('foo: 1'), 'jobs:j config contains unknown keys: foo'],
  [job('Foo: 1\nbar: 2'), 'jobs:j config contains unknown keys: foo, bar'],
  ['J: {trigger: other/project}', 'jobs:j config contains unknown keys: trigger'],
  [job('artifacts: {foo: 1}'), 'jobs:j:artifacts config contains unknown keys: foo'],
  [job('stage: X'), 'J job: chosen stage X does not exist; available stages are .pre, build, test, deploy, .post'],
  [
    `stages: [one]\n${job('stage: two')}`,
    'J job: chosen stage two does not exist; available stages are .pre, one, .post',
  ],
  [
    `stages: [one]\n${job('needs: []')}`,
    'J job: chosen stage test does not exist; available stages are .pre, one, .post',
  ],
  [job('stage: [a]'), 'jobs:j:stage config should be a string'],
  [job('stage: 1'), 'jobs:j:stage config should be a string'],
  [`stages: {a: b}\n${job('')}`, STAGES],
  [`stages: one\n${job('')}`, STAGES],
  [`stages: [1]\n${job('')}`, STAGES],
  ['J: {script: {a: b}}', `jobs:j:script ${COMMANDS}`],
  ['J: {script: [[[[[[[[[[[a]]]]]]]]]]]}', `jobs:j:script ${COMMANDS}`],
  [job('before_script: 1'), `jobs:j:before_script ${COMMANDS}`],
  [job('after_script: [1]'), `jobs:j:after_script ${COMMANDS}`],
  [`before_script: {a: b}\n${job('')}`, `before_script ${COMMANDS}`],
  [`default: {before_script: 1}\n${job('')}`, `default:before_script ${COMMANDS}`],
  [`default: {stage: a}\n${job('')}`, 'default config contains unknown keys: stage'],
  [`default: {image: a}\nimage: b\n${job('')}`, 'image is defined in top-level and `default:` entry'],
  [`default: a\n${job('')}`, 'default config should be a hash'],
  [job('tags: linux'), 'jobs:j:tags config should be an array of strings'],
  [
    job(`tags: [${Array.from({ length: 50 }, (_, i) => `t${i}`)}]`),
    'jobs:j:tags config must be less than the limit of 50 tags',
  ],
  [job('image: [a]'), 'jobs:j:image config should be a hash or a string'],
  [`image: 1\n${job('')}`, 'image config should be a hash or a string'],
  [`variables: [a]\n${job('')}`, 'variables config should be a hash'],
  [`variables: {A: [b]}\n${job('')}`, 'variable definition must be either a string or a hash'],
  [job('variables: 1'), 'jobs:j:variables config should be a hash'],
  [job('when: soon'), 'jobs:j when should be one of: on_success, on_failure, always, manual, delayed'],
  [job('when: 1'), 'jobs:j when should be a string'],
  [job('when: delayed'), 'jobs:j start in should be a duration'],
  [job('when: delayed\nstart_in: 8 days'), 'jobs:j start in should not exceed the limit'],
  [job('start_in: 1 day'), 'jobs:j start in must be blank'],
  [job('allow_failure: maybe'), 'jobs:j allow failure should be a hash or a boolean value'],
  [job('needs: [X]'), 'J job: undefined need: X'],
  [job('needs: {job: X}'), 'J job: undefined need: X'],
  [job('needs: X'), 'jobs:j:needs config can only be a hash or an array'],
  [job('dependencies: [X]'), 'J job: undefined dependency: X'],
  [`${job('needs: [L]')}L: {stage: deploy, script: a}`, 'J job: need L is not defined in current or prior stages'],
  [
    `${job('dependencies: [L]')}L: {stage: deploy, script: a}`,
    'J job: dependency L is not defined in current or prior stages',
  ],
  [`${job('needs: [L, X]')}L: {script: a}`, 'J job: undefined need: X'],
  [`${job('needs: [L, L]')}L: {script: a}`, 'J has the following needs duplicated: L.'],
  [job('needs: [J]'), 'The pipeline has circular dependencies: self-dependency: J'],
  ['a: {script: x, needs: [b]}\nb: {script: x, needs: [a]}', 'The pipeline has circular dependencies: a, b'],
  [job('artifacts: [a]'), 'jobs:j:artifacts config should be a hash'],
  [job('artifacts: {paths: a}'), 'jobs:j:artifacts paths should be an array of strings'],
  [job('artifacts: {expire_in: soon}'), 'jobs:j:artifacts expire in should be a duration'],
  [job('artifacts: {when: later}'), 'jobs:j:artifacts when should be one of: on_success, on_failure, always'],
  [job('environment: [a]'), 'jobs:j:environment config should be a hash or a string'],
  [
    job('environment: {name: a, action: go}'),
    'jobs:j:environment action should be start, stop, prepare, verify, or access',
  ],
  [job('environment: {name: a, on_stop: S}'), 'J job: on_stop job S is not defined'],
  [
    `${job('environment: {name: a, on_stop: S}')}S: {script: a}`,
    'J job: on_stop job S does not have environment defined',
  ],
  [
    `${job('environment: {name: a, on_stop: S}')}S: {script: a, environment: b}`,
    'J job: on_stop job S have different environment name',
  ],
  [
    `${job('environment: {name: a, on_stop: S}')}S: {script: a, environment: a}`,
    'J job: on_stop job S needs to have action stop defined',
  ],
  [job('retry: 3'), 'retry config must be less than or equal to 2'],
  [job('retry: often'), 'retry config has to be either an integer or a hash'],
  [job('parallel: many'), 'jobs:J:parallel should be an integer or a hash'],
  [job('parallel: 0'), 'jobs:j:parallel config must be greater than or equal to 1'],
  [job('parallel: 201'), 'jobs:j:parallel config must be less than or equal to 200'],
  [job('timeout: soon'), 'jobs:j:timeout config should be a duration'],
  [job('timeout: 3600'), 'jobs:j:timeout config should be a duration'],
  [job('timeout: never'), 'jobs:j:timeout config should be a duration'],
  [job('timeout: 0 days'), 'jobs:j:timeout config should be a duration'],
  [job('artifacts: {expire_in: 30}'), 'jobs:j:artifacts expire in should be a duration'],
  [job('environment: {name: a, auto_stop_in: 1}'), 'jobs:j:environment auto stop in should be a string'],
  [job('timeout: 2 months'), 'jobs:j:timeout config should not exceed the limit'],
  [job('rules: []\nonly: [main]'), 'jobs:j config key may not be used with `rules`: only'],
  [job('rules: {if: $A}'), 'jobs:j rules should be an array containing hashes and arrays of hashes'],
  [job('rules: [{if: "$A =="}]'), 'jobs:j:rules:rule if invalid expression syntax'],
  [job('rules: [{if: "$A =~ /(/"}]'), 'jobs:j:rules:rule if invalid expression syntax'],
  [job('only: {variables: ["$A =="]}'), 'jobs:j:only variables invalid expression syntax'],
  [`workflow: {rules: [{if: "("}]}\n${job('')}`, 'workflow:rules:rule if invalid expression syntax'],
  [job('extends: [X, .y]'), 'J: unknown keys in `extends` (X, .y)'],
  ['a: {extends: b}\nb: {extends: a}', 'a: circular dependency detected in `extends`'],
  [
    Array.from({ length: 12 }, (_, i) => `.t${i}: {extends: .t${i + 1}}`).join('\n') + '\n.t12: {script: a}',
    '.t11: nesting too deep in `extends`',
  ],
  [`include: a.yml\n${job('')}`, 'Local file `a.yml` does not exist!'],
  [`include: a.txt\n${job('')}`, 'Included file `a.txt` does not have YAML extension!'],
  ...(
    [
      ['{remote: "https://example.com/a.yml"}', 'https://example.com/a.yml', 'remote'],
      ['"https://example.com/a.yml"', 'https://example.com/a.yml', 'remote'],
      ['{project: a/b, file: c.yml}', 'a/b', 'project'],
      ['[{template: Auto-DevOps.gitlab-ci.yml}]', 'Auto-DevOps.gitlab-ci.yml', 'template'],
      ['{component: a/b/c@1, inputs: {x: y}}', 'a/b/c@1', 'component'],
      ['{local: a.yml, rules: [{if: $A}]}', 'a.yml', 'rules'],
      ['{local: a.yml, inputs: {x: y}}', 'a.yml', 'inputs'],
      ['ci/*.yml', 'ci/*.yml', 'local with wildcards'],
      ['{local: /ci/**/*.yml}', '/ci/**/*.yml', 'local with wildcards'],
      ['$FILE.yml', '$FILE.yml', 'local with variables'],
    ] as const
  ).map(
    ([include, location, kind]) =>
      [
        `include: ${include}\n${job('')}`,
        `Included file \`${location}\` is not supported yet: include:${kind}`,
      ] as const,
  ),
  ['10: {script: a}', 'jobs:10 name should be a symbol'],
  ['on: {script: a}', 'jobs:on name should be a symbol'],
  [`include: 1\n${job('')}`, 'Each include must be a hash or a string'],
  [
    `include: {a: b}\n${job('')}`,
    '`{"a":"b"}` does not have a valid subkey for include. Valid subkeys are: `local`, `remote`, `project`, `template`, `artifact`, `component`',
  ],
  [job('after_script: !reference [.none, script]'), '!reference [".none", "script"] could not be found'],
  ['.n: {image: }\nJ: {script: a, image: !reference [.n, image]}', '!reference [".n", "image"] could not be found'],
  ['.n: {a: [x]}\nJ: {script: !reference [.n, a, "0"]}', '!reference [".n", "a", "0"] could not be found'],
  ['.n: {a: [x]}\nJ: {script: !reference [.n, a, 0]}', '!reference [".n", "a", 0] is not valid'],
  ['J: {script: !reference text}', '!reference "text" is not valid'],
  ['J: {script: !reference []}', '!reference [] is not valid'],
  ['J: {script: a, <<: }', 'jobs:j config contains unknown keys: <<'],
  ['J: {script: a, extends: [[.b]]}', 'J: unknown keys in `extends` ([".b"])'],
  ['J: {script: a, extends: !reference [.b, c]}\n.b: {c: .d}', 'J: unknown keys in `extends` (!reference [".b", "c"])'],
];

const VALID: readonly string[] = [
  `include: [null]\n${job('')}`,
  "'10': {script: a}",
  '"on": {script: a}',
  ...['1h 30m', 'one week', 'thirty minutes', 'DAY', "'3600'", '1 month'].map((text) => job(`timeout: ${text}`)),
  ...['never', 'NEVER', 'one week', '3 weeks and 2 days'].map((text) => job(`artifacts: {expire_in: ${text}}`)),
  ...['1 week', 'two days'].map((text) => job(`when: delayed\nstart_in: ${text}`)),
  ...['one day', 'never', '$TIME', 'soon'].map((text) => job(`environment: {name: a, auto_stop_in: ${text}}`)),
];

for (const file of VALID) {
  test(`accepts ${JSON.stringify(file.slice(0, 200))}`, async () =>
    assert.equal(await findConfigurationError(file), null));
}

for (const [file, error] of ERRORS) {
  test(`${JSON.stringify(file.slice(0, 100))}: ${error.slice(0, 120)}`, async () =>
    assert.equal(await findConfigurationError(file), error));
}

test('limits a job to fifty needs', async () => {
  const many = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `j${index}`);
    return `${names.map((name) => `${name}: {script: a, stage: build}`).join('\n')}\nJ: {script: a, needs: [${names}]}`;
  };
  assert.equal(await findConfigurationError(many(50)), null);
  assert.match((await findConfigurationError(many(51)))!, /^J: one job can only need 50 others/);
  const parallel = (count: number) => `a: {script: a, stage: build, parallel: ${count}}\nJ: {script: a, needs: [a]}`;
  assert.equal(await findConfigurationError(parallel(50)), null);
  assert.match((await findConfigurationError(parallel(51)))!, /^J: one job .* but you have listed 51\. /);
});

test('returns an error for a missing need unless it is optional', async () => {
  const file = (need: string) => `A: {script: a, stage: build, rules: [{if: $NONE}]}\nJ: {script: a, needs: [${need}]}`;
  assert.deepEqual(await planFile(file('A')), {
    invalid:
      "'J' job needs 'A' job, but 'A' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.",
  });
  const plan = await planFile(file('{job: A, optional: true}'));
  assert.ok(typeof plan === 'object' && 'jobs' in plan);
  assert.deepEqual(plan.jobs[0]!.needs, []);
});
