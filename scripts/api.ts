// `npm run api`: writes api.txt, one line an endpoint, and test/orders.txt, those whose order of checks is their own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { families } from '../src/api/index.ts';
import { apiText, otherOrders } from '../src/http/documents/api-text.ts';
import { createRegistry } from '../src/http/serving/registry.ts';

const root = join(import.meta.dirname, '..');
const registry = createRegistry(families);
await writeFile(join(root, 'api.txt'), apiText(registry));
await writeFile(join(root, 'test/orders.txt'), otherOrders(registry));
console.log(`api.txt: ${registry.endpoints.length} endpoints`);
