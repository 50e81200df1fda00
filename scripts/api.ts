// `npm run api`: writes api.txt, one line an endpoint, and test/stage-orders.txt, those whose order of checks is their own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { families } from '#api/index.ts';
import { apiText, otherOrders } from '#http/documents/api-text.ts';
import { createRegistry } from '#http/server/routing/registry.ts';

const root = join(import.meta.dirname, '..');
const registry = createRegistry(families);
await writeFile(join(root, 'api.txt'), apiText(registry));
await writeFile(join(root, 'test/stage-orders.txt'), otherOrders(registry));
console.log(`api.txt: ${registry.endpoints.length} endpoints`);
