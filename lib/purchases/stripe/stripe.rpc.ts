import type { ReferralsService, ReportsService } from '../purchases.rpc.ts'

/** What the stripe-webhook Worker offers managers' Workers. It alone holds the key that signing secrets are encrypted under. */
export type SigningSecretsService = {
  encryptSecret: (workspaceId: string, secret: string) => Promise<string>
}

/** All that it offers. Each caller is bound to an entrypoint that has only its own: see wrangler.toml. */
export type StripeService = SigningSecretsService & ReportsService & ReferralsService
