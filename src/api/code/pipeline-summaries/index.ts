/**
 * Entities of pipelines and what they show of their jobs. It has no endpoints: commits, merge requests and the
 * pipelines module, which is loaded after both, share them.
 */
export {
  Pipeline,
  PipelineBasic,
  type PipelineBasicRow,
  PipelineDetail,
  PipelineInList,
} from './entities.ts';
