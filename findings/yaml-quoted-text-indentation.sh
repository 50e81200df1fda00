#!/bin/sh
# Package:   yaml 2.9.1 (npm), beside js-yaml 4.1.0
# Input:     a quoted text in a mapping of a sequence whose second line is indented less than its key:
#                - if: '$A == "b" &&
#                $C'
# Expected:  what libyaml and js-yaml do: the lines are folded into one text. Public CI files contain such texts.
# Behaviour: yaml reports "Missing closing 'quote". It applies the indentation rule of YAML 1.2 to flow scalars, and no option
#            relaxes it: neither `strict: false` nor another `version`.
# Fails if one of the packages behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init -y >npm.log
npm install --no-audit --no-fund --ignore-scripts yaml@2.9.1 js-yaml@4.1.0 >>npm.log
cat >run.cjs <<'JS'
const assert = require('node:assert/strict');
const text = `job:\n  rules:\n    - if: '$A == "b" &&\n    $C'\n      when: manual\n`;
const folded = { job: { rules: [{ if: '$A == "b" && $C', when: 'manual' }] } };
assert.deepEqual(require('js-yaml').load(text), folded);
for (const options of [{}, { strict: false }, { version: '1.1' }]) {
  const document = require('yaml').parseDocument(text, options);
  const codes = document.errors.map(({ code }) => code);
  console.log(`yaml ${JSON.stringify(options)}: ${codes.join(', ')}`);
  assert.ok(codes.includes('MISSING_CHAR'));
}
console.log('js-yaml: folded into one text');
JS
node run.cjs
