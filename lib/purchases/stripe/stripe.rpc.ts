import type { Act } from '../../audit/audit.queries.ts'
import type { ReferralsService, ReportsService } from '../../tracking/reports/purchases.rpc.ts'
import type { NewSecret, StoredSecret } from './signing-secrets.queries.ts'

/**
 * What the stripe-webhook Worker offers managers' Workers. It holds the key that signing secrets
 * are encrypted under.
 */
export type SigningSecretsService = {
  /** Stores a signing secret, encrypted: no other Worker may. */
  addSecret: (act: Act, secret: NewSecret) => Promise<StoredSecret>
}

/**
 * All that it offers. Each caller is bound to an entrypoint that has only its own: see
 * wrangler.toml.
 */
export type StripeService = SigningSecretsService & ReportsService & ReferralsService
