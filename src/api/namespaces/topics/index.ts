import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { setProjectTopics, validateTopicCharacters } from './changes.ts';
export { hasTopic, hasTopics, loadTopicNames } from './store.ts';

export const topics = resourceModule({ endpoints });
