import type { Generated, GeneratedAlways } from 'kysely';

/** Alerts, the integrations that send them, and alert settings of projects (contract/monitoring.md "Data model"). */
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
  /** Last segment of the URL; it never changes. */
  endpoint_identifier: string;
  /** Encrypted, because users who manage the integration can see it again. */
  encrypted_token: string;
  /** Hash for finding the integration by the token of a payload. */
  token_digest: string;
  /** JSON, an object. */
  payload_example: string;
  /** JSON object: field of an alert -> its path in a payload. */
  payload_attribute_mapping: string;
  created_at: string;
  updated_at: string;
}

interface AlertsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  title: string;
  /** Folded title for searching, as the other `*_key` columns. */
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
  /** Sort rank, highest for `critical`; a generated column. */
  severity_rank: GeneratedAlways<number>;
  status: AlertStatus;
  /** Sort rank, highest for `triggered`, lowest for `ignored`; a generated column. */
  status_rank: GeneratedAlways<number>;
  started_at: string;
  /** Set while the alert is resolved. */
  ended_at: string | null;
  /** Number of payloads that reported the alert. */
  event_count: number;
  /** 40 hexadecimal digits; unique among the unresolved alerts of a project. */
  fingerprint: string | null;
  /** JSON of the first payload. */
  payload: string;
  runbook: string | null;
  metric_query: string | null;
  y_label: string | null;
  /** Additional text for an incident that is created from the alert. */
  incident_markdown: string | null;
  environment_id: number | null;
  /** The incident that was created from the alert. */
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
  /** Whether the note is a system note about an action of the author. */
  system: boolean;
  created_at: string;
  updated_at: string;
}

/** Alert settings of a project; without a row, the defaults apply. */
interface IncidentManagementSettingsTable {
  project_id: number;
  create_issue: boolean;
  send_email: boolean;
  auto_close_incident: boolean;
  issue_template_key: string | null;
}
