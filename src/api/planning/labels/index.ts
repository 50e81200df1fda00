import { resourceModule } from '#http/endpoint/resource-module.ts';
import { mergeLabels } from './changes.ts';
import * as endpoints from './endpoints.ts';

export { createLabel, findOrCreateLabels } from './changes.ts';
// Public interface for other resources.
export { getTextColor, parseColor } from './color.ts';
export { LabelBasic } from './entities.ts';
export { findLabelsByTitles, type LabelBasicRow, loadLabelsByIds, mapLabelsToParent } from './store.ts';

export const labels = resourceModule({ endpoints, jobs: [mergeLabels] });
