import type { Generated } from 'kysely';

/** Custom attributes (contract/everyday.md "Custom attributes"). */
export interface CustomAttributesTables {
  custom_attributes: CustomAttributesTable;
}

/** Exactly one of `user_id`, `project_id` and `group_id` is set. */
interface CustomAttributesTable {
  id: Generated<number>;
  user_id: number | null;
  project_id: number | null;
  group_id: number | null;
  key: string;
  value: string;
}
