// `npm run api` writes the files that are generated from the endpoints: api.txt, api-parameters.txt, test/stage-orders.txt,
// src/api/endpoint-sources.ts and web/api/operations.ts; and from the pages web/pages.txt, web/pages/index.ts and web/pages/later.ts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resourceModules } from '#api/index.ts';
import { formatEndpoints, formatParameters, formatStageOrders } from '#http/documents/api-text.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { formatClientTypes } from './client-types.ts';
import { formatEndpointSources } from './endpoint-sources.ts';
import { formatLaterPages, formatPageIndex, formatPages } from './pages.ts';

const root = join(import.meta.dirname, '..');
const registry = createRegistry(resourceModules);
await writeFile(join(root, 'api.txt'), formatEndpoints(registry));
await writeFile(join(root, 'api-parameters.txt'), formatParameters(registry));
await writeFile(join(root, 'test/stage-orders.txt'), formatStageOrders(registry));
await writeFile(join(root, 'src/api/endpoint-sources.ts'), formatEndpointSources(registry));
await writeFile(join(root, 'web/api/operations.ts'), await formatClientTypes(registry));
await writeFile(join(root, 'web/pages.txt'), formatPages());
await writeFile(join(root, 'web/pages/index.ts'), formatPageIndex());
await writeFile(join(root, 'web/pages/later.ts'), formatLaterPages());
console.log(
  `Wrote api.txt, api-parameters.txt, test/stage-orders.txt, src/api/endpoint-sources.ts, web/api/operations.ts, web/pages.txt, web/pages/index.ts and later.ts: ${registry.endpoints.length} endpoints`,
);
