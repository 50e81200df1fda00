import type { Generated } from 'kysely';

/** Labels of projects and groups. */
export interface LabelsTables {
  labels: LabelsTable;
  label_priorities: LabelPrioritiesTable;
  label_subscriptions: LabelSubscriptionsTable;
}

/** Labels. Exactly one of `project_id` and `group_id` is set. */
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

/** Priorities in a project of its labels and those of its groups; a lower number comes first. */
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
  /** The project whose issuables with the label notify the user; null: all projects. */
  project_id: number | null;
  created_at: string;
}
