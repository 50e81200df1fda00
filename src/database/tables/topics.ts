import type { Generated } from 'kysely';
import type { Visibility } from './domain.ts';

/** Topics of projects (contract/everyday.md "Topics"). */
export interface TopicsTables {
  topics: TopicsTable;
  project_topics: ProjectTopicsTable;
}

interface TopicsTable {
  id: Generated<number>;
  name: string;
  name_key: string;
  title: string;
  title_key: string;
  description: string | null;
  /** Number of rows of `project_topics`; triggers maintain both counts. */
  project_count: Generated<number>;
  /** Number of internal and public projects. */
  shared_project_count: Generated<number>;
  created_at: string;
  updated_at: string;
}

interface ProjectTopicsTable {
  project_id: number;
  topic_id: number;
  /** Position among the topics of the project. */
  position: number;
  /** Copied from the project by triggers. */
  visibility: Generated<Visibility | null>;
}
