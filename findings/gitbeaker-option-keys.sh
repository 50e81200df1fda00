#!/bin/sh
# Package:   @gitbeaker/rest 43.8.0 (npm)
# Input:     options whose keys are names that a user chose: the inputs of a pipeline, as its CI file declares them,
#            and custom attributes in a filter.
# Expected:  the names arrive as they are. The library converts the names of the API's own parameters only.
# Behaviour: it converts the keys of queries and JSON bodies at every depth: the input `deployTarget` is sent as `deploy_target`, which the CI
#            file does not declare, and `regionA1` loses its capitals too. A name in capitals, `MAX_SIZE`, stays.
#            Variables of a trigger, which go as a form, stay too. So a name in camel case works in one call and not
#            in the other.
# Fails if the package behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init -y >npm.log
npm install --no-audit --no-fund --ignore-scripts @gitbeaker/rest@43.8.0 >>npm.log
cat >run.mjs <<'JS'
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Gitlab } from '@gitbeaker/rest';

let request = '';
const server = createServer((incoming, response) => {
  request = decodeURIComponent(incoming.url);
  incoming.on('data', (bytes) => (request += ` ${bytes}`));
  incoming.on('end', () => response.setHeader('Content-Type', 'application/json').end('[]'));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const api = new Gitlab({ host: `http://127.0.0.1:${server.address().port}`, token: 'token' });

await api.Pipelines.create(1, 'main', { inputs: { deployTarget: 'x', regionA1: 'y', MAX_SIZE: 'z' } });
console.log('inputs:', request);
assert.match(request, /"inputs":\{"deploy_target":"x","region_a1":"y","MAX_SIZE":"z"\}/);
await api.Projects.all({ customAttributes: { costCenter: '7' } });
console.log('custom attributes:', request);
assert.match(request, /custom_attributes\[cost_center\]=7/);
await api.PipelineTriggerTokens.trigger(1, 'main', 'token', { variables: { deployTarget: 'x' } });
console.log('variables of a trigger:', request.replaceAll(/\s+/g, ' '));
assert.match(request, /name="variables\[deployTarget\]"/);
server.close();
JS
node run.mjs
