import type { Generated } from 'kysely';

/** Labels of projects and groups. */
export interface LabelsTables {
  labels: LabelsTable;
  label_priorities: LabelPrioritiesTable;
  label_subscriptions: LabelSubscriptionsTable;
}

/** Of one project or one group, the other is null. */
interface LabelsTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  title: string;
  title_key: string;
  /** `#RRGGBB`. */
  color: string;
  archived: Generated<boolean>;
  created_at: string;
  updated_at: string;
  description: string | null;
  description_key: string | null;
}

/** Label priorities of a project, lowest first: for its own labels and those of its groups. */
interface LabelPrioritiesTable {
  project_id: number;
  label_id: number;
  priority: number;
}

/** Users who subscribe to a label. */
interface LabelSubscriptionsTable {
  id: Generated<number>;
  label_id: number;
  user_id: number;
  /** For labels of this project's issuables; null: of all. */
  project_id: number | null;
  created_at: string;
}
