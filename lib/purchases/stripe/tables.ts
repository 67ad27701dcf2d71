/** The tables of Stripe's webhooks, for Kysely. See lib/db/tables.ts. */
import type { SecretPurpose } from './purposes.ts'

type StripeTables = {
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

declare module '../../db/tables.ts' {
  interface Tables extends StripeTables {}
}
