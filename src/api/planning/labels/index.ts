import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { mergeLabels } from './merge.ts';

// Public interface for other resources.
export { getTextColor, parseColor } from './color.ts';
export { createLabel } from './create.ts';
export { LabelBasic } from './entities.ts';
export { mapLabelsToParent } from './equivalents.ts';
export { findOrCreateLabels } from './find-or-create.ts';
export { findLabelsByTitles, type LabelBasicRow, loadLabelsByIds } from './store.ts';

export const labels = resourceModule({ endpoints, jobs: [mergeLabels] });
