import { newId } from '../../lib/db/ids.ts'
import {
  countryOf,
  maskDetails,
  type PaymentDetails,
} from '../../lib/payouts/details/payment-details.ts'
import { encryptSecret } from '../../lib/platform/secrets.ts'
import { SECRETS_KEY } from './secrets.ts'

type Query = (text: string, values: unknown[]) => Promise<unknown>

/**
 * Stores how a person wants to be paid, as the portal does, from some time on: a year ago by
 * default.
 */
export const giveDetails = async (
  query: Query,
  { workspaceId, email }: { workspaceId: string; email: string },
  details: PaymentDetails | { method: 'stripe' },
  effectiveAt = new Date('2026-01-01T00:00:00Z'),
): Promise<void> => {
  const sealed =
    details.method === 'stripe'
      ? [null, null, null]
      : [
          await encryptSecret(SECRETS_KEY, workspaceId, JSON.stringify(details)),
          maskDetails(details),
          countryOf(details),
        ]
  await query(
    `insert into payment_details (id, workspace_id, email, method, ciphertext, masked, country, created_at, effective_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz - interval '72 hours', $8)`,
    [newId(), workspaceId, email, details.method, ...sealed, effectiveAt],
  )
}
