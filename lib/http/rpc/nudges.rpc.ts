/** The RPC of Workers that send what others commit: mails, payouts and webhooks. */
export type NudgesService = {
  /**
   * Sends what is due, after the call. The cron sends what a lost nudge leaves. @param round how
   * often the Worker has called itself
   */
  nudge: (round?: number) => Promise<void>
}
