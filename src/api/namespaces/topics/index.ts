import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { validateTopicCharacters } from './changes.ts';
// Shared with projects.
export { setProjectTopics } from './project-topics.ts';
export { hasTopic, hasTopics, loadTopicNames } from './store.ts';

export const topics = resourceModule({ endpoints });
