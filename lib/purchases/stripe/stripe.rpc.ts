import type { Act } from '../../audit/audit.queries.ts'
import type { ReferralsService, ReportsService } from '../../tracking/reports/purchases.rpc.ts'
import type { NewSecret, StoredSecret } from './signing-secrets.queries.ts'

/** What the stripe-webhook Worker, which holds the key of the secrets, offers managers' Workers. */
export type SigningSecretsService = {
  /** Stores a signing secret, encrypted: no other Worker may. */
  addSecret: (act: Act, secret: NewSecret) => Promise<StoredSecret>
}

/** All that it offers. Each caller's entrypoint has only its own part: see wrangler.toml. */
export type StripeService = SigningSecretsService & ReportsService & ReferralsService
