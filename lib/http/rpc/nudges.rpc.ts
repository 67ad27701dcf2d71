/** What the Workers offer that send what others commit: mails, payouts and webhooks. */
export type NudgesService = {
  /**
   * Sends what is due now, after the call. What a lost nudge leaves is sent by cron.
   *
   * @param round how often the Worker has called itself to go on
   */
  nudge: (round?: number) => Promise<void>
}
