import type { Generated, GeneratedAlways } from 'kysely';

/** Alerts, who may send them, and what projects make of them (contract/monitoring.md "Data model"). */
export interface MonitoringTables {
  alert_integrations: AlertIntegrationsTable;
  alerts: AlertsTable;
  alert_notes: AlertNotesTable;
  incident_management_settings: IncidentManagementSettingsTable;
}

export type AlertIntegrationType = 'http' | 'prometheus';
export type AlertSeverity = 'critical' | 'high' | 'medium' | 'low' | 'info' | 'unknown';
export type AlertStatus = 'triggered' | 'acknowledged' | 'resolved' | 'ignored';

interface AlertIntegrationsTable {
  id: Generated<number>;
  project_id: number;
  type: AlertIntegrationType;
  name: string;
  active: boolean;
  /** The last segment of its address; it never changes. */
  endpoint_identifier: string;
  /** Shown again to those who manage it. */
  encrypted_token: string;
  /** By which the token of a payload is recognised. */
  token_digest: string;
  /** JSON, an object. */
  payload_example: string;
  /** JSON, an object: field of an alert -> where it stands in a payload. */
  payload_attribute_mapping: string;
  created_at: string;
  updated_at: string;
}

interface AlertsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  title: string;
  /** Folded, for searches, as the other keys are. */
  title_key: string;
  description: string | null;
  description_key: string | null;
  service: string | null;
  service_key: string | null;
  monitoring_tool: string | null;
  monitoring_tool_key: string | null;
  /** JSON, a list of texts. */
  hosts: string;
  severity: AlertSeverity;
  /** Highest for the most critical; the database keeps it. */
  severity_rank: GeneratedAlways<number>;
  status: AlertStatus;
  /** Highest for a triggered one, lowest for an ignored one; the database keeps it. */
  status_rank: GeneratedAlways<number>;
  started_at: string;
  /** Set as long as it is resolved. */
  ended_at: string | null;
  /** How often it was reported. */
  event_count: number;
  /** 40 hexadecimal digits; no two alerts of a project that are not resolved have the same. */
  fingerprint: string | null;
  /** JSON: what was reported first. */
  payload: string;
  runbook: string | null;
  metric_query: string | null;
  y_label: string | null;
  /** What an incident made of it says besides. */
  incident_markdown: string | null;
  environment_id: number | null;
  /** The incident that was made of it. */
  issue_id: number | null;
  assignee_id: number | null;
  created_at: string;
  updated_at: string;
}

interface AlertNotesTable {
  id: Generated<number>;
  alert_id: number;
  author_id: number;
  body: string;
  /** Said by Hearth, of what the author did. */
  system: boolean;
  created_at: string;
  updated_at: string;
}

/** Of a project that has chosen; others have the defaults. */
interface IncidentManagementSettingsTable {
  project_id: number;
  create_issue: boolean;
  send_email: boolean;
  auto_close_incident: boolean;
  issue_template_key: string | null;
}
