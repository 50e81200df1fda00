/**
 * Entities of pipelines with data of their jobs. This module has no endpoints. Commits, merge requests and the pipelines
 * module, which is loaded after both, share it.
 */
export {
  Pipeline,
  PipelineBasic,
  type PipelineBasicRow,
  PipelineDetail,
  PipelineInList,
} from './entities.ts';
