import { family } from '../../../http/endpoint/family.ts';

export {
  Pipeline,
  PipelineBasic,
  type PipelineBasicRow,
  PipelineDetail,
  PipelineListed,
  type PipelineRow,
} from './entities.ts';
export { predefinedVariables, slugOf } from './predefined.ts';

export const pipelines = family({ endpoints: {} });
