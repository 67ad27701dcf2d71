/** Removes what webhooks have stored of a person. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Statements that remove payloads, and the responses to them. What is still to be sent is made
 * anew, of what is left.
 *
 * @param isTheirs a condition on `w`, the webhook event
 */
export const eraseWebhooks = (
  workspaceId: string,
  isTheirs: RawBuilder<unknown>,
): RawBuilder<unknown>[] => [
  sql`update webhook_deliveries d
      set tries = (select coalesce(jsonb_agg(t || '{"response": null}' order by place), '[]')
                   from jsonb_array_elements(d.tries) with ordinality as u (t, place))
      from webhook_events w
      where w.workspace_id = ${workspaceId} and ${isTheirs} and d.event_id = w.id and d.tries <> '[]'`,
  sql`update webhook_events w set payload = null
      where w.workspace_id = ${workspaceId} and ${isTheirs} and w.payload is not null`,
]
