// `npm run api` writes the files that are generated from the endpoints: api.txt, api-parameters.txt, test/stage-orders.txt
// and src/api/endpoint-sources.ts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resourceModules } from '#api/index.ts';
import { formatEndpoints, formatParameters, formatStageOrders } from '#http/documents/api-text.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { formatEndpointSources } from './endpoint-sources.ts';

const root = join(import.meta.dirname, '..');
const registry = createRegistry(resourceModules);
await writeFile(join(root, 'api.txt'), formatEndpoints(registry));
await writeFile(join(root, 'api-parameters.txt'), formatParameters(registry));
await writeFile(join(root, 'test/stage-orders.txt'), formatStageOrders(registry));
await writeFile(join(root, 'src/api/endpoint-sources.ts'), formatEndpointSources(registry));
console.log(
  `Wrote api.txt, api-parameters.txt, test/stage-orders.txt and src/api/endpoint-sources.ts: ${registry.endpoints.length} endpoints`,
);
