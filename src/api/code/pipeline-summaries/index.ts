/**
 * How pipelines are shown, and what they show of their jobs: no family with endpoints of its own, but what commits and merge
 * requests show as well as the pipelines' own family, which comes after both.
 */
export {
  Pipeline,
  PipelineBasic,
  type PipelineBasicRow,
  PipelineDetail,
  PipelineListed,
} from './entities.ts';
