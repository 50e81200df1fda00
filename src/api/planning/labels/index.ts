import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { mergeLabels } from './merge.ts';

// What other families may use of labels.
export { readColor, textColorOn } from './color.ts';
export { createLabel } from './create.ts';
export { LabelBasic } from './entities.ts';
export { labelsLike } from './equivalents.ts';
export { nameLabels } from './find-or-create.ts';
export { type LabelBasicRow, labelsByIds, labelsTitled } from './store.ts';

export const labels = family({ endpoints, jobs: [mergeLabels] });
