/** Returns the path of an alert's page in the browser, relative to the server's address. */
export function buildAlertPath(projectPath: string, iid: number): string {
  return `/${projectPath}/-/alert_management/${iid}/details`;
}
