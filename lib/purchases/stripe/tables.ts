/** The tables of Stripe's webhooks, for Kysely. See lib/db/tables.ts. */
import type { SecretPurpose } from './purposes.ts'

export type StripeTables = {
  stripe_secrets: {
    id: string
    workspace_id: string
    purpose: SecretPurpose
    slot: number
    ciphertext: string
    fingerprint: string
    last4: string
    created_at: Date
  }
}
